//! Opens a run for execution: its prompts, its recorder, its backends and solvers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use consilium_backends::limit::Budget;
use consilium_backends::{AnswerKey, LimitedBackend, ResponseCache};
use consilium_core::study::BackendKind;
use consilium_core::{Case, Clock, SystemClock};
use consilium_runner::context::{SampleLimits, SampleRecorder};
use consilium_runner::executor::{ExecutorParts, RunExecutor, SystemParts};
use consilium_solvers::TrainingSet;
use consilium_store::{CaseRow, Recorder, RecorderOptions, Recovery, RunDirectory, read_rows};
use tokio_util::sync::CancellationToken;

use super::ExecuteOptions;
use super::prompts::{changed_prompts, prompt_hashes};
use crate::printer;
use crate::run::answers::RunAnswers;
use crate::run::log::start_log;
use crate::run::prepare::PreparedRun;
use crate::run::spending::budget;
use crate::run::training::{EvaluatedCases, learns, read_training};
use crate::study::ResolvedStudy;

/// A run that records and an executor that can ask.
pub(super) struct OpenRun {
    pub(super) directory: RunDirectory,
    pub(super) recorder: Arc<Recorder>,
    pub(super) executor: Arc<RunExecutor>,
    /// Ends the run.
    pub(super) cancel: CancellationToken,
    /// Samples that the run is planned to have.
    pub(super) planned: u64,
}

/// Opens a prepared run; what an earlier process left in the journal is taken up and said.
pub(super) async fn open(
    study: &ResolvedStudy,
    prepared: PreparedRun,
    options: &ExecuteOptions,
) -> Result<OpenRun> {
    let PreparedRun {
        directory,
        lock,
        mut manifest,
        ..
    } = prepared;
    let answers = answer_key(study, &directory)?;
    let training = training(study, &directory)?;
    // Prompts are hashed before anything is asked, and must be those that finished samples saw.
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
        Arc::new(SystemClock),
        RecorderOptions::default(),
    )?;
    say_recovered(&recovery);
    let recorder = Arc::new(recorder);
    let budget = budget(study.study.budget.as_ref(), &directory, &recorder).await?;
    let cache = options.cache.clone().map(ResponseCache::new).map(Arc::new);
    let sample_recorder: Arc<dyn SampleRecorder> = Arc::clone(&recorder) as _;
    let cancel = CancellationToken::new();
    let executor = Arc::new(executor(
        study,
        answers.as_ref(),
        sample_recorder,
        cancel.clone(),
        (budget, cache),
        &training,
    )?);
    Ok(OpenRun {
        directory,
        recorder,
        executor,
        cancel,
        planned,
    })
}

/// Gold for the simulated backend, where the study has one.
fn answer_key(
    study: &ResolvedStudy,
    directory: &RunDirectory,
) -> Result<Option<Arc<dyn AnswerKey>>> {
    let mut backends = study.study.backend.iter();
    Ok(
        if backends.any(|spec| spec.kind == BackendKind::Simulated) {
            Some(Arc::new(RunAnswers::read(directory)?))
        } else {
            None
        },
    )
}

fn say_recovered(recovery: &Recovery) {
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
}

fn executor(
    study: &ResolvedStudy,
    answers: Option<&Arc<dyn AnswerKey>>,
    recorder: Arc<dyn SampleRecorder>,
    cancel: CancellationToken,
    (budget, cache): (Option<Arc<Budget>>, Option<Arc<ResponseCache>>),
    training: &BTreeMap<String, TrainingSet>,
) -> Result<RunExecutor> {
    let seed = study.study.study.seed;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let mut backends = BTreeMap::new();
    for spec in &study.study.backend {
        let backend = consilium_backends::build(spec, &study.folder, seed, answers.cloned())?;
        let mut limited = LimitedBackend::new(backend, Arc::clone(&clock), seed);
        if let Some(budget) = &budget {
            limited = limited.with_budget(Arc::clone(budget));
        }
        if let Some(cache) = &cache {
            limited = limited.with_cache(Arc::clone(cache));
        }
        backends.insert(spec.name.clone(), Arc::new(limited));
    }
    let mut systems = Vec::with_capacity(study.study.system.len());
    for spec in &study.study.system {
        systems.push(SystemParts {
            spec: spec.clone(),
            solver: consilium_solvers::build_trained(spec, training.get(&spec.name))?,
        });
    }
    Ok(RunExecutor::new(ExecutorParts {
        systems,
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
    })?)
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
