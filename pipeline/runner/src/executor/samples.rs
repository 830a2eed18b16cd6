//! Runs solvers on samples and records what becomes of them.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use consilium_backends::LimitedBackend;
use consilium_core::study::SystemSpec;
use consilium_core::{
    Clock, FinishedSample, Outcome, RunStopped, SampleExecutor, SampleFuture, SampleRow, WorkItem,
    most_similar,
};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;

use super::progress::Progress;
use crate::context::{
    Ending, Event, SampleEnd, SampleLimits, SampleRecorder, SolverContext, Surroundings, Tally,
};
use crate::prompt::PromptLibrary;
use crate::solver::{Answer, Solver};

/// A system and what solves its samples.
#[derive(Debug)]
pub struct SystemParts {
    /// The study's entry.
    pub spec: SystemSpec,
    /// Its solver, trained where it learns.
    pub solver: Box<dyn Solver>,
}

/// What an executor is made of.
#[derive(Debug)]
pub struct ExecutorParts {
    /// Systems that run.
    pub systems: Vec<SystemParts>,
    /// Backends by their name in the study.
    pub backends: BTreeMap<String, Arc<LimitedBackend>>,
    /// Where everything is recorded.
    pub recorder: Arc<dyn SampleRecorder>,
    /// Time for the rows.
    pub clock: Arc<dyn Clock>,
    /// Prompts of the study.
    pub prompts: Arc<PromptLibrary>,
    /// Seed of the study.
    pub study_seed: u64,
    /// Ends the run.
    pub cancel: CancellationToken,
    /// What one sample may take.
    pub sample_limits: SampleLimits,
}

/// An executor that cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum ExecutorError {
    /// A system names a backend that the study does not have.
    #[error(
        "build system '{system}': there is no backend '{backend}'{}",
        hint(nearest)
    )]
    UnknownBackend {
        /// Name of the system.
        system: String,
        /// The backend it names.
        backend: String,
        /// The backend with the most similar name; empty when there is none.
        nearest: String,
    },
}

fn hint(nearest: &str) -> String {
    if nearest.is_empty() {
        "; add a [[backend]]".to_owned()
    } else {
        format!("; did you mean '{nearest}'?")
    }
}

#[derive(Debug)]
struct System {
    solver: Box<dyn Solver>,
    surroundings: Arc<Surroundings>,
}

/// Executes the samples of a run.
#[derive(Debug)]
pub struct RunExecutor {
    systems: BTreeMap<String, System>,
    recorder: Arc<dyn SampleRecorder>,
    clock: Arc<dyn Clock>,
    prompts: Arc<PromptLibrary>,
    cancel: CancellationToken,
    progress: Arc<Progress>,
    width: usize,
}

impl RunExecutor {
    /// Gives every role of every system its backend.
    ///
    /// # Errors
    /// When a system names an unknown backend.
    pub fn new(parts: ExecutorParts) -> Result<Self, ExecutorError> {
        let mut used = BTreeMap::new();
        let mut solvers = Vec::with_capacity(parts.systems.len());
        for SystemParts { spec, solver } in parts.systems {
            let backends = role_backends(&spec, &*solver, &parts.backends)?;
            for backend in backends.values() {
                used.insert(backend.backend().name().to_owned(), Arc::clone(backend));
            }
            solvers.push((spec, solver, backends));
        }
        let width = used.values().map(|backend| width_for(backend)).sum();
        let progress = Arc::new(Progress::new(used.into_values().collect()));
        let mut systems = BTreeMap::new();
        for (spec, solver, backends) in solvers {
            let surroundings = Surroundings {
                study_seed: parts.study_seed,
                backends,
                generation: spec.generation,
                prompts: Arc::clone(&parts.prompts),
                recorder: Arc::clone(&parts.recorder),
                cancel: parts.cancel.clone(),
                progress: Arc::clone(&progress),
                sample_limits: parts.sample_limits,
            };
            systems.insert(
                spec.name,
                System {
                    solver,
                    surroundings: Arc::new(surroundings),
                },
            );
        }
        Ok(Self {
            systems,
            recorder: parts.recorder,
            clock: parts.clock,
            prompts: parts.prompts,
            cancel: parts.cancel,
            progress,
            width: std::cmp::max(width, 1),
        })
    }

    /// Counters of the run.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// SHA-256 of every prompt file that a system may use, for the manifest.
    pub fn prompt_hashes(&self) -> BTreeMap<String, String> {
        self.prompts.hashes(
            self.systems
                .values()
                .flat_map(|system| system.solver.prompts().iter().copied()),
        )
    }

    /// The solver of a system.
    pub fn solver(&self, system: &str) -> Option<&dyn Solver> {
        self.systems.get(system).map(|system| &*system.solver)
    }

    async fn run(self: Arc<Self>, item: WorkItem) -> Result<FinishedSample, RunStopped> {
        if self.cancel.is_cancelled() {
            return Err(RunStopped::Interrupted);
        }
        let _in_flight = self.progress.sample_in_flight();
        let (started_at, started) = (self.clock.now_micros(), Instant::now());
        let (key, attempt) = (item.key.clone(), item.attempt);
        let (result, parts) = if let Some(system) = self.systems.get(&*key.system) {
            solve(system, item).await?
        } else {
            let message = format!("find system '{}' in the study", key.system);
            (
                Err(SampleEnd::solver(message)),
                (item, Tally::default(), Vec::new()),
            )
        };
        let (item, tally, events) = parts;
        let finish = Finish {
            started_at,
            elapsed: started.elapsed(),
            tally,
        };
        let sample = finish.row(&item, result)?;
        let outcome = sample.outcome;
        if let Some((sample, events)) = self.recorder.try_finish_sample(sample, events)? {
            // Waits for the disk when samples end faster than they are written.
            let recorder = Arc::clone(&self.recorder);
            tokio::task::spawn_blocking(move || recorder.finish_sample(sample, events))
                .await
                .map_err(|error| RunStopped::Recording {
                    message: error.to_string(),
                })??;
        }
        self.progress.finish_sample(outcome);
        Ok(FinishedSample {
            key,
            attempt,
            outcome,
        })
    }
}

impl SampleExecutor for RunExecutor {
    fn width(&self) -> usize {
        self.width
    }

    fn execute(self: Arc<Self>, item: WorkItem) -> SampleFuture {
        Box::pin(self.run(item))
    }
}

/// Samples that keep a backend busy: one for each call in flight, and a quarter more for those that
/// wait before another try or are being recorded.
fn width_for(backend: &LimitedBackend) -> usize {
    let concurrency = backend.backend().spec().limits.concurrency;
    usize::try_from(concurrency.saturating_add(concurrency.div_ceil(4))).unwrap_or(1)
}

fn role_backends(
    spec: &SystemSpec,
    solver: &dyn Solver,
    backends: &BTreeMap<String, Arc<LimitedBackend>>,
) -> Result<BTreeMap<String, Arc<LimitedBackend>>, ExecutorError> {
    let mut by_role = BTreeMap::new();
    for role in solver.roles() {
        let Some(name) = spec.role_backends.get(*role).or(spec.backend.as_ref()) else {
            continue;
        };
        let backend = backends
            .get(name)
            .ok_or_else(|| ExecutorError::UnknownBackend {
                system: spec.name.clone(),
                backend: name.clone(),
                nearest: most_similar(name, backends.keys().map(String::as_str)),
            })?;
        by_role.insert((*role).to_owned(), Arc::clone(backend));
    }
    Ok(by_role)
}

type Parts = (WorkItem, Tally, Vec<consilium_core::EventRow>);

/// Runs a solver; its panic ends the sample, not the run.
async fn solve(
    system: &System,
    item: WorkItem,
) -> Result<(Result<Answer, SampleEnd>, Parts), RunStopped> {
    let mut context = SolverContext::new(Arc::clone(&system.surroundings), item);
    let solved = AssertUnwindSafe(system.solver.solve(&mut context))
        .catch_unwind()
        .await;
    let result = match solved {
        Ok(Err(SampleEnd::Stopped(stopped))) => return Err(stopped),
        Ok(result) => result,
        Err(panic) => Err(SampleEnd::solver(format!(
            "run the solver: {}",
            panic_text(&*panic)
        ))),
    };
    context.emit(final_event(&result));
    Ok((result, context.into_parts()))
}

fn final_event(result: &Result<Answer, SampleEnd>) -> Event {
    let (content, payload) = match result {
        Ok(answer) => (answer.text.clone(), answer.payload.clone()),
        Err(SampleEnd::Ended { ending }) => (ending.answer.clone(), None),
        Err(SampleEnd::Stopped(_)) => (None, None),
    };
    Event {
        agent: "solver".to_owned(),
        kind: "final".to_owned(),
        round: None,
        content,
        payload,
    }
}

/// The text of a panic, unless it was put together at run time: then it may hold case text.
fn panic_text(panic: &(dyn Any + Send)) -> &'static str {
    panic
        .downcast_ref::<&'static str>()
        .copied()
        .unwrap_or("it panicked")
}

/// What the row of a sample needs besides its result.
struct Finish {
    started_at: i64,
    elapsed: Duration,
    tally: Tally,
}

impl Finish {
    fn row(
        &self,
        item: &WorkItem,
        result: Result<Answer, SampleEnd>,
    ) -> Result<SampleRow, RunStopped> {
        let (answer, ending) = match result {
            Ok(answer) => {
                let outcome = match &answer.text {
                    _ if answer.truncated => Outcome::Truncated,
                    Some(text) if text.trim().is_empty() => Outcome::Empty,
                    _ => Outcome::Ok,
                };
                let text = answer.text.clone();
                let ending = Ending {
                    outcome,
                    error_kind: None,
                    message: None,
                    answer: text,
                };
                (answer, ending)
            }
            Err(SampleEnd::Ended { ending }) => (Answer::default(), ending),
            Err(SampleEnd::Stopped(stopped)) => return Err(stopped),
        };
        Ok(SampleRow {
            dataset: item.key.dataset.to_string(),
            case_id: item.key.case_id.to_string(),
            system: item.key.system.to_string(),
            epoch: item.key.epoch,
            attempt: item.attempt,
            outcome: ending.outcome,
            answer: ending.answer,
            payload: answer.payload.map(|payload| payload.to_string()),
            rounds: answer.rounds,
            stop_reason: answer.stop_reason,
            calls: self.tally.calls,
            prompt_tokens: self.tally.prompt_tokens,
            completion_tokens: self.tally.completion_tokens,
            cost_usd: self.tally.cost_usd,
            started_at: self.started_at,
            wall_ms: u64::try_from(self.elapsed.as_millis()).unwrap_or(u64::MAX),
            error_kind: ending.error_kind,
            error: ending.message,
        })
    }
}
