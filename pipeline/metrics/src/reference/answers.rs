//! Our own metrics of short answers and of variety and length.

use serde_json::{Value, json};

use super::MetricError;
use super::arguments::{Arguments, invalid, number};
use crate::distinct::DistinctNgrams;
use crate::exact_match::{AnswerForm, ExactMatch};
use crate::lengths::{LengthRatio, TextLength};
use crate::metric::TextMetric;
use crate::text::tokens::Tokens;
use crate::token_f1::TokenF1;

pub(super) fn exact_match(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let metric = ExactMatch {
        form: form(params)?,
    };
    let value = metric.sentence(inputs.text("hyp")?, &inputs.texts("refs")?);
    Ok(json!({"score": number(value)}))
}

pub(super) fn token_f1(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let metric = TokenF1 {
        form: form(params)?,
        tokens: tokens(params)?,
    };
    let value = metric.sentence(inputs.text("hyp")?, &inputs.texts("refs")?);
    Ok(json!({"score": number(value)}))
}

pub(super) fn distinct(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let mut ngrams = DistinctNgrams::new(params.count_or("n", 1)?, tokens(params)?);
    for text in inputs.texts("hyps")? {
        ngrams.add(text);
    }
    Ok(json!({
        "score": number(ngrams.score()),
        "different": ngrams.different(),
        "total": ngrams.total(),
    }))
}

pub(super) fn length(inputs: Arguments) -> Result<Value, MetricError> {
    let length = TextLength::of(inputs.text("text")?);
    Ok(json!({
        "characters": length.characters,
        "words": length.words,
        "lines": length.lines,
    }))
}

pub(super) fn length_ratio(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let metric = LengthRatio {
        tokens: tokens(params)?,
    };
    let value = metric.sentence(inputs.text("hyp")?, &inputs.texts("refs")?);
    Ok(json!({"score": number(value)}))
}

fn form(params: Arguments) -> Result<AnswerForm, MetricError> {
    match params.text_or("form", "raw")? {
        "raw" => Ok(AnswerForm::Raw),
        "squad" => Ok(AnswerForm::Squad),
        _ => Err(invalid("form", "raw or squad")),
    }
}

fn tokens(params: Arguments) -> Result<Tokens, MetricError> {
    Tokens::from_name(params.text_or("tokens", "split")?)
        .ok_or_else(|| invalid("tokens", "split, chars, nltk, 13a or jieba-0.42.1"))
}
