//! From the journal back into memory.

use consilium_core::RunManifest;

use super::Recovery;
use super::fold::Finished;
use super::state::InFlight;
use crate::journal::{Replayed, TornLine, last_segment, replay};
use crate::part::read_batches;
use crate::rows::{Columns, for_each_attempt};
use crate::{RunDirectory, RunTable, StoreError};

const SAMPLE_KEY: &[&str] = &["dataset", "case_id", "system", "epoch", "attempt"];
const SCORER_CALL_KEY: &[&str] = &[
    "dataset",
    "case_id",
    "system",
    "epoch",
    "attempt",
    "scorer",
    "seq",
    "request_sha256",
];

#[derive(Debug)]
pub(super) struct Recovered {
    pub(super) finished: Finished,
    pub(super) in_flight: InFlight,
    /// Number of the segment to begin with.
    pub(super) segment: u64,
    pub(super) damaged: Vec<u64>,
    pub(super) recovery: Recovery,
}

/// Reads the journal and leaves out what is in parts already.
pub(super) fn recover(
    directory: &RunDirectory,
    manifest: &RunManifest,
) -> Result<Recovered, StoreError> {
    let folder = directory.journal_folder();
    let segment = last_segment(&folder)?
        .map_or(1, |last| last + 1)
        .max(manifest.journal_from);
    let replayed = unfolded(directory, manifest, TornLine::Cut)?;

    let Replayed {
        samples,
        mut calls,
        scorer_calls,
        mut events,
        unreadable_lines,
        damaged,
    } = replayed;
    let recovery = Recovery {
        finished_from_journal: samples.len() as u64,
        half_done: calls
            .keys()
            .filter(|attempt| !samples.contains_key(attempt))
            .count() as u64,
        unreadable_lines,
    };
    let mut finished = Finished::default();
    for (attempt, sample) in samples {
        let calls = calls.remove(&attempt).unwrap_or_default();
        let events = events.remove(&attempt).unwrap_or_default();
        finished.add_sample(sample, calls.into_values(), events.into_values());
    }
    for call in scorer_calls.into_values() {
        finished.add_scorer_call(call);
    }
    let damaged = damaged.into_iter().collect();
    Ok(Recovered {
        finished,
        in_flight: calls,
        segment,
        damaged,
        recovery,
    })
}

/// What the journal holds and no part does.
pub(crate) fn unfolded(
    directory: &RunDirectory,
    manifest: &RunManifest,
    torn: TornLine,
) -> Result<Replayed, StoreError> {
    let mut replayed = replay(&directory.journal_folder(), manifest.journal_from, torn)?;
    leave_out_samples(&mut replayed, directory, manifest)?;
    leave_out_scorer_calls(&mut replayed, directory, manifest)?;
    Ok(replayed)
}

fn leave_out_samples(
    replayed: &mut Replayed,
    directory: &RunDirectory,
    manifest: &RunManifest,
) -> Result<(), StoreError> {
    if replayed.samples.is_empty() && replayed.calls.is_empty() {
        return Ok(());
    }
    for batch in read_batches(directory, manifest, RunTable::Samples, Some(SAMPLE_KEY)) {
        let batch = batch?;
        for_each_attempt(&Columns(&batch), batch.num_rows(), |attempt, _| {
            replayed.samples.remove(&attempt);
            replayed.events.remove(&attempt);
            // Also calls that came after the end of their sample: nothing would ever end them.
            replayed.calls.remove(&attempt);
            Ok(())
        })
        .map_err(|source| StoreError::Decode {
            table: RunTable::Samples,
            source,
        })?;
    }
    Ok(())
}

fn leave_out_scorer_calls(
    replayed: &mut Replayed,
    directory: &RunDirectory,
    manifest: &RunManifest,
) -> Result<(), StoreError> {
    if replayed.scorer_calls.is_empty() {
        return Ok(());
    }
    for batch in read_batches(directory, manifest, RunTable::Calls, Some(SCORER_CALL_KEY)) {
        let batch = batch?;
        let columns = Columns(&batch);
        let mut leave_out = || {
            let scorer = columns.text("scorer")?;
            let seq = columns.integer("seq")?;
            let request_sha256 = columns.text("request_sha256")?;
            for_each_attempt(&columns, batch.num_rows(), |attempt, row| {
                if let Some(scorer) = scorer.optional(row)? {
                    let key = (
                        attempt,
                        scorer,
                        seq.required(row)?,
                        request_sha256.required(row)?,
                    );
                    replayed.scorer_calls.remove(&key);
                }
                Ok(())
            })
        };
        leave_out().map_err(|source| StoreError::Decode {
            table: RunTable::Calls,
            source,
        })?;
    }
    Ok(())
}
