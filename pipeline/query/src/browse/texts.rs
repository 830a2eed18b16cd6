//! Beginnings of texts, for the rows of a page.

use std::collections::BTreeMap;

use arrow::array::{Array as _, AsArray as _};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use consilium_core::case::text_of;
use consilium_store::{RowPlace, RunTable};
use serde_json::{Map, Value};

use super::index::{RunIndex, text_column};
use super::open_run::{BrowseError, OpenRun};

/// Most characters of a text in a list; longer texts are cut there.
pub const CARD_CHARACTERS: usize = 280;

/// What a list shows of a sample's texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardTexts {
    /// Beginning of what was asked: input `question`, else `text`, else the first field.
    pub question: String,
    /// Beginning of the answer.
    pub answer: Option<String>,
    /// Beginning of the preferred gold answer, else of the reference.
    pub truth: Option<String>,
}

impl OpenRun {
    /// Reads the texts of some samples, each case once.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn card_texts(
        &self,
        index: &RunIndex,
        rows: &[usize],
    ) -> Result<Vec<CardTexts>, BrowseError> {
        let places: Vec<RowPlace> = rows.iter().map(|row| index.samples[*row].place).collect();
        let batch = self
            .table(RunTable::Samples)?
            .take(&places, Some(&["answer"]))?;
        let answers = text_column(&batch, RunTable::Samples, "answer")?;
        let cases = self.case_texts(index, rows)?;
        let texts = rows.iter().enumerate().map(|(place, row)| {
            let (question, truth) = cases
                .get(&index.samples[*row].case)
                .cloned()
                .unwrap_or_default();
            CardTexts {
                question,
                answer: answers
                    .is_valid(place)
                    .then(|| beginning(answers.value(place)).to_owned()),
                truth,
            }
        });
        Ok(texts.collect())
    }

    /// Question and truth of the cases of some samples.
    fn case_texts(
        &self,
        index: &RunIndex,
        rows: &[usize],
    ) -> Result<BTreeMap<u32, (String, Option<String>)>, BrowseError> {
        let mut cases: Vec<u32> = rows.iter().map(|row| index.samples[*row].case).collect();
        cases.sort_unstable();
        cases.dedup();
        cases.retain(|case| index.cases[*case as usize].place.is_some());
        let places: Vec<RowPlace> = cases
            .iter()
            .filter_map(|case| index.cases[*case as usize].place)
            .collect();
        let columns = ["input", "gold", "reference"];
        let batch = self.table(RunTable::Cases)?.take(&places, Some(&columns))?;
        let inputs = text_column(&batch, RunTable::Cases, "input")?;
        let references = text_column(&batch, RunTable::Cases, "reference")?;
        let gold = batch
            .column_by_name("gold")
            .and_then(|column| column.as_list_opt::<i32>())
            .ok_or_else(|| BrowseError::column(RunTable::Cases, "gold"))?;
        let first_gold = |row: usize| {
            let items = cast(&gold.value(row), &DataType::Utf8).ok()?;
            let items = items.as_string::<i32>();
            (!items.is_empty()).then(|| beginning(items.value(0)).to_owned())
        };
        let texts = cases.into_iter().enumerate().map(|(row, case)| {
            let truth = first_gold(row).or_else(|| {
                references
                    .is_valid(row)
                    .then(|| beginning(references.value(row)).to_owned())
            });
            (case, (question(inputs.value(row)), truth))
        });
        Ok(texts.collect())
    }
}

/// The beginning of a text, cut between characters.
pub(super) fn beginning(text: &str) -> &str {
    if text.len() <= CARD_CHARACTERS {
        return text;
    }
    match text.char_indices().nth(CARD_CHARACTERS) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// What an input asks; an input that cannot be read has no question.
fn question(input: &str) -> String {
    let Ok(fields) = serde_json::from_str::<Map<String, Value>>(input) else {
        return String::new();
    };
    let value = ["question", "text"]
        .iter()
        .find_map(|name| fields.get(*name))
        .or_else(|| fields.values().next());
    let text = value.and_then(text_of).unwrap_or_default();
    beginning(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        let long = "案".repeat(CARD_CHARACTERS + 1);
        assert_eq!(beginning(&long).chars().count(), CARD_CHARACTERS);
        let exact = "案".repeat(CARD_CHARACTERS);
        assert_eq!(beginning(&exact), exact);
        assert_eq!(beginning("a"), "a");
    }

    #[test]
    fn the_question_is_the_field_that_asks() {
        assert_eq!(question(r#"{"context":["a"],"question":"why?"}"#), "why?");
        assert_eq!(question(r#"{"context":"a","text":"b"}"#), "b");
        assert_eq!(question(r#"{"turns":["a","b"]}"#), "a\n\nb");
        assert_eq!(question("{}"), "");
        assert_eq!(question("[1]"), "");
    }
}
