//! Where the rows of a key lie in a row group.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use arrow::array::{Array as _, AsArray as _};
use arrow::datatypes::Int32Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::errors::ParquetError;

use super::RowKey;

/// Runs of rows with the same key, by the hash of the key: 16 bytes each.
///
/// A hash may stand for several keys; who reads the rows compares.
#[derive(Debug)]
pub(super) struct KeyPlaces {
    runs: Vec<Run>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Run {
    hash: u64,
    first: u32,
    rows: u32,
}

impl KeyPlaces {
    /// The columns it is made from.
    pub(super) const fn columns(by_sample: bool) -> &'static [&'static str] {
        if by_sample {
            &["dataset", "case_id", "system", "epoch"]
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
            let (datasets, cases) = (text("dataset")?, text("case_id")?);
            let sample = if by_sample {
                let epochs = batch
                    .column_by_name("epoch")
                    .and_then(|column| column.as_primitive_opt::<Int32Type>())
                    .ok_or_else(|| ParquetError::General("column epoch is no number".to_owned()))?;
                Some((text("system")?, epochs))
            } else {
                None
            };
            for index in 0..datasets.len() {
                let hash = hash(RowKey {
                    dataset: datasets.value(index),
                    case_id: cases.value(index),
                    sample: sample.map(|(systems, epochs)| {
                        (systems.value(index), epochs.value(index).unsigned_abs())
                    }),
                });
                match runs.last_mut() {
                    Some(run) if run.hash == hash => run.rows += 1,
                    _ => runs.push(Run {
                        hash,
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

    /// Rows whose key has the same hash.
    pub(super) fn find(&self, key: RowKey<'_>) -> impl Iterator<Item = usize> + '_ {
        let hash = hash(key);
        let first = self.runs.partition_point(|run| run.hash < hash);
        self.runs[first..]
            .iter()
            .take_while(move |run| run.hash == hash)
            .flat_map(|run| run.first as usize..(run.first + run.rows) as usize)
    }
}

fn hash(key: RowKey<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
