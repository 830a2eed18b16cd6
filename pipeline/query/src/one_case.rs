//! Everything a run recorded about one case.

use arrow::compute::cast;
use arrow::datatypes::{Field, Schema};
use arrow::record_batch::RecordBatch;
use consilium_core::{Case, SampleRow, ScoreRow};
use consilium_store::rows::{CaseInputError, decode_cases, decode_samples, decode_scores};
use consilium_store::{RunTable, StoreError};
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use std::sync::Arc;

use crate::cases::{identifier, quoted};

/// A case with its gold, the counting samples and their scores, each in the order of its key.
#[derive(Clone, Debug, PartialEq)]
pub struct OneCase {
    /// The case.
    pub case: Case,
    /// One per system and repetition.
    pub samples: Vec<SampleRow>,
    /// Scores of these samples.
    pub scores: Vec<ScoreRow>,
}

/// Why a case could not be read.
#[derive(Debug, thiserror::Error)]
pub enum OneCaseError {
    /// The query failed.
    #[error("query one case")]
    Query(#[from] DataFusionError),
    /// A row could not be read.
    #[error("read the rows of one case")]
    Rows(#[from] StoreError),
    /// The case is damaged.
    #[error(transparent)]
    Case(#[from] CaseInputError),
}

/// Reads the case of this identifier from every dataset of the session's one run that has it.
///
/// # Errors
/// When the run's tables cannot be read.
pub async fn one_case(
    session: &SessionContext,
    case_id: &str,
) -> Result<Vec<OneCase>, OneCaseError> {
    let mut found = Vec::new();
    let condition = format!("case_id = {}", quoted(case_id));
    let cases = rows(session, RunTable::Cases, &condition, "dataset").await?;
    for batch in &cases {
        for row in decode_cases(batch)? {
            let of_case = format!("{condition} AND dataset = {}", quoted(&row.dataset));
            let mut samples = Vec::new();
            let order = "system, epoch";
            for batch in rows(session, RunTable::Samples, &of_case, order).await? {
                samples.extend(decode_samples(&batch)?);
            }
            let mut scores = Vec::new();
            let order = "system, epoch, scorer, metric";
            for batch in rows(session, RunTable::Scores, &of_case, order).await? {
                scores.extend(decode_scores(&batch)?);
            }
            found.push(OneCase {
                case: Case::try_from(row)?,
                samples,
                scores,
            });
        }
    }
    Ok(found)
}

/// Rows of a table, with exactly the columns and types that are stored.
async fn rows(
    session: &SessionContext,
    table: RunTable,
    condition: &str,
    order: &str,
) -> Result<Vec<RecordBatch>, DataFusionError> {
    let schema = table.schema();
    let columns: Vec<String> = schema
        .fields()
        .iter()
        .map(|field| identifier(field.name()))
        .collect();
    let sql = format!(
        "SELECT {} FROM {} WHERE {condition} ORDER BY {order}",
        columns.join(", "),
        table.name()
    );
    let batches = session.sql(&sql).await?.collect().await?;
    let fields: Vec<Arc<Field>> = schema
        .fields()
        .iter()
        .map(|field| Arc::new(field.as_ref().clone().with_nullable(true)))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    batches
        .iter()
        .map(|batch| {
            let arrays = batch
                .columns()
                .iter()
                .zip(schema.fields())
                .map(|(array, field)| cast(array, field.data_type()))
                .collect::<Result<Vec<_>, _>>()?;
            Ok(RecordBatch::try_new(Arc::clone(&schema), arrays)?)
        })
        .collect()
}
