//! The innermost product: a tile of 12 rows and 32 columns.

use super::instructions::Instructions;

/// Rows of a tile.
pub(super) const TILE_ROWS: usize = 12;
/// Columns of a tile.
pub(super) const TILE_COLUMNS: usize = 32;

/// Sums of a tile, by row.
pub(super) type Tile = [[f32; TILE_COLUMNS]; TILE_ROWS];

/// Multiplies 12 rows by 32 columns, both given as what they hold at each step of the sum.
#[inline]
pub(super) fn multiply_tile(
    instructions: Instructions,
    rows: &[[f32; TILE_ROWS]],
    columns: &[[f32; TILE_COLUMNS]],
    tile: &mut Tile,
) {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "the processor was asked whether it has them")]
        Instructions::Avx512 => unsafe { avx512(rows, columns, tile) },
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "the processor was asked whether it has them")]
        Instructions::Avx2 => unsafe { avx2(rows, columns, tile) },
        _ => portable(rows, columns, tile),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "loads and stores of vectors take pointers")]
fn avx512(rows: &[[f32; TILE_ROWS]], columns: &[[f32; TILE_COLUMNS]], tile: &mut Tile) {
    use std::arch::x86_64::{
        _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
    };

    let mut sums = [[_mm512_setzero_ps(); 2]; TILE_ROWS];
    for (values, columns) in rows.iter().zip(columns) {
        // SAFETY: both halves of the array hold 16 numbers.
        let columns = unsafe {
            [
                _mm512_loadu_ps(columns.as_ptr()),
                _mm512_loadu_ps(columns.as_ptr().add(16)),
            ]
        };
        for (value, sums) in values.iter().zip(&mut sums) {
            let value = _mm512_set1_ps(*value);
            sums[0] = _mm512_fmadd_ps(value, columns[0], sums[0]);
            sums[1] = _mm512_fmadd_ps(value, columns[1], sums[1]);
        }
    }
    for (row, sums) in tile.iter_mut().zip(sums) {
        // SAFETY: both halves of the row hold 16 numbers.
        unsafe {
            _mm512_storeu_ps(row.as_mut_ptr(), sums[0]);
            _mm512_storeu_ps(row.as_mut_ptr().add(16), sums[1]);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
#[expect(unsafe_code, reason = "loads and stores of vectors take pointers")]
fn avx2(rows: &[[f32; TILE_ROWS]], columns: &[[f32; TILE_COLUMNS]], tile: &mut Tile) {
    use std::arch::x86_64::{
        _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    };

    // 16 registers hold the sums of 6 rows and 16 columns.
    const ROWS: usize = 6;
    const COLUMNS: usize = 16;
    for first_row in [0, ROWS] {
        for first_column in [0, COLUMNS] {
            let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
            for (values, columns) in rows.iter().zip(columns) {
                // SAFETY: first_column + 16 <= 32, the length of the array.
                let columns = unsafe {
                    let first = columns.as_ptr().add(first_column);
                    [_mm256_loadu_ps(first), _mm256_loadu_ps(first.add(8))]
                };
                for (value, sums) in values[first_row..first_row + ROWS].iter().zip(&mut sums) {
                    let value = _mm256_set1_ps(*value);
                    sums[0] = _mm256_fmadd_ps(value, columns[0], sums[0]);
                    sums[1] = _mm256_fmadd_ps(value, columns[1], sums[1]);
                }
            }
            for (row, sums) in tile[first_row..].iter_mut().zip(sums) {
                // SAFETY: first_column + 16 <= 32, the length of the row.
                unsafe {
                    let target = row.as_mut_ptr().add(first_column);
                    _mm256_storeu_ps(target, sums[0]);
                    _mm256_storeu_ps(target.add(8), sums[1]);
                }
            }
        }
    }
}

fn portable(rows: &[[f32; TILE_ROWS]], columns: &[[f32; TILE_COLUMNS]], tile: &mut Tile) {
    *tile = [[0.0; TILE_COLUMNS]; TILE_ROWS];
    for (values, columns) in rows.iter().zip(columns) {
        for (value, sums) in values.iter().zip(tile.iter_mut()) {
            for (sum, column) in sums.iter_mut().zip(columns) {
                *sum += value * column;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_instructions_gives_the_same_products() {
        let number = |i: usize| (i as f32 * 0.7).sin();
        let rows: Vec<[f32; TILE_ROWS]> = (0..37)
            .map(|k| std::array::from_fn(|row| number(k * 12 + row)))
            .collect();
        let columns: Vec<[f32; TILE_COLUMNS]> = (0..37)
            .map(|k| std::array::from_fn(|column| number(k * 32 + column + 5)))
            .collect();
        for instructions in Instructions::available() {
            let mut tile = [[f32::NAN; TILE_COLUMNS]; TILE_ROWS];
            multiply_tile(instructions, &rows, &columns, &mut tile);
            for (row, sums) in tile.iter().enumerate() {
                for (column, sum) in sums.iter().enumerate() {
                    let exact: f64 = rows
                        .iter()
                        .zip(&columns)
                        .map(|(rows, columns)| f64::from(rows[row]) * f64::from(columns[column]))
                        .sum();
                    let difference = (f64::from(*sum) - exact).abs();
                    assert!(difference < 1e-5, "{instructions:?} {row} {column}");
                }
            }
        }
    }
}
