//! A case in the making, checked and hashed in one place.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::canonical::{canonical_value_json, sha256_hex};
use consilium_core::{AnswerForm, Case, CaseView, ChoiceOption};
use serde_json::{Map, Value};

use crate::error::{RowError, RowProblem};

/// What an adapter collected of one row.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) dataset: Arc<str>,
    pub(super) case_id: String,
    pub(super) source: String,
    pub(super) language: String,
    pub(super) answer_form: AnswerForm,
    pub(super) specialty: Option<String>,
    pub(super) prevalence: Option<String>,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) input: Map<String, Value>,
    pub(super) options: Vec<ChoiceOption>,
    pub(super) gold: Vec<String>,
    pub(super) reference: Option<String>,
}

impl Draft {
    /// Checks the draft and makes a case of it.
    pub(super) fn finish(mut self) -> Result<Case, RowError> {
        if !self.input.values().any(has_text) {
            return Err(RowError::of(
                RowProblem::EmptyInput,
                "the input is empty: no question, text or context",
            ));
        }
        self.check_gold()?;
        self.recorded()
    }

    /// Makes a case of a draft that nobody will be asked: recorded scores come without text and gold.
    pub(super) fn recorded(self) -> Result<Case, RowError> {
        if self.case_id.trim().is_empty() {
            return Err(RowError::new("the identifier is empty"));
        }
        let view = CaseView {
            dataset: self.dataset,
            case_id: self.case_id.into(),
            source: self.source,
            language: self.language,
            answer_form: self.answer_form,
            specialty: self.specialty,
            prevalence: self.prevalence,
            labels: self.labels,
            input: self.input,
            options: self.options,
        };
        let sha256 = serde_json::to_value((&view, &self.gold, &self.reference))
            .map_err(|error| error.to_string())
            .and_then(|case| canonical_value_json(&case).map_err(|error| error.to_string()))
            .map(|case| sha256_hex(case.as_bytes()))
            .map_err(|error| RowError::new(format!("the row has no canonical form: {error}")))?;
        Ok(Case {
            view,
            gold: self.gold,
            reference: self.reference,
            sha256,
        })
    }

    /// Gold of a closed form must be among the options; the text of an option stands for its label.
    fn check_gold(&mut self) -> Result<(), RowError> {
        let closed = match self.answer_form {
            AnswerForm::Choice if self.options.len() < 2 => {
                return Err(RowError::new("a choice needs at least two options"));
            }
            AnswerForm::Choice => true,
            AnswerForm::Label => !self.options.is_empty(),
            AnswerForm::Diagnosis => false,
            AnswerForm::Text => {
                if self.reference.is_none() && self.gold.is_empty() {
                    return Err(RowError::new("a text case needs a reference"));
                }
                return Ok(());
            }
        };
        if self.gold.iter().all(|gold| gold.trim().is_empty()) {
            return Err(RowError::new("the gold answer is empty"));
        }
        if !closed {
            return Ok(());
        }
        for gold in &mut self.gold {
            let wanted = gold.trim();
            let option = self
                .options
                .iter()
                .find(|option| option.label == wanted)
                .or_else(|| {
                    self.options
                        .iter()
                        .find(|option| option.text.trim() == wanted)
                });
            let Some(option) = option else {
                let message = format!(
                    "the gold answer is not among the {} options",
                    self.options.len()
                );
                return Err(RowError::of(RowProblem::GoldNotAmongOptions, message));
            };
            gold.clone_from(&option.label);
        }
        Ok(())
    }
}

fn has_text(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => items.iter().any(has_text),
        Value::Object(fields) => fields.values().any(has_text),
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// Letters `A`, `B`, … for options that come without.
pub(super) fn lettered(texts: Vec<String>) -> Result<Vec<ChoiceOption>, RowError> {
    if texts.len() > 26 {
        return Err(RowError::new(format!(
            "{} options; 26 letters",
            texts.len()
        )));
    }
    Ok(('A'..='Z')
        .zip(texts)
        .map(|(letter, text)| ChoiceOption {
            label: letter.to_string(),
            text,
        })
        .collect())
}

/// Labels that mean themselves.
pub(super) fn labels(names: impl IntoIterator<Item = String>) -> Vec<ChoiceOption> {
    names
        .into_iter()
        .map(|name| ChoiceOption {
            label: name.clone(),
            text: name,
        })
        .collect()
}
