//! What scorers concluded about a sample.

use consilium_core::ScoreRow;

use crate::link::Link;
use crate::view::card::Mark;
use crate::view::case::part;
use crate::view::text::{Text, beginning, short};
use crate::{TextPart, Verdict};

const EXPLANATION_CHARACTERS: usize = 1_500;

/// A score ready for a template.
#[derive(Debug)]
pub(crate) struct ScoreView {
    pub scorer: String,
    pub metric: String,
    pub mark: Mark,
    pub predicted: Option<String>,
    pub truth: Option<String>,
    pub rule: Option<String>,
    pub explanation: Option<Text>,
    pub signature: String,
}

impl ScoreView {
    /// A score with a link to its whole explanation.
    pub(crate) fn new(row: &ScoreRow, lang: Option<&str>, text: &Link) -> Self {
        Self {
            scorer: short(&row.scorer),
            metric: short(&row.metric),
            mark: mark(row),
            predicted: row.predicted.as_deref().map(|text| beginning(text, 300)),
            truth: row.truth.as_deref().map(|text| beginning(text, 300)),
            rule: row.rule.as_deref().map(short),
            explanation: row.explanation.as_deref().map(|explanation| {
                let link = part(
                    text,
                    &TextPart::Explanation {
                        scorer: row.scorer.clone(),
                        metric: row.metric.clone(),
                    },
                );
                Text::new(explanation, EXPLANATION_CHARACTERS, lang, link)
            }),
            signature: beginning(&row.signature, 300),
        }
    }
}

/// The result at the head of the page: the first score that knows right and wrong.
pub(super) fn headline(scores: &[ScoreRow]) -> Option<Mark> {
    scores
        .iter()
        .find(|score| score.metric == "correct")
        .or_else(|| scores.first())
        .map(mark)
}

fn mark(row: &ScoreRow) -> Mark {
    let verdict = (row.metric == "correct").then(|| Verdict::of(row.value, row.reason.as_deref()));
    Mark::new(verdict, row.value, row.reason.as_deref())
}
