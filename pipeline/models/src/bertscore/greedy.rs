//! One pair by greedy matching.

use super::BertScore;
use crate::arithmetic::{Finish, PackedRows, Panels, Rows, greatest, multiply};

/// One text of a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'data> {
    /// States of length 1.
    pub(super) states: &'data [f32],
    /// One weight for each token.
    pub(super) weights: &'data [f32],
}

/// Memory for the similarities of a pair, used again by the next.
#[derive(Debug, Default)]
pub(super) struct Similarities {
    references: Panels,
    hypotheses: PackedRows,
    values: Vec<f32>,
    by_row: Vec<f32>,
    by_column: Vec<f32>,
}

impl Similarities {
    /// Scores a pair; `padded` says whether the hypothesis and the reference are filled up.
    pub(super) fn score(
        &mut self,
        hypothesis: Side<'_>,
        reference: Side<'_>,
        width: usize,
        padded: [bool; 2],
    ) -> BertScore {
        let (rows, columns) = (hypothesis.weights.len(), reference.weights.len());
        // Only the two special tokens are there.
        if rows <= 2 || columns <= 2 {
            return BertScore {
                precision: 0.0,
                recall: 0.0,
                f1: 0.0,
            };
        }
        self.references
            .pack_transposed(reference.states, width, columns, width);
        self.values.resize(rows * columns, 0.0);
        self.by_row.resize(rows, 0.0);
        self.by_column.resize(columns, 0.0);
        let left = Rows {
            data: hypothesis.states,
            stride: width,
            count: rows,
        };
        multiply(
            left,
            &self.references,
            &mut self.values,
            columns,
            Finish::Scale(1.0),
            &mut self.hypotheses,
        );
        greatest(&self.values, columns, &mut self.by_row, &mut self.by_column);
        let precision = weighted_mean(&self.by_row, hypothesis.weights, padded[1]);
        let recall = weighted_mean(&self.by_column, reference.weights, padded[0]);
        let f1 = 2.0 * precision * recall / (precision + recall);
        BertScore {
            precision,
            recall,
            f1: if f1.is_nan() { 0.0 } else { f1 },
        }
    }
}

/// Mean of the best similarities; those of a side that is filled up are at least 0.
fn weighted_mean(best: &[f32], weights: &[f32], padded: bool) -> f64 {
    let (mut sum, mut whole) = (0.0, 0.0);
    for (best, weight) in best.iter().zip(weights) {
        let best = if padded { best.max(0.0) } else { *best };
        sum += f64::from(best) * f64::from(*weight);
        whole += f64::from(*weight);
    }
    sum / whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(weights: &[f32], padded: [bool; 2]) -> BertScore {
        let hypothesis = [1.0, 0.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0];
        let reference = [1.0, 0.0, 0.6, 0.8, 1.0, 0.0];
        Similarities::default().score(
            Side {
                states: &hypothesis,
                weights,
            },
            Side {
                states: &reference,
                weights: &[0.0, 1.0, 0.0],
            },
            2,
            padded,
        )
    }

    #[test]
    fn special_tokens_are_found_but_do_not_count() {
        let alone = score(&[0.0, 1.0, 1.0, 0.0], [false; 2]);
        // The second token is least unlike 0.6/0.8, the third most like it.
        assert!((alone.precision - 0.1).abs() < 1e-6);
        assert!((alone.recall - 0.8).abs() < 1e-6);
        let f1 = 2.0 * 0.1 * 0.8 / 0.9;
        assert!((alone.f1 - f1).abs() < 1e-6);
    }

    #[test]
    fn places_that_are_filled_up_have_similarity_zero() {
        let padded = score(&[0.0, 1.0, 1.0, 0.0], [false, true]);
        assert!((padded.precision - 0.4).abs() < 1e-6);
    }

    #[test]
    fn without_weights_there_is_no_mean() {
        let none = score(&[0.0; 4], [false; 2]);
        assert!(none.precision.is_nan() && none.f1.abs() < 1e-12);
        assert!((none.recall - 0.8).abs() < 1e-6);
    }

    #[test]
    fn two_special_tokens_are_an_empty_text() {
        let side = Side {
            states: &[],
            weights: &[0.0; 2],
        };
        let empty = Similarities::default().score(side, side, 2, [false; 2]);
        assert!(empty.precision.abs() + empty.recall.abs() + empty.f1.abs() < 1e-12);
    }
}
