//! From a reply to something a solver can use.

use consilium_core::{CallRow, Outcome, ParseStatus};
use serde_json::{Map, Value};

use super::end::{Ending, SampleEnd};
use crate::reading::{json_objects, without_reasoning};
use consilium_backends::{OutputSchema, Reply, ResponseFormat};

/// What decides how a reply is read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Received {
    content: Option<String>,
    refused: bool,
    finish_reason: Option<String>,
    /// How a structured reply was asked for.
    format: ResponseFormat,
    lossy: bool,
    /// Whether this is the reply to a repair call.
    repair: bool,
}

/// What a reply is good for.
#[derive(Debug)]
pub(super) enum Reading {
    /// It can be used.
    Usable {
        text: String,
        value: Option<Value>,
        truncated: bool,
        status: ParseStatus,
    },
    /// It does not satisfy the schema.
    Invalid {
        text: String,
        /// What is wrong, without quoting the reply.
        fault: String,
    },
    /// It ends the sample.
    End(Ending),
}

impl Reading {
    /// The `parse_status` of the call.
    pub(super) fn parse_status(&self) -> Option<ParseStatus> {
        match self {
            Self::Usable { status, .. } => Some(*status),
            Self::Invalid { .. } => Some(ParseStatus::Failed),
            Self::End(_) => None,
        }
    }
}

/// Where a refusal in the server's own field is kept: no column holds it.
const REFUSAL_IN_RAW: &str = "refusal";

impl Received {
    /// What a backend gave.
    pub(super) fn from_reply(reply: &Reply, repair: bool) -> Self {
        Self {
            content: reply.content.clone(),
            // A replay backend hands on what was recorded.
            refused: reply.refusal.is_some() || is_raw_refusal(reply.raw.as_deref()),
            finish_reason: reply.finish_reason.clone(),
            format: reply.format,
            lossy: reply.lossy,
            repair,
        }
    }

    /// What was recorded; `None` for a call without a reply.
    pub(super) fn from_row(row: &CallRow) -> Option<Self> {
        if row.error_kind.is_some() {
            return None;
        }
        let format = match row.parse_status {
            Some(ParseStatus::Schema) => ResponseFormat::JsonSchema,
            Some(ParseStatus::JsonMode) => ResponseFormat::JsonObject,
            _ => ResponseFormat::Text,
        };
        Some(Self {
            content: row.response.clone(),
            refused: is_raw_refusal(row.raw.as_deref()),
            finish_reason: row.finish_reason.clone(),
            format,
            lossy: row.parse_status == Some(ParseStatus::Lossy),
            repair: row.purpose == super::calls::REPAIR,
        })
    }

    /// Reads the reply.
    pub(super) fn read(&self, schema: Option<&OutputSchema>) -> Reading {
        let finished = |reason: &str| self.finish_reason.as_deref() == Some(reason);
        if self.refused || finished("refusal") {
            return end(Outcome::Refused, None);
        }
        if finished("content_filter") {
            return end(Outcome::ContentFilter, None);
        }
        let truncated = finished("length") || finished("max_tokens");
        let content = self.content.as_deref().unwrap_or_default();
        let text = without_reasoning(content).trim().to_owned();
        if text.is_empty() {
            // Reasoning is never taken for the answer.
            return end(
                if truncated {
                    Outcome::Truncated
                } else {
                    Outcome::Empty
                },
                None,
            );
        }
        let Some(schema) = schema else {
            let status = if self.lossy {
                ParseStatus::Lossy
            } else {
                ParseStatus::Text
            };
            return Reading::Usable {
                text,
                value: None,
                truncated,
                status,
            };
        };
        match parse(&text, schema) {
            Ok((value, whole)) => {
                let status = self.status_of_structured(whole);
                Reading::Usable {
                    text,
                    value: Some(value),
                    truncated,
                    status,
                }
            }
            // A second try would be cut at the same length.
            Err(_) if truncated => end(Outcome::Truncated, Some(text)),
            Err(fault) => Reading::Invalid { text, fault },
        }
    }

    fn status_of_structured(&self, whole: bool) -> ParseStatus {
        match (self.lossy, self.repair, whole, self.format) {
            (true, ..) => ParseStatus::Lossy,
            (_, true, ..) => ParseStatus::Repaired,
            (_, _, true, ResponseFormat::JsonSchema) => ParseStatus::Schema,
            (_, _, true, ResponseFormat::JsonObject) => ParseStatus::JsonMode,
            _ => ParseStatus::Extracted,
        }
    }
}

/// Whether a `raw` column keeps a refusal.
fn is_raw_refusal(raw: Option<&str>) -> bool {
    let object = raw.and_then(|raw| serde_json::from_str::<Map<String, Value>>(raw).ok());
    object.is_some_and(|object| object.len() == 1 && object.contains_key(REFUSAL_IN_RAW))
}

/// A refusal as the `raw` column keeps it.
pub(super) fn refusal_as_raw(refusal: &str) -> String {
    Value::Object(Map::from_iter([(
        REFUSAL_IN_RAW.to_owned(),
        refusal.into(),
    )]))
    .to_string()
}

fn end(outcome: Outcome, answer: Option<String>) -> Reading {
    Reading::End(Ending {
        outcome,
        error_kind: None,
        message: None,
        answer,
    })
}

/// The first object of a text that satisfies the schema, and whether it is all of the text.
fn parse(text: &str, schema: &OutputSchema) -> Result<(Value, bool), String> {
    let validator = jsonschema::validator_for(&schema.schema)
        .map_err(|error| format!("the schema itself is not valid: {error}"))?;
    let whole = serde_json::from_str::<Value>(text).ok();
    let is_whole = whole.is_some();
    let candidates = match whole {
        Some(value) => vec![value],
        None => json_objects(text).into_iter().map(Value::Object).collect(),
    };
    let mut fault = None;
    for mut value in candidates {
        add_absent_nulls(&mut value, &schema.schema);
        let wrong: Vec<String> = validator
            .iter_errors(&value)
            .take(3)
            .map(|error| format!("at `{}`: {}", error.instance_path(), error.masked()))
            .collect();
        if wrong.is_empty() {
            return Ok((value, is_whole));
        }
        fault.get_or_insert(wrong.join("; "));
    }
    Err(fault.unwrap_or_else(|| "it holds no JSON object".to_owned()))
}

/// Adds null for required properties that may be null.
///
/// Servers that enforce a schema want every property required, so that an optional one is written
/// as nullable; models that only read the schema leave it out.
fn add_absent_nulls(value: &mut Value, schema: &Value) {
    let (Value::Object(fields), Some(Value::Object(properties))) =
        (value, schema.get("properties"))
    else {
        return;
    };
    for (name, property) in properties {
        let types = property.get("type").and_then(Value::as_array);
        if types.is_some_and(|types| types.iter().any(|kind| kind == "null")) {
            fields.entry(name.clone()).or_insert(Value::Null);
        }
    }
}

impl From<Ending> for SampleEnd {
    fn from(ending: Ending) -> Self {
        Self::Ended { ending }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> OutputSchema {
        OutputSchema {
            name: "answer".to_owned(),
            schema: json!({
                "type": "object",
                "properties": {
                    "answer": {"type": "string", "enum": ["A", "B"]},
                    "rationale": {"type": ["string", "null"]},
                },
                "required": ["answer", "rationale"],
                "additionalProperties": false,
            }),
            answer_field: "answer".to_owned(),
        }
    }

    fn reply(content: &str, finish: &str) -> Reply {
        Reply {
            content: Some(content.to_owned()),
            finish_reason: Some(finish.to_owned()),
            ..Reply::default()
        }
    }

    fn read(reply: &Reply, structured: bool) -> Reading {
        let schema = schema();
        Received::from_reply(reply, false).read(structured.then_some(&schema))
    }

    fn outcome(reply: &Reply, structured: bool) -> Option<Outcome> {
        match read(reply, structured) {
            Reading::End(ending) => Some(ending.outcome),
            _ => None,
        }
    }

    #[test]
    fn a_reply_without_content_is_no_answer() {
        let refusal = Reply {
            refusal: Some("I can't".to_owned()),
            ..reply("", "stop")
        };
        assert_eq!(outcome(&refusal, false), Some(Outcome::Refused));
        let replayed = Reply {
            raw: Some(refusal_as_raw("I can't")),
            ..reply("", "stop")
        };
        assert_eq!(outcome(&replayed, false), Some(Outcome::Refused));
        for (content, finish, expected) in [
            ("x", "refusal", Some(Outcome::Refused)),
            ("x", "content_filter", Some(Outcome::ContentFilter)),
            ("", "stop", Some(Outcome::Empty)),
            (" \n", "length", Some(Outcome::Truncated)),
            ("<think>B", "length", Some(Outcome::Truncated)),
            ("<think>B</think>", "stop", Some(Outcome::Empty)),
            ("B", "stop", None),
            ("B", "length", None),
        ] {
            assert_eq!(
                outcome(&reply(content, finish), false),
                expected,
                "{content} {finish}"
            );
        }
        let reasoning = Reply {
            reasoning: Some("B".to_owned()),
            content: None,
            ..reply("", "stop")
        };
        assert_eq!(outcome(&reasoning, false), Some(Outcome::Empty));
    }

    #[test]
    fn a_structured_reply_is_parsed_by_its_format() {
        for (content, format, expected) in [
            (
                r#"{"answer":"A","rationale":"r"}"#,
                ResponseFormat::JsonSchema,
                ParseStatus::Schema,
            ),
            (
                r#"{"answer":"A"}"#,
                ResponseFormat::JsonObject,
                ParseStatus::JsonMode,
            ),
            (
                r#"{"answer":"A"}"#,
                ResponseFormat::Text,
                ParseStatus::Extracted,
            ),
            (
                "So:\n```json\n{\"answer\": \"B\"}\n```",
                ResponseFormat::JsonSchema,
                ParseStatus::Extracted,
            ),
            (
                r#"{"x":1} {"answer":"B"}"#,
                ResponseFormat::Text,
                ParseStatus::Extracted,
            ),
        ] {
            let reading = read(
                &Reply {
                    format,
                    ..reply(content, "stop")
                },
                true,
            );
            assert_eq!(reading.parse_status(), Some(expected), "{content}");
        }
        let reading = read(&reply(r#"{"answer":"secret words"}"#, "stop"), true);
        let Reading::Invalid { fault, .. } = reading else {
            panic!("{reading:?}")
        };
        assert!(
            fault.contains("/answer") && !fault.contains("secret"),
            "{fault}"
        );
        assert_eq!(
            outcome(&reply(r#"{"answer":"#, "length"), true),
            Some(Outcome::Truncated)
        );
    }
}
