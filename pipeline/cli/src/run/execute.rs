//! Executing what is missing of a run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use consilium_core::study::{BackendKind, ScorerKind};
use consilium_core::{
    CallRow, Case, Clock, Outcome, RunStatus, RunStopped, SampleExecutor, SystemClock,
};
use consilium_query::fan_out::{FanOutError, Selection, Work, count_work, explain_work, run_work};
use consilium_query::{
    FailedSamples, RunSource, SessionContext, cases, count, failed_keys, failed_samples,
    register_nothing_finished, register_run_work, work_session,
};
use consilium_runner::backend::{self, AnswerKey, LimitedBackend, ResponseCache};
use consilium_runner::context::{SampleLimits, SampleRecorder};
use consilium_runner::executor::{ExecutorParts, RunExecutor};
use consilium_runner::limit::Budget;
use consilium_runner::prompt::PromptLibrary;
use consilium_runner::solver::TrainingSet;
use consilium_store::{CaseRow, Recorder, RecorderOptions, RunDirectory, read_rows};
use tokio_util::sync::CancellationToken;

use super::abandon::or_abandon;
use super::answers::RunAnswers;
use super::drift::{canaries, record_drift};
use super::interrupt::{Signals, stop_on_signal};
use super::log::start_log;
use super::prepare::PreparedRun;
use super::progress::{duration, outcome_summary, show_progress};
use super::spending::budget;
use super::training::{EvaluatedCases, learns, read_training};
use crate::failure::hinted;
use crate::printer;
use crate::study::ResolvedStudy;

/// What one execution takes of a study; none of it changes the run's identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExecuteOptions {
    /// Systems to execute; all when empty.
    pub(crate) only: Vec<String>,
    /// Seeded draw of this many cases per dataset.
    pub(crate) limit: Option<u64>,
    /// Part `i` of `n`.
    pub(crate) shard: Option<(u64, u64)>,
    /// Whether samples that failed for lack of infrastructure get another attempt.
    pub(crate) retry_failed: bool,
    /// Folder in which replies are kept between runs.
    pub(crate) cache: Option<PathBuf>,
}

/// How an execution ended.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    /// Samples of the run that failed for lack of infrastructure, now or earlier.
    pub(crate) failed: u64,
    /// Samples recorded in the run, and planned.
    pub(crate) recorded: u64,
    pub(crate) planned: u64,
    /// Why it ended early.
    pub(crate) stopped: Option<String>,
}

fn work(study: &ResolvedStudy, options: &ExecuteOptions) -> Result<Work> {
    let selection = Selection {
        limit: options.limit,
        shard: options.shard,
        seed: study.study.study.seed,
        retry_failed: options.retry_failed,
    };
    Ok(Work {
        assignments: study.assignments(&options.only)?,
        selection,
    })
}

fn executor(
    study: &ResolvedStudy,
    answers: Option<&Arc<dyn AnswerKey>>,
    recorder: Arc<dyn SampleRecorder>,
    cancel: CancellationToken,
    (budget, cache): (Option<Arc<Budget>>, Option<Arc<ResponseCache>>),
    training: BTreeMap<String, TrainingSet>,
) -> Result<RunExecutor> {
    let seed = study.study.study.seed;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut backends = BTreeMap::new();
    for spec in &study.study.backend {
        let backend = backend::build(spec, &study.folder, seed, answers.cloned())?;
        let mut limited = LimitedBackend::new(backend, Arc::clone(&clock), seed);
        if let Some(budget) = &budget {
            limited = limited.with_budget(Arc::clone(budget));
        }
        if let Some(cache) = &cache {
            limited = limited.with_cache(Arc::clone(cache));
        }
        backends.insert(spec.name.clone(), Arc::new(limited));
    }
    Ok(RunExecutor::new(ExecutorParts {
        systems: study.study.system.clone(),
        backends,
        recorder,
        clock,
        prompts: Arc::new(study.prompts()?),
        study_seed: seed,
        cancel,
        sample_limits: SampleLimits {
            time: study
                .study
                .study
                .sample_timeout_s
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            calls: study.study.study.sample_calls,
        },
        training,
    })?)
}

/// Prints the plan of a run that has not begun, or what it would execute.
pub(crate) async fn plan(study: &ResolvedStudy, options: &ExecuteOptions) -> Result<PlannedWork> {
    let session = work_session()?;
    let datasets = &study.study.dataset;
    cases::register_source_cases(&session, datasets, &study.folder, study.study.study.seed)
        .await
        .context("select cases")?;
    register_nothing_finished(&session).await?;
    let work = work(study, options)?;
    let explained = explain_work(
        &session,
        &work,
        Arc::new(PlanOnly {
            width: width(study),
        }),
    )
    .await?;
    let counts = count_work(&session, &work).await?;
    let mut judged = Vec::new();
    for spec in &study.study.scorer {
        if spec.kind != ScorerKind::Judge {
            continue;
        }
        let mut answers = Work {
            assignments: work.assignments.clone(),
            selection: work.selection.clone(),
        };
        answers
            .assignments
            .retain(|assignment| spec.datasets.contains(&assignment.dataset));
        // A selection may leave it nothing to judge.
        let answers = if answers.assignments.is_empty() {
            0
        } else {
            let counts = count_work(&session, &answers).await?;
            counts.iter().map(|(_, count)| count).sum()
        };
        judged.push((spec.display_name().to_owned(), answers));
    }
    Ok(PlannedWork {
        explained,
        counts,
        judged,
    })
}

/// A work list that is not executed.
pub(crate) struct PlannedWork {
    /// The physical plan.
    pub(crate) explained: String,
    /// Samples by system.
    pub(crate) counts: Vec<(String, u64)>,
    /// Answers by judge.
    pub(crate) judged: Vec<(String, u64)>,
}

/// Calls that may be in flight at once over the backends in use.
fn width(study: &ResolvedStudy) -> usize {
    let used = |name: &str| {
        study.study.system.iter().any(|system| {
            system.backend.as_deref() == Some(name)
                || system.role_backends.values().any(|backend| backend == name)
        })
    };
    let total: u32 = study
        .study
        .backend
        .iter()
        .filter(|backend| used(&backend.name))
        .map(|backend| backend.limits.concurrency)
        .sum();
    usize::try_from(total).unwrap_or(1).max(1)
}

/// Stands in for an executor where only the plan is wanted.
#[derive(Debug)]
struct PlanOnly {
    width: usize,
}

impl SampleExecutor for PlanOnly {
    fn width(&self) -> usize {
        self.width
    }

    fn execute(self: Arc<Self>, _item: consilium_core::WorkItem) -> consilium_core::SampleFuture {
        Box::pin(async { Err(RunStopped::Interrupted) })
    }
}

/// Refuses what could not be executed, before a run is made for it: systems that are not there, prompts
/// that cannot be read, backends whose key is missing.
pub(crate) fn check_execution(study: &ResolvedStudy, options: &ExecuteOptions) -> Result<()> {
    let assignments = study.assignments(&options.only)?;
    if assignments.is_empty() {
        return Err(hinted(
            "execute nothing: no dataset of the study is asked of the selected systems",
            "name another system with --only, or look at the system's datasets",
        ));
    }
    prompt_hashes(study, &study.prompts()?)?;
    for spec in &study.study.backend {
        backend::build(spec, &study.folder, study.study.study.seed, None)?;
    }
    Ok(())
}

/// Executes what is missing and leaves the run consistent, whatever happens.
pub(crate) async fn execute(
    study: &ResolvedStudy,
    prepared: PreparedRun,
    options: &ExecuteOptions,
) -> Result<Execution> {
    let made = (!prepared.resumed).then(|| prepared.directory.clone());
    let executed = execute_prepared(study, prepared, options).await;
    match made {
        Some(directory) => or_abandon(&directory, executed),
        None => executed,
    }
}

async fn execute_prepared(
    study: &ResolvedStudy,
    prepared: PreparedRun,
    options: &ExecuteOptions,
) -> Result<Execution> {
    let PreparedRun {
        directory,
        lock,
        mut manifest,
        ..
    } = prepared;
    let simulated = study
        .study
        .backend
        .iter()
        .any(|backend| backend.kind == BackendKind::Simulated);
    let answers: Option<Arc<dyn AnswerKey>> = if simulated {
        Some(Arc::new(RunAnswers::read(&directory)?))
    } else {
        None
    };
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);

    let training = training(study, &directory)?;

    // Prompts are hashed before anything is asked, and must be those that finished samples saw.
    let cancel = CancellationToken::new();
    let prompts = prompt_hashes(study, &study.prompts()?)?;
    if !manifest.prompts.is_empty() && manifest.prompts != prompts {
        return Err(changed_prompts(&manifest.run, &manifest.prompts, &prompts));
    }
    manifest.prompts = prompts;
    directory.write_manifest(&manifest)?;

    start_log(directory.root())?;
    let planned = manifest.planned;
    let (recorder, recovery) = Recorder::start(
        directory.clone(),
        lock,
        manifest,
        Arc::clone(&clock),
        RecorderOptions::default(),
    )?;
    if recovery.finished_from_journal + recovery.half_done > 0 {
        printer::note(&format!(
            "recovered {} finished samples and the calls of {} unfinished ones from the journal",
            recovery.finished_from_journal, recovery.half_done
        ));
    }
    if recovery.unreadable_lines > 0 {
        printer::note(&format!(
            "warning: {} lines of the journal could not be read and are left out",
            recovery.unreadable_lines
        ));
    }
    let recorder = Arc::new(recorder);
    let budget = budget(study.study.budget.as_ref(), &directory, &recorder).await?;
    let cache = options.cache.clone().map(ResponseCache::new).map(Arc::new);
    let sample_recorder: Arc<dyn SampleRecorder> = Arc::clone(&recorder) as _;
    let executor = Arc::new(executor(
        study,
        answers.as_ref(),
        sample_recorder,
        cancel.clone(),
        (budget, cache),
        training,
    )?);

    let session = work_session()?;
    let run = RunSource {
        root: directory.root().to_owned(),
        manifest: directory.manifest()?,
    };
    register_run_work(&session, &run, options.retry_failed).await?;
    if options.retry_failed {
        recorder.carry_calls(calls_of_failed(&directory, &session).await?);
    }
    let work = work(study, options)?;
    let to_do: u64 = count_work(&session, &work)
        .await?
        .iter()
        .map(|(_, count)| count)
        .sum();
    let done = count(&session, "SELECT count(*) FROM latest").await?;
    // From here on a signal leaves a run that goes on.
    let signals = Signals::listen();
    printer::note(&format!(
        "{to_do} samples to execute, {done} of {planned} recorded"
    ));

    tracing::info!(
        run = directory.name(),
        to_do,
        done,
        planned,
        "execution begins"
    );
    let stop_progress = CancellationToken::new();
    let shown = show_progress(executor.progress(), to_do, stop_progress.clone());
    let questions = match &study.study.drift {
        Some(drift) if to_do > 0 => drift.canaries,
        _ => 0,
    };
    let mut canary_answers = Vec::new();
    let started = Instant::now();
    let mut by_outcome: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut added = 0;
    let running = async {
        let work_executor: Arc<dyn SampleExecutor> = Arc::clone(&executor) as _;
        let progress = executor.progress();
        canary_answers.extend(canaries(&progress, questions, &cancel).await);
        let result = run_work(&session, &work, work_executor, |sample| {
            *by_outcome.entry(sample.outcome.as_str()).or_default() += 1;
            added += u64::from(sample.attempt == 1);
        })
        .await;
        if result.is_ok() {
            canary_answers.extend(canaries(&progress, questions, &cancel).await);
        }
        stop_progress.cancel();
        result
    };
    let interrupts = stop_on_signal(signals, cancel.clone(), stop_progress.clone());
    let (result, (), ()) = tokio::join!(running, shown, interrupts);

    let executed: u64 = by_outcome.values().sum();
    let recorded = done + added;
    let status = if recorded >= planned {
        RunStatus::Complete
    } else {
        RunStatus::Incomplete
    };
    let finished = recorder.finish(status);
    let stopped = match result {
        Ok(()) => None,
        Err(FanOutError::Stopped(reason)) => Some(reason),
        Err(FanOutError::Plan(error)) => {
            finished?;
            return Err(anyhow::Error::new(error).context("execute the work list"));
        }
    };
    // What could not be recorded is the first thing to say.
    if let Some(RunStopped::Recording { message }) = &stopped {
        return Err(hinted(
            format!("record results of run '{}': {message}", directory.name()),
            "what was recorded before is safe; make room or mend the folder and run again to continue",
        ));
    }
    finished?;
    record_drift(&directory, canary_answers).await?;
    if let Some(RunStopped::Backend { backend, message }) = &stopped {
        return Err(hinted(
            format!("use backend '{backend}': {message}"),
            "set the variable that api_key_env names to a valid key, then run again to continue",
        ));
    }
    let counts: Vec<(Outcome, u64)> = Outcome::ALL
        .into_iter()
        .map(|outcome| {
            (
                outcome,
                by_outcome.get(outcome.as_str()).copied().unwrap_or(0),
            )
        })
        .collect();
    let outcomes = match executed {
        0 if stopped.is_some() => "stopped before one ended".to_owned(),
        _ => outcome_summary(&counts),
    };
    printer::note(&format!(
        "{executed} samples in {}: {outcomes}",
        duration(started.elapsed().as_secs_f64()),
    ));
    tracing::info!(executed, recorded, planned, "execution ends");
    let failures = failures(&directory).await?;
    for failure in &failures {
        printer::note(&format!(
            "  {} failed: {}, for example: {}",
            failure.samples, failure.kind, failure.example
        ));
    }
    let failed = failures.iter().map(|failure| failure.samples).sum();
    if failed > 0 && stopped.is_none() {
        printer::note("hint: mend the cause, then give --retry failed to ask them again");
    }
    Ok(Execution {
        failed,
        recorded,
        planned,
        stopped: stopped.map(|reason| match reason {
            RunStopped::Budget { .. } => format!("{reason} (raise [budget] to go on)"),
            _ => reason.to_string(),
        }),
    })
}

/// Samples of a run whose last attempt failed for lack of infrastructure, by kind.
async fn failures(directory: &RunDirectory) -> Result<Vec<FailedSamples>> {
    let session = super::session_over(&[super::source(directory)?]).await?;
    Ok(failed_samples(&session).await?)
}

/// The examples of systems that learn, from files without any case of the run.
fn training(
    study: &ResolvedStudy,
    directory: &RunDirectory,
) -> Result<BTreeMap<String, TrainingSet>> {
    if !learns(study) {
        return Ok(BTreeMap::new());
    }
    let mut evaluated = EvaluatedCases::default();
    for row in read_rows::<CaseRow>(directory, &directory.manifest()?) {
        evaluated.add(&Case::try_from(row?)?.view);
    }
    read_training(study, &evaluated)
}

/// Recorded calls of the attempts that failed, so that a new attempt need not pay them again.
async fn calls_of_failed(
    directory: &RunDirectory,
    session: &SessionContext,
) -> Result<Vec<CallRow>> {
    let keys = failed_keys(session).await?;
    let manifest = directory.manifest()?;
    let mut calls = Vec::new();
    for call in read_rows::<CallRow>(directory, &manifest) {
        let call = call?;
        if call.scorer.is_none() && keys.contains(&call.key()) {
            calls.push(call);
        }
    }
    Ok(calls)
}

/// Hashes of the prompt files that the study's systems may use.
fn prompt_hashes(
    study: &ResolvedStudy,
    prompts: &PromptLibrary,
) -> Result<BTreeMap<String, String>> {
    let solvers = study
        .study
        .system
        .iter()
        .map(consilium_runner::solver::build)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(prompts.hashes(
        solvers
            .iter()
            .flat_map(|solver| solver.prompts().iter().copied()),
    ))
}

fn changed_prompts(
    run: &str,
    recorded: &BTreeMap<String, String>,
    given: &BTreeMap<String, String>,
) -> anyhow::Error {
    let changed: Vec<&str> = recorded
        .iter()
        .filter(|(name, hash)| given.get(*name) != Some(hash))
        .map(|(name, _)| name.as_str())
        .chain(
            given
                .keys()
                .filter(|name| !recorded.contains_key(*name))
                .map(String::as_str),
        )
        .collect();
    hinted(
        format!(
            "continue run '{run}': prompts have changed since it began: {}",
            changed.join(", ")
        ),
        "put them back, or give --new-run to start another run",
    )
}
