//! `consilium metric`: any metric on stdin, as its reference implementation would print it.

use std::io::{BufRead as _, BufReader};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use consilium_query::evaluate_metric;
use consilium_runner::encoder::{EncoderLibrary, is_encoder_metric};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::printer;

/// Lines that are computed at once; answers keep their order.
const BATCH_LINES: usize = 4096;

/// Compute metrics: JSON Lines {"metric", "params", "inputs"} in, {"value"} or {"error"} out, in order.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  echo '{\"metric\":\"sacrebleu.sentence_bleu\",\"params\":{},\"inputs\":{\"hyp\":\"a b\",\
                  \"refs\":[\"a b\"]}}' | consilium metric\n\nNames are those of the reference \
                  implementations, for example nltk.sentence_bleu, rouge_score.score or \
                  sklearn.classification_report; an error is told on its own line. bert_score, \
                  bert_score.batch, sentence_transformers.encode and embedding_cosine take an \
                  encoder by name, for example {\"model\": \"all-MiniLM-L6-v2\"}, from \
                  $CONSILIUM_MODELS or the user's cache."
)]
pub(crate) struct MetricArguments {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    metric: String,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    inputs: Value,
}

pub(crate) fn metric(_given: &MetricArguments) -> Result<ExitCode> {
    let encoders = EncoderLibrary::default();
    let mut lines = BufReader::new(std::io::stdin()).split(b'\n');
    loop {
        let batch: Vec<Vec<u8>> = lines
            .by_ref()
            .take(BATCH_LINES)
            .collect::<Result<_, _>>()
            .context("read stdin")?;
        if batch.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        let asked: Vec<&[u8]> = batch
            .iter()
            .map(Vec::as_slice)
            .filter(|line| !line.trim_ascii().is_empty())
            .collect();
        printer::data(&answers(&asked, &encoders)?)?;
    }
}

/// The answers to some lines, computed on every core.
fn answers(lines: &[&[u8]], encoders: &EncoderLibrary) -> Result<String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = lines.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> = lines
            .chunks(share)
            .map(|lines| {
                scope.spawn(move || {
                    lines
                        .iter()
                        .map(|line| answer(line, encoders))
                        .collect::<String>()
                })
            })
            .collect();
        parts
            .into_iter()
            .map(|part| {
                part.join()
                    .map_err(|_| anyhow::anyhow!("a metric failed unexpectedly"))
            })
            .collect()
    })
}

fn answer(line: &[u8], encoders: &EncoderLibrary) -> String {
    let answer = match serde_json::from_slice::<Question>(line) {
        Ok(question) => match evaluate(&question, encoders) {
            Ok(value) => json!({ "value": value }),
            Err(error) => json!({ "error": format!("{error:#}") }),
        },
        Err(error) => json!({ "error": format!("read the line: {error}") }),
    };
    format!("{answer}\n")
}

/// Metrics that need an encoder are computed beside it, all others without.
fn evaluate(question: &Question, encoders: &EncoderLibrary) -> Result<Value> {
    let Question {
        metric,
        params,
        inputs,
    } = question;
    if is_encoder_metric(metric) {
        return Ok(encoders.evaluate(metric, params, inputs)?);
    }
    Ok(evaluate_metric(metric, params, inputs)?)
}
