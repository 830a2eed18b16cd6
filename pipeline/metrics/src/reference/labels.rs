//! Labels as scikit-learn takes them: whole numbers or strings, sorted.

use std::collections::BTreeSet;

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

/// What numpy makes of a list of labels; of two kinds the later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LabelKind {
    Flag,
    Whole,
    Decimal,
    Text,
}

impl LabelKind {
    fn of(values: &[Value]) -> Self {
        let kind = |value: &Value| match value {
            Value::Bool(_) => Self::Flag,
            Value::String(_) => Self::Text,
            _ if value.is_f64() => Self::Decimal,
            _ => Self::Whole,
        };
        values.iter().map(kind).max().unwrap_or(Self::Whole)
    }

    /// The label as Python writes it.
    fn name(self, label: &Label) -> String {
        match (label, self) {
            (Label::Text(text), _) => text.clone(),
            (Label::Number(0), Self::Flag) => "False".to_owned(),
            (Label::Number(_), Self::Flag) => "True".to_owned(),
            (Label::Number(number), Self::Decimal) => format!("{number}.0"),
            (Label::Number(number), _) => number.to_string(),
        }
    }
}

/// True and predicted labels of rows, as positions in a list of labels.
#[derive(Debug)]
pub(super) struct Labelling {
    /// The labels that are scored: those asked for, else all that occur, sorted.
    pub(super) labels: Vec<Label>,
    kind: LabelKind,
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
        let (scored, kind) = match params.get("labels") {
            Some(_) => (labels(params, "labels")?, kind(params, "labels")?),
            None => (
                occurring.into_iter().cloned().collect(),
                kind(inputs, first)?.max(kind(inputs, second)?),
            ),
        };
        // Of a label that is asked for twice the reference's matrix has the last place.
        let position = |label: &Label| scored.iter().rposition(|scored| scored == label);
        let weights = match inputs.get("sample_weight") {
            Some(_) => inputs.numbers("sample_weight")?,
            None => vec![1.0; truth.len()],
        };
        if weights.len() != truth.len() || !weights.iter().all(|weight| weight.is_finite()) {
            return Err(invalid("sample_weight", "one finite weight per row"));
        }
        if weights.iter().all(|&weight| weight == 0.0) {
            return Err(MetricError::Undefined {
                reason: "all weights are zero",
            });
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
            kind,
            rows,
        })
    }

    /// The scored labels as a report names them.
    pub(super) fn names(&self) -> Vec<String> {
        self.labels
            .iter()
            .map(|label| self.kind.name(label))
            .collect()
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
        // A label that is asked for twice is scored twice.
        let last = |label: &Label| self.labels.iter().rposition(|other| other == label);
        (self.labels.iter().map(last))
            .map(|last| last.map_or_else(ClassWeights::default, |last| counts[last]))
            .collect()
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

/// Reads a list of labels; beside a string every label is one, as numpy has it.
pub(super) fn labels(arguments: Arguments, name: &str) -> Result<Vec<Label>, MetricError> {
    let expected = "a list of whole numbers or strings";
    let values = list(arguments.required(name, expected)?, name, expected)?;
    let kind = LabelKind::of(values);
    values
        .iter()
        .map(|value| {
            let number = match value {
                Value::String(text) => return Ok(Label::Text(text.clone())),
                Value::Bool(flag) => Some(i64::from(*flag)),
                _ => value.as_i64().or_else(|| whole(value.as_f64()?)),
            };
            let label = Label::Number(number.ok_or_else(|| invalid(name, expected))?);
            Ok(if kind == LabelKind::Text {
                Label::Text(LabelKind::of(std::slice::from_ref(value)).name(&label))
            } else {
                label
            })
        })
        .collect()
}

/// A number without a fraction.
fn whole(number: f64) -> Option<i64> {
    let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "used only if whole and in range"
    )]
    let integer = number as i64;
    is_whole.then_some(integer)
}

fn kind(arguments: Arguments, name: &str) -> Result<LabelKind, MetricError> {
    let expected = "a list of whole numbers or strings";
    let values = list(arguments.required(name, expected)?, name, expected)?;
    Ok(LabelKind::of(values))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(params: &Value, inputs: &Value) -> Result<Labelling, MetricError> {
        Labelling::read(Arguments::new(params), Arguments::new(inputs))
    }

    #[test]
    fn labels_have_the_names_of_python() {
        let names = |truth: Value, predicted: Value| {
            let inputs = json!({"y_true": truth, "y_pred": predicted});
            read(&json!({}), &inputs).unwrap().names()
        };
        assert_eq!(names(json!([true]), json!([false])), ["False", "True"]);
        assert_eq!(names(json!([true]), json!([0])), ["0", "1"]);
        assert_eq!(
            names(json!([1, 2]), json!([1.0, 0.0])),
            ["0.0", "1.0", "2.0"]
        );
        assert_eq!(
            names(json!([0, "a"]), json!(["a", true])),
            ["0", "True", "a"]
        );
    }

    #[test]
    fn labels_may_repeat_and_weights_may_not_all_be_zero() {
        let inputs = json!({"y_true": ["A", "C"], "y_pred": ["C", "C"]});
        let labelling = read(&json!({"labels": ["C", "A", "C"]}), &inputs).unwrap();
        let supports: Vec<f64> = labelling.counts().iter().map(|c| c.support).collect();
        assert_eq!(supports, [1.0, 1.0, 1.0]);
        assert_eq!(labelling.matrix()[1], [0.0, 0.0, 1.0]);
        let inputs = json!({"y_true": [1], "y_pred": [1], "sample_weight": [0]});
        assert!(read(&json!({}), &inputs).is_err());
        let inputs = json!({"y_true": [1.5], "y_pred": [1]});
        assert!(read(&json!({}), &inputs).is_err());
    }
}
