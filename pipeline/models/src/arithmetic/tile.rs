//! The innermost product: a tile of 12 rows and 32 columns.

use super::instructions::Instructions;

/// Rows of a tile.
pub(super) const TILE_ROWS: usize = 12;
/// Columns of a tile.
pub(super) const TILE_COLUMNS: usize = 32;

/// Sums of a tile, by row.
pub(super) type Tile = [[f32; TILE_COLUMNS]; TILE_ROWS];

/// Multiplies 12 rows of `left`, which start `stride` apart, by a panel of 32 columns that holds
/// one row of 32 after the other.
#[inline]
pub(super) fn multiply_tile(
    instructions: Instructions,
    left: &[f32],
    stride: usize,
    panel: &[f32],
    tile: &mut Tile,
) {
    let depth = panel.len() / TILE_COLUMNS;
    // What the kernels rely on.
    assert!(
        left.len() >= (TILE_ROWS - 1) * stride + depth,
        "a tile needs 12 whole rows"
    );
    match instructions {
        #[cfg(target_arch = "x86_64")]
        #[expect(
            unsafe_code,
            reason = "the processor was asked whether it has the instructions, the length of \
                      `left` is asserted above and that of `panel` gives the depth"
        )]
        Instructions::Avx512 => unsafe { avx512(left, stride, panel, depth, tile) },
        #[cfg(target_arch = "x86_64")]
        #[expect(
            unsafe_code,
            reason = "the processor was asked whether it has the instructions, the length of \
                      `left` is asserted above and that of `panel` gives the depth"
        )]
        Instructions::Avx2 => unsafe { avx2(left, stride, panel, depth, tile) },
        _ => portable(left, stride, panel, tile),
    }
}

/// # Safety
/// `left` holds at least `11 * stride + depth` numbers and `panel` `32 * depth`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[expect(unsafe_code, reason = "loads and stores of vectors take pointers")]
unsafe fn avx512(left: &[f32], stride: usize, panel: &[f32], depth: usize, tile: &mut Tile) {
    use std::arch::x86_64::{
        _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
    };

    let mut sums = [[_mm512_setzero_ps(); 2]; TILE_ROWS];
    let (left, panel) = (left.as_ptr(), panel.as_ptr());
    for k in 0..depth {
        // SAFETY: k < depth, and the caller answers for the lengths.
        let columns = unsafe {
            [
                _mm512_loadu_ps(panel.add(k * TILE_COLUMNS)),
                _mm512_loadu_ps(panel.add(k * TILE_COLUMNS + 16)),
            ]
        };
        for (row, sums) in sums.iter_mut().enumerate() {
            // SAFETY: row <= 11 and k < depth, and the caller answers for the length.
            let value = _mm512_set1_ps(unsafe { *left.add(row * stride + k) });
            sums[0] = _mm512_fmadd_ps(value, columns[0], sums[0]);
            sums[1] = _mm512_fmadd_ps(value, columns[1], sums[1]);
        }
    }
    for (row, sums) in tile.iter_mut().zip(sums) {
        // SAFETY: a row of a tile holds 32 numbers.
        unsafe {
            _mm512_storeu_ps(row.as_mut_ptr(), sums[0]);
            _mm512_storeu_ps(row.as_mut_ptr().add(16), sums[1]);
        }
    }
}

/// # Safety
/// `left` holds at least `11 * stride + depth` numbers and `panel` `32 * depth`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
#[expect(unsafe_code, reason = "loads and stores of vectors take pointers")]
unsafe fn avx2(left: &[f32], stride: usize, panel: &[f32], depth: usize, tile: &mut Tile) {
    use std::arch::x86_64::{
        _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps,
    };

    // 16 registers hold the sums of 6 rows and 16 columns.
    const ROWS: usize = 6;
    const COLUMNS: usize = 16;
    let (left, panel) = (left.as_ptr(), panel.as_ptr());
    for first_row in (0..TILE_ROWS).step_by(ROWS) {
        for first_column in (0..TILE_COLUMNS).step_by(COLUMNS) {
            let mut sums = [[_mm256_setzero_ps(); 2]; ROWS];
            for k in 0..depth {
                // SAFETY: k < depth, and the caller answers for the lengths.
                let columns = unsafe {
                    let row = panel.add(k * TILE_COLUMNS + first_column);
                    [_mm256_loadu_ps(row), _mm256_loadu_ps(row.add(8))]
                };
                for (row, sums) in sums.iter_mut().enumerate() {
                    // SAFETY: the row is at most the 12th, k < depth, and the caller answers for
                    // the length.
                    let value =
                        _mm256_set1_ps(unsafe { *left.add((first_row + row) * stride + k) });
                    sums[0] = _mm256_fmadd_ps(value, columns[0], sums[0]);
                    sums[1] = _mm256_fmadd_ps(value, columns[1], sums[1]);
                }
            }
            for (row, sums) in tile[first_row..].iter_mut().zip(sums) {
                // SAFETY: first_column + 16 <= 32, the length of a row.
                unsafe {
                    let target = row.as_mut_ptr().add(first_column);
                    _mm256_storeu_ps(target, sums[0]);
                    _mm256_storeu_ps(target.add(8), sums[1]);
                }
            }
        }
    }
}

fn portable(left: &[f32], stride: usize, panel: &[f32], tile: &mut Tile) {
    for (row, sums) in tile.iter_mut().enumerate() {
        *sums = [0.0; TILE_COLUMNS];
        let (columns, _) = panel.as_chunks::<TILE_COLUMNS>();
        for (value, columns) in left[row * stride..].iter().zip(columns) {
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
        let (depth, stride) = (37, 40);
        let left: Vec<f32> = (0..12 * stride).map(|i| (i as f32 * 0.7).sin()).collect();
        let panel: Vec<f32> = (0..depth * 32).map(|i| (i as f32 * 0.3).cos()).collect();
        for instructions in Instructions::available() {
            let mut tile = [[f32::NAN; TILE_COLUMNS]; TILE_ROWS];
            multiply_tile(instructions, &left, stride, &panel, &mut tile);
            for (row, sums) in tile.iter().enumerate() {
                for (column, sum) in sums.iter().enumerate() {
                    let exact: f64 = (0..depth)
                        .map(|k| {
                            f64::from(left[row * stride + k]) * f64::from(panel[k * 32 + column])
                        })
                        .sum();
                    let difference = (f64::from(*sum) - exact).abs();
                    assert!(difference < 1e-5, "{instructions:?} {row} {column}");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "12 whole rows")]
    fn short_rows_are_refused() {
        let mut tile = [[0.0; TILE_COLUMNS]; TILE_ROWS];
        multiply_tile(Instructions::best(), &[0.0; 100], 16, &[0.0; 64], &mut tile);
    }
}
