//! The form of a structured answer.

use std::sync::Arc;

use consilium_core::{AnswerForm, CaseView};
use serde_json::{Value, json};

use crate::backend::OutputSchema;

/// The schema `{answer, rationale}` for a case; a closed set of answers becomes an enumeration.
///
/// Every property is required and an optional one nullable, as servers that enforce schemas want.
pub(super) fn answer_schema(case: &CaseView) -> Arc<OutputSchema> {
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
    Arc::new(OutputSchema {
        name: "answer".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {"answer": answer, "rationale": {"type": ["string", "null"]}},
            "required": ["answer", "rationale"],
            "additionalProperties": false,
        }),
        answer_field: "answer".to_owned(),
    })
}
