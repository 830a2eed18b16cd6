//! Samples with their cases, for judges.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use consilium_core::{Case, SampleRow};
use consilium_store::rows::{decode_cases, decode_samples};
use consilium_store::{RunTable, StoreError};
use datafusion::error::DataFusionError;

use crate::cases::{identifier, quoted};

/// Why samples could not be paired with their cases.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PairError {
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

/// The query for samples of the named datasets with their cases; `join` narrows them down.
pub(crate) fn pairs_sql(datasets: &[String], join: &str) -> String {
    let columns = |table: RunTable| {
        let name = table.name();
        table
            .schema()
            .fields()
            .iter()
            .map(|field| {
                let value = NOT_JUDGED
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
