//! Adapters: one source's rows as cases of the common schema.
//!
//! An adapter names the source fields that may enter `input`; no other field can reach a solver.

mod agentclinic;
mod cases;
mod columns;
mod craftmd;
mod draft;
mod field;
mod mediq;
mod medmcqa;
mod medqa;
mod mtcmb;
mod pubmedqa;
mod table;

use std::fmt::Debug;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case};

use super::error::{DatasetError, RowError};
use super::source::SourceRow;

pub(crate) use field::Field;
pub(crate) use table::recorded_cases;

/// Makes cases of source rows.
pub trait Adapter: Debug + Send + Sync {
    /// Makes a case of one row.
    ///
    /// # Errors
    /// When the row lacks what a case needs; the message names the field.
    fn case(&self, row: &SourceRow) -> Result<Case, RowError>;
}

/// What is known of an adapter without a file.
#[derive(Clone, Copy, Debug)]
pub struct AdapterInfo {
    /// Name in study files.
    pub name: &'static str,
    /// What it reads.
    pub about: &'static str,
    /// Kind of answer unless the study says otherwise; `None` when the study or the file sets it.
    pub answer_form: Option<AnswerForm>,
    /// Other kinds that a study may set.
    pub other_forms: &'static [AnswerForm],
    /// Source fields that may reach a solver.
    pub input_fields: &'static [&'static str],
    build: fn(&DatasetSpec) -> Result<Arc<dyn Adapter>, String>,
}

/// Every adapter.
pub const ADAPTERS: [AdapterInfo; 13] = [
    AdapterInfo {
        name: "agentclinic",
        about: "AgentClinic's structured examinations with a diagnosis, JSON Lines",
        answer_form: Some(AnswerForm::Diagnosis),
        other_forms: &[],
        input_fields: &[
            "Objective_for_Doctor",
            "Patient_Actor",
            "Physical_Examination_Findings",
            "Test_Results",
        ],
        build: |spec| Ok(agentclinic::build(spec)),
    },
    AdapterInfo {
        name: "cases",
        about: "the case schema, as `datasets import` writes it, Parquet",
        answer_form: None,
        other_forms: &[],
        input_fields: &["input"],
        build: |spec| Ok(cases::build(spec)),
    },
    AdapterInfo {
        name: "craftmd",
        about: "CRAFT-MD's vignettes with four choices, CSV",
        answer_form: Some(AnswerForm::Diagnosis),
        other_forms: &[AnswerForm::Choice],
        input_fields: &[
            "case_vignette",
            "choice_1",
            "choice_2",
            "choice_3",
            "choice_4",
        ],
        build: |spec| Ok(craftmd::build(spec)),
    },
    AdapterInfo {
        name: "medmcqa",
        about: "MedMCQA's questions with four options, `cop` from 1, JSON Lines",
        answer_form: Some(AnswerForm::Choice),
        other_forms: &[],
        input_fields: &["question", "opa", "opb", "opc", "opd"],
        build: |spec| Ok(medmcqa::build(spec)),
    },
    AdapterInfo {
        name: "mediq",
        about: "mediQ's questions with sentences and atomic facts, JSON Lines",
        answer_form: Some(AnswerForm::Choice),
        other_forms: &[],
        input_fields: &["question", "context", "facts", "options"],
        build: |spec| Ok(mediq::build(spec)),
    },
    AdapterInfo {
        name: "medqa",
        about: "MedQA (USMLE) questions with lettered options, JSON Lines",
        answer_form: Some(AnswerForm::Choice),
        other_forms: &[],
        input_fields: &["question", "options"],
        build: |spec| Ok(medqa::build(spec)),
    },
    AdapterInfo {
        name: "mtcmb-choice",
        about: "MTCMB's examination questions (TCM-ED-A, TCM-ED-B, TCM-SE-B), JSON Lines",
        answer_form: Some(AnswerForm::Choice),
        other_forms: &[],
        input_fields: &["question", "options"],
        build: |spec| Ok(mtcmb::build(spec, mtcmb::Task::Choice)),
    },
    AdapterInfo {
        name: "mtcmb-diagnosis",
        about: "MTCMB's TCM-Diagnosis: findings, gold is the disease, JSON Lines",
        answer_form: Some(AnswerForm::Diagnosis),
        other_forms: &[],
        input_fields: &["question"],
        build: |spec| Ok(mtcmb::build(spec, mtcmb::Task::Diagnosis)),
    },
    AdapterInfo {
        name: "mtcmb-disease",
        about: "MTCMB's TCM-MSDD: one of four diseases of a record, JSON Lines",
        answer_form: Some(AnswerForm::Label),
        other_forms: &[],
        input_fields: &["disease_case"],
        build: |spec| Ok(mtcmb::build(spec, mtcmb::Task::Disease)),
    },
    AdapterInfo {
        name: "mtcmb-formula",
        about: "MTCMB's TCM-FRD: therapy, formula and herbs as text, JSON Lines",
        answer_form: Some(AnswerForm::Text),
        other_forms: &[],
        input_fields: &["question"],
        build: |spec| Ok(mtcmb::build(spec, mtcmb::Task::Formula)),
    },
    AdapterInfo {
        name: "mtcmb-syndrome",
        about: "MTCMB's TCM-MSDD: one of ten syndromes of a record, JSON Lines",
        answer_form: Some(AnswerForm::Label),
        other_forms: &[],
        input_fields: &["disease_case"],
        build: |spec| Ok(mtcmb::build(spec, mtcmb::Task::Syndrome)),
    },
    AdapterInfo {
        name: "pubmedqa",
        about: "PubMedQA's expert-labelled questions, a JSON object of objects",
        answer_form: Some(AnswerForm::Label),
        other_forms: &[],
        input_fields: &["QUESTION", "CONTEXTS"],
        build: |spec| Ok(pubmedqa::build(spec)),
    },
    AdapterInfo {
        name: "table",
        about: "any table, with `fields` naming the source column of each case column",
        answer_form: None,
        other_forms: &[],
        input_fields: &["columns named by the fields question, text, context, options and input.*"],
        build: table::build,
    },
];

/// The adapter a dataset names, checked against its settings.
///
/// # Errors
/// When the name is unknown or the settings do not fit.
pub fn build(spec: &DatasetSpec) -> Result<Arc<dyn Adapter>, DatasetError> {
    let settings = |message| DatasetError::Settings {
        dataset: spec.name.clone(),
        message,
    };
    let info = ADAPTERS
        .iter()
        .find(|info| info.name == spec.adapter)
        .ok_or_else(|| {
            let names: Vec<&str> = ADAPTERS.iter().map(|info| info.name).collect();
            settings(format!(
                "adapter '{}' is unknown; there are {}",
                spec.adapter,
                names.join(", ")
            ))
        })?;
    if let (Some(own), Some(set)) = (info.answer_form, spec.answer_form)
        && own != set
        && !info.other_forms.contains(&set)
    {
        let message = format!(
            "adapter '{}' gives cases of form '{}', not '{}'; leave answer_form out",
            info.name,
            own.as_str(),
            set.as_str()
        );
        return Err(settings(message));
    }
    if info.name != "table" && !spec.fields.is_empty() {
        return Err(settings(format!(
            "`fields` belongs to adapter 'table', not to '{}'",
            info.name
        )));
    }
    (info.build)(spec).map_err(settings)
}

#[cfg(test)]
mod tests;
