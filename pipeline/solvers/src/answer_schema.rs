//! The form of a structured answer.

use std::sync::Arc;

use consilium_core::{AnswerForm, CaseView};
use serde_json::{Map, Value, json};

use consilium_backends::OutputSchema;

/// The schema `{answer, rationale}` for a case, with `confidence` in percent where asked for; a
/// closed set of answers becomes an enumeration.
///
/// Every property is required and an optional one nullable, as servers that enforce schemas want.
pub(super) fn answer_schema(case: &CaseView, with_confidence: bool) -> Arc<OutputSchema> {
    let mut beside = vec![("rationale", json!({"type": ["string", "null"]}))];
    if with_confidence {
        let percent = json!({"type": "integer", "minimum": 0, "maximum": 100});
        beside.push(("confidence", percent));
    }
    schema(case, beside)
}

/// The schema `{analysis, answer}`: what is written first is thought first.
///
/// Properties are sent in alphabetical order, which is the order in which servers that enforce a
/// schema have them written.
pub(super) fn reasoned_schema(case: &CaseView) -> Arc<OutputSchema> {
    let analysis = json!({"type": "string", "minLength": 1});
    schema(case, vec![("analysis", analysis)])
}

fn schema(case: &CaseView, beside: Vec<(&str, Value)>) -> Arc<OutputSchema> {
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
    let mut properties = Map::new();
    properties.insert("answer".to_owned(), answer);
    for (name, property) in beside {
        properties.insert(name.to_owned(), property);
    }
    let required: Vec<&String> = properties.keys().collect();
    Arc::new(OutputSchema {
        name: "answer".to_owned(),
        schema: json!({
            "type": "object",
            "required": required,
            "properties": properties,
            "additionalProperties": false,
        }),
        answer_field: "answer".to_owned(),
    })
}
