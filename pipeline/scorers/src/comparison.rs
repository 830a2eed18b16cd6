//! An answer beside the texts it is compared with.

use std::borrow::Cow;

use consilium_core::study::TextTarget;
use consilium_core::{Case, Outcome, SampleRow, ScoreRow};

use consilium_runner::reading::without_reasoning;

/// An answer and its references.
///
/// An answer that was refused, filtered, empty and so on counts as an empty text, so that leaving out
/// hard cases does not pay; an infrastructure failure has no value.
#[derive(Debug)]
pub(super) struct Comparison<'a> {
    pub(super) target: TextTarget,
    pub(super) references: Vec<&'a str>,
    pub(super) answer: Cow<'a, str>,
    /// Why there can be no value.
    pub(super) missing: Option<String>,
    /// The outcome that leaves no answer to be read.
    unread: Option<Outcome>,
}

impl<'a> Comparison<'a> {
    pub(super) fn of(against: Option<TextTarget>, sample: &'a SampleRow, case: &'a Case) -> Self {
        let (target, references) = references(against, case);
        let is_read = matches!(sample.outcome, Outcome::Ok | Outcome::Truncated);
        let answer = match sample.answer.as_deref() {
            Some(answer) if is_read => without_reasoning(answer),
            _ => "".into(),
        };
        let missing = if references.is_empty() {
            Some(format!("no_{}", target.as_str()))
        } else if sample.outcome.is_infrastructure() {
            Some(sample.outcome.as_str().to_owned())
        } else {
            None
        };
        Self {
            target,
            references,
            answer,
            missing,
            unread: (!is_read).then_some(sample.outcome),
        }
    }

    /// Writes a value into a row; an answer that is none has the value 0, with its outcome as reason.
    pub(super) fn fill(&self, row: &mut ScoreRow, value: f64) {
        if let Some(outcome) = self.unread {
            row.value = Some(0.0);
            row.reason = Some(outcome.as_str().to_owned());
        } else {
            row.value = Some(value).filter(|value| value.is_finite());
            row.reason = row.value.is_none().then(|| "undefined".to_owned());
        }
    }

    /// Whether there is an answer to be read.
    pub(super) fn is_read(&self) -> bool {
        self.unread.is_none()
    }
}

/// What a case's answer is compared with: its reference, where it has one, unless the study says.
pub(super) fn references(against: Option<TextTarget>, case: &Case) -> (TextTarget, Vec<&str>) {
    let reference = case.reference.as_deref();
    let target = against.unwrap_or(match reference {
        Some(_) => TextTarget::Reference,
        None => TextTarget::Gold,
    });
    let texts = match target {
        TextTarget::Reference => reference.into_iter().collect(),
        TextTarget::Gold => case.gold.iter().map(String::as_str).collect(),
    };
    (target, texts)
}
