//! Labels as scikit-learn takes them: whole numbers or strings, sorted.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;

use super::MetricError;
use super::arguments::{Arguments, invalid, list};
use crate::classification::counts::ClassWeights;

/// A class label; numbers sort by value, strings by code point.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    Number(i64),
    Text(String),
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Text(text) => text.fmt(formatter),
        }
    }
}

/// True and predicted labels of rows, as positions in a list of labels.
#[derive(Debug)]
pub(super) struct Labelling {
    /// The labels that are scored: those asked for, else all that occur, sorted.
    pub(super) labels: Vec<Label>,
    rows: Vec<Row>,
}

/// Positions of truth and prediction, `None` for a label that is not scored, and the weight.
#[derive(Clone, Copy, Debug)]
struct Row {
    truth: Option<usize>,
    predicted: Option<usize>,
    is_correct: bool,
    weight: f64,
}

impl Labelling {
    /// Reads `y_true` and `y_pred` (or `a` and `b`), `sample_weight` and the parameter `labels`.
    pub(super) fn read(params: Arguments, inputs: Arguments) -> Result<Self, MetricError> {
        let (first, second) = if inputs.get("y_true").is_some() {
            ("y_true", "y_pred")
        } else {
            ("a", "b")
        };
        let (truth, predicted) = (labels(inputs, first)?, labels(inputs, second)?);
        if truth.len() != predicted.len() {
            return Err(invalid(second, "as many labels on both sides"));
        }
        if truth.is_empty() {
            return Err(MetricError::Undefined {
                reason: "there are no rows",
            });
        }
        let occurring: BTreeSet<&Label> = truth.iter().chain(&predicted).collect();
        let is_mixed = matches!(
            (occurring.first(), occurring.last()),
            (Some(Label::Number(_)), Some(Label::Text(_)))
        );
        if is_mixed {
            return Err(invalid(first, "numbers or strings, not both"));
        }
        let scored = match params.get("labels") {
            Some(_) => labels(params, "labels")?,
            None => occurring.into_iter().cloned().collect(),
        };
        let position = |label: &Label| scored.iter().position(|scored| scored == label);
        let weights = match inputs.get("sample_weight") {
            Some(_) => inputs.numbers("sample_weight")?,
            None => vec![1.0; truth.len()],
        };
        if weights.len() != truth.len() || !weights.iter().all(|weight| weight.is_finite()) {
            return Err(invalid("sample_weight", "one finite weight per row"));
        }
        let row = |((truth, predicted), &weight): ((&Label, &Label), &f64)| Row {
            truth: position(truth),
            predicted: position(predicted),
            is_correct: truth == predicted,
            weight,
        };
        let rows = truth
            .iter()
            .zip(&predicted)
            .zip(&weights)
            .map(row)
            .collect();
        Ok(Self {
            labels: scored,
            rows,
        })
    }

    /// Weight of the rows whose labels agree.
    pub(super) fn correct(&self) -> f64 {
        self.rows
            .iter()
            .filter(|row| row.is_correct)
            .map(|row| row.weight)
            .sum()
    }

    pub(super) fn accuracy(&self) -> f64 {
        self.correct() / self.rows.iter().map(|row| row.weight).sum::<f64>()
    }

    /// Whether every label that occurs is scored.
    pub(super) fn covers_all(&self) -> bool {
        self.rows
            .iter()
            .all(|row| row.truth.is_some() && row.predicted.is_some())
    }

    /// The reference refuses a matrix over labels none of which is true anywhere.
    pub(super) fn require_common_label(&self) -> Result<(), MetricError> {
        if self.rows.iter().any(|row| row.truth.is_some()) {
            Ok(())
        } else {
            Err(MetricError::Undefined {
                reason: "none of the labels occurs as truth",
            })
        }
    }

    /// Counts of every scored label, over all rows.
    pub(super) fn counts(&self) -> Vec<ClassWeights> {
        let mut counts = vec![ClassWeights::default(); self.labels.len()];
        for &Row {
            truth,
            predicted,
            weight,
            ..
        } in &self.rows
        {
            if let Some(truth) = truth {
                counts[truth].support += weight;
            }
            if let Some(predicted) = predicted {
                counts[predicted].predicted += weight;
                if truth == Some(predicted) {
                    counts[predicted].true_positive += weight;
                }
            }
        }
        counts
    }

    /// `matrix[truth][predicted]` over rows whose two labels are both scored.
    pub(super) fn matrix(&self) -> Vec<Vec<f64>> {
        let mut matrix = vec![vec![0.0; self.labels.len()]; self.labels.len()];
        for &Row {
            truth,
            predicted,
            weight,
            ..
        } in &self.rows
        {
            if let (Some(truth), Some(predicted)) = (truth, predicted) {
                matrix[truth][predicted] += weight;
            }
        }
        matrix
    }
}

/// Reads a list of labels.
pub(super) fn labels(arguments: Arguments, name: &str) -> Result<Vec<Label>, MetricError> {
    let expected = "a list of whole numbers or strings";
    list(arguments.required(name, expected)?, name, expected)?
        .iter()
        .map(|value| match value {
            Value::String(text) => Ok(Label::Text(text.clone())),
            Value::Bool(flag) => Ok(Label::Number(i64::from(*flag))),
            _ => value
                .as_i64()
                .map(Label::Number)
                .ok_or_else(|| invalid(name, expected)),
        })
        .collect()
}
