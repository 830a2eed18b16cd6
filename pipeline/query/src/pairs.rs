//! Samples with their cases, for scorers.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use consilium_core::{Case, SampleRow};
use consilium_store::rows::{decode_cases, decode_samples};
use consilium_store::{RunTable, StoreError};
use datafusion::error::DataFusionError;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::prelude::SessionContext;
use futures::stream::{self, BoxStream, StreamExt as _};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::cases::{identifier, quoted};

/// Why samples could not be paired with their cases.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    /// The query failed.
    #[error("join samples with cases")]
    Query(#[from] DataFusionError),
    /// A row could not be read.
    #[error("read joined rows")]
    Rows(#[from] StoreError),
    /// A stored case is damaged.
    #[error("read case '{case_id}' of dataset '{dataset}': {message}")]
    Case {
        /// Dataset.
        dataset: String,
        /// Case.
        case_id: String,
        /// What is wrong.
        message: String,
    },
}

/// What no judge reads, and what it is in its place: case texts would fill the memory of the join.
const NOT_JUDGED: [(&str, &str); 2] = [("input", "'{}'"), ("payload", "NULL")];

/// What no other scorer reads either. The payload is last: recorded scores stand in it.
const NOT_SCORED: [(&str, &str); 15] = [
    ("input", "'{}'"),
    ("source", "''"),
    ("language", "''"),
    ("specialty", "NULL"),
    ("prevalence", "NULL"),
    ("sha256", "''"),
    ("rounds", "NULL"),
    ("stop_reason", "NULL"),
    ("prompt_tokens", "NULL"),
    ("completion_tokens", "NULL"),
    ("cost_usd", "NULL"),
    ("wall_ms", "0"),
    ("error_kind", "NULL"),
    ("error", "NULL"),
    ("payload", "NULL"),
];

/// Samples with their cases, as they are read.
pub type PairBatches = BoxStream<'static, Result<Vec<(SampleRow, Case)>, PairError>>;

/// Every counting sample of the named datasets with its case, a batch at a time and in the order of
/// dataset, case, system and epoch; both come without what no scorer reads.
///
/// # Errors
/// When the run's tables cannot be read.
pub async fn pair_batches(
    session: &SessionContext,
    datasets: &[String],
) -> Result<PairBatches, PairError> {
    batches(session, datasets, &NOT_SCORED).await
}

/// As [`pair_batches`], with the payload of every sample, in which recorded scores stand.
///
/// # Errors
/// When the run's tables cannot be read.
pub async fn recorded_batches(
    session: &SessionContext,
    datasets: &[String],
) -> Result<PairBatches, PairError> {
    batches(session, datasets, &NOT_SCORED[..NOT_SCORED.len() - 1]).await
}

async fn batches(
    session: &SessionContext,
    datasets: &[String],
    left_out: &[(&str, &str)],
) -> Result<PairBatches, PairError> {
    if datasets.is_empty() {
        return Ok(stream::empty().boxed());
    }
    let sql = format!(
        "{} ORDER BY samples.dataset, samples.case_id, samples.system, samples.epoch",
        pairs_sql_without(datasets, "", left_out)
    );
    let mut found = query(session, &sql).await?;
    // Read ahead while the last batch is being scored.
    let (sender, receiver) = mpsc::channel(2);
    let mut reading = JoinSet::new();
    reading.spawn(async move {
        while let Some(batch) = found.next().await {
            let read = batch
                .map_err(PairError::from)
                .and_then(|batch| pairs(&batch));
            if sender.send(read).await.is_err() {
                break;
            }
        }
    });
    let ahead = stream::unfold(
        (receiver, reading),
        |(mut receiver, mut reading)| async move {
            if let Some(pairs) = receiver.recv().await {
                return Some((pairs, (receiver, reading)));
            }
            let failed = reading.join_next().await?.err()?;
            let failed = DataFusionError::External(Box::new(failed));
            Some((Err(failed.into()), (receiver, reading)))
        },
    );
    Ok(ahead.boxed())
}

/// The query for samples of the named datasets with their cases; `join` narrows them down.
pub(crate) fn pairs_sql(datasets: &[String], join: &str) -> String {
    pairs_sql_without(datasets, join, &NOT_JUDGED)
}

fn pairs_sql_without(datasets: &[String], join: &str, left_out: &[(&str, &str)]) -> String {
    let columns = |table: RunTable| {
        let name = table.name();
        table
            .schema()
            .fields()
            .iter()
            .map(|field| {
                let value = left_out
                    .iter()
                    .find(|(known, _)| known == field.name())
                    .map_or_else(
                        || format!("{name}.{}", identifier(field.name())),
                        |(_, value)| (*value).to_owned(),
                    );
                let alias = identifier(&format!("{name}.{}", field.name()));
                format!("{value} AS {alias}")
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    let names: Vec<String> = datasets.iter().map(|name| quoted(name)).collect();
    format!(
        "SELECT {}, {} FROM samples JOIN cases ON samples.dataset = cases.dataset AND samples.case_id = \
         cases.case_id{join} WHERE samples.dataset IN ({})",
        columns(RunTable::Samples),
        columns(RunTable::Cases),
        names.join(", ")
    )
}

async fn query(
    session: &SessionContext,
    sql: &str,
) -> Result<SendableRecordBatchStream, PairError> {
    Ok(session.sql(sql).await?.execute_stream().await?)
}

/// Reads a batch of the query of [`pairs_sql`].
pub(crate) fn pairs(batch: &RecordBatch) -> Result<Vec<(SampleRow, Case)>, PairError> {
    let (samples, cases) = (RunTable::Samples.schema(), RunTable::Cases.schema());
    let split = samples.fields().len();
    let left = part(batch, 0..split, &samples)?;
    let right = part(batch, split..batch.num_columns(), &cases)?;
    decode_samples(&left)?
        .into_iter()
        .zip(decode_cases(&right)?)
        .map(|(sample, case)| {
            let (dataset, case_id) = (case.dataset.clone(), case.case_id.clone());
            let case = Case::try_from(case).map_err(|error| PairError::Case {
                dataset,
                case_id,
                message: error.to_string(),
            })?;
            Ok((sample, case))
        })
        .collect()
}

/// Some columns of a batch under the names of a table.
pub(crate) fn part(
    batch: &RecordBatch,
    columns: std::ops::Range<usize>,
    schema: &SchemaRef,
) -> Result<RecordBatch, DataFusionError> {
    let arrays = columns
        .zip(schema.fields())
        .map(|(index, field)| arrow::compute::cast(batch.column(index), field.data_type()))
        .collect::<Result<Vec<_>, _>>()?;
    let fields: Vec<_> = schema
        .fields()
        .iter()
        .map(|field| Arc::new(field.as_ref().clone().with_nullable(true)))
        .collect();
    let schema = Arc::new(arrow::datatypes::Schema::new(fields));
    Ok(RecordBatch::try_new(schema, arrays)?)
}
