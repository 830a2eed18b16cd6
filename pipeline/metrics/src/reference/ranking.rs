//! `sklearn.*`: metrics of scores and of several labels per row.

use serde_json::{Value, json};

use super::MetricError;
use super::arguments::{Arguments, invalid, list, number, numbers};
use super::classification::{scores_of, zero_division};
use super::labels::{Label, labels};
use crate::classification::counts::{Averaging, ClassCounts, ClassWeights, average_jaccard};
use crate::classification::multilabel::{
    hamming_loss, label_counts, sample_counts, subset_accuracy,
};
use crate::classification::ranking::{
    average_precision, brier_score, is_in_top, log_loss, roc_auc,
};

pub(super) fn top_k(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let expected = "a whole number from 1";
    let k = match params.get("k") {
        None => 2,
        Some(k) => (k.as_u64().and_then(|k| usize::try_from(k).ok()))
            .filter(|&k| k > 0)
            .ok_or_else(|| invalid("k", expected))?,
    };
    let truth = labels(inputs, "y_true")?;
    let present = sorted(&truth);
    let is_given = params.get("labels").is_some();
    let classes = if is_given {
        labels(params, "labels")?
    } else {
        present.clone()
    };
    if classes != sorted(&classes) {
        return Err(invalid("labels", "every label once and in order"));
    }
    let expected = "one list of scores per row, or one score per row for two classes";
    let scores = score_rows(inputs, expected)?;
    if scores.len() != truth.len() || truth.is_empty() {
        return Err(invalid("y_score", expected));
    }
    // With two classes the only score is that of the second.
    let is_binary = present.len() <= 2 && !(is_given && classes.len() > 2);
    let width = if is_binary { 1 } else { classes.len() };
    if scores.iter().any(|row| row.len() != width) || (is_binary && classes.len() != 2) {
        return Err(invalid("y_score", expected));
    }
    let truth: Vec<usize> = (truth.iter())
        .map(|label| classes.iter().position(|class| class == label))
        .collect::<Option<_>>()
        .ok_or_else(|| invalid("labels", "every true label"))?;
    // Scores outside the range of probabilities are decision values.
    let is_probability = (scores.iter().flatten()).all(|score| (0.0..=1.0).contains(score));
    let threshold = if is_probability { 0.5 } else { 0.0 };
    let is_hit = |(row, truth): (&Vec<f64>, usize)| match row.as_slice() {
        [score] if is_binary => k > 1 || truth == usize::from(*score > threshold),
        scores => is_in_top(scores, truth, k),
    };
    let count = truth.len() as f64;
    let hits = scores.iter().zip(truth).filter(|&row| is_hit(row)).count() as f64;
    Ok(if params.flag_or("normalize", true)? {
        number(hits / count)
    } else {
        number(hits)
    })
}

fn sorted(labels: &[Label]) -> Vec<Label> {
    let mut labels = labels.to_vec();
    labels.sort();
    labels.dedup();
    labels
}

/// The finite scores of every row, of which each may have one or several.
fn score_rows(inputs: Arguments, expected: &'static str) -> Result<Vec<Vec<f64>>, MetricError> {
    let values = list(inputs.required("y_score", expected)?, "y_score", expected)?;
    let rows: Vec<Vec<f64>> = if values.iter().all(Value::is_array) {
        (values.iter())
            .map(|row| numbers(row, "y_score", expected))
            .collect::<Result<_, _>>()?
    } else {
        let scores = inputs.numbers("y_score")?;
        scores.into_iter().map(|score| vec![score]).collect()
    };
    if rows.iter().flatten().all(|score| score.is_finite()) {
        Ok(rows)
    } else {
        Err(invalid("y_score", "finite scores"))
    }
}

pub(super) fn roc(inputs: Arguments) -> Result<Value, MetricError> {
    let rows = binary(inputs)?;
    let positive = rows.are(rows.classes.last());
    Ok(number(roc_auc(&positive, &rows.scores).unwrap_or(f64::NAN)))
}

pub(super) fn average_precision_score(inputs: Arguments) -> Result<Value, MetricError> {
    let rows = binary(inputs)?;
    let one = Label::Number(1);
    if rows.classes.len() == 2 && !rows.classes.contains(&one) {
        return Err(invalid("y_true", "the label 1 for what is positive"));
    }
    let positive = rows.are(Some(&one));
    Ok(number(average_precision(&positive, &rows.scores)))
}

pub(super) fn brier(inputs: Arguments) -> Result<Value, MetricError> {
    let rows = binary(inputs)?.probabilities()?;
    let one = Label::Number(1);
    let positive = match rows.classes.as_slice() {
        [.., Label::Text(_)] => return Err(invalid("y_true", "a list of 0 and 1")),
        // A single class is the negative one of 0 and 1, or of -1 and 1.
        [Label::Number(-1 | 0)] => &one,
        classes => classes.last().unwrap_or(&one),
    };
    let positive = rows.are(Some(positive));
    Ok(number(
        brier_score(&positive, &rows.scores).unwrap_or(f64::NAN),
    ))
}

pub(super) fn logarithmic_loss(inputs: Arguments) -> Result<Value, MetricError> {
    let rows = binary(inputs)?.probabilities()?;
    if rows.classes.len() < 2 {
        return Err(MetricError::Undefined {
            reason: "only one class occurs",
        });
    }
    let positive = rows.are(rows.classes.last());
    Ok(number(
        log_loss(&positive, &rows.scores).unwrap_or(f64::NAN),
    ))
}

/// Rows of at most two classes with their scores.
struct BinaryRows {
    truth: Vec<Label>,
    /// The classes that occur, sorted.
    classes: Vec<Label>,
    scores: Vec<f64>,
}

impl BinaryRows {
    fn are(&self, positive: Option<&Label>) -> Vec<bool> {
        let is_positive = |label: &Label| Some(label) == positive;
        self.truth.iter().map(is_positive).collect()
    }

    fn probabilities(self) -> Result<Self, MetricError> {
        if self.scores.iter().all(|score| (0.0..=1.0).contains(score)) {
            Ok(self)
        } else {
            Err(invalid("y_score", "probabilities from 0 to 1"))
        }
    }
}

fn binary(inputs: Arguments) -> Result<BinaryRows, MetricError> {
    let truth = labels(inputs, "y_true")?;
    let classes = sorted(&truth);
    if classes.len() > 2 {
        return Err(invalid("y_true", "at most two classes"));
    }
    let scores = inputs.numbers("y_score")?;
    if scores.len() != truth.len() || scores.iter().any(|score| !score.is_finite()) {
        return Err(invalid("y_score", "one finite score per row"));
    }
    if scores.is_empty() {
        return Err(MetricError::Undefined {
            reason: "there are no rows",
        });
    }
    Ok(BinaryRows {
        truth,
        classes,
        scores,
    })
}

pub(super) fn multilabel_scores(
    params: Arguments,
    inputs: Arguments,
) -> Result<Value, MetricError> {
    let (truth, predicted) = indicators(inputs)?;
    let counts = if params.text_or("average", "")? == "samples" {
        require_several_labels(&truth)?;
        sample_counts(&truth, &predicted)
    } else {
        label_counts(&truth, &predicted)
    };
    let mut counts = weights(counts);
    if is_single(&truth) {
        counts = both_classes(&counts, truth.len());
    }
    scores_of(params, &counts)
}

pub(super) fn multilabel_subset_accuracy(inputs: Arguments) -> Result<Value, MetricError> {
    let (truth, predicted) = indicators(inputs)?;
    Ok(json!(subset_accuracy(&truth, &predicted)))
}

pub(super) fn multilabel_hamming_loss(inputs: Arguments) -> Result<Value, MetricError> {
    let (truth, predicted) = indicators(inputs)?;
    Ok(json!(hamming_loss(&truth, &predicted)))
}

pub(super) fn multilabel_jaccard(
    params: Arguments,
    inputs: Arguments,
) -> Result<Value, MetricError> {
    let (truth, predicted) = indicators(inputs)?;
    require_several_labels(&truth)?;
    let counts = weights(sample_counts(&truth, &predicted));
    Ok(number(average_jaccard(
        &counts,
        Averaging::Macro,
        zero_division(params)?,
    )))
}

fn is_single(rows: &Indicators) -> bool {
    rows.iter().all(|row| row.len() == 1)
}

fn require_several_labels(rows: &Indicators) -> Result<(), MetricError> {
    if is_single(rows) {
        return Err(MetricError::Undefined {
            reason: "rows of a single label are two classes, not several labels",
        });
    }
    Ok(())
}

/// The reference takes a column of 0 and 1 for two classes, of which it scores those that occur.
fn both_classes(ones: &[ClassWeights], rows: usize) -> Vec<ClassWeights> {
    let rows = rows as f64;
    let zero = |one: &ClassWeights| ClassWeights {
        true_positive: rows - one.support - one.predicted + one.true_positive,
        predicted: rows - one.predicted,
        support: rows - one.support,
    };
    let classes = ones.iter().flat_map(|one| [zero(one), *one]);
    classes
        .filter(|class| class.predicted + class.support > 0.0)
        .collect()
}

fn weights(counts: Vec<ClassCounts>) -> Vec<ClassWeights> {
    counts.into_iter().map(Into::into).collect()
}

type Indicators = Vec<Vec<bool>>;

fn indicators(inputs: Arguments) -> Result<(Indicators, Indicators), MetricError> {
    let expected = "a matrix of 0 and 1";
    let read = |name: &str| -> Result<Indicators, MetricError> {
        list(inputs.required(name, expected)?, name, expected)?
            .iter()
            .map(|row| {
                list(row, name, expected)?
                    .iter()
                    .map(|cell| match cell.as_i64() {
                        Some(0) => Ok(false),
                        Some(1) => Ok(true),
                        _ => Err(invalid(name, expected)),
                    })
                    .collect()
            })
            .collect()
    };
    let (truth, predicted) = (read("y_true_indicator")?, read("y_pred_indicator")?);
    let widths = |rows: &Indicators| rows.iter().map(Vec::len).collect::<Vec<_>>();
    if widths(&truth) != widths(&predicted) {
        return Err(invalid("y_pred_indicator", "the shape of y_true_indicator"));
    }
    let width = truth.first().map_or(0, Vec::len);
    if width == 0 || truth.iter().any(|row| row.len() != width) {
        return Err(invalid("y_true_indicator", expected));
    }
    Ok((truth, predicted))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::reference::evaluate;

    /// The value of scikit-learn, or null where it raises an error.
    fn value(metric: &str, params: &Value, truth: &Value, scores: &Value) -> Value {
        let inputs = json!({"y_true": truth, "y_score": scores});
        evaluate(&format!("sklearn.{metric}"), params, &inputs).unwrap_or(Value::Null)
    }

    #[test]
    fn positive_labels_are_found_as_in_the_reference() {
        let rows = [
            // Labels, ROC AUC, average precision, Brier score, log loss.
            (
                json!([-1, 1]),
                [json!(1.0), json!(1.0), json!(0.065), json!(0.29)],
            ),
            (
                json!([2, 3]),
                [json!(1.0), Value::Null, json!(0.065), json!(0.29)],
            ),
            (
                json!(["a", "b"]),
                [json!(1.0), Value::Null, Value::Null, json!(0.29)],
            ),
            (
                json!([0, 0]),
                [json!("NaN"), json!(0.0), json!(0.265), Value::Null],
            ),
            (
                json!([2, 2]),
                [json!("NaN"), json!(0.0), json!(0.365), Value::Null],
            ),
        ];
        let metrics = [
            "roc_auc_score",
            "average_precision_score",
            "brier_score_loss",
            "log_loss",
        ];
        let rounded = |value: Value| match value.as_f64() {
            Some(number) => json!((number * 1000.0).round() / 1000.0),
            None => value,
        };
        for (truth, expected) in rows {
            for (metric, expected) in metrics.into_iter().zip(expected) {
                let got = rounded(value(metric, &json!({}), &truth, &json!([0.2, 0.7])));
                assert_eq!(got, expected, "{metric} of {truth}");
            }
        }
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for metric in ["brier_score_loss", "log_loss"] {
            let got = value(metric, &json!({}), &json!([0, 1]), &json!([-0.1, 0.5]));
            assert_eq!(got, Value::Null, "{metric}");
        }
    }

    #[test]
    fn the_best_k_need_a_score_for_every_class() {
        let two = json!([[0.1, 0.9], [0.9, 0.1]]);
        let three = json!([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]);
        let top = |labels: Value, scores: &Value| {
            let params = json!({"k": 1, "labels": labels});
            value("top_k_accuracy_score", &params, &json!([0, 1]), scores)
        };
        assert_eq!(top(json!([0, 1]), &two), Value::Null);
        assert_eq!(top(json!([0, 1]), &json!([[0.1], [0.9]])), json!(1.0));
        assert_eq!(top(json!([0, 1, 2]), &three), json!(0.0));
        assert_eq!(top(json!([2, 1, 0]), &three), Value::Null);
        assert_eq!(top(json!([0]), &json!([0.1, 0.9])), Value::Null);
    }

    #[test]
    fn one_column_of_indicators_is_two_classes() {
        let inputs = json!({
            "y_true_indicator": [[1], [1]],
            "y_pred_indicator": [[1], [0]],
        });
        let scores = |average: Value| {
            let params = json!({"average": average, "zero_division": "0"});
            evaluate("sklearn.multilabel_prf", &params, &inputs)
        };
        assert_eq!(scores(Value::Null).unwrap()["recall"], json!([0.0, 0.5]));
        assert!(scores(json!("samples")).is_err());
        let ragged = json!([[0, 1], [0]]);
        let inputs = json!({"y_true_indicator": ragged, "y_pred_indicator": ragged});
        assert!(evaluate("sklearn.multilabel_subset_accuracy", &json!({}), &inputs).is_err());
    }
}
