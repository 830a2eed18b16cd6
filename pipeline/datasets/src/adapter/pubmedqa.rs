//! PubMedQA: yes, no or maybe, from the contexts of an abstract.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case};
use serde_json::Value;

use super::draft::{Draft, labels};
use super::{Adapter, SourceRow};
use crate::error::RowError;
use crate::source::kind_of;

#[derive(Debug)]
struct PubMedQa {
    dataset: Arc<str>,
    language: String,
}

pub(super) fn build(spec: &DatasetSpec) -> Arc<dyn Adapter> {
    Arc::new(PubMedQa {
        dataset: spec.name.as_str().into(),
        language: spec.language.clone().unwrap_or_else(|| "en".to_owned()),
    })
}

impl Adapter for PubMedQa {
    fn case(&self, row: &SourceRow) -> Result<Case, RowError> {
        let case_id = row.key.clone().ok_or_else(|| {
            RowError::new("the row has no PubMed identifier: expected an object of objects")
        })?;
        let text = |field: &str| match row.fields.get(field) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Err(RowError::new(format!(
                "{field}: expected text, found {}",
                kind_of(other)
            ))),
            None => Err(RowError::new(format!("{field} is missing"))),
        };
        let contexts = match row.fields.get("CONTEXTS") {
            Some(Value::Array(items)) if items.iter().all(Value::is_string) => items.clone(),
            Some(_) => return Err(RowError::new("CONTEXTS: expected a list of texts")),
            None => return Err(RowError::new("CONTEXTS is missing")),
        };
        let mut input = serde_json::Map::new();
        input.insert("question".to_owned(), Value::String(text("QUESTION")?));
        input.insert("context".to_owned(), Value::Array(contexts));
        Draft {
            dataset: Arc::clone(&self.dataset),
            case_id,
            source: "PubMedQA".to_owned(),
            language: self.language.clone(),
            answer_form: AnswerForm::Label,
            specialty: None,
            prevalence: None,
            labels: BTreeMap::new(),
            input,
            options: labels(["yes", "no", "maybe"].map(str::to_owned)),
            gold: vec![text("final_decision")?],
            reference: row
                .fields
                .get("LONG_ANSWER")
                .and_then(Value::as_str)
                .map(str::to_owned),
        }
        .finish()
    }
}
