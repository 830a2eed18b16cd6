//! Scores into parts, as they come.

use std::mem;

use consilium_core::{PartEntry, RunManifest, ScoreRow};
use rayon::prelude::*;

use super::ROWS_PER_PART;
use super::content::{Content, content_of};
use crate::part::{PartWriter, part_stem, read_part, remove_strays, table_of};
use crate::{RunDirectory, RunTable, StoreError};

/// Rows of a mixed part that are taken over at a time.
const ROWS_AT_ONCE: usize = 8192;

/// A scorer and its metric.
type Name = (String, String);

/// What rows of one scorer and metric are ordered by.
type Key = (String, String, String, u32, u32);

/// Writes scores that come in the order of their keys, each metric of a scorer into parts of its own.
///
/// Nothing is held but the part being written, and a scorer is replaced without touching another one's
/// parts. Parts hold a fixed number of rows and are named by number and content: the same scores are the
/// same files in every run.
#[derive(Debug)]
pub struct ScoreWriter {
    directory: RunDirectory,
    rows_per_part: u64,
    /// Few: searched from the start.
    streams: Vec<Stream>,
}

impl ScoreWriter {
    /// A writer of a run's scores; the caller holds the run's lock.
    pub fn new(directory: &RunDirectory) -> Self {
        Self::with_rows_per_part(directory, ROWS_PER_PART)
    }

    pub(super) fn with_rows_per_part(directory: &RunDirectory, rows_per_part: u64) -> Self {
        Self {
            directory: directory.clone(),
            rows_per_part,
            streams: Vec::new(),
        }
    }

    /// Takes rows; those of a scorer and metric in the order of their keys.
    ///
    /// # Errors
    /// When they are not in order, do not fit the table, or cannot be written.
    pub fn extend(&mut self, rows: impl IntoIterator<Item = ScoreRow>) -> Result<(), StoreError> {
        for row in rows {
            self.stream_of(&row).pending.push(row);
        }
        let (directory, rows_per_part) = (&self.directory, self.rows_per_part);
        self.streams
            .par_iter_mut()
            .try_for_each(|stream| stream.write(directory, rows_per_part))
    }

    fn stream_of(&mut self, row: &ScoreRow) -> &mut Stream {
        let known = self
            .streams
            .iter()
            .position(|stream| stream.metric == row.metric && stream.scorer == row.scorer);
        let place = known.unwrap_or_else(|| {
            self.streams.push(Stream {
                number: self.streams.len() as u64,
                scorer: row.scorer.clone(),
                metric: row.metric.clone(),
                ..Stream::default()
            });
            self.streams.len() - 1
        });
        &mut self.streams[place]
    }

    /// Puts what was written in the place of everything these scorers said before, and commits the
    /// manifest.
    ///
    /// A crash leaves the old scores or the new ones, whole.
    ///
    /// # Errors
    /// When the present scores cannot be read or the new ones written; the present ones stay.
    pub fn replace(self, manifest: &mut RunManifest, scorers: &[&str]) -> Result<(), StoreError> {
        let directory = self.directory.clone();
        let rows_per_part = self.rows_per_part;
        let mut parts = self.finish()?;
        let mut mixed = Self::with_rows_per_part(&directory, rows_per_part);
        let is_score = |part: &PartEntry| table_of(part) == Some(RunTable::Scores);
        for part in manifest.parts.iter().filter(|part| is_score(part)) {
            let path = directory.root().join(&part.path);
            match content_of(&path)? {
                Content::Only { scorer, .. } if scorers.contains(&scorer.as_str()) => {}
                Content::Only { scorer, metric } => parts.push(((scorer, metric), part.clone())),
                Content::Mixed => {
                    mixed.keep(read_part(path), scorers)?;
                }
            }
        }
        parts.extend(mixed.finish()?);
        // Stable: parts of a metric stay in their order.
        parts.sort_by(|(left, _), (right, _)| left.cmp(right));

        let mut next = manifest.clone();
        next.parts.retain(|part| !is_score(part));
        next.parts.extend(parts.into_iter().map(|(_, part)| part));
        directory.write_manifest(&next)?;
        *manifest = next;
        remove_strays(&directory, manifest, &[RunTable::Scores], None)
    }

    /// Takes over rows of a part but those of some scorers.
    pub(super) fn keep(
        &mut self,
        rows: impl Iterator<Item = Result<ScoreRow, StoreError>>,
        but: &[&str],
    ) -> Result<(), StoreError> {
        let mut kept = Vec::new();
        for row in rows {
            let row = row?;
            if !but.contains(&row.scorer.as_str()) {
                kept.push(row);
            }
            if kept.len() >= ROWS_AT_ONCE {
                self.extend(kept.drain(..))?;
            }
        }
        self.extend(kept)
    }

    fn finish(self) -> Result<Vec<(Name, PartEntry)>, StoreError> {
        let mut parts = Vec::new();
        for mut stream in self.streams {
            stream.close()?;
            let name = (stream.scorer, stream.metric);
            parts.extend(stream.parts.into_iter().map(|part| (name.clone(), part)));
        }
        Ok(parts)
    }
}

/// The rows of one metric of a scorer.
#[derive(Debug, Default)]
struct Stream {
    /// Tells temporary files apart.
    number: u64,
    scorer: String,
    metric: String,
    pending: Vec<ScoreRow>,
    last: Option<Key>,
    open: Option<PartWriter<ScoreRow>>,
    parts: Vec<PartEntry>,
}

impl Stream {
    fn write(&mut self, directory: &RunDirectory, rows_per_part: u64) -> Result<(), StoreError> {
        let rows = mem::take(&mut self.pending);
        let before = self.last.as_ref().map(borrowed);
        let in_order = rows.is_sorted_by(|left, right| key(left) <= key(right))
            && rows
                .first()
                .is_none_or(|first| before.is_none_or(|before| before <= key(first)));
        let (Some(last), true) = (rows.last(), in_order) else {
            return match rows.into_iter().next() {
                Some(row) => Err(StoreError::ScoreOrder { scorer: row.scorer }),
                None => Ok(()),
            };
        };
        self.last = Some(owned(last));
        for row in rows {
            let mut part = match self.open.take() {
                Some(part) => part,
                None => PartWriter::create(directory, &part_stem(None, self.number))?,
            };
            part.push(row)?;
            let is_full = part.rows() >= rows_per_part;
            self.open = Some(part);
            if is_full {
                self.close()?;
            }
        }
        Ok(())
    }

    /// Ends the open part and names it by its number among those of the metric and by its content.
    fn close(&mut self) -> Result<(), StoreError> {
        let Some(part) = self.open.take() else {
            return Ok(());
        };
        let stem = part_stem(None, self.parts.len() as u64);
        self.parts
            .push(part.finish_as(|_, sha256| format!("{stem}-{}", &sha256[..8]))?);
        Ok(())
    }
}

fn key(row: &ScoreRow) -> (&str, &str, &str, u32, u32) {
    (
        &row.dataset,
        &row.case_id,
        &row.system,
        row.epoch,
        row.attempt,
    )
}

fn owned(row: &ScoreRow) -> Key {
    (
        row.dataset.clone(),
        row.case_id.clone(),
        row.system.clone(),
        row.epoch,
        row.attempt,
    )
}

fn borrowed((dataset, case_id, system, epoch, attempt): &Key) -> (&str, &str, &str, u32, u32) {
    (dataset, case_id, system, *epoch, *attempt)
}
