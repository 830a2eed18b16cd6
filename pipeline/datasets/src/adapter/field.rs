//! One case column out of a source row, by the rule that a study gives.

use consilium_core::study::{FieldRule, FieldSource};
use regex::Regex;
use serde_json::Value;

use crate::error::RowError;
use crate::source::{SourceRow, kind_of};

/// A rule, checked once and applied to every row.
#[derive(Debug)]
pub(crate) struct Field {
    rule: FieldRule,
    capture: Option<Regex>,
}

impl Field {
    /// Checks a rule; `name` is for messages.
    pub(crate) fn new(name: &str, source: &FieldSource) -> Result<Self, String> {
        let rule = match source {
            FieldSource::Column(column) => FieldRule {
                column: Some(column.clone()),
                ..FieldRule::default()
            },
            FieldSource::Rule(rule) => rule.clone(),
        };
        let sources = [
            rule.constant.is_some(),
            rule.column.is_some(),
            rule.pointer.is_some(),
            !rule.columns.is_empty(),
        ];
        if sources.iter().filter(|set| **set).count() != 1 {
            return Err(format!(
                "field '{name}' needs one of constant, column, columns and pointer"
            ));
        }
        if let Some(pointer) = &rule.pointer
            && !pointer.is_empty()
            && !pointer.starts_with('/')
        {
            return Err(format!(
                "field '{name}': pointer '{pointer}' must begin with '/', for example '/{pointer}'"
            ));
        }
        if rule.split.as_deref() == Some("") {
            return Err(format!("field '{name}': split is empty"));
        }
        let capture = rule
            .capture
            .as_deref()
            .map(Regex::new)
            .transpose()
            .map_err(|error| {
                format!("field '{name}': capture is no regular expression: {error}")
            })?;
        Ok(Self { rule, capture })
    }

    /// The value of the field in a row; `None` when the row lacks it or it is null or empty text.
    pub(crate) fn value(&self, name: &str, row: &SourceRow) -> Result<Option<Value>, RowError> {
        let Some(value) = self.found(row).filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let value = self.reworked(name, value)?;
        Ok(Some(value).filter(|value| value.as_str().is_none_or(|text| !text.trim().is_empty())))
    }

    /// As [`Self::value`], read as text.
    pub(crate) fn text(&self, name: &str, row: &SourceRow) -> Result<Option<String>, RowError> {
        self.value(name, row)?
            .map(|value| scalar_text(name, &value))
            .transpose()
    }

    fn found(&self, row: &SourceRow) -> Option<Value> {
        let rule = &self.rule;
        if let Some(constant) = &rule.constant {
            return Some(constant.clone());
        }
        if let Some(column) = &rule.column {
            return row.fields.get(column).cloned();
        }
        if let Some(pointer) = &rule.pointer {
            return pointed(row, pointer);
        }
        let present: Vec<Value> = rule
            .columns
            .iter()
            .filter_map(|column| row.fields.get(column))
            .filter(|value| !value.is_null() && value.as_str() != Some(""))
            .cloned()
            .collect();
        (!present.is_empty()).then_some(Value::Array(present))
    }

    fn reworked(&self, name: &str, value: Value) -> Result<Value, RowError> {
        let rule = &self.rule;
        if rule.split.is_none() && self.capture.is_none() && rule.map.is_empty() {
            return Ok(value);
        }
        match value {
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.reworked(name, item))
                .collect::<Result<Vec<_>, _>>()
                .map(Value::Array),
            Value::String(text) => match &rule.split {
                Some(separator) => text
                    .split(separator.as_str())
                    .map(str::trim)
                    .filter(|part| !part.is_empty())
                    .map(|part| self.captured_and_mapped(name, part))
                    .collect::<Result<Vec<_>, _>>()
                    .map(Value::Array),
                None => self.captured_and_mapped(name, &text),
            },
            Value::Number(_) | Value::Bool(_) => self.captured_and_mapped(name, &value.to_string()),
            other => Err(RowError::new(format!(
                "{name}: expected text, found {}",
                kind_of(&other)
            ))),
        }
    }

    fn captured_and_mapped(&self, name: &str, text: &str) -> Result<Value, RowError> {
        let text = match &self.capture {
            Some(pattern) => {
                let groups = pattern.captures(text).ok_or_else(|| {
                    RowError::new(format!("{name}: the text does not match its capture"))
                })?;
                groups
                    .get(1)
                    .or_else(|| groups.get(0))
                    .map_or("", |found| found.as_str())
            }
            None => text,
        };
        if self.rule.map.is_empty() {
            return Ok(Value::String(text.to_owned()));
        }
        match self.rule.map.get(text) {
            Some(mapped) => Ok(Value::String(mapped.clone())),
            None => Err(RowError::new(format!(
                "{name}: the value is not in its map"
            ))),
        }
    }
}

/// The value a JSON pointer names. A cell of a CSV file that holds JSON is entered as well.
fn pointed(row: &SourceRow, pointer: &str) -> Option<Value> {
    let (first, rest) = match pointer.strip_prefix('/') {
        None => return Some(Value::Object(row.fields.clone())),
        Some(path) => match path.find('/') {
            Some(slash) => (&path[..slash], &path[slash..]),
            None => (path, ""),
        },
    };
    let name = first.replace("~1", "/").replace("~0", "~");
    let value = row.fields.get(&name)?;
    if let (Value::String(text), false) = (value, rest.is_empty()) {
        return serde_json::from_str::<Value>(text)
            .ok()?
            .pointer(rest)
            .cloned();
    }
    value.pointer(rest).cloned()
}

/// A scalar as text.
pub(super) fn scalar_text(name: &str, value: &Value) -> Result<String, RowError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        other => Err(RowError::new(format!(
            "{name}: expected text, found {}",
            kind_of(other)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::Place;

    fn row() -> SourceRow {
        let Value::Object(fields) = json!({
            "id": 7, "name": "Gout", "empty": "  ", "null": null, "codes": "A1; b2;;C3",
            "nested": {"a/b": [{"x": "deep"}], "n": 1.5}, "cell": "{\"k\":[\"in\",\"cell\"]}",
            "opa": "one", "opb": "two", "opc": "", "grade": "2", "grades": ["1", "2"], "yes": true,
        }) else {
            unreachable!()
        };
        SourceRow {
            place: Place::Line(1),
            key: None,
            fields,
        }
    }

    fn value(rule: Value) -> Result<Option<Value>, String> {
        let source: FieldSource = serde_json::from_value(rule).unwrap();
        let field = Field::new("f", &source)?;
        field.value("f", &row()).map_err(|error| error.message)
    }

    #[test]
    fn a_column_is_renamed_as_it_is() {
        assert_eq!(value(json!("id")), Ok(Some(json!(7))));
        assert_eq!(value(json!({"column": "name"})), Ok(Some(json!("Gout"))));
        for absent in ["empty", "null", "no such"] {
            assert_eq!(value(json!(absent)), Ok(None), "{absent}");
        }
    }

    #[test]
    fn a_pointer_enters_objects_lists_escapes_and_json_cells() {
        for (pointer, found) in [
            ("/nested/a~1b/0/x", Some(json!("deep"))),
            ("/nested/n", Some(json!(1.5))),
            ("/cell/k/1", Some(json!("cell"))),
            ("/name", Some(json!("Gout"))),
            ("/name/x", None),
            ("/nested/9", None),
        ] {
            assert_eq!(value(json!({"pointer": pointer})), Ok(found), "{pointer}");
        }
        assert!(
            value(json!({"pointer": "nested"}))
                .unwrap_err()
                .contains("must begin with '/'")
        );
    }

    #[test]
    fn a_constant_is_the_same_for_every_row() {
        assert_eq!(value(json!({"constant": "zh"})), Ok(Some(json!("zh"))));
        assert_eq!(
            value(json!({"constant": ["a", "b"]})),
            Ok(Some(json!(["a", "b"])))
        );
    }

    #[test]
    fn several_columns_are_a_list_of_those_that_are_filled() {
        assert_eq!(
            value(json!({"columns": ["opa", "opb", "opc", "null"]})),
            Ok(Some(json!(["one", "two"])))
        );
        assert_eq!(value(json!({"columns": ["opc"]})), Ok(None));
    }

    #[test]
    fn split_then_capture_then_map_rework_each_part() {
        assert_eq!(
            value(json!({"column": "codes", "split": ";"})),
            Ok(Some(json!(["A1", "b2", "C3"])))
        );
        assert_eq!(
            value(json!({"column": "codes", "split": ";", "capture": "^(?i)[a-z]([0-9])$"})),
            Ok(Some(json!(["1", "2", "3"])))
        );
        assert_eq!(
            value(
                json!({"column": "codes", "split": ";", "capture": "[0-9]", "map": {"1": "one", "2": "two", "3": "three"}})
            ),
            Ok(Some(json!(["one", "two", "three"])))
        );
    }

    #[test]
    fn a_capture_without_a_group_keeps_the_match_and_a_miss_is_an_error() {
        assert_eq!(
            value(json!({"column": "name", "capture": "^G."})),
            Ok(Some(json!("Go")))
        );
        assert_eq!(
            value(json!({"column": "name", "capture": "^x"})),
            Err("f: the text does not match its capture".to_owned())
        );
        assert!(
            value(json!({"column": "name", "capture": "("}))
                .unwrap_err()
                .contains("no regular expression")
        );
    }

    #[test]
    fn a_map_takes_numbers_and_lists_and_refuses_the_unlisted() {
        let map = json!({"1": "A", "2": "B", "7": "G", "true": "T"});
        for (column, mapped) in [
            ("grade", json!("B")),
            ("grades", json!(["A", "B"])),
            ("id", json!("G")),
            ("yes", json!("T")),
        ] {
            assert_eq!(
                value(json!({"column": column, "map": map})),
                Ok(Some(mapped))
            );
        }
        assert_eq!(
            value(json!({"column": "name", "map": map})),
            Err("f: the value is not in its map".to_owned())
        );
        assert_eq!(
            value(json!({"column": "nested", "map": map})),
            Err("f: expected text, found an object".to_owned())
        );
    }

    #[test]
    fn exactly_one_source_is_needed() {
        for rule in [
            json!({"split": ";"}),
            json!({"column": "a", "pointer": "/a"}),
            json!({"columns": ["a"], "constant": 1}),
        ] {
            assert!(value(rule).unwrap_err().contains("needs one of"));
        }
        assert!(
            value(json!({"column": "a", "split": ""}))
                .unwrap_err()
                .contains("split is empty")
        );
    }
}
