//! Rows to record batches and back.

mod attempt;
mod case;
mod columns;
mod decode;
mod typed;

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef, TimestampMicrosecondType};
use arrow::error::ArrowError;
use arrow_json::ReaderBuilder;
use consilium_core::{CallRow, EventRow, SampleRow, ScoreRow};
use serde::Serialize;

pub(crate) use attempt::{AttemptKey, for_each_attempt};
pub use case::{CaseInputError, CaseRow};
pub(crate) use columns::Columns;
pub use decode::{decode_calls, decode_cases, decode_events, decode_samples, decode_scores};

use crate::{RunTable, StoreError};

/// A row of one of the run's tables: serialises with exactly the columns of its table.
pub trait TableRow: Serialize + Sized {
    /// The table.
    const TABLE: RunTable;

    /// About how many bytes its texts take, to bound what is held in memory.
    fn text_bytes(&self) -> usize;

    /// Makes a record batch of rows.
    ///
    /// # Errors
    /// When a row holds a value its column cannot, for example a count above [`i64::MAX`].
    fn batch<'a>(rows: impl Iterator<Item = &'a Self> + Clone) -> Result<RecordBatch, StoreError>
    where
        Self: 'a;

    /// Reads the rows of a record batch.
    ///
    /// # Errors
    /// When a column is missing, of another type, or holds what its table does not allow.
    fn decode(batch: &RecordBatch) -> Result<Vec<Self>, StoreError>;
}

/// Makes a record batch with the schema of a table.
///
/// # Errors
/// When a row lacks a column, has one too many, or holds a value the column cannot, for example a
/// count above [`i64::MAX`].
pub fn encode<T: Serialize>(table: RunTable, rows: &[T]) -> Result<RecordBatch, StoreError> {
    let schema = table.schema();
    if rows.is_empty() {
        return Ok(RecordBatch::new_empty(schema));
    }
    let encoded = || -> Result<RecordBatch, ArrowError> {
        let mut decoder = ReaderBuilder::new(without_time_zones(&schema))
            .with_strict_mode(true)
            .build_decoder()?;
        decoder.serialize(rows)?;
        let columns = decoder
            .flush()?
            .map_or_else(Vec::new, |batch| batch.columns().to_vec());
        let columns = columns
            .into_iter()
            .zip(schema.fields())
            .map(in_time_zone)
            .collect();
        RecordBatch::try_new(Arc::clone(&schema), columns)
    };
    encoded().map_err(|source| StoreError::Encode { table, source })
}

/// The schema with which rows are decoded: a named zone would need the database of time zones, to
/// read text that never comes. Times are integers here.
fn without_time_zones(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| match field.data_type() {
        DataType::Timestamp(unit, Some(_)) => Arc::new(
            field
                .as_ref()
                .clone()
                .with_data_type(DataType::Timestamp(*unit, None)),
        ),
        _ => Arc::clone(field),
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn in_time_zone((column, field): (ArrayRef, &FieldRef)) -> ArrayRef {
    match (
        field.data_type(),
        column.as_primitive_opt::<TimestampMicrosecondType>(),
    ) {
        (DataType::Timestamp(_, zone), Some(times)) => {
            Arc::new(times.clone().with_timezone_opt(zone.clone()))
        }
        _ => column,
    }
}

/// What a row takes beside its long texts.
const ROW_BYTES: usize = 256;

fn sum_of<const N: usize>(texts: [&Option<String>; N]) -> usize {
    texts.into_iter().flatten().map(String::len).sum()
}

impl TableRow for CaseRow {
    const TABLE: RunTable = RunTable::Cases;

    fn text_bytes(&self) -> usize {
        let options: usize = self
            .options
            .iter()
            .map(|o| o.label.len() + o.text.len())
            .sum();
        ROW_BYTES + self.input.len() + options + sum_of([&self.reference])
    }

    fn batch<'a>(rows: impl Iterator<Item = &'a Self> + Clone) -> Result<RecordBatch, StoreError> {
        encode(Self::TABLE, &rows.collect::<Vec<_>>())
    }

    fn decode(batch: &RecordBatch) -> Result<Vec<Self>, StoreError> {
        decode_cases(batch)
    }
}

impl TableRow for SampleRow {
    const TABLE: RunTable = RunTable::Samples;

    fn text_bytes(&self) -> usize {
        ROW_BYTES + sum_of([&self.answer, &self.payload, &self.error])
    }

    fn batch<'a>(rows: impl Iterator<Item = &'a Self> + Clone) -> Result<RecordBatch, StoreError> {
        typed::samples(&rows)
    }

    fn decode(batch: &RecordBatch) -> Result<Vec<Self>, StoreError> {
        decode_samples(batch)
    }
}

impl TableRow for CallRow {
    const TABLE: RunTable = RunTable::Calls;

    fn text_bytes(&self) -> usize {
        let texts = [&self.response, &self.reasoning, &self.error, &self.raw];
        2 * ROW_BYTES + self.parameters.len() + self.messages.len() + sum_of(texts)
    }

    fn batch<'a>(rows: impl Iterator<Item = &'a Self> + Clone) -> Result<RecordBatch, StoreError> {
        typed::calls(&rows)
    }

    fn decode(batch: &RecordBatch) -> Result<Vec<Self>, StoreError> {
        decode_calls(batch)
    }
}

impl TableRow for EventRow {
    const TABLE: RunTable = RunTable::Events;

    fn text_bytes(&self) -> usize {
        ROW_BYTES + sum_of([&self.content, &self.payload])
    }

    fn batch<'a>(rows: impl Iterator<Item = &'a Self> + Clone) -> Result<RecordBatch, StoreError> {
        typed::events(&rows)
    }

    fn decode(batch: &RecordBatch) -> Result<Vec<Self>, StoreError> {
        decode_events(batch)
    }
}

impl TableRow for ScoreRow {
    const TABLE: RunTable = RunTable::Scores;

    fn text_bytes(&self) -> usize {
        let stats = self.stats.as_ref().map_or(0, |stats| 8 * stats.len());
        ROW_BYTES + self.signature.len() + stats + sum_of([&self.explanation, &self.predicted])
    }

    fn batch<'a>(rows: impl Iterator<Item = &'a Self> + Clone) -> Result<RecordBatch, StoreError> {
        typed::scores(&rows)
    }

    fn decode(batch: &RecordBatch) -> Result<Vec<Self>, StoreError> {
        decode_scores(batch)
    }
}

impl<R: TableRow> TableRow for Arc<R> {
    const TABLE: RunTable = R::TABLE;

    fn text_bytes(&self) -> usize {
        R::text_bytes(self)
    }

    fn batch<'a>(rows: impl Iterator<Item = &'a Self> + Clone) -> Result<RecordBatch, StoreError>
    where
        R: 'a,
    {
        R::batch(rows.map(|row| &**row))
    }

    fn decode(batch: &RecordBatch) -> Result<Vec<Self>, StoreError> {
        Ok(R::decode(batch)?.into_iter().map(Self::new).collect())
    }
}

#[cfg(test)]
mod tests;
