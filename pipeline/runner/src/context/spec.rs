//! What a solver asks for and what it gets.

use std::sync::Arc;

use consilium_core::study::GenerationSpec;
use serde_json::Value;

use consilium_backends::{Message, OutputSchema};

/// One call a solver wants made.
#[derive(Clone, Debug)]
pub struct CallSpec {
    /// Agent that speaks, as transcripts name it.
    pub agent: String,
    /// Role whose backend answers.
    pub role: String,
    /// What the call is for, for example `answer`.
    pub purpose: String,
    /// Round of a multi-round solver.
    pub round: Option<u32>,
    /// The chat so far.
    pub messages: Vec<Message>,
    /// Form of the reply, when it must be structured.
    pub schema: Option<Arc<OutputSchema>>,
    /// Settings over those of the system and the backend.
    pub generation: GenerationSpec,
    /// The right answer to a yes-or-no question, as far as the caller knows it; for simulated
    /// backends only.
    pub verdict: Option<bool>,
}

impl CallSpec {
    /// A call for plain text whose agent is called like its role.
    pub fn new(role: &str, purpose: &str, messages: Vec<Message>) -> Self {
        Self {
            agent: role.to_owned(),
            role: role.to_owned(),
            purpose: purpose.to_owned(),
            round: None,
            messages,
            schema: None,
            generation: GenerationSpec::default(),
            verdict: None,
        }
    }

    /// The same call for a structured reply.
    #[must_use]
    pub fn with_schema(mut self, schema: Arc<OutputSchema>) -> Self {
        self.schema = Some(schema);
        self
    }
}

/// A reply that can be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// What was said, reasoning excluded; never empty.
    pub text: String,
    /// The reply as JSON that satisfies the schema, when one was asked for.
    pub value: Option<Value>,
    /// Whether the token limit cut it.
    pub truncated: bool,
    /// Position of the call in the sample.
    pub seq: u32,
}

/// An entry of a transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// Agent that speaks.
    pub agent: String,
    /// `question`, `answer`, `summary`, `vote`, `final`, ….
    pub kind: String,
    /// Round of a multi-round solver.
    pub round: Option<u32>,
    /// What is said.
    pub content: Option<String>,
    /// Structured part.
    pub payload: Option<Value>,
}

impl Event {
    /// An event with text.
    pub fn new(agent: &str, kind: &str, content: impl Into<String>) -> Self {
        Self {
            agent: agent.to_owned(),
            kind: kind.to_owned(),
            content: Some(content.into()),
            ..Self::default()
        }
    }
}
