//! `nltk.*`: BLEU and GLEU over tokens.

use serde_json::{Value, json};

use super::MetricError;
use super::arguments::{Arguments, as_number, invalid, list, number, numbers};
use crate::gleu::Gleu;
use crate::metric::{TextMetric, sum};
use crate::nltk_bleu::{NltkBleu, NltkSmoothing};
use crate::text::tokens::Tokens;

pub(super) fn sentence_bleu(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let hypothesis = inputs.texts("hyp_tokens")?;
    let references = inputs.text_lists("refs_tokens")?;
    bleu(params, &[hypothesis], &[references])
}

pub(super) fn corpus_bleu(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let hypotheses = inputs.text_lists("hyps_tokens")?;
    let references = inputs.nested_texts("list_of_refs_tokens")?;
    bleu(params, &hypotheses, &references)
}

pub(super) fn sentence_gleu(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let hypothesis = inputs.texts("hyp_tokens")?;
    let references = inputs.text_lists("refs_tokens")?;
    gleu(params, &[hypothesis], &[references])
}

pub(super) fn corpus_gleu(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let hypotheses = inputs.text_lists("hyps_tokens")?;
    let references = inputs.nested_texts("list_of_refs_tokens")?;
    gleu(params, &hypotheses, &references)
}

fn bleu(
    params: Arguments,
    hypotheses: &[Vec<&str>],
    references: &[Vec<Vec<&str>>],
) -> Result<Value, MetricError> {
    if hypotheses.len() != references.len() {
        return Err(invalid("refs", "as many lists of references as hypotheses"));
    }
    if hypotheses.is_empty() {
        return Err(MetricError::Undefined {
            reason: "the corpus is empty",
        });
    }
    if references.iter().any(Vec::is_empty) {
        return Err(MetricError::Undefined {
            reason: "a hypothesis has no reference",
        });
    }
    let smoothing = smoothing(params)?;
    let auto_reweigh = params.flag("auto_reweigh")?;
    let (weights, is_list) = weights(params)?;
    let longest = weights.iter().map(Vec::len).max().unwrap_or_default();
    let all_orders = NltkBleu::uniform(longest, smoothing, Tokens::Words);
    let rows: Vec<Vec<i64>> = hypotheses
        .iter()
        .zip(references)
        .map(|(hypothesis, references)| all_orders.token_statistics(hypothesis, references))
        .collect();
    let total = sum(&rows);
    let last = rows.last().map_or(total.as_slice(), Vec::as_slice);
    let mut scores = Vec::new();
    for mut weights in weights {
        // The reference smooths over the orders of the longest weights.
        let is_default = weights == [0.25; 4];
        weights.resize(longest, 0.0);
        let metric = NltkBleu {
            weights,
            smoothing,
            auto_reweigh: auto_reweigh && is_default,
            tokens: Tokens::Words,
        };
        let score = metric.score_with_last(&total, last);
        if score.is_nan() {
            return Err(MetricError::Undefined {
                reason: "method6 needs a matching trigram",
            });
        }
        scores.push(number(score));
    }
    match scores.pop() {
        Some(score) if !is_list => Ok(json!({"score": score})),
        last => {
            scores.extend(last);
            Ok(json!({"scores": scores}))
        }
    }
}

fn smoothing(params: Arguments) -> Result<NltkSmoothing, MetricError> {
    let name = params.text_or("smoothing", "method0")?;
    match NltkSmoothing::from_name(name) {
        Some(NltkSmoothing::Epsilon(epsilon)) => Ok(NltkSmoothing::Epsilon(
            params.number_or("epsilon", epsilon)?,
        )),
        Some(smoothing) => Ok(smoothing),
        None => Err(invalid("smoothing", "method0 to method7")),
    }
}

/// One or several lists of weights, and whether they are several.
fn weights(params: Arguments) -> Result<(Vec<Vec<f64>>, bool), MetricError> {
    let expected = "a list of weights or of lists of weights";
    let Some(value) = params.get("weights") else {
        return Ok((vec![vec![0.25; 4]], false));
    };
    let values = list(value, "weights", expected)?;
    let (weights, is_list) = if values.first().is_some_and(Value::is_array) {
        let lists = values
            .iter()
            .map(|weights| numbers(weights, "weights", expected));
        (lists.collect::<Result<Vec<_>, _>>()?, true)
    } else {
        let weights = values.iter().map(as_number).collect::<Option<Vec<_>>>();
        (
            vec![weights.ok_or_else(|| invalid("weights", expected))?],
            false,
        )
    };
    if weights
        .iter()
        .any(|weights| weights.is_empty() || weights.len() > 64)
    {
        return Err(invalid("weights", "1 to 64 weights"));
    }
    Ok((weights, is_list))
}

fn gleu(
    params: Arguments,
    hypotheses: &[Vec<&str>],
    references: &[Vec<Vec<&str>>],
) -> Result<Value, MetricError> {
    if hypotheses.len() != references.len() {
        return Err(invalid("refs", "as many lists of references as hypotheses"));
    }
    let metric = Gleu {
        min_order: params.count_or("min_len", 1)?,
        max_order: params.count_or("max_len", 4)?,
        tokens: Tokens::Words,
    };
    let rows: Vec<Vec<i64>> = hypotheses
        .iter()
        .zip(references)
        .map(|(hypothesis, references)| metric.token_statistics(hypothesis, references))
        .collect();
    Ok(json!({"score": number(metric.score(&sum(&rows)))}))
}
