//! Judging the recorded answers of a run, and following recorded verdicts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use consilium_backends::limit::Budget;
use consilium_backends::{AnswerKey, LimitedBackend};
use consilium_core::study::{BackendKind, BackendSpec, ScorerSpec, Study};
use consilium_core::{AnswerExecutor, Clock, RunManifest, RunStatus, RunStopped, SystemClock};
use consilium_query::fan_out::{
    FanOutError, Judging, count_judging, judge_calls, run_judging, settled_scores,
};
use consilium_query::{SessionContext, count};
use consilium_runner::Scorer as _;
use consilium_runner::context::SampleRecorder;
use consilium_runner::prompt::PromptLibrary;
use consilium_scorers::judge::{JUDGE_FAILED, Judge, JudgeExecutor, JudgeParts};
use consilium_store::{
    Recorder, RecorderOptions, RunDirectory, RunLock, ScoreSorter, SortedScores,
};
use tokio_util::sync::CancellationToken;

use super::answers::RunAnswers;
use super::progress::{duration, show_progress};
use super::spending::budget;
use crate::failure::unfinished;
use crate::printer;

/// Paths in a recorded study are absolute.
const ROOT: &str = "/";

/// What a judge said of a run.
pub(crate) struct JudgedRun {
    /// The run's lock, still held.
    pub(crate) lock: RunLock,
    /// Signature of the scores.
    pub(crate) signature: String,
    /// Name and hash of the policy's file.
    pub(crate) policy: (String, String),
    /// The scores of every sample.
    pub(crate) rows: SortedScores,
}

/// Judges what has no settled score yet. Calls are recorded as they finish and are never paid twice:
/// whoever is interrupted goes on where they were.
pub(crate) async fn judge_run(
    directory: &RunDirectory,
    lock: RunLock,
    study: &Study,
    spec: &ScorerSpec,
) -> Result<JudgedRun> {
    let (name, prompts) = (spec.display_name(), prompts(study)?);
    let backend_spec = judging_backend(study, spec)?;
    // Neither key nor server is needed to find out that nothing is to be asked.
    let described = consilium_backends::recorded_only(backend_spec, Path::new(ROOT))?;
    let judge = Judge::new(spec, Path::new(ROOT), &*described, &prompts)?;
    let signature = judge.signature().to_string();
    let policy = (
        judge.policy().name.clone(),
        judge.policy().sha256().to_owned(),
    );
    let judging = Judging {
        scorer: name,
        signature: &signature,
        datasets: &spec.datasets,
        everything: false,
        unsettled: JUDGE_FAILED,
    };
    let session = super::session_over(&[super::source(directory)?]).await?;
    let mut rows = ScoreSorter::default();
    let lock = if count_judging(&session, &judging).await? == 0 {
        settled_scores(&session, &judging, |settled| rows.extend(settled)).await?;
        lock
    } else {
        ask(
            &Asking {
                directory,
                study,
                backend: backend_spec,
                judging,
                prompts: Arc::new(prompts),
            },
            lock,
            judge,
            &mut rows,
        )
        .await?
    };
    Ok(JudgedRun {
        lock,
        signature,
        policy,
        rows: rows.finish()?,
    })
}

/// What asking a judge needs to know.
struct Asking<'a> {
    directory: &'a RunDirectory,
    study: &'a Study,
    backend: &'a BackendSpec,
    judging: Judging<'a>,
    prompts: Arc<PromptLibrary>,
}

async fn ask(
    asking: &Asking<'_>,
    lock: RunLock,
    judge: Judge,
    rows: &mut ScoreSorter,
) -> Result<RunLock> {
    let Asking {
        directory, judging, ..
    } = asking;
    let name = judging.scorer;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let (recorder, _) = Recorder::start(
        (*directory).clone(),
        lock,
        directory.manifest()?,
        clock,
        RecorderOptions::default(),
    )?;
    // Starting to record has moved into parts what an interrupted process left in the journal.
    let run = super::source(directory)?;
    let planned = run.manifest.planned;
    let session = super::session_over(&[run]).await?;
    let to_do = count_judging(&session, judging).await?;
    settled_scores(&session, judging, |settled| rows.extend(settled)).await?;
    printer::note(&format!("{name}: {to_do} answers to judge"));

    let budget = budget(asking.study.budget.as_ref(), directory, &recorder).await?;
    let backend = limited_backend(asking, budget)?;
    let recorder = Arc::new(recorder);
    let executor = Arc::new(JudgeExecutor::new(JudgeParts {
        judge,
        backend,
        recorder: Some(Arc::clone(&recorder) as Arc<dyn SampleRecorder>),
        recorded: judge_calls(&session, name).await?,
        prompts: Arc::clone(&asking.prompts),
        study_seed: asking.study.study.seed,
        cancel: CancellationToken::new(),
    }));
    let (started, stop_progress) = (Instant::now(), CancellationToken::new());
    let shown = show_progress(executor.progress(), to_do, stop_progress.clone());
    let judging_all = async {
        let work = Arc::clone(&executor) as Arc<dyn AnswerExecutor>;
        let result = run_judging(&session, judging, work, |_| {}).await;
        stop_progress.cancel();
        result
    };
    let (result, ()) = tokio::join!(judging_all, shown);
    let recorded = count(&session, "SELECT count(*) FROM samples").await?;
    let status = if recorded >= planned {
        RunStatus::Complete
    } else {
        RunStatus::Incomplete
    };
    let (_, lock) = recorder.finish_holding_lock(status)?;
    result.map_err(|error| stopped(name, directory, error))?;
    let lock = lock.context("hold the run's lock")?;
    let counts = executor.progress().counts();
    let missing = counts
        .by_outcome
        .iter()
        .filter(|(outcome, _)| *outcome == consilium_core::Outcome::Malformed)
        .map(|(_, count)| count)
        .sum::<u64>();
    printer::note(&format!(
        "{name}: {} answers judged with {} calls in {}; {missing} without a verdict",
        counts.finished,
        counts.calls,
        duration(started.elapsed().as_secs_f64())
    ));
    let mut judged = executor.take_scores().finish()?;
    while let Some(row) = judged.next().transpose()? {
        rows.extend([row])?;
    }
    Ok(lock)
}

/// The scores that follow from the recorded calls alone: nothing is asked and nothing written.
pub(crate) async fn recorded_verdicts(
    session: &SessionContext,
    study: &Study,
    spec: &ScorerSpec,
) -> Result<(String, SortedScores)> {
    let prompts = prompts(study)?;
    let backend =
        consilium_backends::recorded_only(judging_backend(study, spec)?, Path::new(ROOT))?;
    let judge = Judge::new(spec, Path::new(ROOT), &*backend, &prompts)?;
    let signature = judge.signature().to_string();
    let seed = study.study.seed;
    let executor = Arc::new(JudgeExecutor::new(JudgeParts {
        judge,
        backend: Arc::new(LimitedBackend::new(backend, Arc::new(SystemClock), seed)),
        recorder: None,
        recorded: judge_calls(session, spec.display_name()).await?,
        prompts: Arc::new(prompts),
        study_seed: seed,
        cancel: CancellationToken::new(),
    }));
    let judging = Judging {
        scorer: spec.display_name(),
        signature: &signature,
        datasets: &spec.datasets,
        everything: true,
        unsettled: JUDGE_FAILED,
    };
    let work = Arc::clone(&executor) as Arc<dyn AnswerExecutor>;
    run_judging(session, &judging, work, |_| {})
        .await
        .context("follow the recorded verdicts")?;
    Ok((signature.clone(), executor.take_scores().finish()?))
}

fn prompts(study: &Study) -> Result<PromptLibrary> {
    Ok(PromptLibrary::load(study.study.prompts.as_deref())?)
}

fn judging_backend<'a>(study: &'a Study, spec: &ScorerSpec) -> Result<&'a BackendSpec> {
    study
        .backend
        .iter()
        .find(|backend| Some(&backend.name) == spec.backend.as_ref())
        .with_context(|| format!("find the backend of scorer '{}'", spec.display_name()))
}

/// The backend that judges, alone: others may need keys that are not here.
fn limited_backend(
    asking: &Asking<'_>,
    budget: Option<Arc<Budget>>,
) -> Result<Arc<LimitedBackend>> {
    let (spec, seed) = (asking.backend, asking.study.study.seed);
    let answers: Option<Arc<dyn AnswerKey>> = if spec.kind == BackendKind::Simulated {
        Some(Arc::new(RunAnswers::read(asking.directory)?))
    } else {
        None
    };
    let backend = consilium_backends::build(spec, Path::new(ROOT), seed, answers)?;
    let limited = LimitedBackend::new(backend, Arc::new(SystemClock), seed);
    Ok(Arc::new(match budget {
        Some(budget) => limited.with_budget(budget),
        None => limited,
    }))
}

fn stopped(name: &str, directory: &RunDirectory, error: FanOutError) -> anyhow::Error {
    let run = directory.name();
    match error {
        FanOutError::Stopped(RunStopped::Backend { backend, message }) => unfinished(
            format!("score run '{run}' with '{name}': use backend '{backend}': {message}"),
            "set the variable that api_key_env names to a valid key; what was judged is recorded, and \
             consilium score RUN goes on from there",
        ),
        FanOutError::Stopped(reason @ RunStopped::Budget { .. }) => unfinished(
            format!("score run '{run}' with '{name}': {reason}"),
            "what was judged is recorded; raise [budget] in the study file, and consilium run STUDY goes on \
             from there",
        ),
        FanOutError::Stopped(reason) => unfinished(
            format!("score run '{run}' with '{name}': {reason}"),
            "what was judged is recorded; consilium score RUN goes on from there",
        ),
        FanOutError::Plan(source) => anyhow::Error::new(source)
            .context(format!("judge the answers of run '{run}' with '{name}'")),
    }
}

/// Remembers in a manifest what a judge's scores rest on.
pub(crate) fn remember_policy(manifest: &mut RunManifest, (name, sha256): (String, String)) {
    let file: BTreeMap<String, String> =
        BTreeMap::from([(format!("judge-policies/{name}.toml"), sha256)]);
    manifest.stores.extend(file);
}
