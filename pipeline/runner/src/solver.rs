//! What a solver is to the executor of a sample.

use std::fmt::Debug;

use consilium_backends::Message;
use consilium_core::{Case, CaseView};
use futures::future::BoxFuture;
use serde_json::Value;

use crate::context::{SampleEnd, SolverContext};
use crate::prompt::{PromptError, PromptLibrary};

/// A strategy that turns a case into an answer.
pub trait Solver: Debug + Send + Sync {
    /// Name in the study.
    fn name(&self) -> &'static str;

    /// Roles that need a backend; empty for baselines without one.
    fn roles(&self) -> &'static [&'static str];

    /// Prompts it uses, named without language.
    fn prompts(&self) -> &'static [&'static str] {
        &[]
    }

    /// The first messages it would send for a case, for `consilium check`; `None` when it sends
    /// none.
    ///
    /// # Errors
    /// When a prompt cannot be rendered.
    fn preview(
        &self,
        _prompts: &PromptLibrary,
        _case: &CaseView,
    ) -> Result<Option<Vec<Message>>, PromptError> {
        Ok(None)
    }

    /// Whether it answers from labelled examples and cannot do without.
    fn learns(&self) -> bool {
        false
    }

    /// Takes in the labelled examples for the cases of a dataset.
    ///
    /// # Errors
    /// When nothing can be learnt from them, or from any: the reason in words.
    fn train(&mut self, _dataset: &str, _examples: &[Case]) -> Result<(), String> {
        Err("the solver does not learn from examples".to_owned())
    }

    /// Answers the case of a context.
    fn solve<'a>(
        &'a self,
        context: &'a mut SolverContext,
    ) -> BoxFuture<'a, Result<Answer, SampleEnd>>;
}

/// What a solver concludes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The answer as scorers read it.
    pub text: Option<String>,
    /// Solver-specific facts.
    pub payload: Option<Value>,
    /// Rounds of a multi-round solver.
    pub rounds: Option<u32>,
    /// Why a multi-round solver stopped.
    pub stop_reason: Option<String>,
    /// Whether the token limit cut the reply that the answer was taken from.
    pub truncated: bool,
}
