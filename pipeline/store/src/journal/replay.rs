//! Reading the journal back after a run ended, however it ended.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use consilium_core::{CallRow, EventRow, SampleKey, SampleRow};

use super::record::Record;
use super::segment::{segment_path, segments};
use crate::StoreError;
use crate::rows::AttemptKey;

/// Identity of a scorer's call: attempt, scorer, position, request.
pub(crate) type ScorerCallKey = (AttemptKey, String, u32, String);

/// What the journal holds, each thing once.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    /// Ends of attempts.
    pub(crate) samples: BTreeMap<AttemptKey, SampleRow>,
    /// Solver calls by position.
    pub(crate) calls: BTreeMap<AttemptKey, BTreeMap<u32, Arc<CallRow>>>,
    /// Scorer calls.
    pub(crate) scorer_calls: BTreeMap<ScorerCallKey, Arc<CallRow>>,
    /// Events by position; only those of `samples` count.
    pub(crate) events: BTreeMap<AttemptKey, BTreeMap<u32, EventRow>>,
    /// Lines that could not be read, other than a segment's last.
    pub(crate) unreadable_lines: u64,
    /// Segments that hold them.
    pub(crate) damaged: BTreeSet<u64>,
}

/// What is done about a last line without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TornLine {
    /// It is cut off, for what is appended next.
    Cut,
    /// It is passed over; nothing is written.
    Leave,
}

/// The attempt a call belongs to.
pub(crate) fn attempt_of(call: &CallRow) -> AttemptKey {
    (call.key(), call.attempt)
}

/// Reads every segment from `first` on.
pub(crate) fn replay(folder: &Path, first: u64, torn: TornLine) -> Result<Replayed, StoreError> {
    let mut replayed = Replayed::default();
    for number in segments(folder)?
        .into_iter()
        .filter(|number| *number >= first)
    {
        replayed.read_segment(&segment_path(folder, number), number, torn)?;
    }
    Ok(replayed)
}

impl Replayed {
    fn read_segment(&mut self, path: &Path, number: u64, torn: TornLine) -> Result<(), StoreError> {
        let failed = || StoreError::io("read", path);
        let file = OpenOptions::new()
            .read(true)
            .write(torn == TornLine::Cut)
            .open(path)
            .map_err(failed())?;
        let mut reader = BufReader::with_capacity(1 << 16, &file);
        let mut whole_bytes = 0;
        let mut line = Vec::new();
        // A line that cannot be read is the last one until another follows it.
        let mut unreadable = 0;
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).map_err(failed())?;
            if length == 0 {
                break;
            }
            if line.last() != Some(&b'\n') {
                if torn == TornLine::Cut {
                    file.set_len(whole_bytes)
                        .map_err(StoreError::io("cut the last line of", path))?;
                }
                break;
            }
            whole_bytes += length as u64;
            if unreadable > 0 {
                self.unreadable_lines += unreadable;
                self.damaged.insert(number);
                unreadable = 0;
            }
            match Record::read(&line) {
                Some(record) => self.add(record),
                None => unreadable = 1,
            }
        }
        Ok(())
    }

    fn add(&mut self, record: Record) {
        match record {
            Record::Call(call) => self.add_call(call),
            Record::Event(event) => {
                let key = SampleKey::new(
                    event.dataset.as_str(),
                    event.case_id.as_str(),
                    event.system.as_str(),
                    event.epoch,
                );
                // A transcript whose end was torn off is written again as a whole.
                let attempt = self.events.entry((key, event.attempt)).or_default();
                attempt.insert(event.seq, *event);
            }
            Record::Sample(sample) => {
                self.samples.insert((sample.key(), sample.attempt), *sample);
            }
        }
    }

    fn add_call(&mut self, call: Arc<CallRow>) {
        let attempt = attempt_of(&call);
        if let Some(scorer) = &call.scorer {
            let key = (
                attempt,
                scorer.clone(),
                call.seq,
                call.request_sha256.clone(),
            );
            self.scorer_calls.entry(key).or_insert(call);
            return;
        }
        match self.calls.entry(attempt).or_default().entry(call.seq) {
            Entry::Vacant(place) => {
                place.insert(call);
            }
            // The same request again is a copy; another request took the place of the first.
            Entry::Occupied(mut place) if place.get().request_sha256 != call.request_sha256 => {
                place.insert(call);
            }
            Entry::Occupied(_) => {}
        }
    }
}
