//! `chain_of_thought`: reasons in writing, then answers.

use std::sync::Arc;

use consilium_core::CaseView;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::answer_schema::reasoned_schema;
use consilium_backends::Message;
use consilium_runner::context::{CallSpec, Event, REPAIR_PROMPT, SampleEnd, SolverContext};
use consilium_runner::prompt::{PromptError, PromptLibrary, case_values};
use consilium_runner::reading::final_answer;
use consilium_runner::{Answer, Solver};

const ROLE: &str = "answer";
const PROMPT: &str = "chain_of_thought/answer";

/// Asks once for reasoning and an answer; the answer is what stands after the reasoning.
#[derive(Debug)]
pub(super) struct ChainOfThought {
    structured: bool,
}

impl ChainOfThought {
    /// With or without a schema for the reply.
    pub(super) const fn new(structured: bool) -> Self {
        Self { structured }
    }

    fn values(&self, case: &CaseView) -> Map<String, Value> {
        let mut values = case_values(case);
        values.insert("structured".to_owned(), self.structured.into());
        values
    }
}

impl Solver for ChainOfThought {
    fn name(&self) -> &'static str {
        "chain_of_thought"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[ROLE]
    }

    fn prompts(&self) -> &'static [&'static str] {
        if self.structured {
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
            let case = Arc::clone(context.case());
            let messages = context.prompt(PROMPT, &self.values(&case))?;
            let mut call = CallSpec::new(ROLE, "answer", messages);
            if self.structured {
                call = call.with_schema(reasoned_schema(&case));
            }
            let completion = context.call(call).await?;
            context.emit(Event {
                payload: completion.value.clone(),
                ..Event::new(ROLE, "answer", completion.text.as_str())
            });
            let (text, payload) = match completion.value {
                Some(value) => {
                    let field = value["answer"].as_str().map(str::to_owned);
                    (field.unwrap_or(completion.text), Some(value))
                }
                None => concluded(&completion.text, completion.truncated),
            };
            Ok(Answer {
                text: Some(text),
                payload,
                truncated: completion.truncated,
                ..Answer::default()
            })
        }
        .boxed()
    }
}

/// The last line that begins with "Answer:" and what follows it, so that no option weighed on the
/// way can be read as the answer; the reasoning goes into the payload.
///
/// A reply without such a line is left whole, and so is one that was cut: its last line may be
/// reasoning.
fn concluded(text: &str, truncated: bool) -> (String, Option<Value>) {
    match final_answer(text).filter(|_| !truncated) {
        Some(found) => {
            let (reasoning, answer) = text.split_at(found.line);
            let reasoning = reasoning.trim();
            let payload = (!reasoning.is_empty()).then(|| json!({"analysis": reasoning}));
            (answer.trim().to_owned(), payload)
        }
        None => (text.to_owned(), None),
    }
}

#[cfg(test)]
mod tests {
    use consilium_core::{AnswerForm, Outcome, SampleExecutor};

    use consilium_backends::testing::{ScriptedBackend, reply};
    use consilium_core::study::SystemSpec;
    use consilium_runner::executor::{RunExecutor, SystemParts};
    use consilium_runner::testing::{MemoryRecorder, case_view, parts, work_item};

    use super::*;

    #[test]
    fn only_what_follows_the_reasoning_is_the_answer() {
        let (answer, payload) = concluded("A lowers it.\nAnswer: A? No.\nAnswer: B\n", false);
        assert_eq!(answer, "Answer: B");
        assert_eq!(payload.unwrap()["analysis"], "A lowers it.\nAnswer: A? No.");
        assert_eq!(concluded("So it is B.", false).0, "So it is B.");
        assert_eq!(
            concluded("Answer: A\nor rather", true).0,
            "Answer: A\nor rather"
        );
        assert_eq!(concluded("Answer: B", false).1, None);
    }

    async fn solved(variant: Value, said: &str) -> (consilium_core::SampleRow, Vec<String>, Value) {
        let backend = ScriptedBackend::new([Ok(reply(said, "stop"))]);
        let recorder = Arc::new(MemoryRecorder::default());
        let spec: SystemSpec = serde_json::from_value(
            json!({"name": "cot", "solver": "chain_of_thought", "backend": "scripted",
            "variant": variant}),
        )
        .unwrap();
        let solver = crate::build(&spec).unwrap();
        let parts = parts(
            vec![SystemParts { spec, solver }],
            backend.limited(),
            &recorder,
        );
        let executor = RunExecutor::new(parts).unwrap();
        Arc::new(executor)
            .execute(work_item("cot", case_view(AnswerForm::Choice)))
            .await
            .unwrap();
        let calls = recorder.calls.lock().unwrap();
        let order = calls
            .iter()
            .map(|call| format!("{} {}", call.seq, call.purpose));
        let (_, request) = backend.requests().pop().unwrap();
        let schema = request
            .schema
            .map_or(Value::Null, |schema| schema.schema.clone());
        let sample = recorder.samples.lock().unwrap()[0].0.clone();
        (sample, order.collect(), schema)
    }

    #[tokio::test]
    async fn one_call_reasons_and_answers() {
        let (sample, order, _) = solved(json!({}), "Insulin is given last.\nAnswer: B").await;
        assert_eq!(order, ["0 answer"]);
        assert_eq!(sample.outcome, Outcome::Ok);
        assert_eq!(sample.answer.as_deref(), Some("Answer: B"));
        assert!(sample.payload.unwrap().contains("given last"));
    }

    #[tokio::test]
    async fn a_structured_reply_reasons_before_it_answers() {
        let said = r#"{"analysis": "A is older.", "answer": "B"}"#;
        let (sample, order, schema) = solved(json!({"structured": true}), said).await;
        assert_eq!(order, ["0 answer"]);
        assert_eq!(sample.answer.as_deref(), Some("B"));
        // Servers that enforce a schema write its properties in order.
        let text = schema["properties"].to_string();
        assert!(text.find("analysis") < text.find("\"answer\""), "{text}");
    }
}
