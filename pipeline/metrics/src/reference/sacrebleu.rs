//! `sacrebleu.*`: BLEU, chrF and TER of sentences and corpora.

use serde_json::{Value, json};

use super::MetricError;
use super::arguments::{Arguments, invalid, list, number, number_list};
use crate::bleu::{Bleu, BleuSmoothing};
use crate::chrf::Chrf;
use crate::metric::{TextMetric, sum};
use crate::ter::Ter;
use crate::text::bleu_tokenizer::BleuTokenizer;
use crate::text::tercom::Tercom;

pub(super) fn sentence_bleu(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    // The function of this name has it on, unlike the class and the corpus.
    let metric = bleu(params, true)?;
    Ok(bleu_parts(metric, &sentence(&metric, inputs)?))
}

pub(super) fn corpus_bleu(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let metric = bleu(params, false)?;
    Ok(bleu_parts(metric, &corpus(&metric, inputs)?))
}

pub(super) fn sentence_chrf(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let metric = chrf(params)?;
    Ok(json!({"score": number(metric.score(&sentence(&metric, inputs)?))}))
}

pub(super) fn corpus_chrf(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let metric = chrf(params)?;
    Ok(json!({"score": number(metric.score(&corpus(&metric, inputs)?))}))
}

pub(super) fn sentence_ter(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let metric = ter(params)?;
    Ok(ter_parts(metric, &sentence(&metric, inputs)?))
}

pub(super) fn corpus_ter(params: Arguments, inputs: Arguments) -> Result<Value, MetricError> {
    let metric = ter(params)?;
    Ok(ter_parts(metric, &corpus(&metric, inputs)?))
}

fn bleu(params: Arguments, effective_order: bool) -> Result<Bleu, MetricError> {
    let smoothing = match params.text_or("smooth_method", "exp")? {
        "none" => BleuSmoothing::None,
        "exp" => BleuSmoothing::Exponential,
        "floor" => BleuSmoothing::Floor(params.number_or("smooth_value", 0.1)?),
        "add-k" => BleuSmoothing::AddK(params.number_or("smooth_value", 1.0)?),
        _ => return Err(invalid("smooth_method", "none, exp, floor or add-k")),
    };
    let tokenizer = BleuTokenizer::from_name(params.text_or("tokenize", "13a")?)
        .ok_or_else(|| invalid("tokenize", "13a, zh, char, intl or none"))?;
    Ok(Bleu {
        tokenizer,
        smoothing,
        lowercase: params.flag("lowercase")?,
        max_order: params.count_or("max_ngram_order", 4)?,
        // The function calls it `use_effective_order`.
        effective_order: params.flag_or(
            "effective_order",
            params.flag_or("use_effective_order", effective_order)?,
        )?,
    })
}

fn chrf(params: Arguments) -> Result<Chrf, MetricError> {
    let metric = Chrf {
        character_order: params.count_or("char_order", 6)?,
        word_order: params.count_or("word_order", 0)?,
        beta: params.number_or("beta", 2.0)?,
        lowercase: params.flag("lowercase")?,
        whitespace: params.flag("whitespace")?,
        epsilon_smoothing: params.flag("eps_smoothing")?,
    };
    if metric.epsilon_smoothing && metric.character_order + metric.word_order == 0 {
        return Err(MetricError::Undefined {
            reason: "there is no order to average over",
        });
    }
    Ok(metric)
}

pub(super) fn tercom(params: Arguments) -> Result<Tercom, MetricError> {
    Ok(Tercom {
        normalized: params.flag("normalized")?,
        no_punctuation: params.flag("no_punct")?,
        asian_support: params.flag("asian_support")?,
        case_sensitive: params.flag("case_sensitive")?,
    })
}

fn ter(params: Arguments) -> Result<Ter, MetricError> {
    Ok(Ter {
        tokenizer: tercom(params)?,
    })
}

fn bleu_parts(metric: Bleu, statistics: &[i64]) -> Value {
    let score = metric.score_parts(statistics);
    json!({
        "score": number(score.score),
        "counts": number_list(&score.counts),
        "totals": number_list(&score.totals),
        "precisions": number_list(&score.precisions),
        "bp": number(score.brevity_penalty),
        "sys_len": number(score.hypothesis_length),
        "ref_len": number(score.reference_length),
    })
}

fn ter_parts(metric: Ter, statistics: &[i64]) -> Value {
    let score = metric.score_parts(statistics);
    json!({
        "score": number(score.score),
        "num_edits": number(score.edits),
        "ref_length": number(score.reference_length),
    })
}

fn sentence(metric: &impl TextMetric, inputs: Arguments) -> Result<Vec<i64>, MetricError> {
    let hypothesis = inputs.text("hyp")?;
    Ok(metric.statistics(hypothesis, &present(inputs, "refs")?))
}

/// References come as streams, one per reference, each as long as the hypotheses; null is none.
fn corpus(metric: &impl TextMetric, inputs: Arguments) -> Result<Vec<i64>, MetricError> {
    let expected = "a list of streams, each as long as the hypotheses";
    let hypotheses = inputs.texts("hyps")?;
    let streams = list(
        inputs.required("ref_streams", expected)?,
        "ref_streams",
        expected,
    )?;
    let mut references = vec![Vec::new(); hypotheses.len()];
    for stream in streams {
        let stream = list(stream, "ref_streams", expected)?;
        if stream.len() != hypotheses.len() {
            return Err(invalid("ref_streams", expected));
        }
        for (references, reference) in references.iter_mut().zip(stream) {
            if !reference.is_null() {
                let text = reference
                    .as_str()
                    .ok_or_else(|| invalid("ref_streams", expected))?;
                references.push(text);
            }
        }
    }
    let rows: Vec<Vec<i64>> = hypotheses
        .iter()
        .zip(&references)
        .map(|(hypothesis, references)| metric.statistics(hypothesis, references))
        .collect();
    Ok(sum(&rows))
}

/// The strings of a list in which null stands for an absent one.
fn present<'json>(inputs: Arguments<'json>, name: &str) -> Result<Vec<&'json str>, MetricError> {
    let expected = "a list of strings";
    list(inputs.required(name, expected)?, name, expected)?
        .iter()
        .filter(|text| !text.is_null())
        .map(|text| text.as_str().ok_or_else(|| invalid(name, expected)))
        .collect()
}
