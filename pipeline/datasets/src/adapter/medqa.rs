//! MedQA (USMLE): a vignette with a question and lettered options.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case};
use serde_json::Value;

use super::draft::Draft;
use super::table::options_of;
use super::{Adapter, SourceRow};
use crate::error::{Place, RowError};

#[derive(Debug)]
struct MedQa {
    dataset: Arc<str>,
    language: String,
}

pub(super) fn build(spec: &DatasetSpec) -> Arc<dyn Adapter> {
    Arc::new(MedQa {
        dataset: spec.name.as_str().into(),
        language: spec.language.clone().unwrap_or_else(|| "en".to_owned()),
    })
}

impl Adapter for MedQa {
    fn case(&self, row: &SourceRow) -> Result<Case, RowError> {
        let text = |field: &str| {
            row.fields
                .get(field)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        // The files carry no identifier: the position in the file is one, as the literature counts.
        let case_id = match (text("id"), row.place) {
            (Some(id), _) => id,
            (None, Place::Line(number) | Place::Row(number)) => format!("medqa-{number}"),
        };
        let question = text("question").ok_or_else(|| RowError::new("question is missing"))?;
        let options = options_of(
            row.fields
                .get("options")
                .ok_or_else(|| RowError::new("options is missing"))?,
            AnswerForm::Choice,
        )?;
        let gold = text("answer_idx")
            .or_else(|| text("answer"))
            .ok_or_else(|| RowError::new("answer_idx and answer are missing"))?;
        let mut input = serde_json::Map::new();
        input.insert("question".to_owned(), Value::String(question));
        let labels = text("meta_info")
            .map(|step| ("step".to_owned(), step))
            .into_iter();
        Draft {
            dataset: Arc::clone(&self.dataset),
            case_id,
            source: "MedQA".to_owned(),
            language: self.language.clone(),
            answer_form: AnswerForm::Choice,
            specialty: None,
            prevalence: None,
            labels: labels.collect::<BTreeMap<_, _>>(),
            input,
            options,
            gold: vec![gold],
            reference: None,
        }
        .finish()
    }
}
