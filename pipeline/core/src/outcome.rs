//! How samples and calls end.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The terminal state of one sample.
///
/// The first seven mean that the model answered, or would not; the last four that infrastructure
/// failed, and only those may be replaced by a later attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// An answer was produced.
    Ok,
    /// The model declined to answer.
    Refused,
    /// The provider's filter blocked the prompt or the answer.
    ContentFilter,
    /// The prompt did not fit the model's context.
    ContextOverflow,
    /// The token limit cut the answer before it was usable.
    Truncated,
    /// The reply held no content.
    Empty,
    /// Structured output was asked for and not obtained after repair.
    Malformed,
    /// The backend failed after its retries.
    Error,
    /// A deadline passed.
    Timeout,
    /// The study's budget ended.
    Budget,
    /// The run was stopped.
    Cancelled,
}

impl Outcome {
    /// Every outcome, in report order.
    pub const ALL: [Self; 11] = [
        Self::Ok,
        Self::Refused,
        Self::ContentFilter,
        Self::ContextOverflow,
        Self::Truncated,
        Self::Empty,
        Self::Malformed,
        Self::Error,
        Self::Timeout,
        Self::Budget,
        Self::Cancelled,
    ];

    /// The name used in files and on screen.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::ContentFilter => "content_filter",
            Self::ContextOverflow => "context_overflow",
            Self::Truncated => "truncated",
            Self::Empty => "empty",
            Self::Malformed => "malformed",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Budget => "budget",
            Self::Cancelled => "cancelled",
        }
    }

    /// Reads the name used in files.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == text)
    }

    /// Whether infrastructure failed, so that the sample says nothing about the model.
    pub const fn is_infrastructure(self) -> bool {
        matches!(
            self,
            Self::Error | Self::Timeout | Self::Budget | Self::Cancelled
        )
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a call failed, or failed to be usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The connection failed or broke.
    Transport,
    /// A deadline passed.
    Timeout,
    /// HTTP 429.
    RateLimit,
    /// HTTP 408, 409, 425 or 5xx.
    Server,
    /// HTTP 401 or 403.
    Auth,
    /// HTTP 404: no such endpoint or model.
    NotFound,
    /// HTTP 400 or 422 that is neither a filter nor an overflow, or another final status.
    BadRequest,
    /// The provider's content filter.
    ContentFilter,
    /// The prompt exceeds the context window.
    ContextOverflow,
    /// HTTP 200 with an error body, no choices, or not JSON.
    BadReply,
    /// Structured output did not satisfy its schema.
    SchemaMismatch,
    /// A recording holds no reply for the request.
    NotRecorded,
    /// The study's budget ended.
    Budget,
    /// The run was stopped.
    Cancelled,
    /// The solver met a state it cannot continue from.
    Solver,
}

impl ErrorKind {
    /// The name used in files and on screen.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transport => "transport",
            Self::Timeout => "timeout",
            Self::RateLimit => "rate_limit",
            Self::Server => "server",
            Self::Auth => "auth",
            Self::NotFound => "not_found",
            Self::BadRequest => "bad_request",
            Self::ContentFilter => "content_filter",
            Self::ContextOverflow => "context_overflow",
            Self::BadReply => "bad_reply",
            Self::SchemaMismatch => "schema_mismatch",
            Self::NotRecorded => "not_recorded",
            Self::Budget => "budget",
            Self::Cancelled => "cancelled",
            Self::Solver => "solver",
        }
    }

    /// Whether another try of the same request may succeed.
    pub const fn is_retryable(self) -> bool {
        matches!(
            self,
            Self::Transport | Self::Timeout | Self::RateLimit | Self::Server | Self::BadReply
        )
    }

    /// The outcome of a sample that ends because of this.
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::ContentFilter => Outcome::ContentFilter,
            Self::ContextOverflow => Outcome::ContextOverflow,
            Self::SchemaMismatch => Outcome::Malformed,
            Self::Timeout => Outcome::Timeout,
            Self::Budget => Outcome::Budget,
            Self::Cancelled => Outcome::Cancelled,
            _ => Outcome::Error,
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_serialise_as_themselves() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::parse(outcome.as_str()), Some(outcome));
            assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.as_str());
        }
    }

    #[test]
    fn four_outcomes_say_nothing_about_the_model() {
        let infrastructure: Vec<_> = Outcome::ALL
            .into_iter()
            .filter(|o| o.is_infrastructure())
            .map(Outcome::as_str)
            .collect();
        assert_eq!(infrastructure, ["error", "timeout", "budget", "cancelled"]);
    }
}
