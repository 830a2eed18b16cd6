//! What is asked of a model, and on whose behalf.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::SampleKey;
use consilium_core::canonical::{canonical_value_json, sha256_hex, to_canonical_json};
use consilium_core::study::GenerationSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Who speaks in a chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Standing instructions.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// One message of a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A system message.
    pub fn system(content: impl Into<String>) -> Self {
        Self {
            role: Role::System,
            content: content.into(),
        }
    }

    /// A user message.
    pub fn user(content: impl Into<String>) -> Self {
        Self {
            role: Role::User,
            content: content.into(),
        }
    }

    /// An assistant message.
    pub fn assistant(content: impl Into<String>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
        }
    }
}

/// The form a structured reply must have.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputSchema {
    /// Name of the form; letters, digits, `_` and `-`.
    pub name: String,
    /// JSON Schema of the reply.
    pub schema: Value,
    /// Property that holds the answer.
    pub answer_field: String,
}

impl OutputSchema {
    /// The sentence that asks for the schema in words, for backends that cannot enforce it.
    ///
    /// Appended to the last message, after a blank line. A backend that has to give up enforcing
    /// the schema in the middle of a call appends it itself unless the message already ends so.
    pub fn instruction(&self) -> String {
        format!(
            "Reply with one JSON object that satisfies this JSON Schema, and with nothing else:\n{}",
            self.schema
        )
    }
}

/// One model request, independent of how it is sent.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// Model asked for.
    pub model: String,
    /// The chat so far.
    pub messages: Vec<Message>,
    /// Sampling settings; what is absent is not sent.
    pub generation: GenerationSpec,
    /// Seed of the sampling; only its low 31 bits are sent and recorded, see [`wire_seed`].
    pub seed: Option<u64>,
    /// Form of the reply, when it must be structured.
    pub schema: Option<Arc<OutputSchema>>,
}

impl ChatRequest {
    /// SHA-256 of the canonical JSON of model, messages, parameters with the seed, and schema.
    pub fn sha256(&self) -> String {
        self.sha256_with(&self.messages_json(), &self.plain_parameters_json())
    }

    /// The same where messages and [`Self::plain_parameters_json`] are at hand.
    pub fn sha256_with(&self, messages: &str, parameters: &str) -> String {
        let schema = self
            .schema
            .as_ref()
            .map(|schema| json!([schema.name, schema.schema]));
        let hashed = || {
            // The keys of the object come in canonical order.
            let identity = [
                r#"{"messages":"#,
                messages,
                r#","model":"#,
                &serde_json::to_string(&self.model).ok()?,
                r#","parameters":"#,
                parameters,
                r#","schema":"#,
                &to_canonical_json(&schema).ok()?,
                "}",
            ];
            Some(sha256_hex(identity.concat().as_bytes()))
        };
        hashed().unwrap_or_default()
    }

    /// Parameters and seed as canonical JSON.
    pub fn plain_parameters_json(&self) -> String {
        canonical_value_json(&Value::Object(self.parameters())).unwrap_or_default()
    }

    /// Parameters, seed and schema as canonical JSON: the `parameters` column of `calls`.
    pub fn parameters_json(&self) -> String {
        self.parameters_json_of(self.plain_parameters_json())
    }

    /// The same where [`Self::plain_parameters_json`] is at hand.
    pub fn parameters_json_of(&self, plain: String) -> String {
        let Some(schema) = &self.schema else {
            return plain;
        };
        let mut parameters = self.parameters();
        parameters.insert(
            "schema".to_owned(),
            json!({"name": schema.name, "schema": schema.schema}),
        );
        to_canonical_json(&parameters).unwrap_or_default()
    }

    /// Messages as canonical JSON: the `messages` column of `calls`.
    pub fn messages_json(&self) -> String {
        /// Keys in canonical order; text has one form in JSON.
        #[derive(Serialize)]
        struct Canonical<'a> {
            content: &'a str,
            role: Role,
        }
        let messages = self.messages.iter().map(|message| Canonical {
            content: &message.content,
            role: message.role,
        });
        serde_json::to_string(&messages.collect::<Vec<_>>()).unwrap_or_default()
    }

    /// Generation settings as the flat fields of a chat request, `extra` on top.
    pub(crate) fn parameters(&self) -> Map<String, Value> {
        let generation = &self.generation;
        let known: BTreeMap<&str, Option<Value>> = BTreeMap::from([
            ("temperature", generation.temperature.map(Value::from)),
            ("top_p", generation.top_p.map(Value::from)),
            ("max_tokens", generation.max_tokens.map(Value::from)),
            (
                "stop",
                (!generation.stop.is_empty()).then(|| json!(generation.stop)),
            ),
            (
                "reasoning_effort",
                generation.reasoning_effort.clone().map(Value::from),
            ),
            ("seed", self.seed.map(|seed| Value::from(wire_seed(seed)))),
        ]);
        let mut parameters: Map<String, Value> = known
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect();
        parameters.extend(
            generation
                .extra
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        parameters
    }
}

/// The seed as it goes over the wire: providers refuse more than 31 bits.
pub const fn wire_seed(seed: u64) -> u64 {
    seed & 0x7fff_ffff
}

/// Whose call it is; never sent to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallIdentity {
    /// The sample.
    pub key: SampleKey,
    /// The try at the sample, from 1.
    pub attempt: u32,
    /// Name of the scorer that calls; `None` for solver calls.
    pub scorer: Option<Arc<str>>,
    /// Position in the sample in program order, from 0.
    pub seq: u32,
    /// Round of a multi-round solver.
    pub round: Option<u32>,
    /// Agent that speaks.
    pub agent: Arc<str>,
    /// What the call is for, for example `answer` or `repair`.
    pub purpose: Arc<str>,
    /// Role whose backend is used, see `role_backends`.
    pub role: Arc<str>,
    /// The right answer to a yes-or-no question, as far as the caller knows it; only the simulated
    /// backend looks at it.
    pub verdict: Option<bool>,
}

#[cfg(test)]
mod tests {
    use consilium_core::canonical::canonical_sha256;

    use super::*;

    fn request() -> ChatRequest {
        ChatRequest {
            model: "m".to_owned(),
            messages: vec![Message::system("s"), Message::user("病史\u{0}")],
            generation: GenerationSpec {
                temperature: Some(0.7),
                extra: BTreeMap::from([("top_k".to_owned(), json!(40))]),
                ..Default::default()
            },
            seed: Some(0x1_8000_0005),
            schema: None,
        }
    }

    #[test]
    fn parameters_hold_what_is_sent_and_nothing_else() {
        assert_eq!(
            request().parameters_json(),
            r#"{"seed":5,"temperature":0.7,"top_k":40}"#
        );
        assert!(
            request()
                .messages_json()
                .starts_with(r#"[{"content":"s","role":"system"}"#)
        );
    }

    #[test]
    fn messages_and_hash_are_of_canonical_json() {
        let odd: String = (0..0x120).filter_map(char::from_u32).collect();
        let mut request = request();
        request
            .messages
            .push(Message::assistant(odd + "\u{2028}\u{1f912}\"\\"));
        for schema in [
            None,
            Some(json!({"type": "object", "b": 1.0, "a": [1e21, "é"]})),
        ] {
            request.schema = schema.map(|schema| {
                Arc::new(OutputSchema {
                    name: "answer".to_owned(),
                    schema,
                    answer_field: "answer".to_owned(),
                })
            });
            let messages = to_canonical_json(&request.messages).unwrap();
            assert_eq!(request.messages_json(), messages);
            let schema = request.schema.as_ref();
            let identity = json!({
                "model": request.model,
                "messages": request.messages,
                "parameters": request.parameters(),
                "schema": schema.map(|schema| json!([schema.name, schema.schema])),
            });
            assert_eq!(request.sha256(), canonical_sha256(&identity).unwrap());
        }
    }

    #[test]
    fn every_part_changes_the_hash() {
        let base = request().sha256();
        assert_eq!(base.len(), 64);
        let schema = OutputSchema {
            name: "answer".to_owned(),
            schema: json!({"type": "object"}),
            answer_field: "answer".to_owned(),
        };
        let changes: [fn(&mut ChatRequest); 5] = [
            |request| request.model.push('x'),
            |request| request.messages[1].content.push('x'),
            |request| request.generation.temperature = Some(0.8),
            |request| request.seed = Some(6),
            |request| request.generation.extra.clear(),
        ];
        for change in changes {
            let mut other = request();
            change(&mut other);
            assert_ne!(other.sha256(), base);
        }
        let structured = ChatRequest {
            schema: Some(Arc::new(schema)),
            ..request()
        };
        assert_ne!(structured.sha256(), base);
    }
}
