//! What a solver has: the case without gold, its own randomness, and calls to models.
//!
//! Time, randomness and models reach a solver through its [`SolverContext`] and through nothing
//! else, so that a resumed sample issues the same requests and takes its finished calls from the
//! journal.

mod calls;
mod end;
mod perform;
mod reading;
mod recorded;
mod recording;
mod spec;
mod tally;

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::seed::{call_seed, derive_seed};
use consilium_core::study::GenerationSpec;
use consilium_core::{CaseView, EventRow, WorkItem};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use tokio::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

use self::recorded::RecordedCalls;
use crate::executor::Progress;
use crate::prompt::PromptLibrary;
use consilium_backends::{LimitedBackend, Message};

pub use calls::REPAIR_PROMPT;
pub use end::{Ending, SampleEnd};
pub use recording::SampleRecorder;
pub use spec::{CallSpec, Completion, Event};
pub use tally::Tally;

/// What one sample may take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SampleLimits {
    /// Time, waiting for limits included; beyond it the sample ends with outcome `timeout`.
    pub time: Option<Duration>,
    /// Model calls, repairs included; beyond them the sample ends with outcome `budget`.
    pub calls: Option<u32>,
}

/// What all samples of a system share.
#[derive(Debug)]
pub struct Surroundings {
    /// Seed of the study.
    pub study_seed: u64,
    /// Backend of every role.
    pub backends: BTreeMap<String, Arc<LimitedBackend>>,
    /// Generation settings of the system.
    pub generation: GenerationSpec,
    /// Prompts of the study.
    pub prompts: Arc<PromptLibrary>,
    /// Where calls are recorded.
    pub recorder: Arc<dyn SampleRecorder>,
    /// Ends the run.
    pub cancel: CancellationToken,
    /// Counters of the run.
    pub progress: Arc<Progress>,
    /// What one sample may take.
    pub sample_limits: SampleLimits,
}

/// One sample, as its solver sees it.
#[derive(Debug)]
pub struct SolverContext {
    surroundings: Arc<Surroundings>,
    item: WorkItem,
    /// Whose calls these are when they are not the solver's.
    scorer: Option<Arc<str>>,
    recorded: RecordedCalls,
    next_seq: u32,
    deadline: Option<Instant>,
    /// How often each request was issued, where replies are kept between runs.
    times_issued: BTreeMap<String, u32>,
    events: Vec<EventRow>,
    tally: Tally,
}

impl SolverContext {
    /// A context for one sample; calls recorded by an earlier process are taken up.
    pub fn new(surroundings: Arc<Surroundings>, item: WorkItem) -> Self {
        Self::of(surroundings, item, None)
    }

    /// A context for the calls of a scorer about one sample; calls recorded earlier are taken up.
    pub fn for_scorer(surroundings: Arc<Surroundings>, item: WorkItem, scorer: &Arc<str>) -> Self {
        Self::of(surroundings, item, Some(Arc::clone(scorer)))
    }

    fn of(surroundings: Arc<Surroundings>, item: WorkItem, scorer: Option<Arc<str>>) -> Self {
        let calls = surroundings
            .recorder
            .recorded_calls(&item.key, item.attempt);
        let recorded = match &scorer {
            None => RecordedCalls::of_solver(calls),
            Some(scorer) => RecordedCalls::of_scorer(calls, scorer),
        };
        let deadline = surroundings
            .sample_limits
            .time
            .and_then(|time| Instant::now().checked_add(time));
        Self {
            surroundings,
            item,
            scorer,
            recorded,
            next_seq: 0,
            deadline,
            times_issued: BTreeMap::new(),
            events: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// The case without its gold.
    pub fn case(&self) -> &Arc<CaseView> {
        &self.item.case
    }

    /// Language of the case.
    pub fn language(&self) -> &str {
        &self.item.case.language
    }

    /// A seed of this sample for a purpose; the same in every attempt.
    pub fn seed(&self, purpose: &str) -> u64 {
        let key = &self.item.key;
        derive_seed(
            self.surroundings.study_seed,
            &[
                &key.dataset,
                &key.case_id,
                &key.system,
                &key.epoch.to_string(),
                "solver",
                purpose,
            ],
        )
    }

    /// A generator of random numbers for a purpose; the same in every attempt.
    pub fn rng(&self, purpose: &str) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(self.seed(purpose))
    }

    /// Adds an entry to the transcript.
    pub fn emit(&mut self, event: Event) {
        let key = &self.item.key;
        self.events.push(EventRow {
            dataset: key.dataset.to_string(),
            case_id: key.case_id.to_string(),
            system: key.system.to_string(),
            epoch: key.epoch,
            attempt: self.item.attempt,
            seq: u32::try_from(self.events.len()).unwrap_or(u32::MAX),
            round: event.round,
            agent: event.agent,
            kind: event.kind,
            content: event.content,
            payload: event.payload.map(|payload| payload.to_string()),
        });
    }

    /// Fills in a prompt in the language of the case.
    ///
    /// # Errors
    /// When the prompt asks for a value that it is not given.
    pub fn prompt(&self, name: &str, values: &impl Serialize) -> Result<Vec<Message>, SampleEnd> {
        let prompt = self
            .surroundings
            .prompts
            .render(name, self.language(), values)?;
        Ok(prompt.messages())
    }

    /// Issues one call and waits for it.
    ///
    /// # Errors
    /// When the call ends the sample: refused, filtered, failed, …
    pub async fn call(&mut self, call: CallSpec) -> Result<Completion, SampleEnd> {
        let mut completions = self.call_all(vec![call]).await?;
        completions
            .pop()
            .ok_or_else(|| SampleEnd::solver("issue a call: none was given"))
    }

    /// Issues calls at once and joins them in order.
    ///
    /// Positions are given in the order of the list before anything is sent, so that which reply
    /// comes first changes nothing.
    ///
    /// # Errors
    /// When one of them ends the sample; the first one in order decides.
    pub async fn call_all(&mut self, calls: Vec<CallSpec>) -> Result<Vec<Completion>, SampleEnd> {
        self.join_calls(calls).await
    }

    /// What is left of the sample when its solver has ended.
    pub fn into_parts(self) -> (WorkItem, Tally, Vec<EventRow>) {
        (self.item, self.tally, self.events)
    }

    /// How often the sample issued the same request before.
    fn ordinal(&mut self, request_sha256: &str) -> u32 {
        let times = self
            .times_issued
            .entry(request_sha256.to_owned())
            .or_default();
        let ordinal = *times;
        *times += 1;
        ordinal
    }

    fn take_seq(&mut self) -> (u32, u64) {
        let seq = self.next_seq;
        self.next_seq += 1;
        (
            seq,
            call_seed(
                self.surroundings.study_seed,
                &self.item.key,
                self.scorer.as_deref(),
                seq,
            ),
        )
    }
}

#[cfg(test)]
mod tests;
