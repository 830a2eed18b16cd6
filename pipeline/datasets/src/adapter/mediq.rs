//! mediQ: MedQA and CRAFT-MD cases as sentences and atomic facts, for an interactive patient.
//!
//! `facts` are input: a simulated patient answers from them. Specialties, subspecialties, sex and
//! age are labels. Where the text of `answer` is that of another option than `answer_idx` names,
//! the text is believed: the letters were assigned afterwards.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case};
use serde_json::{Map, Value};

use super::columns::{identifier, optional, required, texts};
use super::draft::Draft;
use super::table::options_of;
use super::{Adapter, SourceRow};
use crate::error::RowError;

#[derive(Debug)]
struct MediQ {
    dataset: Arc<str>,
    language: String,
}

pub(super) fn build(spec: &DatasetSpec) -> Arc<dyn Adapter> {
    Arc::new(MediQ {
        dataset: spec.name.as_str().into(),
        language: spec.language.clone().unwrap_or_else(|| "en".to_owned()),
    })
}

impl Adapter for MediQ {
    fn case(&self, row: &SourceRow) -> Result<Case, RowError> {
        let mut input = Map::new();
        input.insert(
            "question".to_owned(),
            Value::String(required(row, "question")?),
        );
        for field in ["context", "facts"] {
            let list = texts(row, field)?;
            if !list.is_empty() {
                input.insert(field.to_owned(), list.into());
            }
        }
        let options = row
            .fields
            .get("options")
            .ok_or_else(|| RowError::new("options is missing"))?;
        let options = options_of(options, AnswerForm::Choice)?;
        let letter = optional(row, "answer_idx");
        let answer = optional(row, "answer");
        let named = answer.as_deref().and_then(|answer| {
            options
                .iter()
                .find(|option| option.text.trim() == answer.trim())
        });
        let gold = named
            .map(|option| option.label.clone())
            .or(letter)
            .or(answer)
            .ok_or_else(|| RowError::new("answer and answer_idx are missing"))?;
        let patient = row.fields.get("patient").and_then(Value::as_object);
        Draft {
            dataset: Arc::clone(&self.dataset),
            case_id: identifier(row, "id")?,
            source: "mediQ".to_owned(),
            language: self.language.clone(),
            answer_form: AnswerForm::Choice,
            specialty: patient
                .and_then(|patient| patient.get("gpt_specialty")?.as_str())
                .map(named_specialty),
            prevalence: None,
            labels: patient.map(patient_labels).unwrap_or_default(),
            input,
            options,
            gold: vec![gold],
            reference: None,
        }
        .finish()
    }
}

/// Subgroup labels of a patient; lists are joined by semicolons.
fn patient_labels(patient: &Map<String, Value>) -> BTreeMap<String, String> {
    let mut labels = BTreeMap::new();
    if let Some(age) = patient.get("age").and_then(Value::as_str)
        && age.chars().any(|c| c.is_ascii_digit())
    {
        labels.insert("age".to_owned(), age.trim().to_owned());
    }
    let sex = patient.get("gender").and_then(Value::as_str);
    if let Some(sex @ ("male" | "female")) =
        sex.map(str::to_ascii_lowercase).as_deref().map(str::trim)
    {
        labels.insert("sex".to_owned(), sex.to_owned());
    }
    for field in ["specialties", "subspecialties"] {
        let mut names: Vec<String> = Vec::new();
        for name in patient
            .get(field)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(named_specialty)
        {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        if !names.is_empty() {
            labels.insert(field.to_owned(), names.join("; "));
        }
    }
    labels
}

/// The name in a reply that a model gave as a sentence: "…the most relevant specialty would be X."
fn named_specialty(text: &str) -> String {
    let name = text
        .rsplit_once("specialty would be ")
        .map_or(text, |(_, name)| name);
    name.trim().trim_end_matches('.').to_owned()
}
