//! One sample as a row of a list.

use consilium_core::{Outcome, SampleKey};

use super::number::{DASH, duration, usd, value};
use super::text::{beginning, language, short};
use super::words;
use crate::link::Link;
use crate::{SampleCard, Verdict};

const QUESTION_CHARACTERS: usize = 90;
const ANSWER_CHARACTERS: usize = 70;

/// A sample ready for a row.
#[derive(Clone, Debug)]
pub(crate) struct Card {
    /// Anchor of the row.
    pub anchor: String,
    /// Its transcript.
    pub address: String,
    /// Identifier of the case.
    pub case: String,
    /// Dataset.
    pub dataset: String,
    /// System.
    pub system: String,
    /// Repetition.
    pub epoch: u32,
    /// Specialty of the case.
    pub specialty: Option<String>,
    /// Language of the texts.
    pub lang: Option<String>,
    /// Beginning of the question.
    pub question: String,
    /// What was answered: as read by the scorer, else the beginning of the answer.
    pub answer: String,
    /// What would be right.
    pub truth: String,
    /// Result.
    pub mark: Mark,
    /// How it ended, when it did not end with an answer.
    pub ending: Option<&'static str>,
    /// Cost.
    pub cost: String,
    /// Duration.
    pub time: String,
    /// Calls.
    pub calls: u32,
}

/// A result: a sign and a word, or a value.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// Class of its style.
    pub class: &'static str,
    /// Sign, beside the word.
    pub sign: &'static str,
    /// Word or value.
    pub word: String,
    /// Why.
    pub reason: Option<String>,
}

impl Mark {
    /// From a score.
    pub(crate) fn new(verdict: Option<Verdict>, number: Option<f64>, reason: Option<&str>) -> Self {
        match verdict {
            Some(verdict) => Self {
                class: verdict.as_str(),
                sign: words::verdict_sign(verdict),
                word: words::verdict(verdict).to_owned(),
                reason: reason.map(words::reason),
            },
            None => Self {
                class: "value",
                sign: "",
                word: number.map_or_else(
                    || DASH.to_owned(),
                    |number| value(number, consilium_core::Unit::Plain),
                ),
                reason: reason.map(words::reason),
            },
        }
    }
}

impl Card {
    /// A row whose link carries the list's filter.
    pub(crate) fn new(run: &str, card: &SampleCard, carried: Option<&str>) -> Self {
        let answer = match (&card.predicted, &card.answer) {
            (Some(text), _) | (None, Some(text)) => beginning(text, ANSWER_CHARACTERS),
            (None, None) => DASH.to_owned(),
        };
        Self {
            anchor: anchor(&card.key),
            address: transcript(run, &card.key).pair_if("in", carried).address(),
            case: beginning(&card.key.case_id, 48),
            dataset: beginning(&card.key.dataset, 48),
            system: beginning(&card.key.system, 48),
            epoch: card.key.epoch,
            specialty: card.specialty.as_deref().map(|s| beginning(s, 48)),
            lang: language(&card.language),
            question: beginning(&card.question, QUESTION_CHARACTERS),
            answer,
            truth: card.truth.as_deref().map_or_else(
                || DASH.to_owned(),
                |truth| beginning(truth, ANSWER_CHARACTERS),
            ),
            mark: Mark::new(card.verdict(), card.value, card.reason.as_deref()),
            ending: (card.outcome != Outcome::Ok).then(|| words::outcome(card.outcome)),
            cost: card.cost_usd.map_or_else(|| DASH.to_owned(), usd),
            time: duration(card.wall_ms as f64),
            calls: card.calls,
        }
    }
}

/// The transcript of a sample.
pub(crate) fn transcript(run: &str, key: &SampleKey) -> Link {
    with_key(Link::run(run).segment("sample"), key)
}

/// Adds the key of a sample to a link.
pub(crate) fn with_key(link: Link, key: &SampleKey) -> Link {
    link.pair("dataset", &key.dataset)
        .pair("case", &key.case_id)
        .pair("system", &key.system)
        .pair("epoch", &key.epoch.to_string())
}

/// Anchor of a sample's row; ids hold characters that an anchor must not.
pub(crate) fn anchor(key: &SampleKey) -> String {
    use crate::place::Place as _;
    format!("s{:016x}", crate::assets::fingerprint(&key.to_text()))
}

/// The sample in words, for headings.
pub(crate) fn heading(key: &SampleKey) -> String {
    format!("{} · {}", short(&key.case_id), short(&key.system))
}
