//! `direct`: one question, one answer.

use consilium_core::CaseView;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::answer_schema::answer_schema;
use consilium_backends::Message;
use consilium_runner::context::{CallSpec, Event, REPAIR_PROMPT, SampleEnd, SolverContext};
use consilium_runner::prompt::{PromptError, PromptLibrary, case_values};
use consilium_runner::{Answer, Solver};

const ROLE: &str = "answer";
const PROMPT: &str = "direct/answer";

/// Asks once; the answer is the reply, or the answer field of a structured one.
#[derive(Debug)]
pub(super) struct Direct {
    form: ReplyForm,
}

/// The form of the reply that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyForm {
    /// Prose that ends with the answer.
    Text,
    /// JSON by schema.
    Structured,
    /// JSON by schema, with how sure the model is.
    StructuredWithConfidence,
}

impl Direct {
    /// A solver that asks for this form of reply.
    pub(super) const fn new(form: ReplyForm) -> Self {
        Self { form }
    }

    fn is_structured(&self) -> bool {
        self.form != ReplyForm::Text
    }

    fn values(&self, case: &CaseView) -> Map<String, Value> {
        let mut values = case_values(case);
        values.insert("structured".to_owned(), self.is_structured().into());
        let with_confidence = self.form == ReplyForm::StructuredWithConfidence;
        values.insert("confidence".to_owned(), with_confidence.into());
        values
    }
}

impl Solver for Direct {
    fn name(&self) -> &'static str {
        "direct"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[ROLE]
    }

    fn prompts(&self) -> &'static [&'static str] {
        if self.is_structured() {
            &[PROMPT, REPAIR_PROMPT]
        } else {
            &[PROMPT]
        }
    }

    fn preview(
        &self,
        prompts: &PromptLibrary,
        case: &CaseView,
    ) -> Result<Option<Vec<Message>>, PromptError> {
        let prompt = prompts.render(PROMPT, &case.language, &self.values(case))?;
        Ok(Some(prompt.messages()))
    }

    fn solve<'a>(
        &'a self,
        context: &'a mut SolverContext,
    ) -> BoxFuture<'a, Result<Answer, SampleEnd>> {
        async move {
            let case = std::sync::Arc::clone(context.case());
            let messages = context.prompt(PROMPT, &self.values(&case))?;
            let mut call = CallSpec::new(ROLE, "answer", messages);
            if self.is_structured() {
                let with_confidence = self.form == ReplyForm::StructuredWithConfidence;
                call = call.with_schema(answer_schema(&case, with_confidence));
            }
            let completion = context.call(call).await?;
            context.emit(Event {
                payload: completion.value.clone(),
                ..Event::new(ROLE, "answer", completion.text.as_str())
            });
            let field = completion
                .value
                .as_ref()
                .and_then(|value| value["answer"].as_str());
            Ok(Answer {
                text: Some(field.map_or(completion.text, str::to_owned)),
                payload: completion.value,
                truncated: completion.truncated,
                ..Answer::default()
            })
        }
        .boxed()
    }
}
