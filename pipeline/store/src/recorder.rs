//! Recording of a live run.
//!
//! Every call and every end of a sample goes to the journal at once. Finished samples gather in
//! memory and are folded into parts by a thread of their own while recording goes on:
//!
//! 1. the journal starts segment N + 1 with copies of the calls of samples still in flight;
//! 2. parts are written;
//! 3. the manifest is committed with the parts and `journal_from = N + 1`;
//! 4. older segments are removed.
//!
//! A crash before 3 leaves parts that nothing lists, and their rows in the journal; a crash after it
//! leaves segments that nothing reads. Both are removed at the next start.

mod bounds;
mod fold;
mod recovery;
mod state;

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};

use consilium_core::{CallRow, Clock, EventRow, RunManifest, RunStatus, SampleKey, SampleRow};

use crate::journal::{Journal, Line, remove_empty_segment};
use crate::part::remove_strays;
use crate::{RecordError, RunDirectory, RunLock, RunTable, StoreError};
use fold::Folder;
pub(crate) use recovery::unfolded;
use recovery::{Recovered, recover};
use state::Shared;

/// How a run is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecorderOptions {
    /// Finished samples that fill a part.
    pub samples_per_part: usize,
    /// Size of their rows in memory that fills a part earlier.
    pub bytes_per_part: usize,
    /// Prefix of part names when several hosts share a run; becomes part of file names.
    pub shard: Option<String>,
}

impl Default for RecorderOptions {
    fn default() -> Self {
        Self {
            samples_per_part: 4096,
            bytes_per_part: 64 << 20,
            shard: None,
        }
    }
}

/// What the journal held when recording started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Finished samples that were moved into parts.
    pub finished_from_journal: u64,
    /// Attempts with recorded calls and without an end.
    pub half_done: u64,
    /// Lines in the middle of the journal that could not be read; their segments are kept beside it
    /// as `*.jsonl.damaged`.
    pub unreadable_lines: u64,
}

/// Records calls, events and samples of one run; clones share it.
///
/// Dropping the last clone without [`Self::finish`] leaves the run as a crash would: everything
/// recorded is in the journal or in parts.
#[derive(Clone)]
pub struct Recorder {
    core: Arc<Core>,
}

struct Core {
    directory: RunDirectory,
    clock: Arc<dyn Clock>,
    shared: Arc<Shared>,
    fold_thread: Mutex<Option<JoinHandle<Folder>>>,
    lock: Mutex<Option<RunLock>>,
}

impl Recorder {
    /// Takes up a run where it was left, or starts it, and commits `manifest` as running.
    ///
    /// Finished samples found in the journal are in parts when this returns. The recorder owns the
    /// manifest until [`Self::finish`]: parts of `cases` must be listed in it before.
    ///
    /// # Errors
    /// When the run cannot be read or written.
    pub fn start(
        directory: RunDirectory,
        lock: RunLock,
        mut manifest: RunManifest,
        clock: Arc<dyn Clock>,
        options: RecorderOptions,
    ) -> Result<(Self, Recovery), StoreError> {
        manifest.status = RunStatus::Running;
        manifest.finished_at = None;
        remove_strays(
            &directory,
            &manifest,
            &RunTable::ALL,
            options.shard.as_deref(),
        )?;
        let Recovered {
            finished,
            in_flight,
            segment,
            damaged,
            recovery,
        } = recover(&directory, &manifest)?;
        let failure = Arc::new(OnceLock::new());
        let carried: Vec<_> = in_flight
            .values()
            .flat_map(|calls| calls.values())
            .map(Arc::clone)
            .collect();
        let journal = Journal::create(
            directory.journal_folder(),
            segment,
            &carried,
            Arc::clone(&failure),
        )?;
        let mut folder = Folder::new(directory.clone(), options.shard.clone(), manifest);
        folder.fold(finished, segment, &damaged)?;

        let shared = Arc::new(Shared::new(
            &directory, journal, in_flight, failure, options,
        ));
        let fold_shared = Arc::clone(&shared);
        let fold_thread = thread::Builder::new()
            .name("fold".to_owned())
            .spawn(move || folder.run(&fold_shared))
            .map_err(StoreError::Thread)?;
        let core = Core {
            directory,
            clock,
            shared,
            fold_thread: Mutex::new(Some(fold_thread)),
            lock: Mutex::new(Some(lock)),
        };
        Ok((
            Self {
                core: Arc::new(core),
            },
            recovery,
        ))
    }

    /// Records a finished call; returns once it is handed to the writer of the journal.
    ///
    /// A call with the attempt, position and request of one recorded before is that call, replayed,
    /// and is not recorded again; with another request it takes its place. Calls of scorers need no
    /// end of a sample.
    ///
    /// # Errors
    /// When this or an earlier record could not be written: nothing more is recorded then.
    pub fn append_call(&self, call: CallRow) -> Result<(), RecordError> {
        let call = Arc::new(bounds::fit_call(call));
        let mut line = Vec::new();
        Line::Call(&call)
            .append_to(&mut line)
            .map_err(RecordError::line)?;
        self.core.shared.add_call(call, line)
    }

    /// Records the end of a sample with its transcript.
    ///
    /// Waits while two earlier batches of finished samples are still being written.
    ///
    /// # Errors
    /// When this or an earlier record could not be written: nothing more is recorded then.
    pub fn finish_sample(
        &self,
        sample: SampleRow,
        events: Vec<EventRow>,
    ) -> Result<(), RecordError> {
        let sample = bounds::fit_sample(sample);
        let lines = lines_of(&sample, &events)?;
        self.core.shared.add_sample(sample, events, lines)
    }

    /// As [`Self::finish_sample`], but never waits: gives back what it cannot take at once.
    ///
    /// # Errors
    /// As [`Self::finish_sample`].
    pub fn try_finish_sample(
        &self,
        sample: SampleRow,
        events: Vec<EventRow>,
    ) -> Result<Option<(SampleRow, Vec<EventRow>)>, RecordError> {
        let sample = bounds::fit_sample(sample);
        let lines = lines_of(&sample, &events)?;
        self.core.shared.try_add_sample(sample, events, lines)
    }

    /// Calls recorded for an attempt that has not ended, in order of scorer and position.
    ///
    /// Holds those of the half-done attempt itself and, where it has none of its own at their
    /// position, carried calls of it and of earlier attempts, the latest first.
    pub fn recorded_calls(&self, key: &SampleKey, attempt: u32) -> Vec<CallRow> {
        self.core.shared.recorded_calls(key, attempt)
    }

    /// Calls of attempts that have not ended, as they are now.
    pub fn half_done_calls(&self) -> Vec<Arc<CallRow>> {
        self.core.shared.half_done_calls()
    }

    /// Hands in recorded calls from parts for [`Self::recorded_calls`] to offer: those of failed
    /// attempts that are tried again, and those of scorers that run again. Failed calls are left
    /// out, and nothing is written.
    pub fn carry_calls(&self, calls: Vec<CallRow>) {
        self.core.shared.carry_calls(calls);
    }

    /// Ends recording: moves everything finished into parts, writes the final manifest and gives
    /// the lock back. Calls of half-done samples stay in the journal.
    ///
    /// # Errors
    /// When something could not be written, now or earlier, or recording has ended before.
    pub fn finish(&self, status: RunStatus) -> Result<RunManifest, StoreError> {
        let (manifest, lock) = self.finish_holding_lock(status)?;
        drop(lock);
        Ok(manifest)
    }

    /// As [`Self::finish`], and hands the lock over to the caller, who goes on writing.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_holding_lock(
        &self,
        status: RunStatus,
    ) -> Result<(RunManifest, Option<RunLock>), StoreError> {
        let core = &*self.core;
        let half_done = core.shared.end().map_err(StoreError::Record)?;
        let folder = core.join_fold_thread();
        core.shared.close_journal();
        core.shared.check_failure().map_err(StoreError::Record)?;
        let Some(folder) = folder else {
            return Err(StoreError::Record(core.shared.ended_error()));
        };
        let mut manifest = folder.into_manifest();
        manifest.status = status;
        manifest.finished_at = Some(core.clock.now_micros());
        core.directory.write_manifest(&manifest)?;
        if !half_done {
            remove_empty_segment(&core.directory.journal_folder(), manifest.journal_from)?;
        }
        let mut lock = core.lock.lock().unwrap_or_else(PoisonError::into_inner);
        Ok((manifest, lock.take()))
    }
}

/// The lines of a sample in the journal, its end last.
fn lines_of(sample: &SampleRow, events: &[EventRow]) -> Result<Vec<u8>, RecordError> {
    let mut lines = Vec::new();
    let records = events.iter().map(Line::Event).chain([Line::Sample(sample)]);
    for record in records {
        record.append_to(&mut lines).map_err(RecordError::line)?;
    }
    Ok(lines)
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("run", &self.core.directory.name())
            .finish_non_exhaustive()
    }
}

impl Core {
    fn join_fold_thread(&self) -> Option<Folder> {
        let mut thread = self
            .fold_thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        thread.take()?.join().ok()
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        // The lock is given back after this, when nothing writes any more.
        self.shared.abandon();
        drop(self.join_fold_thread());
        self.shared.close_journal();
    }
}

#[cfg(test)]
mod tests;
