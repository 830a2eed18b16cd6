//! The seam between the plan that hands out work and the runner that does it.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;

use crate::{Case, CaseView, Outcome, SampleKey, SampleRow};

/// One sample to be executed.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkItem {
    /// What to execute.
    pub key: SampleKey,
    /// The try, from 1.
    pub attempt: u32,
    /// The case without gold.
    pub case: Arc<CaseView>,
}

/// A sample that has ended and is in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedSample {
    /// What was executed.
    pub key: SampleKey,
    /// The try, from 1.
    pub attempt: u32,
    /// How it ended.
    pub outcome: Outcome,
}

/// Why a run ends before its work list does.
///
/// A sample's own failure is never one of these: it is a row with an outcome.
#[derive(Debug, thiserror::Error)]
pub enum RunStopped {
    /// The user asked for it; unfinished samples stay unfinished.
    #[error("stopped by the user")]
    Interrupted,
    /// Recording failed: going on would lose what is paid for.
    #[error("record results: {message}")]
    Recording {
        /// What failed, with the file.
        message: String,
    },
    /// A backend refuses every request, so that going on would only collect failures.
    #[error("use backend '{backend}': {message}")]
    Backend {
        /// Name of the backend.
        backend: String,
        /// What it answers.
        message: String,
    },
    /// The study's budget is used up.
    #[error("stay within the budget: {message}")]
    Budget {
        /// Which limit.
        message: String,
    },
}

/// The future of one sample.
pub type SampleFuture = Pin<Box<dyn Future<Output = Result<FinishedSample, RunStopped>> + Send>>;

/// Executes samples; implemented by the runner, driven by the fan-out operator.
pub trait SampleExecutor: Debug + Send + Sync {
    /// Largest number of samples worth holding in flight at once, at least 1.
    fn width(&self) -> usize;

    /// Executes one sample to its end and records it.
    fn execute(self: Arc<Self>, item: WorkItem) -> SampleFuture;
}

/// Judges recorded answers; implemented by judge scorers, driven by the fan-out operator.
///
/// The only executor that receives gold: it is a scorer.
pub trait AnswerExecutor: Debug + Send + Sync {
    /// Largest number of answers worth holding in flight at once, at least 1.
    fn width(&self) -> usize;

    /// Judges one recorded answer to its end and records the calls that it took.
    fn execute(self: Arc<Self>, sample: SampleRow, case: Case) -> SampleFuture;
}
