//! Reply bodies of many servers, read leniently.

use serde_json::{Map, Value};

use super::complaint::Complaint;
use super::surrogate::replace_lone_surrogates;
use crate::{Reply, Usage};

/// A body of status 200 that is no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoReply {
    /// It is not JSON; says where it stops being so.
    NotJson(String),
    /// It holds an error.
    Complains(Complaint),
    /// It holds no choice.
    NoChoices,
}

/// Reads the body of a chat completion; status, latency and format are the caller's.
pub(super) fn read(body: &[u8]) -> Result<Reply, NoReply> {
    let (value, lossy) = parse(body)?;
    let Value::Object(mut fields) = value else {
        return Err(Complaint::read(&value).map_or(NoReply::NoChoices, NoReply::Complains));
    };
    let Some(mut choice) = first_choice(&mut fields) else {
        let complaint = Complaint::read(&Value::Object(fields));
        return Err(complaint.map_or(NoReply::NoChoices, NoReply::Complains));
    };
    // OpenRouter reports a provider that broke off inside the choice.
    if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
        return Err(NoReply::Complains(
            Complaint::read(error).unwrap_or_default(),
        ));
    }
    let Some(Value::Object(mut message)) = choice.remove("message") else {
        return Err(NoReply::NoChoices);
    };
    let mut said = Said::default();
    said.content_of(message.remove("content"));
    for name in ["reasoning", "reasoning_content"] {
        said.reasoning_of(message.remove(name));
    }
    said.split_thinking();
    let usage = usage(fields.remove("usage"), &mut fields);
    let mut reply = Reply {
        content: said.content,
        reasoning: said.reasoning,
        refusal: said.refusal.or_else(|| text(message.remove("refusal"))),
        finish_reason: text(choice.remove("finish_reason")),
        model: text(fields.remove("model")),
        fingerprint: text(fields.remove("system_fingerprint")),
        request_id: text(fields.remove("id")),
        usage,
        lossy,
        raw: lossy.then(|| String::from_utf8_lossy(body).into_owned()),
        ..Default::default()
    };
    for known in ["role", "refusal"] {
        message.remove(known);
    }
    choice.remove("index");
    for known in ["object", "created"] {
        fields.remove(known);
    }
    reply.extra = fields;
    for (name, rest) in [("message", message), ("choice", choice)] {
        reply.extra.insert(name.to_owned(), Value::Object(rest));
    }
    reply.extra.retain(|_, value| !is_nothing(value));
    Ok(reply)
}

/// Parses a body; what no text can hold becomes U+FFFD, and the flag says so.
fn parse(body: &[u8]) -> Result<(Value, bool), NoReply> {
    let first = match serde_json::from_slice(body) {
        Ok(value) => return Ok((value, false)),
        Err(error) => error,
    };
    let text = String::from_utf8_lossy(body);
    let fixed = replace_lone_surrogates(&text);
    // The position is all that is told: the text around it may be case text.
    serde_json::from_str(&fixed)
        .map(|value| (value, true))
        .map_err(|_| NoReply::NotJson(format!("line {}, column {}", first.line(), first.column())))
}

fn first_choice(fields: &mut Map<String, Value>) -> Option<Map<String, Value>> {
    match fields.remove("choices") {
        Some(Value::Array(choices)) => match choices.into_iter().next() {
            Some(Value::Object(choice)) => Some(choice),
            _ => None,
        },
        _ => None,
    }
}

#[derive(Default)]
struct Said {
    content: Option<String>,
    reasoning: Option<String>,
    refusal: Option<String>,
}

impl Said {
    fn content_of(&mut self, value: Option<Value>) {
        match value {
            Some(Value::String(text)) => self.content = Some(text),
            Some(Value::Array(parts)) => {
                for part in parts {
                    self.part(part);
                }
            }
            _ => {}
        }
    }

    fn part(&mut self, part: Value) {
        let Value::Object(mut part) = part else {
            return join(&mut self.content, text(Some(part)), "");
        };
        match part.get("type").and_then(Value::as_str) {
            Some("refusal") => join(&mut self.refusal, text(part.remove("refusal")), ""),
            Some("thinking" | "reasoning") => {
                for name in ["thinking", "reasoning", "text"] {
                    self.reasoning_of(part.remove(name));
                }
            }
            _ => join(&mut self.content, text(part.remove("text")), ""),
        }
    }

    fn reasoning_of(&mut self, value: Option<Value>) {
        match value {
            // Servers that send both names send the same text twice.
            Some(Value::String(reasoning))
                if !reasoning.is_empty() && self.reasoning.as_ref() != Some(&reasoning) =>
            {
                join(&mut self.reasoning, Some(reasoning), "\n");
            }
            Some(Value::Array(parts)) => {
                for part in parts {
                    self.reasoning_of(part.get("text").cloned());
                }
            }
            _ => {}
        }
    }

    /// Moves a `<think>…</think>` block at the start of the content to the reasoning.
    ///
    /// Some chat templates open the block in the prompt, so that only its end is in the content;
    /// and a reply cut by the token limit has no end.
    fn split_thinking(&mut self) {
        let Some(content) = &self.content else { return };
        let trimmed = content.trim_start();
        let (thought, rest) = match trimmed.strip_prefix("<think>") {
            Some(inside) => inside.split_once("</think>").unwrap_or((inside, "")),
            None => match trimmed.split_once("</think>") {
                Some((thought, rest)) if !thought.contains("<think>") => (thought, rest),
                _ => return,
            },
        };
        let (thought, rest) = (thought.trim().to_owned(), rest.trim_start().to_owned());
        if !thought.is_empty() {
            join(&mut self.reasoning, Some(thought), "\n");
        }
        self.content = (!rest.is_empty()).then_some(rest);
    }
}

fn join(to: &mut Option<String>, more: Option<String>, separator: &str) {
    match (to.as_mut(), more) {
        (Some(text), Some(more)) => {
            text.push_str(separator);
            text.push_str(&more);
        }
        (None, more) => *to = more,
        (Some(_), None) => {}
    }
}

/// Texts as they are, numbers as text: some servers number what others name.
fn text(value: Option<Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn usage(value: Option<Value>, fields: &mut Map<String, Value>) -> Usage {
    let Some(value) = value else {
        return Usage::default();
    };
    let count = |name: &str| value.get(name).and_then(whole);
    let cached = value
        .pointer("/prompt_tokens_details/cached_tokens")
        .or_else(|| value.get("prompt_cache_hit_tokens"))
        .and_then(whole);
    let usage = Usage {
        prompt_tokens: count("prompt_tokens"),
        cached_tokens: cached,
        completion_tokens: count("completion_tokens"),
    };
    // Details that have no column are kept as they came.
    if let Some(details) = value
        .get("completion_tokens_details")
        .filter(|it| !is_nothing(it))
    {
        fields.insert("completion_tokens_details".to_owned(), details.clone());
    }
    usage
}

/// A whole number, also where a server writes `12.0`.
fn whole(value: &Value) -> Option<u64> {
    let float = || {
        value
            .as_f64()
            .filter(|it| *it >= 0.0 && it.fract() == 0.0 && *it < 1e15)
    };
    value.as_u64().or_else(|| float()?.to_string().parse().ok())
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(fields) => fields.values().all(is_nothing),
        Value::Array(items) => items.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
