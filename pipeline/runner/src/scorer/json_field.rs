//! The answer field of a JSON object in an answer.

use serde_json::Value;

use crate::reading::json_objects;

/// A field that holds an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldValue {
    /// The field's name as written.
    pub(super) name: String,
    /// What it holds.
    pub(super) value: Value,
}

impl FieldValue {
    /// The field as JSON text.
    pub(super) fn span(&self) -> String {
        format!("{}: {}", Value::from(self.name.as_str()), self.value)
    }
}

/// The first of the named fields in the last object that has one; case and spaces in names do not
/// matter.
pub(super) fn answer_field(text: &str, names: &[&str]) -> Option<FieldValue> {
    if !text.contains('{') {
        return None;
    }
    json_objects(text).into_iter().rev().find_map(|object| {
        names.iter().find_map(|wanted| {
            object
                .iter()
                .find(|(name, _)| name.trim().to_lowercase().replace([' ', '-'], "_") == *wanted)
                .map(|(name, value)| FieldValue {
                    name: name.clone(),
                    value: value.clone(),
                })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_object_with_a_field_is_read() {
        let text = r#"{"answer": "A"} then {"Final Answer": "B", "x": 1} and {"y": 2}"#;
        let field = answer_field(text, &["answer", "final_answer"]).unwrap();
        assert_eq!(field.span(), r#""Final Answer": "B""#);
        assert_eq!(answer_field("{\"y\": 2}", &["answer"]), None);
    }
}
