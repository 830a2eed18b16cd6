//! `GET /runs/{run}/text`: one text of a sample in full, as a file.

use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

use crate::error::PageError;
use crate::params::{Params, SAMPLE_KEYS};
use crate::view::call::message_text;
use crate::{AppState, CallField, TextPart};

/// Keys that name a text of a sample.
const PART_KEYS: [&str; 7] = [
    "attempt", "part", "seq", "field", "scorer", "metric", "message",
];

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path(run): Path<String>,
    params: Params,
) -> Result<Response, PageError> {
    params.only(&[&SAMPLE_KEYS[..], &PART_KEYS].concat())?;
    let key = params.sample_key()?;
    let attempt = params.number("attempt")?.unwrap_or(1);
    let part = part(&params)?;
    let text = state
        .runs
        .text(&run, &key, attempt, &part)
        .await?
        .ok_or(PageError::NotFound("text"))?;
    let text = match params.number("message")? {
        Some(index) => message(&text, index).ok_or(PageError::NotFound("message"))?,
        None => text,
    };
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"text.txt\""),
    ];
    Ok((headers, text).into_response())
}

fn message(messages: &str, index: u32) -> Option<String> {
    let messages: Value = serde_json::from_str(messages).ok()?;
    Some(message_text(messages.get(index as usize)?))
}

fn part(params: &Params) -> Result<TextPart, PageError> {
    const UNKNOWN: PageError = PageError::Bad("The address does not name a text of the sample.");
    let seq = || params.number("seq")?.ok_or(UNKNOWN);
    let text = |key| params.get(key).map(str::to_owned).ok_or(UNKNOWN);
    Ok(match params.get("part") {
        Some("answer") => TextPart::Answer,
        Some("payload") => TextPart::Payload,
        Some("reference") => TextPart::Reference,
        Some("input") => TextPart::Input {
            field: text("field")?,
        },
        Some("event") => TextPart::EventContent { seq: seq()? },
        Some("event-payload") => TextPart::EventPayload { seq: seq()? },
        Some("call") => TextPart::Call {
            scorer: params.get("scorer").map(str::to_owned),
            seq: seq()?,
            field: params
                .get("field")
                .and_then(CallField::parse)
                .ok_or(UNKNOWN)?,
        },
        Some("explanation") => TextPart::Explanation {
            scorer: text("scorer")?,
            metric: text("metric")?,
        },
        _ => return Err(UNKNOWN),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Link;
    use crate::view::case;

    #[test]
    fn every_part_reads_back_from_its_address() {
        let parts = [
            TextPart::Answer,
            TextPart::Payload,
            TextPart::Reference,
            TextPart::Input {
                field: "a&b".to_owned(),
            },
            TextPart::EventContent { seq: 3 },
            TextPart::EventPayload { seq: 4 },
            TextPart::Call {
                scorer: Some("judge/1".to_owned()),
                seq: 5,
                field: CallField::Reasoning,
            },
            TextPart::Explanation {
                scorer: "s".to_owned(),
                metric: "correct".to_owned(),
            },
        ];
        for one in parts {
            let address = case::part(&Link::to(""), &one);
            let params = Params::parse(&address[1..]).unwrap();
            assert_eq!(part(&params).unwrap(), one);
        }
        assert!(part(&Params::parse("part=secret").unwrap()).is_err());
    }

    #[test]
    fn one_message_of_a_call_is_its_content() {
        let messages = r#"[{"role":"user","content":"a\u0000b"},{"role":"tool","content":[1]}]"#;
        assert_eq!(message(messages, 0).unwrap(), "a\0b");
        assert_eq!(message(messages, 1).unwrap(), "[\n  1\n]");
        assert_eq!(message(messages, 2), None);
    }
}
