//! One model call as pages show it.

use consilium_core::CallRow;
use serde_json::Value;

use super::number::{Moment, count, duration, usd};
use super::text::{Budget, Text, short};
use super::{case, words};
use crate::link::Link;
use crate::{CallField, TextPart};

const MESSAGE_CHARACTERS: usize = 3_000;
const REPLY_CHARACTERS: usize = 4_000;
const PARAMETER_CHARACTERS: usize = 2_000;

/// Most messages shown of one call; the rest are in the download.
const MOST_MESSAGES: usize = 60;

/// A call ready for a template.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Anchor on its page.
    pub anchor: String,
    /// Number for readers, from 1.
    pub number: String,
    /// Scorer that issued it.
    pub scorer: Option<String>,
    /// Agent that speaks.
    pub agent: String,
    /// What it is for.
    pub purpose: String,
    /// Round.
    pub round: Option<u32>,
    /// Model, tokens, cost and time, for the line that opens it.
    pub summary: Vec<String>,
    /// What failed.
    pub error: Option<String>,
    /// Its contents; `None` when the page is full.
    pub body: Option<Body>,
    /// Address of the call on the page of all calls.
    pub address: Option<String>,
}

/// What a call holds.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// Messages sent.
    pub messages: Vec<Message>,
    /// Messages left out.
    pub left_out: usize,
    /// Address of all messages.
    pub all_messages: String,
    /// Content of the reply.
    pub response: Option<Text>,
    /// Reasoning.
    pub reasoning: Option<Text>,
    /// The reply as received.
    pub raw: Option<Text>,
    /// Parameters and schema.
    pub parameters: Text,
    /// Further facts.
    pub facts: Vec<(&'static str, String)>,
}

/// One message sent.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// Role.
    pub role: String,
    /// Content.
    pub text: Text,
}

/// What calls of a page share.
#[derive(Clone, Debug)]
pub(crate) struct CallLinks<'a> {
    /// The download of a text of the sample, without its part.
    pub text: Link,
    /// The page of all calls, without a place.
    pub calls: Link,
    /// Language of the case.
    pub lang: Option<&'a str>,
}

impl Call {
    /// A call; its contents are left out when they exceed the budget, unless `always`.
    pub(crate) fn new(
        row: &CallRow,
        place: Option<usize>,
        links: &CallLinks<'_>,
        budget: &mut Budget,
        always: bool,
    ) -> Self {
        let body = Body::new(row, links);
        let fits = budget.take(body.cost());
        Self {
            anchor: anchor(row),
            number: count(u64::from(row.seq) + 1),
            scorer: row.scorer.as_deref().map(short),
            agent: short(&row.agent),
            purpose: short(&row.purpose),
            round: row.round,
            summary: summary(row),
            error: row
                .error
                .as_deref()
                .or(row.error_kind.map(consilium_core::ErrorKind::as_str))
                .map(short),
            body: (fits || always).then_some(body),
            address: place.map(|place| {
                links
                    .calls
                    .clone()
                    .pair("skip", &place.to_string())
                    .at(&anchor(row))
            }),
        }
    }
}

impl Body {
    fn new(row: &CallRow, links: &CallLinks<'_>) -> Self {
        let link = |field: CallField| {
            let part = TextPart::Call {
                scorer: row.scorer.clone(),
                seq: row.seq,
                field,
            };
            case::part(&links.text, &part)
        };
        let text = |text: &str, limit, field| Text::new(text, limit, links.lang, link(field));
        let (messages, left_out) = messages(&row.messages, links.lang, &link(CallField::Messages));
        Self {
            messages,
            left_out,
            all_messages: link(CallField::Messages),
            response: row
                .response
                .as_deref()
                .map(|r| text(r, REPLY_CHARACTERS, CallField::Response)),
            reasoning: row
                .reasoning
                .as_deref()
                .filter(|r| !r.is_empty())
                .map(|r| text(r, REPLY_CHARACTERS, CallField::Reasoning)),
            raw: row
                .raw
                .as_deref()
                .map(|r| text(r, PARAMETER_CHARACTERS, CallField::Raw)),
            parameters: Text::new(
                &pretty(&row.parameters),
                PARAMETER_CHARACTERS,
                None,
                link(CallField::Parameters),
            ),
            facts: facts(row),
        }
    }

    fn cost(&self) -> usize {
        let texts = [&self.response, &self.reasoning, &self.raw];
        self.messages
            .iter()
            .map(|m| m.text.cost() + 150)
            .sum::<usize>()
            + texts.into_iter().flatten().map(Text::cost).sum::<usize>()
            + self.parameters.cost()
            + 1_200
    }
}

fn messages(json: &str, lang: Option<&str>, download: &str) -> (Vec<Message>, usize) {
    let Ok(Value::Array(items)) = serde_json::from_str(json) else {
        let text = Text::new(json, MESSAGE_CHARACTERS, lang, download.to_owned());
        return (
            vec![Message {
                role: "messages as recorded".to_owned(),
                text,
            }],
            0,
        );
    };
    let left_out = items.len().saturating_sub(MOST_MESSAGES);
    let messages = items
        .iter()
        .enumerate()
        .skip(left_out)
        .map(|(index, item)| Message {
            role: short(
                item.get("role")
                    .and_then(Value::as_str)
                    .unwrap_or("message"),
            ),
            text: Text::new(
                &message_text(item),
                MESSAGE_CHARACTERS,
                lang,
                format!("{download}&message={index}"),
            ),
        })
        .collect();
    (messages, left_out)
}

/// Content of a message: text as it stands, anything else as JSON.
pub(crate) fn message_text(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(content) if !content.is_null() => indented(content),
        _ => indented(message),
    }
}

fn pretty(json: &str) -> String {
    serde_json::from_str::<Value>(json).map_or_else(|_| json.to_owned(), |value| indented(&value))
}

fn indented(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

fn summary(row: &CallRow) -> Vec<String> {
    let mut parts = vec![short(
        row.model_returned
            .as_deref()
            .unwrap_or(&row.model_requested),
    )];
    if let (Some(prompt), Some(completion)) = (row.prompt_tokens, row.completion_tokens) {
        parts.push(format!("{} + {} tokens", count(prompt), count(completion)));
    }
    parts.extend(row.cost_usd.map(usd));
    parts.extend(row.latency_ms.map(duration));
    parts.extend(
        row.finish_reason
            .as_deref()
            .map(|r| format!("ended: {}", short(r))),
    );
    if row.tries > 1 {
        parts.push(format!("{} tries", row.tries));
    }
    if row.cache_hit {
        parts.push("from the cache".to_owned());
    }
    parts
}

fn facts(row: &CallRow) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Backend", short(&row.backend)),
        ("Model asked for", short(&row.model_requested)),
    ];
    let mut add = |label, value: Option<String>| facts.extend(value.map(|value| (label, value)));
    add(
        "Model that answered",
        row.model_returned.as_deref().map(short),
    );
    add("Fingerprint", row.fingerprint.as_deref().map(short));
    add(
        "Reply read as",
        row.parse_status.map(|s| words::parse_status(s).to_owned()),
    );
    add("Cached prompt tokens", row.cached_tokens.map(count));
    add("HTTP status", row.http_status.map(|s| s.to_string()));
    add("Tries", Some(row.tries.to_string()));
    add("Started", Some(Moment::new(row.started_at).text));
    add("Request id", row.request_id.as_deref().map(short));
    add("Request hash", Some(short(&row.request_sha256)));
    add(
        "Failure",
        row.error_kind.map(|kind| kind.as_str().replace('_', " ")),
    );
    facts
}

fn anchor(row: &CallRow) -> String {
    match &row.scorer {
        None => format!("call-{}", row.seq),
        Some(scorer) => format!(
            "call-{:08x}-{}",
            crate::assets::fingerprint(scorer) >> 32,
            row.seq
        ),
    }
}
