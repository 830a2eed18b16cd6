//! What callers and the folding thread share.

use std::collections::BTreeMap;
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use consilium_core::{CallRow, EventRow, SampleKey, SampleRow};

use super::RecorderOptions;
use super::fold::{Batch, Finished};
use crate::journal::{Failure, Journal, attempt_of};
use crate::rows::AttemptKey;
use crate::{RecordError, RunDirectory};

/// Solver calls of attempts without an end, by position.
pub(super) type InFlight = BTreeMap<AttemptKey, BTreeMap<u32, Arc<CallRow>>>;

pub(super) struct Shared {
    run: String,
    options: RecorderOptions,
    failure: Failure,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    // Records are handed to the journal under this lock, so that a new segment begins with exactly
    // the calls in flight at its place in the order of records.
    journal: Option<Journal>,
    in_flight: InFlight,
    carried: BTreeMap<SampleKey, Vec<Arc<CallRow>>>,
    finished: Finished,
    waiting: Option<Batch>,
    ended: bool,
}

impl Shared {
    pub(super) fn new(
        directory: &RunDirectory,
        journal: Journal,
        in_flight: InFlight,
        failure: Failure,
        options: RecorderOptions,
    ) -> Self {
        let state = State {
            journal: Some(journal),
            in_flight,
            carried: BTreeMap::new(),
            finished: Finished::default(),
            waiting: None,
            ended: false,
        };
        Self {
            run: directory.name().to_owned(),
            options,
            failure,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    pub(super) fn add_call(&self, call: Arc<CallRow>, line: Vec<u8>) -> Result<(), RecordError> {
        if call.scorer.is_some() {
            let mut state = self.with_room()?;
            self.journal(&state)?.append(line)?;
            state.finished.add_scorer_call(call);
            return self.hand_over_when_full(&mut state);
        }
        let mut state = self.lock();
        self.check(&state)?;
        let calls = state.in_flight.entry(attempt_of(&call)).or_default();
        if calls
            .get(&call.seq)
            .is_some_and(|known| known.request_sha256 == call.request_sha256)
        {
            return Ok(());
        }
        calls.insert(call.seq, call);
        self.journal(&state)?.append(line)
    }

    pub(super) fn add_sample(
        &self,
        sample: SampleRow,
        events: Vec<EventRow>,
        lines: Vec<u8>,
    ) -> Result<(), RecordError> {
        let mut state = self.with_room()?;
        self.journal(&state)?.append(lines)?;
        self.end_sample(&mut state, sample, events)
    }

    /// As [`Self::add_sample`], but gives the sample back where it would have to wait.
    pub(super) fn try_add_sample(
        &self,
        sample: SampleRow,
        events: Vec<EventRow>,
        lines: Vec<u8>,
    ) -> Result<Option<(SampleRow, Vec<EventRow>)>, RecordError> {
        let mut state = self.lock();
        self.check(&state)?;
        if !self.has_room(&state) || !self.journal(&state)?.try_append(lines)? {
            return Ok(Some((sample, events)));
        }
        self.end_sample(&mut state, sample, events)?;
        Ok(None)
    }

    fn end_sample(
        &self,
        state: &mut State,
        sample: SampleRow,
        events: Vec<EventRow>,
    ) -> Result<(), RecordError> {
        let key = sample.key();
        state.carried.remove(&key);
        let calls = state
            .in_flight
            .remove(&(key, sample.attempt))
            .unwrap_or_default();
        state
            .finished
            .add_sample(sample, calls.into_values(), events);
        self.hand_over_when_full(state)
    }

    pub(super) fn recorded_calls(&self, key: &SampleKey, attempt: u32) -> Vec<CallRow> {
        let state = self.lock();
        let mut carried: Vec<&Arc<CallRow>> =
            state.carried.get(key).into_iter().flatten().collect();
        carried.retain(|call| call.attempt <= attempt);
        carried.sort_by_key(|call| call.attempt);
        let own = state.in_flight.get(&(key.clone(), attempt));
        let own = own.into_iter().flat_map(|calls| calls.values());
        // Later ones take the place of earlier ones.
        let by_position: BTreeMap<_, _> = carried
            .into_iter()
            .chain(own)
            .map(|call| ((&call.scorer, call.seq), call))
            .collect();
        by_position
            .into_values()
            .map(|call| CallRow::clone(call))
            .collect()
    }

    pub(super) fn half_done_calls(&self) -> Vec<Arc<CallRow>> {
        let state = self.lock();
        let calls = state.in_flight.values().flat_map(|calls| calls.values());
        calls.map(Arc::clone).collect()
    }

    pub(super) fn carry_calls(&self, calls: Vec<CallRow>) {
        let mut state = self.lock();
        for call in calls.into_iter().filter(|call| call.error_kind.is_none()) {
            state
                .carried
                .entry(call.key())
                .or_default()
                .push(Arc::new(call));
        }
    }

    /// Hands over what is finished as the last batch; whether samples stay half-done.
    pub(super) fn end(&self) -> Result<bool, RecordError> {
        let mut state = self.lock();
        while state.waiting.is_some() && self.failure.get().is_none() && !state.ended {
            state = self.wait(state);
        }
        self.check(&state)?;
        self.hand_over(&mut state)?;
        state.ended = true;
        Ok(!state.in_flight.is_empty())
    }

    /// Ends without handing over.
    pub(super) fn abandon(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Waits until everything handed to the journal is durable.
    pub(super) fn close_journal(&self) {
        let journal = self.lock().journal.take();
        drop(journal);
    }

    pub(super) fn next_batch(&self) -> Option<Batch> {
        let mut state = self.lock();
        loop {
            if let Some(batch) = state.waiting.take() {
                self.changed.notify_all();
                return Some(batch);
            }
            if state.ended {
                return None;
            }
            state = self.wait(state);
        }
    }

    pub(super) fn fail(&self, error: RecordError) {
        self.failure.get_or_init(|| error);
        // Taken so that nobody is between looking at the failure and waiting.
        drop(self.lock());
        self.changed.notify_all();
    }

    pub(super) fn check_failure(&self) -> Result<(), RecordError> {
        self.failure.get().cloned().map_or(Ok(()), Err)
    }

    pub(super) fn ended_error(&self) -> RecordError {
        RecordError::Ended {
            run: self.run.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, state: &State) -> Result<(), RecordError> {
        self.check_failure()?;
        if state.ended {
            Err(self.ended_error())
        } else {
            Ok(())
        }
    }

    fn journal<'a>(&self, state: &'a State) -> Result<&'a Journal, RecordError> {
        state.journal.as_ref().ok_or_else(|| self.ended_error())
    }

    fn is_full(&self, finished: &Finished) -> bool {
        finished.units >= self.options.samples_per_part
            || finished.bytes >= self.options.bytes_per_part
    }

    fn has_room(&self, state: &State) -> bool {
        state.waiting.is_none() || !self.is_full(&state.finished)
    }

    /// Waits while a full batch has nowhere to go: what is held in memory stays bounded.
    fn with_room(&self) -> Result<MutexGuard<'_, State>, RecordError> {
        let mut state = self.lock();
        loop {
            self.check(&state)?;
            if self.has_room(&state) {
                return Ok(state);
            }
            state = self.wait(state);
        }
    }

    fn hand_over_when_full(&self, state: &mut State) -> Result<(), RecordError> {
        if state.waiting.is_some() || !self.is_full(&state.finished) {
            return Ok(());
        }
        self.hand_over(state)
    }

    fn hand_over(&self, state: &mut State) -> Result<(), RecordError> {
        let carried = state
            .in_flight
            .values()
            .flat_map(|calls| calls.values())
            .map(Arc::clone)
            .collect();
        let rotated = self.journal(state)?.rotate(carried)?;
        state.waiting = Some(Batch {
            finished: mem::take(&mut state.finished),
            rotated,
        });
        self.changed.notify_all();
        Ok(())
    }
}
