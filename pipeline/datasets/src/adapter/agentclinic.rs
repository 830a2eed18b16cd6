//! AgentClinic: structured examinations (OSCE) with a patient to play, findings, tests and a
//! diagnosis.
//!
//! `patient`, `examination` and `tests` stay objects in the input, for solvers that play roles;
//! `text` holds the same as lines, for those that read a case at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case};
use serde_json::{Map, Value};

use super::columns::{outline, position};
use super::draft::Draft;
use super::{Adapter, SourceRow};
use crate::error::RowError;

/// Source field, input field and heading of each section that a solver may see.
const SECTIONS: [(&str, &str, &str); 3] = [
    ("Patient_Actor", "patient", "Patient"),
    (
        "Physical_Examination_Findings",
        "examination",
        "Physical examination",
    ),
    ("Test_Results", "tests", "Test results"),
];

#[derive(Debug)]
struct AgentClinic {
    dataset: Arc<str>,
    language: String,
}

pub(super) fn build(spec: &DatasetSpec) -> Arc<dyn Adapter> {
    Arc::new(AgentClinic {
        dataset: spec.name.as_str().into(),
        language: spec.language.clone().unwrap_or_else(|| "en".to_owned()),
    })
}

impl Adapter for AgentClinic {
    fn case(&self, row: &SourceRow) -> Result<Case, RowError> {
        let osce = row
            .fields
            .get("OSCE_Examination")
            .and_then(Value::as_object)
            .ok_or_else(|| RowError::new("OSCE_Examination is missing or no object"))?;
        let mut input = Map::new();
        let mut text = String::new();
        for (field, name, heading) in SECTIONS {
            let Some(section) = osce.get(field) else {
                return Err(RowError::new(format!(
                    "OSCE_Examination.{field} is missing"
                )));
            };
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(heading);
            text.push('\n');
            text.push_str(&outline(section));
            input.insert(name.to_owned(), section.clone());
        }
        input.insert("text".to_owned(), Value::String(text));
        if let Some(objective) = osce.get("Objective_for_Doctor").and_then(Value::as_str) {
            input.insert("question".to_owned(), Value::String(objective.to_owned()));
        }
        let gold = osce
            .get("Correct_Diagnosis")
            .and_then(Value::as_str)
            .ok_or_else(|| RowError::new("OSCE_Examination.Correct_Diagnosis is missing"))?;
        Draft {
            dataset: Arc::clone(&self.dataset),
            case_id: position("agentclinic", row.place),
            source: "AgentClinic".to_owned(),
            language: self.language.clone(),
            answer_form: AnswerForm::Diagnosis,
            specialty: None,
            prevalence: None,
            labels: BTreeMap::new(),
            input,
            options: Vec::new(),
            gold: vec![gold.trim().to_owned()],
            reference: None,
        }
        .finish()
    }
}
