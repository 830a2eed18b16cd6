//! The flat form of a case.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::{AnswerForm, Case, CaseView, ChoiceOption};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A row of `cases`: a case with gold, in columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseRow {
    /// Name of the dataset in the study.
    pub dataset: String,
    /// Identifier, unique in its dataset.
    pub case_id: String,
    /// Where the item comes from.
    pub source: String,
    /// BCP 47 language of the text.
    pub language: String,
    /// What kind of answer is asked for.
    pub answer_form: AnswerForm,
    /// Medical specialty, when known.
    pub specialty: Option<String>,
    /// How common the condition is, when known.
    pub prevalence: Option<String>,
    /// Further subgroup labels.
    pub labels: BTreeMap<String, String>,
    /// The whitelisted input fields as JSON text.
    pub input: String,
    /// Options in presentation order.
    pub options: Vec<ChoiceOption>,
    /// The accepted answers, the preferred one first.
    pub gold: Vec<String>,
    /// A reference answer in prose.
    pub reference: Option<String>,
    /// Hash of the case.
    pub sha256: String,
}

impl From<&Case> for CaseRow {
    fn from(case: &Case) -> Self {
        let Case {
            view,
            gold,
            reference,
            sha256,
        } = case;
        Self {
            dataset: view.dataset.to_string(),
            case_id: view.case_id.to_string(),
            source: view.source.clone(),
            language: view.language.clone(),
            answer_form: view.answer_form,
            specialty: view.specialty.clone(),
            prevalence: view.prevalence.clone(),
            labels: view.labels.clone(),
            input: serde_json::to_string(&view.input).unwrap_or_default(),
            options: view.options.clone(),
            gold: gold.clone(),
            reference: reference.clone(),
            sha256: sha256.clone(),
        }
    }
}

/// A row of `cases` whose `input` is no JSON object.
#[derive(Debug, thiserror::Error)]
#[error("read the input of case '{case_id}' of dataset '{dataset}' as a JSON object")]
pub struct CaseInputError {
    dataset: String,
    case_id: String,
    #[source]
    source: serde_json::Error,
}

impl TryFrom<CaseRow> for Case {
    type Error = CaseInputError;

    fn try_from(row: CaseRow) -> Result<Self, CaseInputError> {
        let input: Map<String, Value> = match serde_json::from_str(&row.input) {
            Ok(input) => input,
            Err(source) => {
                return Err(CaseInputError {
                    dataset: row.dataset,
                    case_id: row.case_id,
                    source,
                });
            }
        };
        Ok(Self {
            view: CaseView {
                dataset: Arc::from(row.dataset),
                case_id: Arc::from(row.case_id),
                source: row.source,
                language: row.language,
                answer_form: row.answer_form,
                specialty: row.specialty,
                prevalence: row.prevalence,
                labels: row.labels,
                input,
                options: row.options,
            },
            gold: row.gold,
            reference: row.reference,
            sha256: row.sha256,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case() -> Case {
        let input =
            serde_json::json!({"question": "发热?\u{0}", "context": ["a", "b"], "dose": 0.1});
        let Value::Object(input) = input else {
            unreachable!()
        };
        Case {
            view: CaseView {
                dataset: "medqa".into(),
                case_id: "案/1".into(),
                source: "usmle".to_owned(),
                language: "zh".to_owned(),
                answer_form: AnswerForm::Choice,
                specialty: None,
                prevalence: Some("rare".to_owned()),
                labels: BTreeMap::from([("sex".to_owned(), "f".to_owned())]),
                input,
                options: vec![ChoiceOption {
                    label: "A".to_owned(),
                    text: "flu".to_owned(),
                }],
            },
            gold: vec!["A".to_owned()],
            reference: None,
            sha256: "0".to_owned(),
        }
    }

    #[test]
    fn a_case_survives_being_a_row() {
        assert_eq!(Case::try_from(CaseRow::from(&case())).unwrap(), case());
    }

    #[test]
    fn a_bad_input_names_the_case() {
        let row = CaseRow {
            input: "[1]".to_owned(),
            ..CaseRow::from(&case())
        };
        let error = Case::try_from(row).unwrap_err().to_string();
        assert_eq!(
            error,
            "read the input of case '案/1' of dataset 'medqa' as a JSON object"
        );
    }
}
