//! Apache Parquet, row by row.

use std::fs::File;
use std::io::Cursor;
use std::path::Path;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Map, Value};

use super::{Place, SourceError, SourceRow, SourceRows};

/// The rows of a Parquet file.
pub(super) fn read(path: &Path) -> Result<SourceRows, SourceError> {
    let format_error = |error: &dyn std::fmt::Display| SourceError::Format(error.to_string());
    let file = File::open(path)?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.with_batch_size(512).build())
        .map_err(|error| format_error(&error))?;
    let mut next_row = 0;
    Ok(Box::new(reader.flat_map(move |batch| {
        let rows = batch
            .map_err(|error| format_error(&error))
            .and_then(|batch| json_rows(&batch));
        match rows {
            Ok(rows) => rows
                .into_iter()
                .map(|fields| {
                    next_row += 1;
                    Ok(Ok(SourceRow {
                        place: Place::Row(next_row),
                        key: None,
                        fields,
                    }))
                })
                .collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        }
    })))
}

/// Rows of a batch as JSON objects, nulls kept.
fn json_rows(batch: &arrow::array::RecordBatch) -> Result<Vec<Map<String, Value>>, SourceError> {
    let mut bytes = Vec::new();
    let mut writer = arrow::json::writer::WriterBuilder::new()
        .with_explicit_nulls(true)
        .build::<_, arrow::json::writer::LineDelimited>(&mut bytes);
    writer
        .write(batch)
        .and_then(|()| writer.finish())
        .map_err(|error| SourceError::Format(error.to_string()))?;
    drop(writer);
    serde_json::Deserializer::from_reader(Cursor::new(bytes))
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| SourceError::Format(error.to_string()))
}
