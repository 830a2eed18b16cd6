//! Sorting more scores than fit in memory.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::{mem, vec};

use consilium_core::ScoreRow;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::order;
use crate::rows::TableRow;
use crate::{RunTable, StoreError};

/// Rows sorted in memory at a time.
const ROWS_IN_MEMORY: usize = 65_536;
/// Rows of a spilled run read back at a time; each spilled run holds one such batch.
const BATCH_ROWS: usize = 1024;

/// Takes score rows in any order and gives them back sorted by scorer, metric and key.
///
/// What does not fit in memory goes to nameless temporary files, which vanish with the process.
#[derive(Debug)]
pub struct ScoreSorter {
    rows_in_memory: usize,
    buffer: Vec<ScoreRow>,
    spilled: Vec<File>,
    rows: u64,
}

impl Default for ScoreSorter {
    fn default() -> Self {
        Self::with_rows_in_memory(ROWS_IN_MEMORY)
    }
}

impl ScoreSorter {
    /// A sorter that holds this many rows before it uses files.
    pub(super) const fn with_rows_in_memory(rows_in_memory: usize) -> Self {
        Self {
            rows_in_memory,
            buffer: Vec::new(),
            spilled: Vec::new(),
            rows: 0,
        }
    }

    /// Takes rows.
    ///
    /// # Errors
    /// When the temporary folder cannot be written to.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = ScoreRow>) -> Result<(), StoreError> {
        for row in rows {
            self.rows += 1;
            self.buffer.push(row);
            if self.buffer.len() >= self.rows_in_memory {
                self.spill()?;
            }
        }
        Ok(())
    }

    /// Rows taken so far.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    fn spill(&mut self) -> Result<(), StoreError> {
        let mut rows = mem::take(&mut self.buffer);
        rows.sort_by(|left, right| order(left).cmp(&order(right)));
        let place = temporary_place();
        let file = tempfile::tempfile().map_err(StoreError::io("make a file in", &place))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(4 * BATCH_ROWS))
            .build();
        let failed = || StoreError::part("write a sorted run in", &place);
        let mut writer = ArrowWriter::try_new(file, RunTable::Scores.schema(), Some(properties))
            .map_err(failed())?;
        for chunk in rows.chunks(BATCH_ROWS) {
            let batch = ScoreRow::batch(chunk.iter())?;
            writer.write(&batch).map_err(failed())?;
        }
        let mut file = writer.into_inner().map_err(failed())?;
        file.seek(SeekFrom::Start(0))
            .map_err(StoreError::io("read back a sorted run in", &place))?;
        self.spilled.push(file);
        Ok(())
    }

    /// The rows, sorted.
    ///
    /// # Errors
    /// When a spilled run cannot be read back.
    pub fn finish(mut self) -> Result<SortedScores, StoreError> {
        self.buffer
            .sort_by(|left, right| order(left).cmp(&order(right)));
        let mut sources = vec![Source::Memory(mem::take(&mut self.buffer).into_iter())];
        for file in self.spilled {
            sources.push(Source::Spilled(SpilledRun::open(file)?));
        }
        let mut heads = BinaryHeap::with_capacity(sources.len());
        for (source, rows) in sources.iter_mut().enumerate() {
            if let Some(row) = rows.next()? {
                heads.push(Head { row, source });
            }
        }
        Ok(SortedScores {
            sources,
            heads,
            rows: self.rows,
        })
    }
}

/// Score rows in order, merged as they are asked for.
#[derive(Debug)]
pub struct SortedScores {
    sources: Vec<Source>,
    heads: BinaryHeap<Head>,
    rows: u64,
}

impl SortedScores {
    /// How many rows there are in all.
    pub const fn rows(&self) -> u64 {
        self.rows
    }
}

impl Iterator for SortedScores {
    type Item = Result<ScoreRow, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut head = self.heads.peek_mut()?;
        Some(match self.sources[head.source].next() {
            Ok(Some(next)) => Ok(mem::replace(&mut head.row, next)),
            Ok(None) => Ok(PeekMut::pop(head).row),
            Err(error) => Err(error),
        })
    }
}

/// The next row of one source; the least row is the greatest head.
#[derive(Debug)]
struct Head {
    row: ScoreRow,
    source: usize,
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> Ordering {
        order(&other.row)
            .cmp(&order(&self.row))
            .then(other.source.cmp(&self.source))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}

#[derive(Debug)]
enum Source {
    Memory(vec::IntoIter<ScoreRow>),
    Spilled(SpilledRun),
}

impl Source {
    fn next(&mut self) -> Result<Option<ScoreRow>, StoreError> {
        match self {
            Self::Memory(rows) => Ok(rows.next()),
            Self::Spilled(run) => run.next(),
        }
    }
}

#[derive(Debug)]
struct SpilledRun {
    reader: ParquetRecordBatchReader,
    current: vec::IntoIter<ScoreRow>,
}

impl SpilledRun {
    fn open(file: File) -> Result<Self, StoreError> {
        let place = temporary_place();
        let failed = || StoreError::part("read a sorted run in", &place);
        let reader = ParquetRecordBatchReaderBuilder::try_new(file)
            .map_err(failed())?
            .with_batch_size(BATCH_ROWS)
            .build()
            .map_err(failed())?;
        Ok(Self {
            reader,
            current: Vec::new().into_iter(),
        })
    }

    fn next(&mut self) -> Result<Option<ScoreRow>, StoreError> {
        loop {
            if let Some(row) = self.current.next() {
                return Ok(Some(row));
            }
            let Some(batch) = self.reader.next() else {
                return Ok(None);
            };
            let batch = batch.map_err(|error| {
                StoreError::part("read a sorted run in", &temporary_place())(ParquetError::from(
                    error,
                ))
            })?;
            self.current = ScoreRow::decode(&batch)?.into_iter();
        }
    }
}

/// Where spilled rows go, for messages.
fn temporary_place() -> PathBuf {
    Path::new(&std::env::temp_dir()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::score;

    #[test]
    fn rows_beyond_memory_come_back_sorted_and_whole() {
        let mut sorter = ScoreSorter::with_rows_in_memory(7);
        // A stride that is prime to the count visits every case in a scattered order.
        let rows = (0..50_u32).flat_map(|step| {
            let case = format!("case-{:03}", step * 17 % 50);
            ["rouge1", "bleu"].map(|metric| score("text", metric, &case, f64::from(step)))
        });
        let mut expected: Vec<ScoreRow> = rows.clone().collect();
        sorter.extend(rows).unwrap();
        assert_eq!(sorter.spilled.len(), 14);
        let sorted = sorter.finish().unwrap();
        assert_eq!(sorted.rows(), 100);
        let sorted: Vec<ScoreRow> = sorted.collect::<Result<_, _>>().unwrap();
        expected.sort_by(|left, right| order(left).cmp(&order(right)));
        assert_eq!(sorted, expected);
    }
}
