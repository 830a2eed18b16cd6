//! Any table, with a map from case columns to source columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::study::{DatasetSpec, FieldRule, FieldSource};
use consilium_core::{AnswerForm, Case, ChoiceOption};
use regex::Regex;
use serde_json::{Map, Value};

use super::draft::{Draft, labels, lettered};
use super::{Adapter, SourceRow};
use crate::dataset::error::{Place, RowError};
use crate::dataset::source::kind_of;

/// Case columns that `fields` may name, besides `labels.*` and `input.*`.
const COLUMNS: [&str; 11] = [
    "id",
    "question",
    "text",
    "context",
    "options",
    "gold",
    "reference",
    "specialty",
    "prevalence",
    "source",
    "language",
];

/// Case columns that enter the solver's input under their own name.
const INPUT_COLUMNS: [&str; 3] = ["question", "text", "context"];

#[derive(Debug)]
struct Table {
    dataset: Arc<str>,
    language: String,
    answer_form: AnswerForm,
    fields: Vec<(String, Field)>,
}

#[derive(Debug)]
struct Field {
    rule: FieldRule,
    capture: Option<Regex>,
}

pub(super) fn build(spec: &DatasetSpec) -> Result<Arc<dyn Adapter>, String> {
    let answer_form = spec.answer_form.ok_or(
        "adapter 'table' needs answer_form = \"choice\", \"label\", \"diagnosis\" or \"text\"",
    )?;
    if spec.fields.is_empty() {
        return Err("adapter 'table' needs fields = { question = \"column\", … }".to_owned());
    }
    for name in spec.fields.keys() {
        let free = name.starts_with("labels.") || name.starts_with("input.");
        if !free && !COLUMNS.contains(&name.as_str()) {
            return Err(format!(
                "`fields` names '{name}', which is no case column; there are {}, labels.<name> and \
                 input.<name>",
                COLUMNS.join(", ")
            ));
        }
    }
    if !spec
        .fields
        .keys()
        .any(|name| INPUT_COLUMNS.contains(&name.as_str()) || name.starts_with("input."))
    {
        return Err("`fields` gives the solver nothing: name question, text or context".to_owned());
    }
    let wanted = if answer_form == AnswerForm::Text {
        "reference"
    } else {
        "gold"
    };
    if !spec.fields.contains_key(wanted) {
        return Err(format!(
            "`fields` lacks '{wanted}', without which nothing can be scored"
        ));
    }
    let fields = spec
        .fields
        .iter()
        .map(|(name, source)| Ok((name.clone(), Field::new(name, source)?)))
        .collect::<Result<_, String>>()?;
    Ok(Arc::new(Table {
        dataset: spec.name.as_str().into(),
        language: spec.language.clone().unwrap_or_else(|| "en".to_owned()),
        answer_form,
        fields,
    }))
}

impl Field {
    fn new(name: &str, source: &FieldSource) -> Result<Self, String> {
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
        ];
        if sources.iter().filter(|set| **set).count() != 1 {
            return Err(format!(
                "field '{name}' needs one of constant, column and pointer"
            ));
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
    fn value(&self, name: &str, row: &SourceRow) -> Result<Option<Value>, RowError> {
        let found = match (&self.rule.constant, &self.rule.column, &self.rule.pointer) {
            (Some(constant), ..) => Some(constant.clone()),
            (None, Some(column), _) => row.fields.get(column).cloned(),
            (None, None, Some(pointer)) => {
                Value::Object(row.fields.clone()).pointer(pointer).cloned()
            }
            (None, None, None) => None,
        };
        let Some(value) = found.filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let value = self.reworked(name, value)?;
        Ok(Some(value).filter(|value| value.as_str().is_none_or(|text| !text.trim().is_empty())))
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

impl Adapter for Table {
    fn case(&self, row: &SourceRow) -> Result<Case, RowError> {
        let mut values: BTreeMap<&str, Value> = BTreeMap::new();
        for (name, field) in &self.fields {
            if let Some(value) = field.value(name, row)? {
                values.insert(name, value);
            }
        }
        let mut take_text = |name: &str| {
            values
                .remove(name)
                .map(|value| scalar_text(name, &value))
                .transpose()
        };
        let case_id = match take_text("id")? {
            Some(id) => id,
            None if self.fields.iter().any(|(name, _)| name == "id") => {
                return Err(RowError::new("id is missing"));
            }
            None => row.key.clone().unwrap_or_else(|| match row.place {
                Place::Line(number) | Place::Row(number) => format!("row-{number}"),
            }),
        };
        let specialty = take_text("specialty")?;
        let prevalence = take_text("prevalence")?;
        let source = take_text("source")?.unwrap_or_else(|| self.dataset.to_string());
        let language = take_text("language")?.unwrap_or_else(|| self.language.clone());
        let reference = take_text("reference")?;
        let options = match values.remove("options") {
            Some(value) => options_of(&value, self.answer_form)?,
            None => Vec::new(),
        };
        let gold = match values.remove("gold") {
            Some(Value::Array(items)) => items
                .iter()
                .map(|item| scalar_text("gold", item))
                .collect::<Result<_, _>>()?,
            Some(value) => vec![scalar_text("gold", &value)?],
            None if self.answer_form == AnswerForm::Text => Vec::new(),
            None => return Err(RowError::new("gold is missing")),
        };
        let mut input = Map::new();
        let mut labels = BTreeMap::new();
        for (name, value) in values {
            if let Some(label) = name.strip_prefix("labels.") {
                labels.insert(label.to_owned(), scalar_text(name, &value)?);
            } else {
                input.insert(
                    name.strip_prefix("input.").unwrap_or(name).to_owned(),
                    value,
                );
            }
        }
        Draft {
            dataset: Arc::clone(&self.dataset),
            case_id,
            source,
            language,
            answer_form: self.answer_form,
            specialty,
            prevalence,
            labels,
            input,
            options,
            gold,
            reference,
        }
        .finish()
    }
}

fn scalar_text(name: &str, value: &Value) -> Result<String, RowError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        other => Err(RowError::new(format!(
            "{name}: expected text, found {}",
            kind_of(other)
        ))),
    }
}

/// Options from a list of texts, an object of letter and text, or either written as JSON text.
pub(super) fn options_of(value: &Value, form: AnswerForm) -> Result<Vec<ChoiceOption>, RowError> {
    let options = match value {
        Value::Array(items) => {
            let texts: Vec<String> = items
                .iter()
                .map(|item| scalar_text("options", item))
                .collect::<Result<_, _>>()?;
            if form == AnswerForm::Choice {
                lettered(texts)?
            } else {
                labels(texts)
            }
        }
        Value::Object(fields) => fields
            .iter()
            .map(|(label, text)| {
                Ok(ChoiceOption {
                    label: label.clone(),
                    text: scalar_text("options", text)?,
                })
            })
            .collect::<Result<_, RowError>>()?,
        Value::String(text) => {
            let parsed: Value = serde_json::from_str(text).map_err(|_| {
                RowError::new(
                    "options: expected a list; for separated text use { column = …, split = … }",
                )
            })?;
            if parsed.is_string() {
                return Err(RowError::new("options: expected a list, found text"));
            }
            return options_of(&parsed, form);
        }
        other => {
            return Err(RowError::new(format!(
                "options: expected a list, found {}",
                kind_of(other)
            )));
        }
    };
    let mut seen = std::collections::BTreeSet::new();
    match options
        .iter()
        .find(|option| !seen.insert(option.label.as_str()))
    {
        Some(_) => Err(RowError::new("options: two options have the same label")),
        None => Ok(options),
    }
}
