//! The `[[backend]]` table.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One model that answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackendSpec {
    /// Name, unique in the study.
    pub name: String,
    /// Wire client.
    pub kind: BackendKind,
    /// `openai`: address up to and including `/v1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Model to ask for; the backend's name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `openai`: environment variable that holds the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// `openai`: how JSON is asked for.
    #[serde(default)]
    pub structured_output: StructuredOutput,
    /// Concurrency, rates, deadlines and retries.
    #[serde(default)]
    pub limits: LimitSpec,
    /// Price per million tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<PriceSpec>,
    /// Generation settings of every call, unless the system or the agent says otherwise.
    #[serde(default)]
    pub generation: GenerationSpec,
    /// `simulated`: median latency of a reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// `simulated`: share of calls that fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_rate: Option<f64>,
    /// `simulated`: share of right answers, one number or rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<SimulatedAccuracy>,
    /// `simulated`: how much the confidence that it states exceeds its accuracy, -1 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overconfidence: Option<f64>,
    /// `replay`: run folder or Parquet file of recorded calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<PathBuf>,
    /// `replay`: how a recorded call is found.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub replay_match: Option<ReplayMatch>,
}

/// Wire clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BackendKind {
    /// Any OpenAI-compatible chat server.
    Openai,
    /// Seeded answers without a model, for determinism and load.
    Simulated,
    /// Recorded calls.
    Replay,
}

/// How structured output is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// `json_schema` first; on refusal JSON mode, then plain text.
    #[default]
    Auto,
    /// `response_format = json_schema`.
    JsonSchema,
    /// `response_format = json_object`.
    JsonObject,
    /// No response format; the first JSON object in the text is read.
    Text,
}

/// How a recorded call is found for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayMatch {
    /// By request hash and ordinal among equal requests.
    #[default]
    Request,
    /// By key and position; a changed request is marked.
    Position,
}

/// What a backend permits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSpec {
    /// Calls in flight at most.
    pub concurrency: u32,
    /// Whether fewer calls than `concurrency` are in flight, and fewer are started per second,
    /// while the server says that it is overloaded.
    pub adaptive: bool,
    /// Requests per minute at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rpm: Option<u32>,
    /// Tokens per minute at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tpm: Option<u32>,
    /// Deadline of one try, seconds.
    pub timeout_s: f64,
    /// Deadline of connecting, seconds.
    pub connect_timeout_s: f64,
    /// Deadline of the beginning of a reply, seconds; that of the whole try when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_byte_timeout_s: Option<f64>,
    /// Tries after the first one.
    pub retries: u32,
}

impl Default for LimitSpec {
    fn default() -> Self {
        Self {
            concurrency: 8,
            adaptive: true,
            rpm: None,
            tpm: None,
            timeout_s: 60.0,
            connect_timeout_s: 10.0,
            first_byte_timeout_s: None,
            retries: 5,
        }
    }
}

/// Price per million tokens, US dollars.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PriceSpec {
    /// Prompt tokens.
    pub input: f64,
    /// Prompt tokens read from the provider's cache; as `input` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_input: Option<f64>,
    /// Completion tokens.
    pub output: f64,
}

impl PriceSpec {
    /// Cost of one call in US dollars.
    pub fn cost_usd(&self, prompt: u64, cached: u64, completion: u64) -> f64 {
        let cached = cached.min(prompt);
        let cached_price = self.cached_input.unwrap_or(self.input);
        ((prompt - cached) as f64 * self.input
            + cached as f64 * cached_price
            + completion as f64 * self.output)
            / 1e6
    }
}

/// Generation settings; what is absent is not sent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GenerationSpec {
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Longest completion, tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// Texts that end the completion.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Effort of reasoning models, as the server names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Further request fields, sent as they are.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra: BTreeMap<String, Value>,
}

impl GenerationSpec {
    /// These settings with those of `over` on top.
    #[must_use]
    pub fn overlaid(&self, over: &Self) -> Self {
        let mut extra = self.extra.clone();
        extra.extend(over.extra.clone());
        Self {
            temperature: over.temperature.or(self.temperature),
            top_p: over.top_p.or(self.top_p),
            max_tokens: over.max_tokens.or(self.max_tokens),
            stop: if over.stop.is_empty() {
                self.stop.clone()
            } else {
                over.stop.clone()
            },
            reasoning_effort: over
                .reasoning_effort
                .clone()
                .or_else(|| self.reasoning_effort.clone()),
            extra,
        }
    }
}

/// Share of right answers of a simulated backend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SimulatedAccuracy {
    /// The same for every case.
    Everywhere(f64),
    /// The first rule whose conditions all hold.
    Rules(Vec<AccuracyRule>),
}

/// One rule of a simulated backend's accuracy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccuracyRule {
    /// Only for this system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// Only for this specialty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub specialty: Option<String>,
    /// Only for this prevalence class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prevalence: Option<String>,
    /// Share of right answers.
    pub value: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cached_tokens_are_priced_as_such() {
        let price = PriceSpec {
            input: 2.5,
            cached_input: Some(1.25),
            output: 10.0,
        };
        let cost = price.cost_usd(1_000_000, 400_000, 100_000);
        assert!((cost - (1.5 + 0.5 + 1.0)).abs() < 1e-12);
    }

    #[test]
    fn an_overlay_keeps_what_it_does_not_set() {
        let base = GenerationSpec {
            temperature: Some(0.0),
            max_tokens: Some(512),
            ..Default::default()
        };
        let over = GenerationSpec {
            temperature: Some(0.7),
            ..Default::default()
        };
        let both = base.overlaid(&over);
        assert_eq!((both.temperature, both.max_tokens), (Some(0.7), Some(512)));
    }
}
