//! From memory into parts.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;

use consilium_core::{CallRow, EventRow, RunManifest, SampleRow};

use super::state::Shared;
use crate::journal::remove_segments_before;
use crate::part::{PartWriter, first_free_number, part_stem};
use crate::rows::TableRow;
use crate::{RecordError, RunDirectory, StoreError};

/// Rows whose story has ended.
#[derive(Debug, Default)]
pub(super) struct Finished {
    pub(super) samples: Vec<SampleRow>,
    pub(super) calls: Vec<Arc<CallRow>>,
    pub(super) events: Vec<EventRow>,
    /// Samples, and calls that belong to none.
    pub(super) units: usize,
    pub(super) bytes: usize,
}

impl Finished {
    pub(super) fn add_sample(
        &mut self,
        sample: SampleRow,
        calls: impl IntoIterator<Item = Arc<CallRow>>,
        events: impl IntoIterator<Item = EventRow>,
    ) {
        self.units += 1;
        self.bytes += sample.text_bytes();
        // A resumed sample whose requests changed was begun again and may have issued fewer calls
        // than before: what an earlier process recorded beyond them is no part of the sample.
        let issued = sample.calls;
        self.samples.push(sample);
        for call in calls
            .into_iter()
            .filter(|call| call.scorer.is_some() || call.seq < issued)
        {
            self.bytes += call.text_bytes();
            self.calls.push(call);
        }
        for event in events {
            self.bytes += event.text_bytes();
            self.events.push(event);
        }
    }

    pub(super) fn add_scorer_call(&mut self, call: Arc<CallRow>) {
        self.units += 1;
        self.bytes += call.text_bytes();
        self.calls.push(call);
    }
}

/// Finished rows, and the journal segment that begins after them.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) finished: Finished,
    pub(super) rotated: Receiver<Result<u64, RecordError>>,
}

/// Lets nobody wait for a thread that has panicked.
struct FailOnPanic<'a>(&'a Shared);

impl Drop for FailOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let error = io::Error::other("the thread that writes parts panicked");
            let cause = StoreError::Thread(error);
            self.0.fail(RecordError::Fold {
                cause: Arc::new(cause),
            });
        }
    }
}

/// Owns the manifest while recording.
#[derive(Debug)]
pub(super) struct Folder {
    directory: RunDirectory,
    shard: Option<String>,
    manifest: RunManifest,
}

impl Folder {
    pub(super) fn new(
        directory: RunDirectory,
        shard: Option<String>,
        manifest: RunManifest,
    ) -> Self {
        Self {
            directory,
            shard,
            manifest,
        }
    }

    pub(super) fn into_manifest(self) -> RunManifest {
        self.manifest
    }

    /// Folds batches until recording ends. After a failure it only takes them: their rows are in
    /// the journal, where the next start finds them.
    pub(super) fn run(mut self, shared: &Shared) -> Self {
        let _guard = FailOnPanic(shared);
        while let Some(Batch { finished, rotated }) = shared.next_batch() {
            if shared.check_failure().is_err() {
                continue;
            }
            let result = match rotated.recv() {
                Ok(Ok(segment)) => {
                    self.fold(finished, segment, &[])
                        .map_err(|error| RecordError::Fold {
                            cause: Arc::new(error),
                        })
                }
                Ok(Err(error)) => Err(error),
                Err(_) => Err(shared.ended_error()),
            };
            if let Err(error) = result {
                shared.fail(error);
            }
        }
        self
    }

    /// Writes parts, commits them with the first segment still needed, removes older ones.
    pub(super) fn fold(
        &mut self,
        finished: Finished,
        segment: u64,
        damaged: &[u64],
    ) -> Result<(), StoreError> {
        let mut next = self.manifest.clone();
        self.write_part(&mut next, finished.calls)?;
        self.write_part(&mut next, finished.events)?;
        self.write_part(&mut next, finished.samples)?;
        next.journal_from = segment;
        self.directory.write_manifest(&next)?;
        self.manifest = next;
        remove_segments_before(&self.directory.journal_folder(), segment, damaged)
    }

    fn write_part<R: TableRow>(
        &self,
        manifest: &mut RunManifest,
        rows: Vec<R>,
    ) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let shard = self.shard.as_deref();
        let number = first_free_number(&manifest.parts, R::TABLE, shard);
        let mut part = PartWriter::create(&self.directory, &part_stem(shard, number))?;
        rows.into_iter().try_for_each(|row| part.push(row))?;
        manifest.parts.push(part.finish()?);
        Ok(())
    }
}
