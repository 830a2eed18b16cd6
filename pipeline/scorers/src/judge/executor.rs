//! Judges the answers that a work list hands out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use consilium_core::{
    AnswerExecutor, CallRow, Case, FinishedSample, Outcome, RunStopped, SampleFuture, SampleRow,
    ScoreRow, WorkItem,
};
use consilium_store::ScoreSorter;
use tokio_util::sync::CancellationToken;

use super::asking::{ROLE, ask};
use super::recorded::JudgeRecorder;
use super::{Decision, JUDGE_FAILED, Judge};
use consilium_backends::LimitedBackend;
use consilium_runner::context::{SampleLimits, SampleRecorder, SolverContext, Surroundings};
use consilium_runner::executor::Progress;
use consilium_runner::prompt::PromptLibrary;

/// What a judge's executor is made of.
#[derive(Debug)]
pub struct JudgeParts {
    /// The judge.
    pub judge: Judge,
    /// The model that judges.
    pub backend: Arc<LimitedBackend>,
    /// Where its calls are recorded; `None` where nothing is to be asked or recorded.
    pub recorder: Option<Arc<dyn SampleRecorder>>,
    /// Calls of this scorer that are recorded already; their messages and parameters may be left out.
    pub recorded: Vec<CallRow>,
    /// Prompts of the study.
    pub prompts: Arc<PromptLibrary>,
    /// Seed of the study.
    pub study_seed: u64,
    /// Ends the judging.
    pub cancel: CancellationToken,
}

/// Judges answers and gathers their scores.
#[derive(Debug)]
pub struct JudgeExecutor {
    judge: Judge,
    surroundings: Arc<Surroundings>,
    width: usize,
    rows: Mutex<ScoreSorter>,
}

impl JudgeExecutor {
    /// An executor that has judged nothing yet.
    pub fn new(parts: JudgeParts) -> Self {
        let limits = &parts.backend.backend().spec().limits;
        let width = usize::try_from(limits.concurrency).unwrap_or(1).max(1);
        let surroundings = Surroundings {
            study_seed: parts.study_seed,
            backends: BTreeMap::from([(ROLE.to_owned(), parts.backend)]),
            generation: parts.judge.generation.clone(),
            prompts: parts.prompts,
            recorder: Arc::new(JudgeRecorder::new(parts.recorder, parts.recorded)),
            cancel: parts.cancel,
            progress: Arc::default(),
            sample_limits: SampleLimits::default(),
        };
        Self {
            judge: parts.judge,
            surroundings: Arc::new(surroundings),
            width,
            rows: Mutex::default(),
        }
    }

    /// Counters of the judging: an answer without a verdict counts as malformed.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.surroundings.progress)
    }

    /// The scores so far; they are handed out once.
    pub fn take_scores(&self) -> ScoreSorter {
        std::mem::take(&mut *self.rows.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn run(
        self: Arc<Self>,
        sample: SampleRow,
        case: Case,
    ) -> Result<FinishedSample, RunStopped> {
        if self.surroundings.cancel.is_cancelled() {
            return Err(RunStopped::Interrupted);
        }
        let _in_flight = self.surroundings.progress.sample_in_flight();
        let (key, attempt) = (sample.key(), sample.attempt);
        let row = self.score(&sample, case).await?;
        let outcome = if row.reason.as_deref() == Some(JUDGE_FAILED) {
            Outcome::Malformed
        } else {
            Outcome::Ok
        };
        self.rows
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend([row])
            .map_err(|error| RunStopped::Recording {
                message: error.to_string(),
            })?;
        self.surroundings.progress.finish_sample(outcome);
        Ok(FinishedSample {
            key,
            attempt,
            outcome,
        })
    }

    async fn score(&self, sample: &SampleRow, case: Case) -> Result<ScoreRow, RunStopped> {
        let (row, predicted) = match self.judge.decide(sample, &case) {
            Decision::Decided(row) => return Ok(row),
            Decision::Ask { row, predicted } => (row, predicted),
        };
        let item = WorkItem {
            key: sample.key(),
            attempt: sample.attempt,
            case: Arc::new(case.view),
        };
        let surroundings = Arc::clone(&self.surroundings);
        let mut context = SolverContext::for_scorer(surroundings, item, &self.judge.name);
        let verdict = ask(&self.judge, &mut context, &predicted, &case.gold).await?;
        Ok(Judge::judged(row, verdict))
    }
}

impl AnswerExecutor for JudgeExecutor {
    fn width(&self) -> usize {
        self.width
    }

    fn execute(self: Arc<Self>, sample: SampleRow, case: Case) -> SampleFuture {
        Box::pin(self.run(sample, case))
    }
}
