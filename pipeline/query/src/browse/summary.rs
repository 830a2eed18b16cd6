//! Sums over a whole run: outcomes, models, costs, headline numbers.

use arrow::array::{Array as _, AsArray as _, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use consilium_core::study::Study;
use consilium_core::{Cell, Estimate, Outcome, Table};
use consilium_metrics::catalog::canonical_name;
use datafusion::common::{Result, internal_err};
use datafusion::prelude::SessionContext;

use super::index::headline_scorer;
use super::scores::{CORRECT, shown_metric};
use crate::cases::quoted;
use crate::table::{Reading, cell};

/// Replicates behind an interval, as in the built-in tables.
const REPLICATES: u32 = 2000;

/// What a run comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Samples by system and outcome, systems ascending.
    pub outcomes: Vec<(String, Outcome, u64)>,
    /// Models by backend and name.
    pub models: Vec<ModelCalls>,
}

/// A model and how often it was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCalls {
    /// Backend in the study.
    pub backend: String,
    /// Model asked for.
    pub requested: String,
    /// Model that answered.
    pub returned: Option<String>,
    /// Fingerprint of its set-up.
    pub fingerprint: Option<String>,
    /// Calls of solvers.
    pub solver_calls: u64,
    /// Calls of scorers.
    pub scorer_calls: u64,
    /// Calls that were sent and whose cost is not known.
    pub unpriced_calls: u64,
    /// Sum of the known costs, US dollars.
    pub cost_usd: Option<f64>,
}

/// The number that stands for a system on a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// Dataset.
    pub dataset: String,
    /// System.
    pub system: String,
    /// Scorer.
    pub scorer: String,
    /// Metric of the scorer.
    pub metric: String,
    /// The number.
    pub estimate: Estimate,
}

/// Sums up the one run of a session.
///
/// # Errors
/// When its tables cannot be read.
pub async fn summary(session: &SessionContext) -> Result<Summary> {
    let mut summary = Summary::default();
    for batch in rows(session, include_str!("outcomes.sql")).await? {
        for row in 0..batch.num_rows() {
            let Some(outcome) = text(&batch, 1, row)?.and_then(|name| Outcome::parse(&name)) else {
                return internal_err!("an outcome is none of ours");
            };
            let system = text(&batch, 0, row)?.unwrap_or_default();
            summary
                .outcomes
                .push((system, outcome, count(&batch, 2, row)?));
        }
    }
    for batch in rows(session, include_str!("models.sql")).await? {
        for row in 0..batch.num_rows() {
            let cost = batch.column(7).as_primitive::<Float64Type>();
            summary.models.push(ModelCalls {
                backend: text(&batch, 0, row)?.unwrap_or_default(),
                requested: text(&batch, 1, row)?.unwrap_or_default(),
                returned: text(&batch, 2, row)?,
                fingerprint: text(&batch, 3, row)?,
                solver_calls: count(&batch, 4, row)?,
                scorer_calls: count(&batch, 5, row)?,
                unpriced_calls: count(&batch, 6, row)?,
                cost_usd: cost.is_valid(row).then(|| cost.value(row)),
            });
        }
    }
    Ok(summary)
}

/// The headline numbers of the one run of a session, in the order of the study's datasets and
/// systems; accuracies are those of its table `accuracy`.
///
/// # Errors
/// When its scores cannot be read.
pub async fn headlines(
    session: &SessionContext,
    study: &Study,
    accuracy: &Table,
) -> Result<Vec<Headline>> {
    let mut found = accuracies(accuracy);
    for dataset in &study.dataset {
        let Some(scorer) = headline_scorer(study, &dataset.name) else {
            continue;
        };
        if found.iter().any(|headline| headline.scorer == scorer) {
            continue;
        }
        let metrics = metrics_of(session, scorer).await?;
        if let Some(metric) = shown_metric(study, scorer, &metrics) {
            found.extend(text_numbers(session, study, scorer, metric).await?);
        }
    }
    let mut headlines = Vec::new();
    for dataset in &study.dataset {
        let Some(scorer) = headline_scorer(study, &dataset.name) else {
            continue;
        };
        for system in &study.system {
            let number = found.iter().find(|headline| {
                headline.dataset == dataset.name
                    && headline.system == system.name
                    && headline.scorer == scorer
            });
            headlines.extend(number.cloned());
        }
    }
    Ok(headlines)
}

fn accuracies(table: &Table) -> Vec<Headline> {
    let column = |name: &str| table.columns.iter().position(|column| column.name == name);
    let [Some(dataset), Some(system), Some(scorer), Some(accuracy)] =
        ["dataset", "system", "scorer", "accuracy"].map(column)
    else {
        return Vec::new();
    };
    let text = |cell: &Cell| match cell {
        Cell::Text { text } => text.clone(),
        _ => String::new(),
    };
    table
        .rows
        .iter()
        .filter_map(|row| {
            let Cell::Estimate(estimate) = &row[accuracy] else {
                return None;
            };
            Some(Headline {
                dataset: text(&row[dataset]),
                system: text(&row[system]),
                scorer: text(&row[scorer]),
                metric: CORRECT.to_owned(),
                estimate: estimate.clone(),
            })
        })
        .collect()
}

/// The metrics that a scorer has values of, ascending.
async fn metrics_of(session: &SessionContext, scorer: &str) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT DISTINCT metric FROM scores WHERE scorer = {} ORDER BY metric",
        quoted(scorer)
    );
    let mut metrics = Vec::new();
    for batch in rows(session, &sql).await? {
        for row in 0..batch.num_rows() {
            metrics.extend(text(&batch, 0, row)?);
        }
    }
    Ok(metrics)
}

/// Values of a metric without right and wrong, with intervals that resample cases.
async fn text_numbers(
    session: &SessionContext,
    study: &Study,
    scorer: &str,
    metric: &str,
) -> Result<Vec<Headline>> {
    let seed = study.study.seed;
    let case = "case_key(dataset, case_id)";
    let value = if canonical_name(metric).is_some() {
        let metric = quoted(metric);
        format!("text_ci({metric}, stats, {case}, {seed}, {REPLICATES})")
    } else {
        format!("bootstrap_ci(value, {case}, {seed}, {REPLICATES})")
    };
    let sql = format!(
        "SELECT dataset, system, {value} AS value, min(signature) AS signature FROM scores WHERE \
         scorer = {} AND metric = {} GROUP BY dataset, system",
        quoted(scorer),
        quoted(metric)
    );
    let mut numbers = Vec::new();
    for batch in rows(session, &sql).await? {
        let reading = Reading {
            method: Some(format!(
                "95 % percentile bootstrap resampling cases, {REPLICATES} replicates, seed {seed}"
            )),
            signatures: batch.column_by_name("signature").cloned(),
        };
        for row in 0..batch.num_rows() {
            if let Cell::Estimate(estimate) = cell(batch.column(2), row, &reading)? {
                numbers.push(Headline {
                    dataset: text(&batch, 0, row)?.unwrap_or_default(),
                    system: text(&batch, 1, row)?.unwrap_or_default(),
                    scorer: scorer.to_owned(),
                    metric: metric.to_owned(),
                    estimate,
                });
            }
        }
    }
    Ok(numbers)
}

async fn rows(session: &SessionContext, sql: &str) -> Result<Vec<RecordBatch>> {
    session.sql(sql).await?.collect().await
}

fn text(batch: &RecordBatch, column: usize, row: usize) -> Result<Option<String>> {
    let texts = cast(batch.column(column), &DataType::Utf8)?;
    let texts = texts.as_string::<i32>();
    Ok(texts.is_valid(row).then(|| texts.value(row).to_owned()))
}

fn count(batch: &RecordBatch, column: usize, row: usize) -> Result<u64> {
    let counts = cast(batch.column(column), &DataType::Int64)?;
    Ok(counts.as_primitive::<Int64Type>().value(row).unsigned_abs())
}
