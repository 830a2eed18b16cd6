//! Dataset items, with and without their gold.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The kind of answer a case asks for.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum AnswerForm {
    /// One letter among lettered options.
    Choice,
    /// One label among a closed set of labels.
    Label,
    /// The name of a disease, free text.
    Diagnosis,
    /// Free text compared with a reference.
    Text,
}

impl AnswerForm {
    /// The name used in files and on screen.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Choice => "choice",
            Self::Label => "label",
            Self::Diagnosis => "diagnosis",
            Self::Text => "text",
        }
    }

    /// Reads the name used in files.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Choice, Self::Label, Self::Diagnosis, Self::Text]
            .into_iter()
            .find(|form| form.as_str() == text)
    }
}

/// One selectable option of a case.
///
/// For [`AnswerForm::Choice`] `label` is the letter; for [`AnswerForm::Label`] it is the label and
/// `text` may repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceOption {
    /// What is answered.
    pub label: String,
    /// What it means.
    pub text: String,
}

/// One dataset item with its gold answer; reaches scorers only.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// What a solver may see.
    pub view: CaseView,
    /// The accepted answers, the preferred one first. For choices the letter, for labels the label.
    pub gold: Vec<String>,
    /// A reference answer in prose, for text metrics.
    pub reference: Option<String>,
    /// SHA-256 over the canonical JSON of everything above.
    pub sha256: String,
}

/// A case without gold: the only form of a case that enters the fan-out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseView {
    /// Name of the dataset in the study.
    pub dataset: Arc<str>,
    /// Identifier, unique in its dataset.
    pub case_id: Arc<str>,
    /// Where the item comes from, for tables by source.
    pub source: String,
    /// BCP 47 language of the text: `en`, `zh`.
    pub language: String,
    /// What kind of answer is asked for.
    pub answer_form: AnswerForm,
    /// Medical specialty, when known.
    pub specialty: Option<String>,
    /// `common`, `uncommon`, `rare` or `unknown`, when known.
    pub prevalence: Option<String>,
    /// Further subgroup labels.
    pub labels: BTreeMap<String, String>,
    /// The whitelisted input fields: `question`, `text`, `context`.
    pub input: Map<String, Value>,
    /// Options in presentation order; empty for open answers.
    pub options: Vec<ChoiceOption>,
}

impl CaseView {
    /// One input field as text; arrays of text are joined by blank lines.
    pub fn input_text(&self, field: &str) -> Option<String> {
        text_of(self.input.get(field)?)
    }
}

/// A value of an input as text; arrays of text are joined by blank lines.
pub fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => Some(
            items
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join("\n\n"),
        ),
        Value::Null => None,
        other => Some(other.to_string()),
    }
}
