//! The answer field of a JSON object in an answer.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use consilium_runner::reading::json_objects;

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
///
/// An object that was cut off, or is quoted as in Python, counts where the field is complete.
pub(super) fn answer_field(text: &str, names: &[&str]) -> Option<FieldValue> {
    if !text.contains('{') {
        return None;
    }
    let unclosed = text.rsplit('}').next().unwrap_or_default();
    lenient_field(unclosed, names)
        .or_else(|| strict_field(text, names))
        .or_else(|| lenient_field(text, names))
}

fn is_named(name: &str, wanted: &str) -> bool {
    name.trim().to_lowercase().replace([' ', '-'], "_") == wanted
}

fn strict_field(text: &str, names: &[&str]) -> Option<FieldValue> {
    json_objects(text).into_iter().rev().find_map(|object| {
        names.iter().find_map(|wanted| {
            object
                .iter()
                .find(|(name, _)| is_named(name, wanted))
                .map(|(name, value)| FieldValue {
                    name: name.clone(),
                    value: value.clone(),
                })
        })
    })
}

/// A quoted name with a whole quoted value or a whole number.
static FIELD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"["'](?P<name>[^"'\n]{1,40})["']\s*:\s*"#,
        r#"(?:(?:"(?P<double>(?:[^"\\\n]|\\.)*)"|'(?P<single>(?:[^'\\\n]|\\.)*)')\s*(?:[,}]|$)"#,
        // A number that ends the text may have been cut.
        r"|(?P<number>\d{1,9})\s*[,}])",
    ))
    .expect("a valid pattern")
});

fn lenient_field(text: &str, names: &[&str]) -> Option<FieldValue> {
    let (_, objects) = text.split_once('{')?;
    objects.rsplit('{').find_map(|object| {
        let fields: Vec<FieldValue> = FIELD
            .captures_iter(object)
            .filter_map(|captures| {
                let name = captures.name("name")?.as_str().to_owned();
                let value = match captures.name("number") {
                    Some(number) => Value::from(number.as_str().parse::<u64>().ok()?),
                    None => captures
                        .name("double")
                        .or_else(|| captures.name("single"))?
                        .as_str()
                        .replace('\\', "")
                        .into(),
                };
                Some(FieldValue { name, value })
            })
            .collect();
        names.iter().find_map(|wanted| {
            fields
                .iter()
                .rev()
                .find(|field| is_named(&field.name, wanted))
                .cloned()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str) -> Option<String> {
        answer_field(text, &["answer", "final_answer"]).map(|field| field.span())
    }

    #[test]
    fn the_last_object_with_a_field_is_read() {
        let text = r#"{"answer": "A"} then {"Final Answer": "B", "x": 1} and {"y": 2}"#;
        assert_eq!(span(text).as_deref(), Some(r#""Final Answer": "B""#));
        assert_eq!(span("{\"y\": 2}"), None);
    }

    #[test]
    fn a_cut_or_python_object_is_read_where_its_field_is_whole() {
        let b = Some(r#""answer": "B""#);
        for text in [
            "{'answer': 'B'}",
            r#"{"answer": "B", "confidence": 0.2"#,
            r#"{"answer": "A"} better: {"answer": "B", "why": "it"#,
            "{'why': {'x': 1}, 'answer': 'B',",
        ] {
            assert_eq!(span(text).as_deref(), b, "{text}");
        }
        for text in [
            r#"{"answer": "B"#,
            r#"{"answer": 1"#,
            r#"{"answer": "A" or "B"}"#,
            r#""answer": "B""#,
        ] {
            assert_eq!(span(text), None, "{text}");
        }
    }
}
