//! Rows of a table by key or by position, without reading the rest.
//!
//! A part never changes, so what is learnt of it (its footer, where the rows of a key lie) is kept
//! as long as its [`TableParts`]. Of a sample that is 32 bytes a table.

mod part_file;
mod places;

use std::ops::Range;

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use consilium_core::RunManifest;

use crate::part::{present_part, table_of};
use crate::{RunDirectory, RunTable, StoreError};

use part_file::PartFile;

/// Where a row lies in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowPlace {
    /// Number of the part, in the order of the manifest.
    pub part: u32,
    /// Row in the part.
    pub row: u32,
}

/// What rows are looked up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowKey<'a> {
    /// Dataset.
    pub dataset: &'a str,
    /// Case.
    pub case_id: &'a str,
    /// System and epoch; `None` for a case of the table `cases`.
    pub sample: Option<(&'a str, u32)>,
}

/// A row with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundRow {
    /// Where it lies.
    pub place: RowPlace,
    /// Its attempt; 0 in the table `cases`.
    pub attempt: u32,
}

/// Some rows of one part, in its order.
#[derive(Clone, Debug)]
pub struct PartRows {
    /// Number of the part.
    pub part: u32,
    /// Position of the first row in the part.
    pub first: usize,
    /// The columns asked for.
    pub batch: RecordBatch,
}

/// The committed parts of one table.
#[derive(Debug)]
pub struct TableParts {
    table: RunTable,
    parts: Vec<PartFile>,
}

impl TableParts {
    /// Opens the parts that a manifest lists.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn open(
        directory: &RunDirectory,
        manifest: &RunManifest,
        table: RunTable,
    ) -> Result<Self, StoreError> {
        let parts = manifest
            .parts
            .iter()
            .filter(|part| table_of(part) == Some(table))
            .map(|part| PartFile::open(present_part(directory.root(), &manifest.run, part)?))
            .collect::<Result<_, _>>()?;
        Ok(Self { table, parts })
    }

    /// Which table it is.
    pub const fn table(&self) -> RunTable {
        self.table
    }

    /// Rows of the table.
    pub fn rows(&self) -> usize {
        self.parts.iter().map(PartFile::rows).sum()
    }

    /// Size of some columns of a row before compression, on average.
    pub fn bytes_per_row(&self, columns: &[&str]) -> usize {
        let bytes: usize = self.parts.iter().map(|part| part.bytes(columns)).sum();
        bytes / self.rows().max(1)
    }

    /// Reads columns of all rows, in the order of the parts.
    pub fn scan<'a>(
        &'a self,
        columns: &'a [&'a str],
    ) -> impl Iterator<Item = Result<PartRows, StoreError>> + 'a {
        self.parts.iter().enumerate().flat_map(move |(part, file)| {
            let all = 0..file.rows();
            read_ranges(file, part, std::slice::from_ref(&all), columns)
        })
    }

    /// Reads columns of some ranges of rows, each inside the part it names.
    pub fn scan_ranges<'a>(
        &'a self,
        ranges: &'a [(u32, Range<usize>)],
        columns: &'a [&'a str],
    ) -> impl Iterator<Item = Result<PartRows, StoreError>> + 'a {
        ranges.iter().flat_map(move |(part, range)| {
            let part = *part as usize;
            read_ranges(
                &self.parts[part],
                part,
                std::slice::from_ref(range),
                columns,
            )
        })
    }

    /// Finds the rows of a key, in the order of the parts.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn find(&self, key: RowKey<'_>) -> Result<Vec<FoundRow>, StoreError> {
        let mut found = Vec::new();
        for (part, file) in self.parts.iter().enumerate() {
            for (row, attempt) in file.rows_of(key)? {
                let place = RowPlace {
                    part: narrow(part),
                    row: narrow(row),
                };
                found.push(FoundRow { place, attempt });
            }
        }
        Ok(found)
    }

    /// Reads columns of the rows at some places, in the order of the places; all columns when none
    /// is named.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn take(
        &self,
        places: &[RowPlace],
        columns: Option<&[&str]>,
    ) -> Result<RecordBatch, StoreError> {
        let mut sorted: Vec<RowPlace> = places.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut batches = Vec::new();
        for chunk in sorted.chunk_by(|left, right| left.part == right.part) {
            let rows: Vec<usize> = chunk.iter().map(|place| place.row as usize).collect();
            batches.push(self.parts[chunk[0].part as usize].select(columns, &rows)?);
        }
        let batch = self.joined(&batches, columns)?;
        let order = places
            .iter()
            .map(|place| narrow(sorted.partition_point(|other| other < place)))
            .collect();
        self.taken(&batch, order)
    }

    fn joined(
        &self,
        batches: &[RecordBatch],
        columns: Option<&[&str]>,
    ) -> Result<RecordBatch, StoreError> {
        if let [only] = batches {
            return Ok(only.clone());
        }
        let schema = part_file::projected(self.table, columns);
        let schema = batches.first().map_or(schema, RecordBatch::schema);
        concat_batches(&schema, batches).map_err(|source| self.arrow(source))
    }

    fn taken(&self, batch: &RecordBatch, rows: Vec<u32>) -> Result<RecordBatch, StoreError> {
        take_record_batch(batch, &UInt32Array::from(rows)).map_err(|source| self.arrow(source))
    }

    fn arrow(&self, source: arrow::error::ArrowError) -> StoreError {
        StoreError::Encode {
            table: self.table,
            source,
        }
    }
}

fn read_ranges(
    file: &PartFile,
    part: usize,
    ranges: &[Range<usize>],
    columns: &[&str],
) -> Box<dyn Iterator<Item = Result<PartRows, StoreError>>> {
    let mut first = ranges.first().map_or(0, |range| range.start);
    let reader = match file.reader(Some(columns), ranges) {
        Ok(reader) => reader,
        Err(error) => return Box::new(std::iter::once(Err(error))),
    };
    let path = file.path().to_owned();
    Box::new(reader.map(move |batch| {
        let batch = batch.map_err(|error| StoreError::part("read", &path)(error.into()))?;
        let rows = PartRows {
            part: narrow(part),
            first,
            batch,
        };
        first += rows.batch.num_rows();
        Ok(rows)
    }))
}

/// Positions fit: a part is cut long before it has 2³² rows.
pub(crate) fn narrow(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
