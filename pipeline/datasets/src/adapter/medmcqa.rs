//! MedMCQA: questions of Indian entrance examinations with four options and a subject.
//!
//! `cop` counts the options from 1, as in the original files and in MIRAGE's copy. The copy on
//! Hugging Face counts from 0; a file that does so shows it by its first `0`, which is refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case};
use serde_json::Value;

use super::columns::{identifier, optional, required};
use super::draft::{Draft, lettered};
use super::{Adapter, SourceRow};
use crate::error::RowError;

const OPTIONS: [&str; 4] = ["opa", "opb", "opc", "opd"];

#[derive(Debug)]
struct MedMcqa {
    dataset: Arc<str>,
    language: String,
}

pub(super) fn build(spec: &DatasetSpec) -> Arc<dyn Adapter> {
    Arc::new(MedMcqa {
        dataset: spec.name.as_str().into(),
        language: spec.language.clone().unwrap_or_else(|| "en".to_owned()),
    })
}

impl Adapter for MedMcqa {
    fn case(&self, row: &SourceRow) -> Result<Case, RowError> {
        let mut input = serde_json::Map::new();
        input.insert(
            "question".to_owned(),
            Value::String(required(row, "question")?),
        );
        let options = OPTIONS
            .iter()
            .map(|field| required(row, field))
            .collect::<Result<Vec<_>, _>>()?;
        let options = lettered(options)?;
        let position = row.fields.get("cop").and_then(Value::as_u64);
        let gold = match position {
            Some(0) => {
                return Err(RowError::new(
                    "cop is 0, so this file counts options from 0; use adapter 'table' with gold = { \
                     column = \"cop\", map = { \"0\" = \"A\", \"1\" = \"B\", \"2\" = \"C\", \"3\" = \"D\" \
                     } } and options = { columns = [\"opa\", \"opb\", \"opc\", \"opd\"] }",
                ));
            }
            Some(position) => usize::try_from(position - 1)
                .ok()
                .and_then(|index| options.get(index))
                .map(|option| option.label.clone())
                .ok_or_else(|| {
                    RowError::new(format!("cop is {position}, and there are 4 options"))
                })?,
            None => return Err(RowError::new("cop is missing or no number")),
        };
        let labels = [("topic", "topic_name"), ("choice_type", "choice_type")]
            .into_iter()
            .filter_map(|(label, field)| Some((label.to_owned(), optional(row, field)?)));
        Draft {
            dataset: Arc::clone(&self.dataset),
            case_id: identifier(row, "id")?,
            source: "MedMCQA".to_owned(),
            language: self.language.clone(),
            answer_form: AnswerForm::Choice,
            specialty: optional(row, "subject_name").filter(|subject| subject != "Unknown"),
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
