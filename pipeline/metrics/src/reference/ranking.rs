//! `sklearn.*`: metrics of scores and of several labels per row.

use serde_json::{Value, json};

use super::MetricError;
use super::arguments::{Arguments, as_number, invalid, list, number, numbers};
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
    let k = params.count_or("k", 2)?;
    let truth = labels(inputs, "y_true")?;
    let classes = if params.get("labels").is_some() {
        labels(params, "labels")?
    } else {
        let mut classes = truth.clone();
        classes.sort();
        classes.dedup();
        classes
    };
    let expected = "one list of scores per row, or one score for two classes";
    let scores = list(inputs.required("y_score", expected)?, "y_score", expected)?;
    if scores.len() != truth.len() || truth.is_empty() {
        return Err(invalid("y_score", expected));
    }
    let truth: Vec<Option<usize>> = truth
        .iter()
        .map(|label| classes.iter().position(|class| class == label))
        .collect();
    let hits = if scores.iter().all(Value::is_array) {
        let mut hits = 0;
        for (scores, &truth) in scores.iter().zip(&truth) {
            let scores = numbers(scores, "y_score", expected)?;
            if scores.len() != classes.len() {
                return Err(invalid("y_score", expected));
            }
            let truth = truth.ok_or_else(|| invalid("labels", "every true label"))?;
            hits += usize::from(is_in_top(&scores, truth, k));
        }
        hits
    } else {
        let scores: Option<Vec<f64>> = scores.iter().map(as_number).collect();
        let scores = scores.ok_or_else(|| invalid("y_score", expected))?;
        // Scores outside the range of probabilities are decision values.
        let is_probability = scores.iter().all(|score| (0.0..=1.0).contains(score));
        let threshold = if is_probability { 0.5 } else { 0.0 };
        let hit = |(score, truth): (&f64, &Option<usize>)| {
            k > 1 || *truth == Some(usize::from(*score > threshold))
        };
        scores.iter().zip(&truth).filter(|row| hit(*row)).count()
    };
    Ok(if params.flag_or("normalize", true)? {
        number(hits as f64 / truth.len() as f64)
    } else {
        number(hits as f64)
    })
}

pub(super) fn roc(inputs: Arguments) -> Result<Value, MetricError> {
    let (positive, scores) = binary(inputs)?;
    Ok(number(roc_auc(&positive, &scores).unwrap_or(f64::NAN)))
}

pub(super) fn average_precision_score(inputs: Arguments) -> Result<Value, MetricError> {
    let (positive, scores) = binary(inputs)?;
    Ok(number(average_precision(&positive, &scores)))
}

pub(super) fn brier(inputs: Arguments) -> Result<Value, MetricError> {
    let (positive, scores) = binary(inputs)?;
    Ok(number(brier_score(&positive, &scores).unwrap_or(f64::NAN)))
}

pub(super) fn logarithmic_loss(inputs: Arguments) -> Result<Value, MetricError> {
    let (positive, scores) = binary(inputs)?;
    Ok(number(log_loss(&positive, &scores).unwrap_or(f64::NAN)))
}

/// Outcomes 0 and 1 with their scores.
fn binary(inputs: Arguments) -> Result<(Vec<bool>, Vec<f64>), MetricError> {
    let expected = "a list of 0 and 1";
    let positive: Option<Vec<bool>> = labels(inputs, "y_true")?
        .iter()
        .map(|label| match label {
            Label::Number(0) => Some(false),
            Label::Number(1) => Some(true),
            _ => None,
        })
        .collect();
    let positive = positive.ok_or_else(|| invalid("y_true", expected))?;
    let scores = inputs.numbers("y_score")?;
    if scores.len() != positive.len() || scores.iter().any(|score| !score.is_finite()) {
        return Err(invalid("y_score", "one finite score per row"));
    }
    if scores.is_empty() {
        return Err(MetricError::Undefined {
            reason: "there are no rows",
        });
    }
    Ok((positive, scores))
}

pub(super) fn multilabel_scores(
    params: Arguments,
    inputs: Arguments,
) -> Result<Value, MetricError> {
    let (truth, predicted) = indicators(inputs)?;
    let counts = if params.text_or("average", "")? == "samples" {
        sample_counts(&truth, &predicted)
    } else {
        label_counts(&truth, &predicted)
    };
    scores_of(params, &weights(counts))
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
    let counts = weights(sample_counts(&truth, &predicted));
    Ok(number(average_jaccard(
        &counts,
        Averaging::Macro,
        zero_division(params)?,
    )))
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
    Ok((truth, predicted))
}
