//! Recorded answers with their cases, for scorers.
//!
//! Samples lie in the order in which they ended, cases in the order of their file. Both are brought into
//! the order of their keys by their keys alone, which takes about 100 bytes a sample; their texts are then
//! read some thousand rows at a time.

mod ahead;
mod keys;

use std::ops::Range;
use std::sync::Arc;

use arrow::array::RecordBatch;
use consilium_core::{Case, CaseView, RunManifest, SampleRow};

use crate::lookup::{RowPlace, TableParts};
use crate::rows::Columns;
use crate::{DecodeError, RunDirectory, RunTable, StoreError};

pub use ahead::read_ahead;
use keys::OrderedPairs;

/// Pairs handed over at a time.
const BATCH_ROWS: usize = 4096;
/// Size of the texts read at a time.
const READ_BYTES: usize = 32 << 20;
/// Rows read at a time at most, and at least.
const READ_ROWS: (usize, usize) = (65_536, 256);

const CASE_COLUMNS: [&str; 5] = ["answer_form", "labels", "options", "gold", "reference"];

/// The counting attempt of every sample of some datasets with its case, a batch at a time, in the order of
/// dataset, case, system and epoch.
///
/// Both come without what no scorer reads: cases without their input, samples without times, tokens and
/// errors, and without their payload unless it is asked for.
#[derive(Debug)]
pub struct RecordedAnswers {
    samples: TableParts,
    cases: TableParts,
    columns: &'static [&'static str],
    pairs: OrderedPairs,
    rows_to_read: usize,
    next: usize,
    read: Option<ReadRows>,
}

#[derive(Debug)]
struct ReadRows {
    range: Range<usize>,
    samples: RecordBatch,
    cases: RecordBatch,
}

impl RecordedAnswers {
    /// Opens the answers of a run to the cases of these datasets.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn open(
        directory: &RunDirectory,
        manifest: &RunManifest,
        datasets: &[String],
    ) -> Result<Self, StoreError> {
        Self::with_columns(directory, manifest, datasets, &["outcome", "answer"])
    }

    /// As [`Self::open`], with the payload of every sample, in which recorded scores stand.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn open_with_payload(
        directory: &RunDirectory,
        manifest: &RunManifest,
        datasets: &[String],
    ) -> Result<Self, StoreError> {
        let columns = &["outcome", "answer", "payload"];
        Self::with_columns(directory, manifest, datasets, columns)
    }

    fn with_columns(
        directory: &RunDirectory,
        manifest: &RunManifest,
        datasets: &[String],
        columns: &'static [&'static str],
    ) -> Result<Self, StoreError> {
        let samples = TableParts::open(directory, manifest, RunTable::Samples)?;
        let cases = TableParts::open(directory, manifest, RunTable::Cases)?;
        let pairs = OrderedPairs::read(&samples, &cases, datasets)?;
        let row_bytes = samples.bytes_per_row(columns) + cases.bytes_per_row(&CASE_COLUMNS);
        let (most, least) = READ_ROWS;
        Ok(Self {
            samples,
            cases,
            columns,
            pairs,
            rows_to_read: (READ_BYTES / row_bytes.max(1)).clamp(least, most),
            next: 0,
            read: None,
        })
    }

    /// How many there are in all.
    pub fn rows(&self) -> usize {
        self.pairs.len()
    }

    fn read(&self, range: Range<usize>) -> Result<ReadRows, StoreError> {
        let pairs = self.pairs.range(range.clone());
        let places: Vec<RowPlace> = pairs.iter().map(|pair| pair.sample).collect();
        let samples = self.samples.take(&places, Some(self.columns))?;
        let places: Vec<RowPlace> = pairs.iter().map(|pair| pair.case).collect();
        let cases = self.cases.take(&places, Some(&CASE_COLUMNS))?;
        Ok(ReadRows {
            range,
            samples,
            cases,
        })
    }

    fn decode(
        &self,
        read: &ReadRows,
        range: Range<usize>,
    ) -> Result<Vec<(SampleRow, Case)>, StoreError> {
        let (first, length) = (range.start - read.range.start, range.len());
        let failed = |table| move |source| StoreError::Decode { table, source };
        let samples = self
            .samples_of(&read.samples.slice(first, length), range.clone())
            .map_err(failed(RunTable::Samples))?;
        let cases = self
            .cases_of(&read.cases.slice(first, length), range)
            .map_err(failed(RunTable::Cases))?;
        Ok(samples.into_iter().zip(cases).collect())
    }

    fn samples_of(
        &self,
        batch: &RecordBatch,
        range: Range<usize>,
    ) -> Result<Vec<SampleRow>, DecodeError> {
        let columns = Columns(batch);
        let (outcomes, answers) = (columns.text("outcome")?, columns.text("answer")?);
        let payloads = if self.columns.contains(&"payload") {
            Some(columns.text("payload")?)
        } else {
            None
        };
        let pairs = self.pairs.range(range).iter().enumerate();
        pairs
            .map(|(row, pair)| {
                let payload = payloads.as_ref().map(|texts| texts.optional(row));
                Ok(SampleRow {
                    answer: answers.optional(row)?,
                    payload: payload.transpose()?.flatten(),
                    ..SampleRow::bare(
                        self.pairs.dataset(pair),
                        self.pairs.case_id(pair),
                        self.pairs.system(pair),
                        pair.epoch(),
                        pair.attempt(),
                        outcomes.named(row)?,
                    )
                })
            })
            .collect()
    }

    fn cases_of(&self, batch: &RecordBatch, range: Range<usize>) -> Result<Vec<Case>, DecodeError> {
        let columns = Columns(batch);
        let (forms, labels) = (columns.text("answer_form")?, columns.map("labels")?);
        let (options, gold) = (columns.list("options")?, columns.list("gold")?);
        let references = columns.text("reference")?;
        let pairs = self.pairs.range(range).iter().enumerate();
        pairs
            .map(|(row, pair)| {
                Ok(Case {
                    view: CaseView {
                        dataset: Arc::from(self.pairs.dataset(pair)),
                        case_id: Arc::from(self.pairs.case_id(pair)),
                        source: String::new(),
                        language: String::new(),
                        answer_form: forms.named(row)?,
                        specialty: None,
                        prevalence: None,
                        labels: labels.texts(row)?,
                        input: serde_json::Map::new(),
                        options: options.options(row)?,
                    },
                    gold: gold.texts(row)?,
                    reference: references.optional(row)?,
                    sha256: String::new(),
                })
            })
            .collect()
    }
}

impl Iterator for RecordedAnswers {
    type Item = Result<Vec<(SampleRow, Case)>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let all = self.pairs.len();
        if self.next >= all {
            return None;
        }
        let read = match self.read.take() {
            Some(read) if read.range.contains(&self.next) => read,
            _ => match self.read(self.next..all.min(self.next + self.rows_to_read)) {
                Ok(read) => read,
                Err(error) => {
                    self.next = all;
                    return Some(Err(error));
                }
            },
        };
        let range = self.next..read.range.end.min(self.next + BATCH_ROWS);
        self.next = range.end;
        let pairs = self.decode(&read, range);
        self.read = Some(read);
        Some(pairs)
    }
}

#[cfg(test)]
mod tests;
