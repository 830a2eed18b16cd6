//! Ends of a sample other than an answer.

use consilium_core::{ErrorKind, Outcome, RunStopped};

use crate::prompt::PromptError;

/// How a sample ends without an answer; becomes its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// How it ended.
    pub outcome: Outcome,
    /// Kind of the failure, when it was one.
    pub error_kind: Option<ErrorKind>,
    /// Message of the failure; holds neither case text nor keys.
    pub message: Option<String>,
    /// What there is of an answer, for instance the beginning of a cut one.
    pub answer: Option<String>,
}

/// Why a solver does not go on.
#[derive(Debug, thiserror::Error)]
pub enum SampleEnd {
    /// The sample has ended, and that is its result.
    #[error("get an answer: {}", ending.outcome.as_str())]
    Ended {
        /// How.
        ending: Ending,
    },
    /// The run ends; the sample stays half-done and is taken up by the next process.
    #[error("go on with the run")]
    Stopped(#[from] RunStopped),
}

impl SampleEnd {
    /// An end by a failure.
    pub fn failure(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self::Ended {
            ending: Ending {
                outcome: kind.outcome(),
                error_kind: Some(kind),
                message: Some(message.into()),
                answer: None,
            },
        }
    }

    /// The solver met a state it cannot continue from.
    pub fn solver(message: impl Into<String>) -> Self {
        Self::failure(ErrorKind::Solver, message)
    }
}

impl From<PromptError> for SampleEnd {
    fn from(error: PromptError) -> Self {
        // The template engine names variables and lines, not values.
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}"));
        Self::solver(format!("{error}{}", cause.unwrap_or_default()))
    }
}
