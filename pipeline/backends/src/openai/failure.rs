//! Failures of one HTTP exchange.

use std::error::Error;
use std::time::Duration;

use consilium_core::ErrorKind;
use reqwest::header::HeaderMap;
use serde_json::Value;

use super::body::NoReply;
use super::complaint::Complaint;
use super::redact::redacted;
use super::{classify, retry_after};
use crate::{CallFailure, ChatRequest};

/// What a message must not repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Secrets<'a> {
    pub(super) request: Option<&'a ChatRequest>,
    pub(super) key: Option<&'a Key>,
}

/// A key that prints as nothing.
pub(super) struct Key(pub(super) String);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[key]")
    }
}

impl Secrets<'_> {
    fn removed_from(self, text: &str) -> String {
        redacted(text, self.request, self.key.map(|key| key.0.as_str()))
    }
}

/// No reply: the connection failed, broke or took too long.
pub(super) fn of_transport(error: reqwest::Error, secrets: Secrets<'_>) -> CallFailure {
    let (kind, what) = if error.is_connect() && error.is_timeout() {
        (ErrorKind::Timeout, "connecting took too long")
    } else if error.is_timeout() {
        (ErrorKind::Timeout, "no complete reply within the deadline")
    } else if error.is_connect() {
        (ErrorKind::Transport, "cannot connect")
    } else if error.is_builder() {
        (ErrorKind::BadRequest, "the request cannot be written")
    } else {
        (ErrorKind::Transport, "the connection broke")
    };
    let http_status = error.status().map(|status| status.as_u16());
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    let message = match kind {
        ErrorKind::Timeout => what.to_owned(),
        _ => format!("{what}: {}", secrets.removed_from(&cause.to_string())),
    };
    CallFailure {
        http_status,
        ..CallFailure::new(kind, message)
    }
}

/// The server has not begun to reply.
pub(super) fn of_first_byte(deadline: Duration) -> CallFailure {
    let message = format!(
        "no reply began within first_byte_timeout_s = {}",
        deadline.as_secs_f64()
    );
    CallFailure::new(ErrorKind::Timeout, message)
}

/// A reply with a status of failure. Gives the complaint as well, for the dialect.
pub(super) fn of_status(
    status: u16,
    headers: &HeaderMap,
    body: &[u8],
    secrets: Secrets<'_>,
) -> (CallFailure, String) {
    let mut complaint = serde_json::from_slice::<Value>(body)
        .ok()
        .and_then(|value| Complaint::read(&value))
        .or_else(|| plain_words(headers, body))
        .unwrap_or_default();
    let number = status.to_string();
    complaint.codes.retain(|code| *code != number);
    let text = secrets.removed_from(&complaint.text());
    let message = match status {
        300..=399 => format!("HTTP {status}: redirects are not followed"),
        _ if text.is_empty() => format!("HTTP {status} ({})", content_type(headers)),
        _ => format!("HTTP {status} {text}"),
    };
    let failure = CallFailure {
        http_status: Some(status),
        retry_after: retry_after::retry_after(headers),
        ..CallFailure::new(classify::of_status(status, &text), message)
    };
    (failure, text)
}

/// A reply of status 200 that is none.
pub(super) fn of_no_reply(
    status: u16,
    no_reply: NoReply,
    headers: &HeaderMap,
    secrets: Secrets<'_>,
) -> CallFailure {
    let (kind, message) = match no_reply {
        NoReply::NotJson(place) => {
            let form = content_type(headers);
            let message = format!("HTTP {status}, but the body ({form}) is not JSON at {place}");
            (ErrorKind::BadReply, message)
        }
        NoReply::NoChoices => (
            ErrorKind::BadReply,
            format!("HTTP {status}, but the reply holds no choices"),
        ),
        NoReply::Complains(complaint) => {
            let text = secrets.removed_from(&complaint.text());
            let message = format!("HTTP {status}, but the reply holds an error: {text}");
            (classify::of_error_in_reply(&text), message)
        }
    };
    CallFailure {
        http_status: Some(status),
        retry_after: retry_after::retry_after(headers).filter(|wait| *wait > Duration::ZERO),
        ..CallFailure::new(kind, message)
    }
}

/// A body larger than any reply.
pub(super) fn of_size(status: u16, limit: usize) -> CallFailure {
    let message = format!("HTTP {status}, but the body is longer than {limit} bytes");
    CallFailure {
        http_status: Some(status),
        ..CallFailure::new(ErrorKind::BadReply, message)
    }
}

/// Short plain-text bodies, as proxies send them; pages are left out.
fn plain_words(headers: &HeaderMap, body: &[u8]) -> Option<Complaint> {
    let text = str::from_utf8(body).ok()?.trim();
    let is_page = text.starts_with('<') || is_html(headers);
    (!text.is_empty() && !is_page).then(|| Complaint {
        codes: Vec::new(),
        message: text.to_owned(),
    })
}

/// Whether a body says of itself that it is a page.
pub(super) fn is_html(headers: &HeaderMap) -> bool {
    let form = content_type(headers);
    form.contains("html") || form.contains("xml")
}

fn content_type(headers: &HeaderMap) -> String {
    let form = headers
        .get(reqwest::header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let form = form
        .unwrap_or("no content type")
        .split(';')
        .next()
        .unwrap_or_default();
    form.trim().to_ascii_lowercase()
}
