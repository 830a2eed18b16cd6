//! The case schema itself, as `consilium datasets import` writes it: Parquet, or the same columns as
//! JSON Lines.

use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case, ChoiceOption};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::columns::{required, texts};
use super::draft::Draft;
use super::{Adapter, SourceRow};
use crate::error::RowError;

#[derive(Debug)]
struct Cases {
    dataset: Arc<str>,
    answer_form: Option<AnswerForm>,
}

pub(super) fn build(spec: &DatasetSpec) -> Arc<dyn Adapter> {
    Arc::new(Cases {
        dataset: spec.name.as_str().into(),
        answer_form: spec.answer_form,
    })
}

impl Adapter for Cases {
    fn case(&self, row: &SourceRow) -> Result<Case, RowError> {
        let form = required(row, "answer_form")?;
        let answer_form = AnswerForm::parse(&form).ok_or_else(|| {
            RowError::new("answer_form: expected choice, label, diagnosis or text")
        })?;
        if let Some(wanted) = self.answer_form
            && wanted != answer_form
        {
            return Err(RowError::new(format!(
                "the case is of form '{form}' in a dataset of form '{}'",
                wanted.as_str()
            )));
        }
        Draft {
            dataset: Arc::clone(&self.dataset),
            case_id: required(row, "case_id")?,
            source: required(row, "source")?,
            language: required(row, "language")?,
            answer_form,
            specialty: value(row, "specialty")?,
            prevalence: value(row, "prevalence")?,
            labels: value(row, "labels")?,
            input: input(row)?,
            options: value::<Option<Vec<ChoiceOption>>>(row, "options")?.unwrap_or_default(),
            gold: texts(row, "gold")?,
            reference: value(row, "reference")?,
        }
        .finish()
    }
}

/// Parquet holds the input as JSON text, JSON Lines may hold it as an object.
fn input(row: &SourceRow) -> Result<Map<String, Value>, RowError> {
    let wrong = || RowError::new("input: expected a JSON object");
    match row.fields.get("input") {
        Some(Value::Object(fields)) => Ok(fields.clone()),
        Some(Value::String(text)) => serde_json::from_str(text).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

fn value<T: for<'de> Deserialize<'de> + Default>(
    row: &SourceRow,
    field: &str,
) -> Result<T, RowError> {
    match row.fields.get(field) {
        None | Some(Value::Null) => Ok(T::default()),
        Some(value) => T::deserialize(value)
            .map_err(|_| RowError::new(format!("{field}: not of the case schema"))),
    }
}
