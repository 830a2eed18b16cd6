//! Model requests and what came back.

use serde::{Deserialize, Serialize};

use crate::{ErrorKind, SampleKey};

/// How a reply became what its caller asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ParseStatus {
    /// Plain text was asked for and received.
    Text,
    /// The backend enforced the JSON Schema and the reply satisfies it.
    Schema,
    /// JSON mode was used and the reply satisfies the schema.
    JsonMode,
    /// A JSON object that satisfies the schema was found in free text.
    Extracted,
    /// A repair call gave a reply that satisfies the schema.
    Repaired,
    /// No reply satisfied the schema.
    Failed,
    /// The reply held invalid text; it was replaced by U+FFFD and the raw reply kept.
    Lossy,
}

/// A row of `calls`: one model request, whatever became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRow {
    /// Key: dataset.
    pub dataset: String,
    /// Key: case.
    pub case_id: String,
    /// Key: system.
    pub system: String,
    /// Key: repetition, from 1.
    pub epoch: u32,
    /// The try at this sample, from 1.
    pub attempt: u32,
    /// Name of the scorer that issued it; NULL for solver calls.
    pub scorer: Option<String>,
    /// Position in the sample in program order, from 0.
    pub seq: u32,
    /// Round of a multi-round solver.
    pub round: Option<u32>,
    /// Agent role that speaks.
    pub agent: String,
    /// What the call is for, for example `answer` or `repair`.
    pub purpose: String,
    /// Name of the backend in the study.
    pub backend: String,
    /// Model asked for.
    pub model_requested: String,
    /// Model that answered, as the server names it.
    pub model_returned: Option<String>,
    /// System fingerprint, when the server gives one.
    pub fingerprint: Option<String>,
    /// Request identifier, when the server gives one.
    pub request_id: Option<String>,
    /// SHA-256 of the canonical JSON of model, messages, parameters and schema.
    pub request_sha256: String,
    /// Parameters and schema as JSON text, as they were sent: a refused seed is null, the length limit has the
    /// name it went under, a schema that the server does not enforce says how it was asked for.
    pub parameters: String,
    /// Messages as JSON text.
    pub messages: String,
    /// Content of the reply, reasoning excluded.
    pub response: Option<String>,
    /// Reasoning kept apart from the content.
    pub reasoning: Option<String>,
    /// Why generation stopped, as the server names it.
    pub finish_reason: Option<String>,
    /// How the reply was read.
    pub parse_status: Option<ParseStatus>,
    /// HTTP requests sent for it, the last included; 0 for replayed and cached calls.
    pub tries: u32,
    /// Status of the last HTTP reply.
    pub http_status: Option<u16>,
    /// Duration of the last try, milliseconds.
    pub latency_ms: Option<f64>,
    /// Tokens of the prompt.
    pub prompt_tokens: Option<u64>,
    /// Those of them billed as cached.
    pub cached_tokens: Option<u64>,
    /// Tokens generated, reasoning included.
    pub completion_tokens: Option<u64>,
    /// Price in US dollars; NULL when the backend has no price or usage is unknown.
    pub cost_usd: Option<f64>,
    /// Whether the answer came from the cache.
    pub cache_hit: bool,
    /// Start, microseconds since the Unix epoch, UTC.
    pub started_at: i64,
    /// Kind of the failure, when it failed.
    pub error_kind: Option<ErrorKind>,
    /// Message of the failure; never holds case text or keys.
    pub error: Option<String>,
    /// The reply as received, kept where it could not be represented otherwise.
    pub raw: Option<String>,
}

impl CallRow {
    /// Key of the sample the call belongs to.
    pub fn key(&self) -> SampleKey {
        SampleKey::new(
            self.dataset.as_str(),
            self.case_id.as_str(),
            self.system.as_str(),
            self.epoch,
        )
    }
}
