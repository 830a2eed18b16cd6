//! `nltk.meteor_score` and the synonyms behind it.

use serde_json::{Value, json};

use super::MetricError;
use super::arguments::{Arguments, invalid, number};
use crate::meteor::{Meteor, align};
use crate::metric::TextMetric;
use crate::text::tokens::Tokens;
use crate::text::wordnet::synonyms as wordnet_synonyms;

pub(super) fn score(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    if params.text_or("preprocess", "lower")? != "lower" {
        return Err(invalid("preprocess", "lower"));
    }
    let metric = Meteor {
        alpha: params.number_or("alpha", 0.9)?,
        beta: params.number_or("beta", 3.0)?,
        gamma: params.number_or("gamma", 0.5)?,
        tokens: Tokens::Words,
    };
    let hypothesis = inputs.texts("hyp_tokens")?;
    let references = inputs.text_lists("refs_tokens")?;
    if references.is_empty() {
        return Err(MetricError::Undefined {
            reason: "there is no reference",
        });
    }
    let mut best = f64::NEG_INFINITY;
    let mut per_reference = Vec::new();
    for reference in &references {
        let score = metric.score(&Meteor::token_statistics(&hypothesis, reference));
        best = best.max(score);
        let matches = align(&hypothesis, reference);
        per_reference.push(json!({"score": number(score), "matches": matches}));
    }
    Ok(json!({"score": number(best), "per_ref": per_reference}))
}

pub(super) fn synonyms(inputs: Arguments) -> Result<Value, MetricError> {
    Ok(json!(wordnet_synonyms(inputs.text("word")?)))
}
