//! What a prompt may show of a case.

use consilium_core::CaseView;
use serde_json::{Map, Value, json};

/// The values every prompt about a case is given; an absent one is null, never undefined.
pub fn case_values(case: &CaseView) -> Map<String, Value> {
    let options: Vec<Value> = case
        .options
        .iter()
        .map(|option| json!({"label": option.label, "text": option.text}))
        .collect();
    let mut values = Map::new();
    for field in ["question", "text", "context"] {
        values.insert(
            field.to_owned(),
            case.input_text(field).map_or(Value::Null, Value::from),
        );
    }
    values.insert("answer_form".to_owned(), case.answer_form.as_str().into());
    values.insert("language".to_owned(), case.language.as_str().into());
    values.insert("options".to_owned(), options.into());
    values
}
