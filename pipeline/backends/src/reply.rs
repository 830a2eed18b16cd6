//! What comes back from a model, or why nothing does.

use std::time::Duration;

use consilium_core::ErrorKind;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limit::ServerLimits;

/// Tokens of one call, as far as the server reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: Option<u64>,
    /// Those of them read from the provider's cache.
    pub cached_tokens: Option<u64>,
    /// Tokens generated, reasoning included.
    pub completion_tokens: Option<u64>,
}

/// How a structured reply was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseFormat {
    /// In words only.
    #[default]
    Text,
    /// In words, with a server that guarantees some JSON object.
    JsonObject,
    /// By a schema that the server enforces.
    JsonSchema,
}

impl ResponseFormat {
    /// The name in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::JsonObject => "json_object",
            Self::JsonSchema => "json_schema",
        }
    }
}

/// A reply of a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// What was said, reasoning excluded.
    pub content: Option<String>,
    /// Reasoning that the server or the model keeps apart.
    pub reasoning: Option<String>,
    /// The model's own words of refusal, where the server marks them.
    pub refusal: Option<String>,
    /// Why generation stopped, as the server names it.
    pub finish_reason: Option<String>,
    /// Model that answered, as the server names it.
    pub model: Option<String>,
    /// System fingerprint.
    pub fingerprint: Option<String>,
    /// Request identifier of the server.
    pub request_id: Option<String>,
    /// Tokens.
    pub usage: Usage,
    /// HTTP status; `None` where no HTTP was spoken.
    pub http_status: Option<u16>,
    /// Duration, milliseconds.
    pub latency_ms: f64,
    /// Fields of the reply that have no place above.
    pub extra: Map<String, Value>,
    /// How the form of the reply was really asked for.
    pub format: ResponseFormat,
    /// How the request differed from what was asked for.
    #[serde(default)]
    pub adaptation: Adaptation,
    /// Whether invalid text was replaced by U+FFFD.
    pub lossy: bool,
    /// The body as received, when lossy.
    pub raw: Option<String>,
    /// What the server states of its limits.
    #[serde(skip)]
    pub limits: Option<ServerLimits>,
}

/// How a request was written where the server refuses what was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adaptation {
    /// The seed was left out.
    pub without_seed: bool,
    /// `max_tokens` was sent as `max_completion_tokens`.
    pub max_completion_tokens: bool,
    /// The schema stood in the last message in words, and was asked for in this form.
    pub schema_as: Option<ResponseFormat>,
}

impl Adaptation {
    /// Turns the parameters that were asked for into those that are sent.
    pub fn apply(self, parameters: &mut Map<String, Value>) {
        if self.max_completion_tokens
            && let Some(most) = parameters.remove("max_tokens")
        {
            // One that `extra` gives is what was meant.
            parameters.entry("max_completion_tokens").or_insert(most);
        }
        if self.without_seed {
            parameters.remove("seed");
        }
    }
}

/// A call that gave no reply.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct CallFailure {
    /// Why.
    pub kind: ErrorKind,
    /// What happened: status and the provider's own words, without prompt text and keys.
    pub message: String,
    /// HTTP status, when there was one.
    pub http_status: Option<u16>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// Duration, milliseconds.
    pub latency_ms: Option<f64>,
    /// What the server states of its limits.
    pub limits: Option<Box<ServerLimits>>,
    /// How the request differed from what was asked for.
    pub adaptation: Adaptation,
}

impl CallFailure {
    /// A failure without an HTTP reply.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            http_status: None,
            retry_after: None,
            latency_ms: None,
            limits: None,
            adaptation: Adaptation::default(),
        }
    }

    /// Whether every later call would fail alike: the key is refused or the account is empty.
    pub fn is_for_good(&self) -> bool {
        self.kind == ErrorKind::Auth
            || (self.kind == ErrorKind::BadRequest && matches!(self.http_status, Some(402 | 429)))
    }
}
