//! Reads a label from an answer.
//!
//! Rules, first hit wins; every hit is recorded with its rule and span:
//!
//! 1. `json.field`: a JSON object with `answer`, `label`, `diagnosis`, …; it decides alone.
//! 2. `label.cue`: the last cue ("the answer is", 证型:) that a label can be read after.
//! 3. `label.whole`, `label.last_line`: a label and nothing else.
//! 4. `label.first_word`: a label before the first punctuation mark: "Yes, because …".
//! 5. `label.last_sentence`, `label.mention`: the only label that the last sentence, or else the
//!    whole answer, mentions without denying it.
//!
//! What is doubted, asked, supposed under a condition or reported of others is no statement, see
//! [`super::stance`]; a label that another one qualifies ("yes, but maybe") is ambiguous.
//!
//! The longest name wins, so that 脾肾阳虚证 is not read as 肾阳虚证; "no" before a noun is no
//! answer.

mod aliases;
mod known;
mod set;
mod statement;

use std::sync::{Arc, LazyLock};

use consilium_core::{AnswerForm, Case, SampleRow, ScoreRow, Signature};
use rayon::prelude::*;
use regex::Regex;
use serde_json::Value;

use self::known::KnownSets;
use self::set::LabelSet;
use self::statement::{is_qualified, last_statement, mentioned, read_phrase};
use super::conclusion::conclusion;
use super::extraction::Extraction;
use super::fold::{fold, plain};
use super::json_field::{FieldValue, answer_field};
use super::row::{Truth, correct_row};
use super::sentence::sentences;
use super::stance::{Discourse, Stance, is_question};
use consilium_runner::Scorer;

use super::BATCH;
use consilium_runner::reading::without_reasoning;

pub use aliases::{AliasError, AliasTable};

/// Raised whenever an answer may be read differently.
const REVISION: u32 = 2;

const FIELDS: [&str; 13] = [
    "answer",
    "final_answer",
    "label",
    "diagnosis",
    "final_diagnosis",
    "syndrome",
    "classification",
    "prediction",
    "choice",
    "答案",
    "证型",
    "证候",
    "诊断",
];

/// Compares the label of an answer with the gold labels.
#[derive(Debug)]
pub struct LabelScorer {
    name: String,
    sets: KnownSets,
    signature: Signature,
    signature_text: String,
}

impl LabelScorer {
    /// A scorer of this name with other names of labels and endings that tell none apart.
    pub fn new(name: impl Into<String>, aliases: Option<AliasTable>, suffixes: &[String]) -> Self {
        let mut suffixes: Vec<String> = suffixes.iter().map(|suffix| fold(suffix)).collect();
        suffixes.sort();
        suffixes.dedup();
        suffixes.retain(|suffix| !suffix.is_empty());
        let digest = aliases
            .as_ref()
            .map_or("none", |table| &table.sha256()[..12]);
        let endings = if suffixes.is_empty() {
            "none".to_owned()
        } else {
            suffixes.join("+")
        };
        let signature = Signature::new("label", REVISION)
            .with("aliases", digest)
            .with("suffixes", endings);
        Self {
            name: name.into(),
            sets: KnownSets::new(aliases, suffixes),
            signature_text: signature.to_string(),
            signature,
        }
    }

    fn labels(&self, case: &Case) -> Arc<LabelSet> {
        self.sets.of(case)
    }

    /// Reads the label that an answer states, one of the case's.
    pub fn read(&self, answer: &str, case: &Case) -> Extraction {
        read_label(answer, &self.labels(case))
    }
}

impl Scorer for LabelScorer {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "label"
    }

    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn applies(&self, answer_form: AnswerForm) -> bool {
        answer_form == AnswerForm::Label
    }

    fn signature_text(&self) -> String {
        self.signature_text.clone()
    }

    fn score(&self, sample: &SampleRow, case: &Case) -> Vec<ScoreRow> {
        vec![self.row(sample, case, &self.labels(case))]
    }

    fn score_batch(&self, pairs: &[(SampleRow, Case)]) -> Vec<ScoreRow> {
        // Cases of a dataset share their labels.
        let chunks = pairs.par_chunks(BATCH).flat_map_iter(|chunk| {
            let mut known: Option<(&Case, Arc<LabelSet>)> = None;
            chunk.iter().map(move |(sample, case)| {
                let labels = known
                    .take()
                    .filter(|(other, _)| LabelSet::is_shared(other, case))
                    .unwrap_or_else(|| (case, self.labels(case)));
                self.row(sample, case, &known.insert(labels).1)
            })
        });
        chunks.collect()
    }
}

impl LabelScorer {
    fn row(&self, sample: &SampleRow, case: &Case, labels: &LabelSet) -> ScoreRow {
        let spelled = |gold: &String| {
            labels
                .index_of(gold)
                .map_or_else(|| gold.clone(), |at| labels.label(at).to_owned())
        };
        let truth = Truth::new(case.gold.iter().map(spelled).collect());
        correct_row(self, sample, &truth, |answer| read_label(answer, labels))
    }
}

fn read_label(answer: &str, labels: &LabelSet) -> Extraction {
    let answer = without_reasoning(answer);
    if let Some(field) = answer_field(&answer, &FIELDS) {
        return from_field(&field, labels);
    }
    let text = plain(conclusion(&answer));
    last_statement(&text, labels)
        .or_else(|| lone(&text, labels))
        .or_else(|| first_word(&text, labels))
        .or_else(|| {
            let last = sentences(&text).pop()?;
            mentioned(&text[last], labels, "label.last_sentence")
        })
        .or_else(|| mentioned(&text, labels, "label.mention"))
        .unwrap_or(Extraction::Unextractable)
}

/// A label that is all of the answer or of its last line.
fn lone(text: &str, labels: &LabelSet) -> Option<Extraction> {
    let last = text
        .lines()
        .rev()
        .find(|line| line.chars().any(char::is_alphanumeric))?;
    [(text, "label.whole"), (last, "label.last_line")]
        .into_iter()
        .find_map(|(candidate, rule)| {
            let index = labels.index_of(candidate)?;
            if is_question(candidate) {
                return None;
            }
            Some(Extraction::found(labels.label(index), rule, candidate))
        })
}

/// A label before the first punctuation mark, or before a word that begins a reason.
fn first_word(text: &str, labels: &LabelSet) -> Option<Extraction> {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^\W*(.{1,80}?)(?:\s*[,.;:!?()\n。—–]|\s+-\s|\s+(?:because|since|as|the|it|this|these|there|they)(?-u:\b)|$)")
            .expect("a valid pattern")
    });
    let head = HEAD.captures(text)?.get(1)?;
    let index = labels.index_of(head.as_str())?;
    let discourse = Discourse::new(text);
    if discourse.stance(head.start(), head.range(), "") != Stance::Asserted {
        return None;
    }
    let end = discourse
        .sentence_at(head.start())
        .map_or(head.end(), |sentence| sentence.end.max(head.end()));
    if is_qualified(&fold(&text[head.end()..end]), index, labels) {
        return Some(Extraction::ambiguous(&text[head.start()..end]));
    }
    Some(Extraction::found(
        labels.label(index),
        "label.first_word",
        head.as_str(),
    ))
}

/// Reads the value of an answer field.
fn from_field(field: &FieldValue, labels: &LabelSet) -> Extraction {
    let value = match &field.value {
        Value::String(text) => plain(text),
        Value::Array(items) => match items.as_slice() {
            [Value::String(text)] => plain(text),
            [] | [_] => return Extraction::Unextractable,
            _ => return Extraction::ambiguous(&field.span()),
        },
        _ => return Extraction::Unextractable,
    };
    let read = read_phrase(&value, labels, "json.field")
        .or_else(|| first_word(&value, labels))
        .or_else(|| mentioned(&value, labels, "json.field"));
    match read {
        Some(Extraction::Found { predicted, .. }) => {
            Extraction::found(&predicted, "json.field", &field.span())
        }
        Some(Extraction::Ambiguous { .. }) => Extraction::ambiguous(&field.span()),
        _ => Extraction::Unextractable,
    }
}
