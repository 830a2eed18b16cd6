//! `sklearn.*`: classification from labels, and two-rater agreement.

use serde_json::{Map, Value, json};

use super::MetricError;
use super::arguments::{Arguments, invalid, number, number_list};
use super::labels::Labelling;
use crate::classification::agreement::{
    KappaWeights, balanced_accuracy, cohen_kappa, matthews_correlation,
};
use crate::classification::counts::{
    Averaging, ClassWeights, Scores, ZeroDivision, average_jaccard, average_scores,
};
use crate::metric::ratio;

/// A matrix over more labels is written as its cells that are not zero.
const LARGEST_FULL_MATRIX: usize = 100;

pub(super) fn precision_recall(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let counts = Labelling::read(params, inputs)?.counts();
    scores_of(params, &counts)
}

/// Scores per class, or averaged as `average` says.
pub(super) fn scores_of(params: Arguments, counts: &[ClassWeights]) -> Result<Value, MetricError> {
    let beta = params.number_or("beta", 1.0)?;
    let zero_division = zero_division(params)?;
    if let Some(averaging) = averaging(params)? {
        let scores = average_scores(counts, averaging, beta, zero_division);
        return Ok(json!({
            "precision": number(scores.precision),
            "recall": number(scores.recall),
            "f": number(scores.f),
            "support": null,
        }));
    }
    let scores: Vec<Scores> = counts
        .iter()
        .map(|class| class.scores(beta, zero_division))
        .collect();
    let part = |part: fn(&Scores) -> f64| scores.iter().map(part).map(number).collect::<Value>();
    Ok(json!({
        "precision": part(|scores| scores.precision),
        "recall": part(|scores| scores.recall),
        "f": part(|scores| scores.f),
        "support": counts.iter().map(|class| class.support).collect::<Vec<_>>(),
    }))
}

pub(super) fn report(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let labelling = Labelling::read(params, inputs)?;
    let zero_division = zero_division(params)?;
    let counts = labelling.counts();
    let row = |scores: Scores, support: f64| {
        json!({
            "precision": number(scores.precision),
            "recall": number(scores.recall),
            "f1-score": number(scores.f),
            "support": support,
        })
    };
    let mut report = Map::new();
    for (name, class) in labelling.names().into_iter().zip(&counts) {
        let scores = class.scores(1.0, zero_division);
        report.insert(name, row(scores, class.support));
    }
    let support = ClassWeights::sum(&counts).support;
    let average = |averaging| average_scores(&counts, averaging, 1.0, zero_division);
    let micro = average(Averaging::Micro);
    if labelling.covers_all() {
        // Not the share of right rows: a label that is asked for twice counts twice.
        report.insert("accuracy".to_owned(), number(micro.precision));
    } else {
        report.insert("micro avg".to_owned(), row(micro, support));
    }
    report.insert(
        "macro avg".to_owned(),
        row(average(Averaging::Macro), support),
    );
    report.insert(
        "weighted avg".to_owned(),
        row(average(Averaging::Weighted), support),
    );
    Ok(report.into())
}

pub(super) fn accuracy(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let labelling = Labelling::read(params, inputs)?;
    Ok(if params.flag_or("normalize", true)? {
        number(labelling.accuracy())
    } else {
        number(labelling.correct())
    })
}

pub(super) fn balanced(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let matrix = Labelling::read(params, inputs)?.matrix();
    let value = balanced_accuracy(&matrix, params.flag("adjusted")?);
    Ok(number(value.unwrap_or(f64::NAN)))
}

pub(super) fn kappa(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let weights = match params.text_or("weights", "")? {
        "" => KappaWeights::Unweighted,
        "linear" => KappaWeights::Linear,
        "quadratic" => KappaWeights::Quadratic,
        _ => return Err(invalid("weights", "null, linear or quadratic")),
    };
    let labelling = Labelling::read(params, inputs)?;
    labelling.require_common_label()?;
    Ok(number(
        cohen_kappa(&labelling.matrix(), weights).unwrap_or(f64::NAN),
    ))
}

pub(super) fn matthews(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    Ok(number(matthews_correlation(
        &Labelling::read(params, inputs)?.matrix(),
    )))
}

pub(super) fn confusion_matrix(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let labelling = Labelling::read(params, inputs)?;
    labelling.require_common_label()?;
    let mut matrix = labelling.matrix();
    let row_sums: Vec<f64> = matrix.iter().map(|row| row.iter().sum()).collect();
    let column_sums: Vec<f64> = (0..matrix.len())
        .map(|column| matrix.iter().map(|row| row[column]).sum())
        .collect();
    let total: f64 = row_sums.iter().sum();
    let normalize = params.text_or("normalize", "")?;
    for (row, counts) in matrix.iter_mut().enumerate() {
        for (column, count) in counts.iter_mut().enumerate() {
            let divisor = match normalize {
                "" => 1.0,
                "true" => row_sums[row],
                "pred" => column_sums[column],
                "all" => total,
                _ => return Err(invalid("normalize", "null, true, pred or all")),
            };
            *count = ratio(*count, divisor);
        }
    }
    if matrix.len() <= LARGEST_FULL_MATRIX {
        return Ok(matrix.iter().map(|row| number_list(row)).collect());
    }
    let cells = matrix.iter().enumerate().flat_map(|(row, counts)| {
        let cells = counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count != 0.0);
        cells.map(move |(column, count)| json!([row, column, count]))
    });
    Ok(json!({"shape": [matrix.len(), matrix.len()], "nonzero": cells.collect::<Vec<_>>()}))
}

pub(super) fn jaccard(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let counts = Labelling::read(params, inputs)?.counts();
    let zero_division = zero_division(params)?;
    Ok(match averaging(params)? {
        Some(averaging) => number(average_jaccard(&counts, averaging, zero_division)),
        None => counts
            .iter()
            .map(|class| number(class.jaccard(zero_division)))
            .collect(),
    })
}

/// `None` for scores per class.
pub(super) fn averaging(params: Arguments) -> Result<Option<Averaging>, MetricError> {
    match params.text_or("average", "")? {
        "" => Ok(None),
        "micro" => Ok(Some(Averaging::Micro)),
        // Counts by sample are averaged like counts by class.
        "macro" | "samples" => Ok(Some(Averaging::Macro)),
        "weighted" => Ok(Some(Averaging::Weighted)),
        _ => Err(invalid(
            "average",
            "null, micro, macro, weighted or samples",
        )),
    }
}

pub(super) fn zero_division(params: Arguments) -> Result<ZeroDivision, MetricError> {
    let expected = "0, 1, nan or warn";
    match params.get("zero_division") {
        None => Ok(ZeroDivision::Zero),
        Some(Value::String(text)) => match text.as_str() {
            "0" | "0.0" | "warn" => Ok(ZeroDivision::Zero),
            "1" | "1.0" => Ok(ZeroDivision::One),
            "nan" | "NaN" => Ok(ZeroDivision::Nan),
            _ => Err(invalid("zero_division", expected)),
        },
        Some(value) => match value.as_f64() {
            Some(0.0) => Ok(ZeroDivision::Zero),
            Some(1.0) => Ok(ZeroDivision::One),
            _ => Err(invalid("zero_division", expected)),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::reference::evaluate;

    fn report(params: &Value, truth: &Value, predicted: &Value) -> Value {
        let inputs = json!({"y_true": truth, "y_pred": predicted});
        evaluate("sklearn.classification_report", params, &inputs).unwrap()
    }

    #[test]
    fn reports_name_labels_as_python_does() {
        let flags = report(&json!({}), &json!([true, false]), &json!([true, true]));
        assert_eq!(flags["True"]["precision"], json!(0.5));
        assert_eq!(flags["False"]["support"], json!(1.0));
        let decimals = report(&json!({}), &json!([0, 1]), &json!([0.0, 2.0]));
        assert_eq!(decimals["0.0"]["recall"], json!(1.0));
    }

    #[test]
    fn the_accuracy_of_a_report_counts_a_repeated_label_twice() {
        let repeated = report(
            &json!({"labels": ["a", "b", "a"]}),
            &json!(["a", "a", "b"]),
            &json!(["a", "b", "b"]),
        );
        assert_eq!(repeated["accuracy"], json!(0.75));
    }
}
