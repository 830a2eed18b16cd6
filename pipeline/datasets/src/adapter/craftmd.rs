//! CRAFT-MD: vignettes with a diagnosis to find, four choices and a category.
//!
//! The vignettes of MedQA end with their question, those of the dermatology sets have none. The
//! question is set apart, so that a patient who is played from `text` does not ask it. Cases are of
//! form `diagnosis`, as the recorded consultations were, or of form `choice` where the study says so.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case};
use serde_json::Value;

use super::columns::{optional, required};
use super::draft::{Draft, lettered};
use super::{Adapter, SourceRow};
use crate::error::RowError;

const CHOICES: [&str; 4] = ["choice_1", "choice_2", "choice_3", "choice_4"];

/// What is asked of a vignette without a question of its own.
const QUESTION: &str = "What is the most likely diagnosis?";

#[derive(Debug)]
struct CraftMd {
    dataset: Arc<str>,
    language: String,
    answer_form: AnswerForm,
}

pub(super) fn build(spec: &DatasetSpec) -> Arc<dyn Adapter> {
    Arc::new(CraftMd {
        dataset: spec.name.as_str().into(),
        language: spec.language.clone().unwrap_or_else(|| "en".to_owned()),
        answer_form: spec.answer_form.unwrap_or(AnswerForm::Diagnosis),
    })
}

impl Adapter for CraftMd {
    fn case(&self, row: &SourceRow) -> Result<Case, RowError> {
        let vignette = required(row, "case_vignette")?;
        let (text, question) = question_apart(&vignette);
        let mut input = serde_json::Map::new();
        if !text.is_empty() {
            input.insert("text".to_owned(), Value::String(text.to_owned()));
        }
        input.insert(
            "question".to_owned(),
            Value::String(question.unwrap_or(QUESTION).to_owned()),
        );
        let options = match self.answer_form {
            AnswerForm::Choice => lettered(
                CHOICES
                    .iter()
                    .map(|field| Ok(required(row, field)?.trim().to_owned()))
                    .collect::<Result<Vec<_>, RowError>>()?,
            )?,
            _ => Vec::new(),
        };
        let labels = optional(row, "dataset").map(|part| ("part".to_owned(), part));
        Draft {
            dataset: Arc::clone(&self.dataset),
            case_id: required(row, "case_id")?,
            source: "CRAFT-MD".to_owned(),
            language: self.language.clone(),
            answer_form: self.answer_form,
            specialty: optional(row, "category"),
            prevalence: None,
            labels: labels.into_iter().collect::<BTreeMap<_, _>>(),
            input,
            options,
            gold: vec![required(row, "answer")?.trim().to_owned()],
            reference: None,
        }
        .finish()
    }
}

/// A vignette without its last sentence, and that sentence, when it is a question.
fn question_apart(vignette: &str) -> (&str, Option<&str>) {
    let whole = vignette.trim().trim_matches('"').trim_end();
    if !whole.ends_with(['?', ':']) {
        return (whole, None);
    }
    // A sentence begins after a line break, or after a full stop, question mark or colon with white
    // space behind it: decimals and ratios have none.
    let body = &whole[..whole.len() - 1];
    let begin = body
        .char_indices()
        .zip(body.chars().skip(1))
        .filter(|((_, first), second)| {
            *first == '\n' || (matches!(first, '.' | '?' | '!') && second.is_whitespace())
        })
        .map(|((index, _), _)| index + 1)
        .last()
        .unwrap_or(0);
    (whole[..begin].trim_end(), Some(whole[begin..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sentence_is_set_apart_when_it_asks() {
        for (vignette, text, question) in [
            (
                "A man has pain. His pH is 7.2. What is it?",
                "A man has pain. His pH is 7.2.",
                Some("What is it?"),
            ),
            (
                "Protein 1.5 g/dL\nWhich of the following is it?\"",
                "Protein 1.5 g/dL",
                Some("Which of the following is it?"),
            ),
            (
                "He coughs. The most likely diagnosis is:",
                "He coughs.",
                Some("The most likely diagnosis is:"),
            ),
            ("He coughs. No fever.", "He coughs. No fever.", None),
            ("What is it?", "", Some("What is it?")),
            ("何病？", "何病？", None),
        ] {
            assert_eq!(question_apart(vignette), (text, question));
        }
    }
}
