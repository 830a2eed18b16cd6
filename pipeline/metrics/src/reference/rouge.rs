//! The three ROUGE packages.

use serde_json::{Map, Value, json};

use super::MetricError;
use super::arguments::{Arguments, invalid, number};
use crate::metric::TextMetric;
use crate::rouge::{Rouge, RougeKind};
use crate::rouge_words::{RougePackage, Segmentation, WordRouge, WordRougeKind};

pub(super) fn score(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    rouge_score(
        params,
        inputs.text("prediction")?,
        &[inputs.text("target")?],
    )
}

pub(super) fn score_multi(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    rouge_score(
        params,
        inputs.text("prediction")?,
        &inputs.texts("targets")?,
    )
}

pub(super) fn pltrdy(inputs: Arguments) -> Result<Value, MetricError> {
    words(RougePackage::Pltrdy, inputs)
}

pub(super) fn chinese(inputs: Arguments) -> Result<Value, MetricError> {
    words(RougePackage::Chinese, inputs)
}

fn rouge_score(
    params: Arguments,
    prediction: &str,
    targets: &[&str],
) -> Result<Value, MetricError> {
    if targets.is_empty() {
        return Err(MetricError::Undefined {
            reason: "there is no target",
        });
    }
    if params.flag("split_summaries")? {
        return Err(invalid("split_summaries", "false: sentences are lines"));
    }
    let use_stemmer = params.flag("use_stemmer")?;
    let mut scores = Map::new();
    for name in params.texts("rouge_types")? {
        let kind = RougeKind::from_name(name)
            .ok_or_else(|| invalid("rouge_types", "rouge1 to rouge9, rougeL, rougeLsum"))?;
        let metric = Rouge { kind, use_stemmer };
        let overlap = metric.overlap(&metric.statistics(prediction, targets));
        let score = json!({
            "precision": number(overlap.precision),
            "recall": number(overlap.recall),
            "fmeasure": number(overlap.f_measure),
        });
        scores.insert(name.to_owned(), score);
    }
    Ok(scores.into())
}

fn words(package: RougePackage, inputs: Arguments) -> Result<Value, MetricError> {
    let (hypothesis, reference) = (inputs.text("hyp")?, inputs.text("ref")?);
    let mut scores = Map::new();
    for (name, kind) in [
        ("rouge-1", WordRougeKind::Ngram(1)),
        ("rouge-2", WordRougeKind::Ngram(2)),
        ("rouge-l", WordRougeKind::Lcs),
    ] {
        let metric = WordRouge {
            package,
            kind,
            segmentation: Segmentation::Spaces,
        };
        if !metric.has_sentences(hypothesis) {
            return Err(MetricError::Undefined {
                reason: "the hypothesis is empty",
            });
        }
        if !metric.has_sentences(reference) {
            return Err(MetricError::Undefined {
                reason: "the reference is empty",
            });
        }
        let overlap = metric.overlap(&metric.statistics(hypothesis, &[reference]));
        let score = json!({
            "r": number(overlap.recall),
            "p": number(overlap.precision),
            "f": number(overlap.f_measure),
        });
        scores.insert(name.to_owned(), score);
    }
    Ok(scores.into())
}
