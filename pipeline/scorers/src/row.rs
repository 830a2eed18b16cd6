//! Score rows of scorers that decide between right and wrong.

use consilium_core::{Outcome, SampleRow, ScoreRow};

use super::extraction::Extraction;
use consilium_runner::Scorer;

/// The accepted answers of a case, the preferred one first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Truth(Vec<String>);

impl Truth {
    /// The accepted answers as the scorer spells them.
    pub(super) const fn new(accepted: Vec<String>) -> Self {
        Self(accepted)
    }
}

/// A row of this sample that says nothing yet.
pub(super) fn empty_row(scorer: &dyn Scorer, sample: &SampleRow, metric: &str) -> ScoreRow {
    ScoreRow {
        dataset: sample.dataset.clone(),
        case_id: sample.case_id.clone(),
        system: sample.system.clone(),
        epoch: sample.epoch,
        attempt: sample.attempt,
        scorer: scorer.name().to_owned(),
        metric: metric.to_owned(),
        value: None,
        predicted: None,
        truth: None,
        rule: None,
        reason: None,
        stats: None,
        signature: scorer.signature_text(),
        explanation: None,
    }
}

/// The row `correct` of a sample: 1 or 0, or NULL with a reason where nothing can be said.
///
/// `read` sees the answer only where the outcome leaves one to be read.
pub(super) fn correct_row(
    scorer: &dyn Scorer,
    sample: &SampleRow,
    truth: &Truth,
    read: impl FnOnce(&str) -> Extraction,
) -> ScoreRow {
    let mut row = empty_row(scorer, sample, "correct");
    row.value = Some(0.0);
    row.truth = truth.0.first().cloned();
    if truth.0.is_empty() {
        row.value = None;
        row.reason = Some("no_gold".to_owned());
        return row;
    }
    if sample.outcome.is_infrastructure() {
        row.value = None;
        row.reason = Some(sample.outcome.as_str().to_owned());
        return row;
    }
    let truncated = sample.outcome == Outcome::Truncated;
    if sample.outcome != Outcome::Ok && !truncated {
        row.reason = Some(sample.outcome.as_str().to_owned());
        return row;
    }
    let unread = |reason: &str| Some(if truncated { "truncated" } else { reason }.to_owned());
    match sample
        .answer
        .as_deref()
        .map_or(Extraction::Unextractable, read)
    {
        Extraction::Found {
            predicted,
            rule,
            span,
        } => {
            if truth.0.contains(&predicted) {
                row.value = Some(1.0);
                row.truth = Some(predicted.clone());
            }
            row.predicted = Some(predicted);
            row.rule = Some(rule.to_owned());
            row.explanation = Some(span);
        }
        Extraction::Ambiguous { span } => {
            row.reason = unread("ambiguous");
            row.explanation = Some(span);
        }
        Extraction::Unextractable => row.reason = unread("unextractable"),
    }
    row
}
