//! Reading the fields of a source row by name.

use serde_json::Value;

use crate::error::{Place, RowError};
use crate::source::{SourceRow, kind_of};

/// A text field; `None` when the row lacks it, or it is null or blank.
pub(super) fn optional(row: &SourceRow, field: &str) -> Option<String> {
    row.fields
        .get(field)
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
        .map(str::to_owned)
}

/// A text field without which there is no case.
pub(super) fn required(row: &SourceRow, field: &str) -> Result<String, RowError> {
    match row.fields.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Err(RowError::new(format!(
            "{field}: expected text, found {}",
            kind_of(other)
        ))),
        None => Err(RowError::new(format!("{field} is missing"))),
    }
}

/// A list of texts; empty when the row lacks it.
pub(super) fn texts(row: &SourceRow, field: &str) -> Result<Vec<String>, RowError> {
    let Some(value) = row.fields.get(field) else {
        return Ok(Vec::new());
    };
    let texts = value.as_array().and_then(|items| {
        items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
    });
    texts.ok_or_else(|| RowError::new(format!("{field}: expected a list of texts")))
}

/// The identifier of a row whose file numbers its rows, as text.
pub(super) fn identifier(row: &SourceRow, field: &str) -> Result<String, RowError> {
    match row.fields.get(field) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Number(number)) => Ok(number.to_string()),
        Some(other) => Err(RowError::new(format!(
            "{field}: expected text or a number, found {}",
            kind_of(other)
        ))),
        None => Err(RowError::new(format!("{field} is missing"))),
    }
}

/// An identifier for a row whose file has none: its position, as the literature counts.
pub(super) fn position(prefix: &str, place: Place) -> String {
    match place {
        Place::Line(number) | Place::Row(number) => format!("{prefix}-{number}"),
    }
}

/// An object as lines of `name: value`, nested ones indented, underscores read as spaces.
pub(super) fn outline(value: &Value) -> String {
    let mut lines = Vec::new();
    write_outline(value, 0, &mut lines);
    lines.join("\n")
}

fn write_outline(value: &Value, depth: usize, lines: &mut Vec<String>) {
    let Value::Object(fields) = value else {
        lines.push(format!("{}{}", "  ".repeat(depth), inline(value)));
        return;
    };
    for (name, value) in fields {
        let name = name.replace('_', " ");
        let indent = "  ".repeat(depth);
        if value.is_object() {
            lines.push(format!("{indent}{name}:"));
            write_outline(value, depth + 1, lines);
        } else {
            lines.push(format!("{indent}{name}: {}", inline(value)));
        }
    }
}

fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(items) => items.iter().map(inline).collect::<Vec<_>>().join("; "),
        Value::Null => "not recorded".to_owned(),
        other => other.to_string(),
    }
}
