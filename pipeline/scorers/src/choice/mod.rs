//! Reads a letter from an answer.
//!
//! Rules, first hit wins; every hit is recorded with its rule and span:
//!
//! 1. `json.field`: a JSON object with `answer`, `choice` or `option`. It decides alone: when its
//!    value names no option, nothing else is read.
//! 2. `text.whole`: an option's text and nothing else.
//! 3. `letter.cue`, `letter.subject`, `letter.boxed`, `text.cue`, `text.boxed`: the last explicit
//!    statement, see [`statement`]. A later one is a correction; two that disagree in one
//!    sentence, and "B or C", are ambiguous.
//! 4. `letter.whole`, `letter.option`, then the last line, then the first: a letter alone, or with
//!    the text of its option or a reason.
//! 5. `text.last_line`, `text.last_sentence`: an option's text as the last line, or the only one
//!    in the last sentence, where that states it as the answer, see [`frame`].
//!
//! What is doubted, asked, supposed under a condition or reported of others is no statement, see
//! [`super::stance`]. Denied letters ("B is incorrect", 排除B) and echoes of the option list never count. No rule
//! takes a letter merely because it occurs.

mod cue;
mod frame;
mod letter;
mod line;
mod listing;
mod options;
mod statement;
mod text;

use consilium_core::{AnswerForm, Case, ChoiceOption, SampleRow, ScoreRow, Signature};
use rayon::prelude::*;
use serde_json::Value;

use self::options::Options;
use super::conclusion::conclusion;
use super::extraction::Extraction;
use super::fold::plain;
use super::json_field::{FieldValue, answer_field};
use super::row::{Truth, correct_row};
use consilium_runner::Scorer;

use super::BATCH;
use consilium_runner::reading::without_reasoning;

/// Raised whenever an answer may be read differently.
const REVISION: u32 = 2;

const FIELDS: [&str; 9] = [
    "answer",
    "final_answer",
    "answer_choice",
    "choice",
    "option",
    "selected_option",
    "答案",
    "选项",
    "选择",
];

/// Compares the letter of an answer with the gold letter.
#[derive(Debug)]
pub struct ChoiceScorer {
    name: String,
    signature: Signature,
    signature_text: String,
}

impl ChoiceScorer {
    /// A scorer of this name.
    pub fn new(name: impl Into<String>) -> Self {
        let signature = Signature::new("choice", REVISION);
        Self {
            name: name.into(),
            signature_text: signature.to_string(),
            signature,
        }
    }
}

impl Scorer for ChoiceScorer {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "choice"
    }

    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn applies(&self, answer_form: AnswerForm) -> bool {
        answer_form == AnswerForm::Choice
    }

    fn signature_text(&self) -> String {
        self.signature_text.clone()
    }

    fn score(&self, sample: &SampleRow, case: &Case) -> Vec<ScoreRow> {
        vec![self.row(sample, case, &Options::new(&case.view.options))]
    }

    fn score_batch(&self, pairs: &[(SampleRow, Case)]) -> Vec<ScoreRow> {
        // Samples of a case follow each other, and so do cases with the same options.
        let chunks = pairs.par_chunks(BATCH).flat_map_iter(|chunk| {
            let mut known: Option<Options<'_>> = None;
            chunk.iter().map(move |(sample, case)| {
                let options = known
                    .take()
                    .filter(|options| options.are(&case.view.options))
                    .unwrap_or_else(|| Options::new(&case.view.options));
                self.row(sample, case, known.insert(options))
            })
        });
        chunks.collect()
    }
}

impl ChoiceScorer {
    fn row(&self, sample: &SampleRow, case: &Case, options: &Options<'_>) -> ScoreRow {
        let gold = case.gold.iter().map(|letter| spelled(letter, options));
        correct_row(self, sample, &Truth::new(gold.collect()), |answer| {
            read(answer, options)
        })
    }
}

/// A gold letter as the options spell it.
fn spelled(letter: &str, options: &Options<'_>) -> String {
    let bare = plain(letter);
    let bare = bare.trim();
    match options.letter_at(bare) {
        Some((index, length)) if length == bare.len() => options.label(index).to_owned(),
        _ => letter.to_owned(),
    }
}

/// Reads the letter that an answer states, one of the options' labels.
pub fn read_choice(answer: &str, options: &[ChoiceOption]) -> Extraction {
    read(answer, &Options::new(options))
}

fn read(answer: &str, options: &Options<'_>) -> Extraction {
    let answer = without_reasoning(answer);
    if let Some(field) = answer_field(&answer, &FIELDS) {
        return from_field(&field, options);
    }
    let text = plain(conclusion(&answer));
    text::whole(&text, options)
        .or_else(|| statement::last_statement(&text, options))
        .or_else(|| line::letter_line(&text, options))
        .or_else(|| text::last_line(&text, options))
        .or_else(|| text::contained(&text, options))
        .unwrap_or(Extraction::Unextractable)
}

/// Reads the value of an answer field.
fn from_field(field: &FieldValue, options: &Options<'_>) -> Extraction {
    let value = match &field.value {
        Value::String(text) => plain(text),
        Value::Number(number) => number.to_string(),
        Value::Array(items) => match items.as_slice() {
            [Value::String(text)] => plain(text),
            [] | [_] => return Extraction::Unextractable,
            _ => return Extraction::ambiguous(&field.span()),
        },
        _ => return Extraction::Unextractable,
    };
    let read = line::letter_line(&value, options)
        .or_else(|| text::whole(&value, options))
        .or_else(|| statement::last_statement(&value, options));
    match read {
        Some(Extraction::Found { predicted, .. }) => {
            Extraction::found(&predicted, "json.field", &field.span())
        }
        Some(Extraction::Ambiguous { .. }) => Extraction::ambiguous(&field.span()),
        _ => Extraction::Unextractable,
    }
}
