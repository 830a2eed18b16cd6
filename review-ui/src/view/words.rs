//! A reader's words for what files abbreviate.

use consilium_core::{Outcome, ParseStatus, RunStatus};

use super::text::short;
use crate::{Agreement, Verdict};

/// How a sample ended.
pub(crate) const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "answered",
        Outcome::Refused => "refused",
        Outcome::ContentFilter => "blocked by filter",
        Outcome::ContextOverflow => "prompt too long",
        Outcome::Truncated => "cut short",
        Outcome::Empty => "empty reply",
        Outcome::Malformed => "wrong format",
        Outcome::Error => "server failed",
        Outcome::Timeout => "timed out",
        Outcome::Budget => "budget spent",
        Outcome::Cancelled => "stopped",
    }
}

/// What that means.
pub(crate) const fn outcome_meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Ok => "The system gave an answer.",
        Outcome::Refused => "The model declined to answer. Counts as wrong.",
        Outcome::ContentFilter => {
            "The provider's filter blocked the prompt or the answer. Counts as wrong."
        }
        Outcome::ContextOverflow => {
            "The prompt was longer than the model can read. Counts as wrong."
        }
        Outcome::Truncated => {
            "The token limit ended the reply before it was complete. Counts as wrong unless an \
             answer can be read."
        }
        Outcome::Empty => "The reply held no text. Counts as wrong.",
        Outcome::Malformed => {
            "The reply did not have the form that was asked for, also after a repair. Counts as \
             wrong."
        }
        Outcome::Error => {
            "The server failed after all tries. Says nothing about the model, and is left out."
        }
        Outcome::Timeout => "No reply in time. Says nothing about the model, and is left out.",
        Outcome::Budget => {
            "The study's budget ended before. Says nothing about the model, and is left out."
        }
        Outcome::Cancelled => {
            "The run was stopped before. Says nothing about the model, and is left out."
        }
    }
}

/// What a scorer concluded.
pub(crate) const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Right => "right",
        Verdict::Wrong => "wrong",
        Verdict::Unread => "unreadable",
        Verdict::Missing => "not scored",
    }
}

/// What that means.
pub(crate) const fn verdict_meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Right => "The answer that was read equals an accepted answer.",
        Verdict::Wrong => "An answer was read, and it is not an accepted one.",
        Verdict::Unread => {
            "No single answer could be read: none in the text, several, or the model would not \
             answer. Counts as wrong."
        }
        Verdict::Missing => {
            "Nothing can be said: the sample or its judge failed, or was not scored."
        }
    }
}

/// Sign of a verdict, beside its word.
pub(crate) const fn verdict_sign(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Right => "✓",
        Verdict::Wrong => "✗",
        Verdict::Unread => "?",
        Verdict::Missing => "–",
    }
}

/// Why a score is missing or counts as wrong unread.
pub(crate) fn reason(reason: &str) -> String {
    match reason {
        "unextractable" => "no answer found in the text".to_owned(),
        "ambiguous" => "several answers, none settled on".to_owned(),
        "no_gold" => "the case has no accepted answer".to_owned(),
        other => Outcome::parse(other).map_or_else(
            || short(&other.replace('_', " ")),
            |o| outcome(o).to_owned(),
        ),
    }
}

/// State of a run.
pub(crate) const fn status(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "being written",
        RunStatus::Incomplete => "incomplete",
        RunStatus::Complete => "complete",
    }
}

/// How two systems did.
pub(crate) const fn agreement(agreement: Agreement) -> &'static str {
    match agreement {
        Agreement::Differ => "one right, one not",
        Agreement::OnlyLeft => "only the left one right",
        Agreement::OnlyRight => "only the right-hand one right",
        Agreement::Both => "both right",
        Agreement::Neither => "neither right",
    }
}

/// How a reply was read.
pub(crate) const fn parse_status(status: ParseStatus) -> &'static str {
    match status {
        ParseStatus::Text => "plain text",
        ParseStatus::Schema => "JSON, form enforced by the server",
        ParseStatus::JsonMode => "JSON mode, form checked",
        ParseStatus::Extracted => "JSON found in free text",
        ParseStatus::Repaired => "JSON after one repair",
        ParseStatus::Failed => "no reply had the form asked for",
        ParseStatus::Lossy => "invalid characters replaced; the reply as received is kept",
    }
}
