//! Any table, with a map from case columns to source columns.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case, ChoiceOption};
use serde_json::{Map, Value};

use super::draft::{Draft, labels, lettered};
use super::field::{Field, scalar_text};
use super::{Adapter, SourceRow};
use crate::error::{Place, RowError};
use crate::source::kind_of;

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
    /// Whether the cases were asked elsewhere, so that text and gold may be lacking.
    recorded: bool,
}

pub(super) fn build(spec: &DatasetSpec) -> Result<Arc<dyn Adapter>, String> {
    let answer_form = spec.answer_form.ok_or(
        "adapter 'table' needs answer_form = \"choice\", \"label\", \"diagnosis\" or \"text\"",
    )?;
    if spec.fields.is_empty() {
        return Err("adapter 'table' needs fields = { question = \"column\", … }".to_owned());
    }
    let table = Table::new(spec, answer_form, false)?;
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
    Ok(Arc::new(table))
}

/// Cases out of the rows of a log: of form `text` unless the study says otherwise, with whatever of
/// text, gold and subgroups the log holds.
pub(crate) fn recorded_cases(spec: &DatasetSpec) -> Result<Arc<dyn Adapter>, String> {
    let form = spec.answer_form.unwrap_or(AnswerForm::Text);
    Ok(Arc::new(Table::new(spec, form, true)?))
}

impl Table {
    fn new(spec: &DatasetSpec, answer_form: AnswerForm, recorded: bool) -> Result<Self, String> {
        for name in spec.fields.keys() {
            let free = name.starts_with("labels.") || name.starts_with("input.");
            if !free && !COLUMNS.contains(&name.as_str()) {
                return Err(format!(
                    "`fields` names '{name}', which is no case column; there are {}, labels.<name> \
                     and input.<name>",
                    COLUMNS.join(", ")
                ));
            }
        }
        let fields = spec
            .fields
            .iter()
            .map(|(name, source)| Ok((name.clone(), Field::new(name, source)?)))
            .collect::<Result<_, String>>()?;
        Ok(Self {
            dataset: spec.name.as_str().into(),
            language: spec.language.clone().unwrap_or_else(|| "en".to_owned()),
            answer_form,
            fields,
            recorded,
        })
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
            None if self.answer_form == AnswerForm::Text || self.recorded => Vec::new(),
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
        let draft = Draft {
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
        };
        if self.recorded {
            return draft.recorded();
        }
        draft.finish()
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
