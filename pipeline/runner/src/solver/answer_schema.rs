//! The form of a structured answer.

use std::sync::Arc;

use consilium_core::{AnswerForm, CaseView};
use serde_json::{Value, json};

use crate::backend::OutputSchema;

/// The schema `{answer, rationale}` for a case, with `confidence` in percent where asked for; a
/// closed set of answers becomes an enumeration.
///
/// Every property is required and an optional one nullable, as servers that enforce schemas want.
pub(super) fn answer_schema(case: &CaseView, with_confidence: bool) -> Arc<OutputSchema> {
    let closed = matches!(case.answer_form, AnswerForm::Choice | AnswerForm::Label);
    let mut answer = json!({"type": "string"});
    if closed && !case.options.is_empty() {
        let labels: Vec<&str> = case
            .options
            .iter()
            .map(|option| option.label.as_str())
            .collect();
        answer["enum"] = json!(labels);
    } else {
        answer["minLength"] = Value::from(1);
    }
    let mut schema = json!({
        "type": "object",
        "properties": {"answer": answer, "rationale": {"type": ["string", "null"]}},
        "required": ["answer", "rationale"],
        "additionalProperties": false,
    });
    if with_confidence {
        schema["properties"]["confidence"] =
            json!({"type": "integer", "minimum": 0, "maximum": 100});
        schema["required"] = json!(["answer", "rationale", "confidence"]);
    }
    Arc::new(OutputSchema {
        name: "answer".to_owned(),
        schema,
        answer_field: "answer".to_owned(),
    })
}
