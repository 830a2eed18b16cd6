//! Reading parts back, a batch at a time.

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::vec;

use arrow::array::RecordBatch;
use consilium_core::RunManifest;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;

use super::{BATCH_ROWS, table_of};
use crate::rows::TableRow;
use crate::{RunDirectory, RunTable, StoreError};

/// Record batches of a table's parts, in the order of the manifest.
#[derive(Debug)]
pub(crate) struct RecordBatches {
    paths: VecDeque<PathBuf>,
    columns: Option<&'static [&'static str]>,
    current: Option<(PathBuf, ParquetRecordBatchReader)>,
}

/// Opens a table for reading: some of its columns, or all.
pub(crate) fn read_batches(
    directory: &RunDirectory,
    manifest: &RunManifest,
    table: RunTable,
    columns: Option<&'static [&'static str]>,
) -> RecordBatches {
    let parts = manifest
        .parts
        .iter()
        .filter(|part| table_of(part) == Some(table));
    let paths = parts
        .map(|part| directory.root().join(&part.path))
        .collect();
    RecordBatches {
        paths,
        columns,
        current: None,
    }
}

impl Iterator for RecordBatches {
    type Item = Result<RecordBatch, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((path, reader)) = &mut self.current {
                match reader.next() {
                    Some(batch) => {
                        return Some(batch.map_err(|error| {
                            StoreError::part("read", path)(ParquetError::from(error))
                        }));
                    }
                    None => self.current = None,
                }
            }
            let path = self.paths.pop_front()?;
            match open(&path, self.columns) {
                Ok(reader) => self.current = Some((path, reader)),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn open(
    path: &Path,
    columns: Option<&'static [&'static str]>,
) -> Result<ParquetRecordBatchReader, StoreError> {
    let file = File::open(path).map_err(StoreError::io("read", path))?;
    let failed = || StoreError::part("read", path);
    let mut builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(failed())?;
    if let Some(columns) = columns {
        let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
        builder = builder.with_projection(mask);
    }
    builder
        .with_batch_size(BATCH_ROWS)
        .build()
        .map_err(failed())
}

/// Rows of a table, read as they are asked for.
#[derive(Debug)]
pub struct Rows<R> {
    batches: RecordBatches,
    current: vec::IntoIter<R>,
}

/// Reads the committed rows of a table in the order of its parts.
pub fn read_rows<R: TableRow>(directory: &RunDirectory, manifest: &RunManifest) -> Rows<R> {
    let batches = read_batches(directory, manifest, R::TABLE, None);
    Rows {
        batches,
        current: Vec::new().into_iter(),
    }
}

/// Reads the rows of one part.
pub(crate) fn read_part<R: TableRow>(path: PathBuf) -> Rows<R> {
    Rows {
        batches: RecordBatches {
            paths: VecDeque::from([path]),
            columns: None,
            current: None,
        },
        current: Vec::new().into_iter(),
    }
}

impl<R: TableRow> Iterator for Rows<R> {
    type Item = Result<R, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.current.next() {
                return Some(Ok(row));
            }
            match self.batches.next()?.and_then(|batch| R::decode(&batch)) {
                Ok(rows) => self.current = rows.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
