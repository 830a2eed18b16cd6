//! One part, opened for lookups.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::{Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder, RowSelection,
};
use parquet::file::metadata::{PageIndexPolicy, RowGroupMetaData};

use super::RowKey;
use super::places::KeyPlaces;
use crate::{RunTable, StoreError};

/// Rows of a batch when many are read.
const BATCH_ROWS: usize = 8192;

/// A part with its footer in memory; the file itself is opened for every read, since a process may
/// hold only so many.
#[derive(Debug)]
pub(super) struct PartFile {
    path: PathBuf,
    metadata: ArrowReaderMetadata,
    groups: Vec<RowGroup>,
}

#[derive(Debug)]
struct RowGroup {
    rows: Range<usize>,
    places: OnceLock<KeyPlaces>,
}

impl PartFile {
    pub(super) fn open(path: PathBuf) -> Result<Self, StoreError> {
        let file = File::open(&path).map_err(StoreError::io("read", &path))?;
        // The offsets of pages, to skip those that hold no wanted row.
        let options = ArrowReaderOptions::new().with_offset_index_policy(PageIndexPolicy::Optional);
        let metadata =
            ArrowReaderMetadata::load(&file, options).map_err(StoreError::part("read", &path))?;
        let mut groups = Vec::new();
        let mut first = 0;
        for group in metadata.metadata().row_groups() {
            let rows = usize::try_from(group.num_rows()).unwrap_or_default();
            groups.push(RowGroup {
                rows: first..first + rows,
                places: OnceLock::new(),
            });
            first += rows;
        }
        Ok(Self {
            path,
            metadata,
            groups,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn rows(&self) -> usize {
        self.groups.last().map_or(0, |group| group.rows.end)
    }

    /// Size of some columns before compression.
    pub(super) fn bytes(&self, columns: &[&str]) -> usize {
        let groups = self.metadata.metadata().row_groups().iter();
        let chunks = groups.flat_map(RowGroupMetaData::columns).filter(|chunk| {
            let path = chunk.column_path().parts();
            path.first()
                .is_some_and(|column| columns.contains(&column.as_str()))
        });
        chunks
            .map(|chunk| usize::try_from(chunk.uncompressed_size()).unwrap_or_default())
            .sum()
    }

    /// Positions of the rows that have the key, each with its attempt, ascending.
    pub(super) fn rows_of(&self, key: RowKey<'_>) -> Result<Vec<(usize, u32)>, StoreError> {
        let mut rows = Vec::new();
        for (index, group) in self.groups.iter().enumerate() {
            if !may_hold(self.metadata.metadata().row_group(index), key) {
                continue;
            }
            let places = if let Some(places) = group.places.get() {
                places
            } else {
                let by_sample = key.sample.is_some();
                let reader = self.reader(
                    Some(KeyPlaces::columns(by_sample)),
                    std::slice::from_ref(&group.rows),
                )?;
                let read = KeyPlaces::read(reader, by_sample)
                    .map_err(StoreError::part("read", &self.path))?;
                // Whoever was first: both have read the same.
                group.places.get_or_init(|| read)
            };
            let found = places.find(key);
            rows.extend(found.map(|(row, attempt)| (group.rows.start + row, attempt)));
        }
        rows.sort_unstable();
        Ok(rows)
    }

    /// Columns of the rows at some positions, which ascend.
    pub(super) fn select(
        &self,
        columns: Option<&[&str]>,
        rows: &[usize],
    ) -> Result<RecordBatch, StoreError> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for &row in rows {
            match ranges.last_mut() {
                Some(range) if range.end == row => range.end += 1,
                _ => ranges.push(row..row + 1),
            }
        }
        let reader = self.reader(columns, &ranges)?;
        let schema = parquet_schema(&reader);
        let batches: Vec<RecordBatch> = reader
            .collect::<Result<_, _>>()
            .map_err(|error| StoreError::part("read", &self.path)(error.into()))?;
        if let [only] = &batches[..] {
            return Ok(only.clone());
        }
        concat_batches(&schema, &batches)
            .map_err(|error| StoreError::part("read", &self.path)(error.into()))
    }

    /// Reads ranges of rows, which ascend and do not touch; only their row groups and pages.
    pub(super) fn reader(
        &self,
        columns: Option<&[&str]>,
        ranges: &[Range<usize>],
    ) -> Result<ParquetRecordBatchReader, StoreError> {
        let failed = || StoreError::part("read", &self.path);
        let file = File::open(&self.path).map_err(StoreError::io("read", &self.path))?;
        let mut builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        if let Some(columns) = columns {
            let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
            builder = builder.with_projection(mask);
        }
        let groups: Vec<usize> = (0..self.groups.len())
            .filter(|index| {
                let group = &self.groups[*index].rows;
                ranges
                    .iter()
                    .any(|range| range.start < group.end && group.start < range.end)
            })
            .collect();
        let (mut selected, mut before) = (Vec::new(), 0);
        for index in &groups {
            let group = &self.groups[*index].rows;
            for range in ranges {
                let (start, end) = (range.start.max(group.start), range.end.min(group.end));
                if start < end {
                    selected.push(before + start - group.start..before + end - group.start);
                }
            }
            before += group.len();
        }
        let wanted: usize = selected.iter().map(Range::len).sum();
        let selection = RowSelection::from_consecutive_ranges(selected.into_iter(), before);
        builder
            .with_row_groups(groups)
            .with_row_selection(selection)
            .with_batch_size(wanted.clamp(1, BATCH_ROWS))
            .build()
            .map_err(failed())
    }
}

fn parquet_schema(reader: &ParquetRecordBatchReader) -> SchemaRef {
    use arrow::array::RecordBatchReader as _;

    reader.schema()
}

/// The schema of some columns of a table, in the order of the table, as a reader gives them.
pub(super) fn projected(table: RunTable, columns: Option<&[&str]>) -> SchemaRef {
    let schema = table.schema();
    let Some(columns) = columns else {
        return schema;
    };
    let fields = schema
        .fields()
        .iter()
        .filter(|field| columns.contains(&field.name().as_str()))
        .map(Arc::clone);
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Whether the bounds of a row group's columns let it hold the key.
fn may_hold(group: &RowGroupMetaData, key: RowKey<'_>) -> bool {
    let system = key.sample.map(|(system, _)| system);
    let texts = [
        ("dataset", Some(key.dataset)),
        ("case_id", Some(key.case_id)),
        ("system", system),
    ];
    texts.into_iter().all(|(name, text)| {
        let Some(text) = text else {
            return true;
        };
        let column = group
            .columns()
            .iter()
            .find(|column| column.column_path().string() == name);
        let Some(bounds) = column.and_then(|column| column.statistics()) else {
            return true;
        };
        let text = text.as_bytes();
        bounds.min_bytes_opt().is_none_or(|low| low <= text)
            && bounds.max_bytes_opt().is_none_or(|high| text <= high)
    })
}
