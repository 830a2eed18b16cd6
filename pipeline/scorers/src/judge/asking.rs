//! The calls about one answer: one for each accepted label, until one is the same.

use std::sync::{Arc, LazyLock};

use consilium_core::RunStopped;
use serde_json::{Value, json};

use super::Judge;
use consilium_backends::OutputSchema;
use consilium_runner::context::{CallSpec, SampleEnd, SolverContext};

/// Role, agent and purpose of a judge's calls.
pub(super) const ROLE: &str = "judge";

/// Prompt of a judge's calls.
pub(super) const PROMPT: &str = "judge/same";

/// The form of a verdict. In alphabetical order, so that the explanation is written first.
static SCHEMA: LazyLock<Arc<OutputSchema>> = LazyLock::new(|| {
    Arc::new(OutputSchema {
        name: "verdict".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {"explanation": {"type": "string"}, "same": {"type": "boolean"}},
            "required": ["explanation", "same"],
            "additionalProperties": false,
        }),
        answer_field: "same".to_owned(),
    })
});

/// What the judge says of a diagnosis.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is this accepted label.
    Same { label: String, explanation: String },
    /// It is none of them.
    Different { explanation: String },
    /// A call gave no verdict and no other label is the same.
    Failed { message: String },
}

/// What fills in the judge's prompt.
pub(super) fn values(rule: &str, predicted: &str, gold: &str) -> Value {
    json!({"rule": rule, "predicted": predicted, "gold": gold})
}

/// Asks about one label after the other and stops at the first that is the same.
///
/// A failed call decides nothing: the next labels are still asked, since one of them may be the same.
pub(super) async fn ask(
    judge: &Judge,
    context: &mut SolverContext,
    predicted: &str,
    gold: &[String],
) -> Result<Verdict, RunStopped> {
    let rule = judge.policy().rule(context.language()).to_owned();
    let mut failed = None;
    let mut explanations = Vec::new();
    for (at, label) in gold.iter().enumerate() {
        let expected = judge.expected(predicted, label);
        let answer = async {
            let messages = context.prompt(PROMPT, &values(&rule, predicted, label))?;
            let call = CallSpec {
                round: u32::try_from(at + 1).ok(),
                verdict: Some(expected),
                ..CallSpec::new(ROLE, ROLE, messages).with_schema(Arc::clone(&SCHEMA))
            };
            context.call(call).await
        };
        let value = match answer.await {
            Ok(completion) => completion.value.unwrap_or_default(),
            Err(SampleEnd::Stopped(stopped)) => return Err(stopped),
            Err(SampleEnd::Ended { ending }) => {
                let cause = ending.message.map(|message| format!(": {message}"));
                failed.get_or_insert_with(|| {
                    format!(
                        "label {}: {}{}",
                        at + 1,
                        ending.outcome,
                        cause.unwrap_or_default()
                    )
                });
                continue;
            }
        };
        let explanation = value["explanation"].as_str().unwrap_or_default().to_owned();
        if value["same"] == Value::Bool(true) {
            return Ok(Verdict::Same {
                label: label.clone(),
                explanation,
            });
        }
        explanations.push(explanation);
    }
    Ok(match failed {
        Some(message) => Verdict::Failed { message },
        None => Verdict::Different {
            explanation: explanations.join("\n"),
        },
    })
}
