//! Adapters: one source's rows as cases of the common schema.
//!
//! An adapter names the source fields that may enter `input`; no other field can reach a solver.

mod draft;
mod medqa;
mod pubmedqa;
mod table;

use std::fmt::Debug;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case};

use super::error::{DatasetError, RowError};
use super::source::SourceRow;

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
    /// Kind of answer; `None` when the study sets it.
    pub answer_form: Option<AnswerForm>,
    /// Source fields that may reach a solver.
    pub input_fields: &'static [&'static str],
    build: fn(&DatasetSpec) -> Result<Arc<dyn Adapter>, String>,
}

/// Every adapter.
pub const ADAPTERS: [AdapterInfo; 3] = [
    AdapterInfo {
        name: "medqa",
        about: "MedQA (USMLE) questions with lettered options, JSON Lines",
        answer_form: Some(AnswerForm::Choice),
        input_fields: &["question", "options"],
        build: |spec| Ok(medqa::build(spec)),
    },
    AdapterInfo {
        name: "pubmedqa",
        about: "PubMedQA's expert-labelled questions, a JSON object of objects",
        answer_form: Some(AnswerForm::Label),
        input_fields: &["QUESTION", "CONTEXTS"],
        build: |spec| Ok(pubmedqa::build(spec)),
    },
    AdapterInfo {
        name: "table",
        about: "any table, with `fields` naming the source column of each case column",
        answer_form: None,
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
    {
        let message = format!(
            "adapter '{}' gives cases of form '{}', not '{}'; leave answer_form out",
            info.name,
            own.as_str(),
            set.as_str()
        );
        return Err(settings(message));
    }
    if info.answer_form.is_some() && !spec.fields.is_empty() {
        return Err(settings(format!(
            "`fields` belongs to adapter 'table', not to '{}'",
            info.name
        )));
    }
    (info.build)(spec).map_err(settings)
}
