//! Products of rows with packed columns.

use super::functions::{Activation, activate};
use super::instructions::{Instructions, Vectorised, vectorised};
use super::tile::{TILE_COLUMNS, TILE_ROWS, multiply_tile};

/// Rows that are packed and multiplied at once: with the columns of a panel they stay in a core's
/// cache.
const ROWS_AT_ONCE: usize = 10 * TILE_ROWS;

/// The right side of a product: columns in panels of 32, each panel by row, the last one filled up
/// with zeros.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panels {
    data: Vec<f32>,
    depth: usize,
    columns: usize,
}

impl Panels {
    /// Packs a matrix of weights that has a row of `depth` numbers for each column of the product.
    pub(crate) fn of_weights(weights: &[f32], depth: usize) -> Self {
        let mut panels = Self::default();
        panels.pack_transposed(weights, depth, weights.len() / depth.max(1), depth);
        panels
    }

    /// Columns are `columns` rows of `depth` numbers that start `stride` apart in `source`.
    pub(crate) fn pack_transposed(
        &mut self,
        source: &[f32],
        stride: usize,
        columns: usize,
        depth: usize,
    ) {
        self.reset(depth, columns);
        for (index, panel) in self.data.chunks_exact_mut(depth * TILE_COLUMNS).enumerate() {
            let first = index * TILE_COLUMNS;
            for column in first..columns.min(first + TILE_COLUMNS) {
                let row = &source[column * stride..][..depth];
                let (targets, _) = panel.as_chunks_mut::<TILE_COLUMNS>();
                for (target, value) in targets.iter_mut().zip(row) {
                    target[column - first] = *value;
                }
            }
        }
    }

    /// Rows are `depth` rows of `columns` numbers that start `stride` apart in `source`.
    pub(crate) fn pack(&mut self, source: &[f32], stride: usize, depth: usize, columns: usize) {
        self.reset(depth, columns);
        for (index, panel) in self.data.chunks_exact_mut(depth * TILE_COLUMNS).enumerate() {
            let first = index * TILE_COLUMNS;
            let width = (columns - first).min(TILE_COLUMNS);
            for (row, target) in panel.chunks_exact_mut(TILE_COLUMNS).enumerate() {
                target[..width].copy_from_slice(&source[row * stride + first..][..width]);
            }
        }
    }

    fn reset(&mut self, depth: usize, columns: usize) {
        (self.depth, self.columns) = (depth, columns);
        self.data.clear();
        self.data
            .resize(columns.next_multiple_of(TILE_COLUMNS) * depth, 0.0);
    }
}

/// The left side of a product: `count` rows that start `stride` apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows<'data> {
    pub(crate) data: &'data [f32],
    pub(crate) stride: usize,
    pub(crate) count: usize,
}

/// Rows in groups of 12, each group by column, the last one filled up with zeros; memory that is
/// used again by the next product.
#[derive(Debug, Default)]
pub(crate) struct PackedRows(Vec<[f32; TILE_ROWS]>);

impl PackedRows {
    fn pack(&mut self, rows: Rows<'_>, depth: usize) {
        let groups = rows.count.div_ceil(TILE_ROWS);
        self.0.resize(groups * depth, [0.0; TILE_ROWS]);
        for (group, packed) in self.0.chunks_exact_mut(depth).enumerate() {
            for place in 0..TILE_ROWS {
                let row = group * TILE_ROWS + place;
                if row < rows.count {
                    let row = &rows.data[row * rows.stride..][..depth];
                    for (packed, value) in packed.iter_mut().zip(row) {
                        packed[place] = *value;
                    }
                } else {
                    for packed in packed.iter_mut() {
                        packed[place] = 0.0;
                    }
                }
            }
        }
    }
}

/// What is done to a product before it is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Finish<'bias> {
    /// A factor.
    Scale(f32),
    /// A term for every column.
    Bias(&'bias [f32]),
    /// A term for every column, then a function.
    BiasThen(&'bias [f32], Activation),
}

/// Stores the product of rows and columns in rows that start `out_stride` apart.
pub(crate) fn multiply(
    left: Rows<'_>,
    right: &Panels,
    out: &mut [f32],
    out_stride: usize,
    finish: Finish<'_>,
    packed: &mut PackedRows,
) {
    let depth = right.depth;
    if depth == 0 {
        return;
    }
    let instructions = Instructions::best();
    let mut tile = [[0.0; TILE_COLUMNS]; TILE_ROWS];
    for first_row in (0..left.count).step_by(ROWS_AT_ONCE) {
        let rows = Rows {
            data: &left.data[first_row * left.stride..],
            stride: left.stride,
            count: (left.count - first_row).min(ROWS_AT_ONCE),
        };
        packed.pack(rows, depth);
        let (steps, _) = right.data.as_chunks::<TILE_COLUMNS>();
        for (panel, columns) in steps.chunks_exact(depth).enumerate() {
            let first = panel * TILE_COLUMNS;
            let width = (right.columns - first).min(TILE_COLUMNS);
            for (group, group_rows) in packed.0.chunks_exact(depth).enumerate() {
                multiply_tile(instructions, group_rows, columns, &mut tile);
                let row = group * TILE_ROWS;
                vectorised(FinishTile {
                    sums: &mut tile[..(rows.count - row).min(TILE_ROWS)],
                    out: &mut out[(first_row + row) * out_stride + first..],
                    out_stride,
                    width,
                    finish: finish.of_columns(first, width),
                });
            }
        }
    }
}

impl<'bias> Finish<'bias> {
    fn of_columns(self, first: usize, width: usize) -> Self {
        let part = |bias: &'bias [f32]| &bias[first..first + width];
        match self {
            Self::Scale(factor) => Self::Scale(factor),
            Self::Bias(bias) => Self::Bias(part(bias)),
            Self::BiasThen(bias, activation) => Self::BiasThen(part(bias), activation),
        }
    }
}

struct FinishTile<'data> {
    sums: &'data mut [[f32; TILE_COLUMNS]],
    out: &'data mut [f32],
    out_stride: usize,
    width: usize,
    finish: Finish<'data>,
}

impl Vectorised for FinishTile<'_> {
    #[expect(clippy::inline_always, reason = "see Vectorised")]
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        let mut terms = [0.0; TILE_COLUMNS];
        let (factor, activation) = match self.finish {
            Finish::Scale(factor) => (factor, None),
            Finish::Bias(bias) => {
                terms[..bias.len()].copy_from_slice(bias);
                (1.0, None)
            }
            Finish::BiasThen(bias, activation) => {
                terms[..bias.len()].copy_from_slice(bias);
                (1.0, Some(activation))
            }
        };
        for (row, sums) in self.sums.iter_mut().enumerate() {
            for (sum, term) in sums.iter_mut().zip(&terms) {
                *sum = *sum * factor + term;
            }
            if let Some(activation) = activation {
                activate::<FUSED>(activation, sums);
            }
            let out = &mut self.out[row * self.out_stride..];
            // Whole rows of a tile are copied by a few instructions, others by a call.
            if self.width == TILE_COLUMNS
                && let Some(out) = out.first_chunk_mut()
            {
                *out = *sums;
            } else {
                out[..self.width].copy_from_slice(&sums[..self.width]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, step: f32) -> Vec<f32> {
        (0..count).map(|i| (i as f32 * step).sin()).collect()
    }

    #[test]
    fn products_of_any_shape_are_right() {
        let mut packed = PackedRows::default();
        for (rows, depth, columns) in [(1, 1, 1), (12, 8, 32), (13, 5, 33), (250, 17, 70)] {
            let (stride, out_stride) = (depth + 3, columns + 2);
            let left = numbers(rows * stride, 0.37);
            let weights = numbers(columns * depth, 0.11);
            let bias = numbers(columns, 0.9);
            let right = Panels::of_weights(&weights, depth);
            let mut out = vec![f32::NAN; rows * out_stride];
            let rows_of_left = Rows {
                data: &left,
                stride,
                count: rows,
            };
            multiply(
                rows_of_left,
                &right,
                &mut out,
                out_stride,
                Finish::Bias(&bias),
                &mut packed,
            );
            for row in 0..rows {
                for column in 0..columns {
                    let exact: f32 = (0..depth)
                        .map(|k| left[row * stride + k] * weights[column * depth + k])
                        .sum();
                    let got = out[row * out_stride + column];
                    assert!((got - exact - bias[column]).abs() < 1e-5);
                }
                // What lies between the rows is not touched.
                assert!(out[row * out_stride + columns].is_nan());
            }
        }
    }

    #[test]
    fn rows_and_columns_can_be_packed() {
        let (depth, columns) = (5, 40);
        let weights = numbers(columns * depth, 0.2);
        let transposed: Vec<f32> = (0..depth * columns)
            .map(|i| weights[(i % columns) * depth + i / columns])
            .collect();
        let mut panels = Panels::default();
        panels.pack(&transposed, columns, depth, columns);
        assert_eq!(panels.data, Panels::of_weights(&weights, depth).data);
    }
}
