//! Where the rows of a key lie in a row group.

use arrow::array::{Array as _, AsArray as _};
use arrow::datatypes::Int32Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::errors::ParquetError;
use sha2::{Digest as _, Sha256};

use super::RowKey;

/// Runs of rows with the same key and attempt, by the hash of the key: 32 bytes each.
///
/// The hash stands for the key: it is half of a SHA-256, so that no two keys share one.
#[derive(Debug)]
pub(super) struct KeyPlaces {
    runs: Vec<Run>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    hash: u128,
    attempt: u32,
    first: u32,
    rows: u32,
}

impl KeyPlaces {
    /// The columns it is made from.
    pub(super) const fn columns(by_sample: bool) -> &'static [&'static str] {
        if by_sample {
            &["dataset", "case_id", "system", "epoch", "attempt"]
        } else {
            &["dataset", "case_id"]
        }
    }

    pub(super) fn read(
        reader: ParquetRecordBatchReader,
        by_sample: bool,
    ) -> Result<Self, ParquetError> {
        let mut runs: Vec<Run> = Vec::new();
        let mut row = 0;
        for batch in reader {
            let batch = batch?;
            let text = |name: &str| {
                batch
                    .column_by_name(name)
                    .and_then(|column| column.as_string_view_opt())
                    .ok_or_else(|| ParquetError::General(format!("column {name} is no text")))
            };
            let number = |name: &str| {
                batch
                    .column_by_name(name)
                    .and_then(|column| column.as_primitive_opt::<Int32Type>())
                    .ok_or_else(|| ParquetError::General(format!("column {name} is no number")))
            };
            let (datasets, cases) = (text("dataset")?, text("case_id")?);
            let sample = if by_sample {
                Some((text("system")?, number("epoch")?, number("attempt")?))
            } else {
                None
            };
            for index in 0..datasets.len() {
                let hash = hash(RowKey {
                    dataset: datasets.value(index),
                    case_id: cases.value(index),
                    sample: sample.map(|(systems, epochs, _)| {
                        (systems.value(index), epochs.value(index).unsigned_abs())
                    }),
                });
                let attempt =
                    sample.map_or(0, |(.., attempts)| attempts.value(index).unsigned_abs());
                match runs.last_mut() {
                    Some(run) if run.hash == hash && run.attempt == attempt => run.rows += 1,
                    _ => runs.push(Run {
                        hash,
                        attempt,
                        first: row,
                        rows: 1,
                    }),
                }
                row += 1;
            }
        }
        runs.sort_unstable();
        runs.shrink_to_fit();
        Ok(Self { runs })
    }

    /// Rows with the key, each with its attempt.
    pub(super) fn find(&self, key: RowKey<'_>) -> impl Iterator<Item = (usize, u32)> + '_ {
        let hash = hash(key);
        let first = self.runs.partition_point(|run| run.hash < hash);
        self.runs[first..]
            .iter()
            .take_while(move |run| run.hash == hash)
            .flat_map(|run| {
                let rows = run.first as usize..(run.first + run.rows) as usize;
                rows.map(|row| (row, run.attempt))
            })
    }
}

fn hash(key: RowKey<'_>) -> u128 {
    let (system, epoch) = key.sample.unwrap_or_default();
    let mut hasher = Sha256::new();
    for text in [key.dataset, key.case_id, system] {
        // The length first, so that texts cannot run into each other.
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.update(epoch.to_le_bytes());
    let digest = hasher.finalize();
    digest
        .iter()
        .take(16)
        .fold(0, |hash, byte| (hash << 8) | u128::from(*byte))
}
