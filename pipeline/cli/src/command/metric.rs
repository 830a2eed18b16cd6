//! `consilium metric`: any metric on stdin, as its reference implementation would print it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use consilium_core::nearest;
use consilium_query::{MetricError, TEXT_METRICS, evaluate_metric};
use consilium_query::{TextTableError, score_text_table};
use consilium_scorers::encoder::{EncoderLibrary, EncoderMetricError, is_encoder_metric};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::arguments::RowFormat;
use crate::failure::hinted;
use crate::printer;

/// Lines that are computed at once; answers keep their order.
const BATCH_LINES: usize = 4096;

/// Compute metrics: JSON Lines {"metric", "params", "inputs"} in, {"value"} or {"error"} out, in order.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium metric --table answers.csv --hypothesis answer --reference reference --metrics \
                  bleu,rougeL\n\n  echo '{\"metric\":\"sacrebleu.sentence_bleu\",\"params\":{},\"inputs\":{\"hyp\":\"a b\",\
                  \"refs\":[\"a b\"]}}' | consilium metric\n\nNames are those of the reference \
                  implementations, for example nltk.sentence_bleu, rouge_score.score or \
                  sklearn.classification_report; an error is told on its own line. bert_score, \
                  bert_score.batch, sentence_transformers.encode and embedding_cosine take an \
                  encoder by name, for example {\"model\": \"all-MiniLM-L6-v2\"}, from \
                  $CONSILIUM_MODELS or the user's cache."
)]
pub(crate) struct MetricArguments {
    /// Score a table instead: CSV, TSV, JSON Lines, JSON or Parquet.
    #[arg(
        long,
        value_name = "FILE",
        requires = "hypothesis",
        requires = "reference"
    )]
    table: Option<PathBuf>,

    /// Column of the answers.
    #[arg(long, value_name = "COLUMN", requires = "table")]
    hypothesis: Option<String>,

    /// Column of the references, a text or a list of texts.
    #[arg(long, value_name = "COLUMN", requires = "table")]
    reference: Option<String>,

    /// Metrics of the table, for example bleu,rougeL,meteor; an unknown name lists them all.
    #[arg(long, value_delimiter = ',', value_name = "NAMES", requires = "table")]
    metrics: Vec<String>,

    /// How the values are printed.
    #[arg(long, value_enum, default_value_t = RowFormat::Table, requires = "table")]
    format: RowFormat,
}

/// Metrics of a table when none is named.
const STANDARD: [&str; 2] = ["bleu", "rougeL"];

fn metric_table(given: &MetricArguments, path: &Path, columns: (&str, &str)) -> Result<ExitCode> {
    let metrics: Vec<String> = if given.metrics.is_empty() {
        STANDARD.map(str::to_owned).to_vec()
    } else {
        given.metrics.clone()
    };
    let table = score_text_table(path, columns, &metrics).map_err(|error| match error {
        TextTableError::Metric { .. } => hinted(
            error.to_string(),
            format!("there are {}", TEXT_METRICS.join(", ")),
        ),
        other => anyhow::Error::new(other),
    })?;
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    match given.format {
        RowFormat::Json => {
            let rows: Vec<Value> = table
                .values
                .iter()
                .map(|value| {
                    json!({"metric": value.metric, "corpus": value.corpus, "mean": value.mean,
                           "n": value.n, "signature": value.signature})
                })
                .collect();
            printer::line(&serde_json::to_string_pretty(&rows)?)?;
        }
        RowFormat::Csv => {
            printer::line("metric,corpus,mean,n,signature")?;
            for value in &table.values {
                // Neither names nor signatures hold quotes.
                printer::line(&format!(
                    "{},{},{},{},\"{}\"",
                    value.metric,
                    number(value.corpus),
                    number(value.mean),
                    value.n,
                    value.signature
                ))?;
            }
        }
        RowFormat::Table => {
            printer::line(&format!(
                "{:<22} {:>12} {:>12} {:>9}  signature",
                "metric", "corpus", "mean", "n"
            ))?;
            for value in &table.values {
                let short = |value: Option<f64>| {
                    value.map_or_else(|| "–".to_owned(), |value| format!("{value:.6}"))
                };
                printer::line(&format!(
                    "{:<22} {:>12} {:>12} {:>9}  {}",
                    value.metric,
                    short(value.corpus),
                    short(value.mean),
                    value.n,
                    value.signature
                ))?;
            }
        }
    }
    if table.incomplete > 0 {
        printer::note(&format!(
            "note: {} rows lack one of the two texts and are left out",
            table.incomplete
        ));
    }
    if let Some((place, reason)) = &table.first_malformed {
        printer::note(&format!(
            "warning: {} malformed rows are left out; the first: {place}: {reason}",
            table.malformed
        ));
    }
    Ok(ExitCode::SUCCESS)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    metric: String,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    inputs: Value,
}

pub(crate) fn metric(given: &MetricArguments) -> Result<ExitCode> {
    if let (Some(path), Some(hypothesis), Some(reference)) =
        (&given.table, &given.hypothesis, &given.reference)
    {
        return metric_table(given, path, (hypothesis, reference));
    }
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
            Err(error) => json!({ "error": format!("{error:#}{}", suggestion(&error)) }),
        },
        Err(error) => json!({ "error": format!("read the line: {error}") }),
    };
    format!("{answer}\n")
}

/// The key that was probably meant.
fn suggestion(error: &anyhow::Error) -> String {
    let unknown = match (error.downcast_ref(), error.downcast_ref()) {
        (Some(MetricError::UnknownKey { name, known, .. }), _)
        | (_, Some(EncoderMetricError::UnknownKey { name, known, .. })) => Some((name, *known)),
        _ => None,
    };
    let Some((name, known)) = unknown else {
        return String::new();
    };
    match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("; did you mean {nearest:?}?"),
        None if known.is_empty() => "; there are none".to_owned(),
        None => format!("; there are {}", known.join(", ")),
    }
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
