//! What can go wrong between a client and a server.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::stream::{self, StreamExt};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

/// One way to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// 429 with `Retry-After`.
    RateLimit,
    /// 500 with an error body.
    ServerError,
    /// 503 without a body.
    Unavailable,
    /// The connection breaks in the middle of the body.
    Reset,
    /// A whole body that ends in the middle of its JSON.
    TruncatedJson,
    /// A body that takes the stall time to arrive.
    SlowDrip,
    /// No reply for the stall time, then 504.
    Hang,
    /// Status 200 with a page.
    WrongContentType,
    /// Status 200 without choices.
    EmptyChoices,
    /// Status 200 with an error body.
    ErrorInReply,
    /// 400: the provider's filter blocked the prompt.
    ContentFilter,
    /// 400: the prompt is longer than the context.
    ContextOverflow,
    /// Reasoning without content.
    ReasoningOnly,
    /// An escape in the answer that stands for no character.
    LoneSurrogate,
    /// An answer of five megabytes.
    FiveMegabytes,
    /// NUL characters in the answer.
    Nul,
}

impl Fault {
    /// Faults that another try of the same request may not meet.
    pub const PASSING: [Self; 10] = [
        Self::RateLimit,
        Self::ServerError,
        Self::Unavailable,
        Self::Reset,
        Self::TruncatedJson,
        Self::SlowDrip,
        Self::Hang,
        Self::WrongContentType,
        Self::EmptyChoices,
        Self::ErrorInReply,
    ];

    /// Faults that belong to a request and stay with it.
    pub const POISON: [Self; 9] = [
        Self::ContentFilter,
        Self::ContextOverflow,
        Self::ReasoningOnly,
        Self::ErrorInReply,
        Self::TruncatedJson,
        Self::Hang,
        Self::LoneSurrogate,
        Self::FiveMegabytes,
        Self::Nul,
    ];

    /// Reads the name used in statistics.
    pub fn parse(text: &str) -> Option<Self> {
        Self::PASSING
            .into_iter()
            .chain(Self::POISON)
            .find(|fault| fault.as_str() == text)
    }

    /// The name used in statistics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::ServerError => "server_error",
            Self::Unavailable => "unavailable",
            Self::Reset => "reset",
            Self::TruncatedJson => "truncated_json",
            Self::SlowDrip => "slow_drip",
            Self::Hang => "hang",
            Self::WrongContentType => "wrong_content_type",
            Self::EmptyChoices => "empty_choices",
            Self::ErrorInReply => "error_in_reply",
            Self::ContentFilter => "content_filter",
            Self::ContextOverflow => "context_overflow",
            Self::ReasoningOnly => "reasoning_only",
            Self::LoneSurrogate => "lone_surrogate",
            Self::FiveMegabytes => "five_megabytes",
            Self::Nul => "nul",
        }
    }

    /// The fault a request meets, if any; another try of the same request draws anew.
    pub(super) fn draw(share: f64, kinds: &[Self], seed: u64) -> Option<Self> {
        if share <= 0.0 {
            return None;
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        (random.random::<f64>() < share)
            .then(|| kinds.choose(&mut random).copied())
            .flatten()
    }

    /// The failed reply in place of `body`.
    pub(super) async fn reply(
        self,
        body: String,
        stall: Duration,
        retry_after: Duration,
    ) -> Response {
        match self {
            Self::RateLimit => too_many_requests(retry_after),
            Self::ServerError => {
                error(StatusCode::INTERNAL_SERVER_ERROR, "server_error", "planned")
            }
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE.into_response(),
            Self::Reset => json_body(broken_off(body)),
            Self::TruncatedJson => json_body(Body::from(first_half(body))),
            Self::SlowDrip => json_body(drip(body, stall)),
            Self::Hang => {
                tokio::time::sleep(stall).await;
                StatusCode::GATEWAY_TIMEOUT.into_response()
            }
            Self::WrongContentType => {
                axum::response::Html("<html><body>Sign in to the network</body></html>")
                    .into_response()
            }
            Self::EmptyChoices => {
                json_body(Body::from(r#"{"object":"chat.completion","choices":[]}"#))
            }
            Self::ErrorInReply => {
                let body = json!({"error": {"code": 502, "message": "planned"}}).to_string();
                json_body(Body::from(body))
            }
            Self::ContentFilter => error(
                StatusCode::BAD_REQUEST,
                "content_filter",
                "The prompt was blocked by the content management policy",
            ),
            Self::ContextOverflow => error(
                StatusCode::BAD_REQUEST,
                "context_length_exceeded",
                "This model's maximum context length is 8192 tokens",
            ),
            Self::ReasoningOnly => json_body(Body::from(reasoning_only(&body))),
            Self::LoneSurrogate => json_body(Body::from(content_after(&body, "\\ud83d "))),
            Self::Nul => json_body(Body::from(content_after(&body, "\\u0000 \\u0000 "))),
            Self::FiveMegabytes => {
                let mut long = "lorem ipsum ".repeat((5 << 20) / 12);
                long.push_str("\\n\\n");
                json_body(Body::from(content_after(&body, &long)))
            }
        }
    }
}

/// A reply with this JSON text before what it says.
fn content_after(body: &str, text: &str) -> String {
    const CONTENT: &str = "\"content\":\"";
    body.replacen(CONTENT, &format!("{CONTENT}{text}"), 1)
}

/// A reply whose answer is all reasoning.
fn reasoning_only(body: &str) -> String {
    let Ok(mut reply) = serde_json::from_str::<Value>(body) else {
        return body.to_owned();
    };
    let message = &mut reply["choices"][0]["message"];
    message["reasoning_content"] = message["content"].take();
    reply.to_string()
}

/// A body that ends in the middle, with the connection.
fn broken_off(body: String) -> Body {
    let half = stream::once(async move { Ok(Bytes::from(first_half(body))) });
    let broken = stream::once(async {
        // Head and half have to leave before the connection does.
        tokio::time::sleep(Duration::from_millis(20)).await;
        Err(io::Error::new(io::ErrorKind::ConnectionReset, "planned"))
    });
    Body::from_stream(half.chain(broken))
}

/// A body in pieces spread over `stall`.
fn drip(body: String, stall: Duration) -> Body {
    const PIECES: usize = 20;
    let pause = stall / u32::try_from(PIECES).unwrap_or(u32::MAX);
    let size = body.len().div_ceil(PIECES).max(1);
    let pieces: Vec<Bytes> = body
        .into_bytes()
        .chunks(size)
        .map(Bytes::copy_from_slice)
        .collect();
    Body::from_stream(stream::unfold(
        pieces.into_iter(),
        move |mut left| async move {
            let piece = left.next()?;
            tokio::time::sleep(pause).await;
            Some((Ok::<_, Infallible>(piece), left))
        },
    ))
}

fn first_half(body: String) -> Vec<u8> {
    let mut bytes = body.into_bytes();
    bytes.truncate(bytes.len() / 2);
    bytes
}

/// A reply of status 200 that says it is JSON.
pub(super) fn json_body(body: Body) -> Response {
    (
        [(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )],
        body,
    )
        .into_response()
}

/// 429, with the wait in both units in use.
pub(super) fn too_many_requests(retry_after: Duration) -> Response {
    let mut response = too_many_in_seconds(retry_after);
    if let Ok(millis) = u64::try_from(retry_after.as_micros().div_ceil(1000)) {
        let headers = response.headers_mut();
        headers.insert("retry-after-ms", HeaderValue::from(millis));
    }
    response
}

/// 429, with the wait in whole seconds.
pub(super) fn too_many_in_seconds(retry_after: Duration) -> Response {
    let mut response = error(
        StatusCode::TOO_MANY_REQUESTS,
        "rate_limit_exceeded",
        "Too many requests",
    );
    let seconds = retry_after.as_secs() + u64::from(retry_after.subsec_nanos() > 0);
    let headers = response.headers_mut();
    headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// An error in the form of `OpenAI`.
pub(super) fn error(status: StatusCode, code: &str, message: &str) -> Response {
    let body = json!({"error": {"message": message, "type": code, "param": null, "code": code}});
    let mut response = json_body(Body::from(body.to_string()));
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_come_at_their_share_and_vary() {
        let drawn: Vec<_> = (0..2000)
            .map(|seed| Fault::draw(0.3, &Fault::PASSING, seed))
            .collect();
        let faults = drawn.iter().flatten().count();
        // Four standard deviations either side of 600.
        assert!((518..=682).contains(&faults), "{faults}");
        for fault in Fault::PASSING {
            assert!(drawn.contains(&Some(fault)), "{}", fault.as_str());
        }
        assert_eq!(Fault::draw(0.0, &Fault::PASSING, 1), None);
        assert_eq!(Fault::draw(1.0, &[], 1), None);
    }

    #[test]
    fn names_read_back() {
        for fault in Fault::PASSING.into_iter().chain(Fault::POISON) {
            assert_eq!(Fault::parse(fault.as_str()), Some(fault));
        }
        assert_eq!(Fault::parse("boredom"), None);
    }

    #[test]
    fn odd_content_is_what_its_name_says() {
        let body = json!({"choices": [{"message": {"content": "Answer: A"}}]}).to_string();
        let surrogate = content_after(&body, "\\ud83d ");
        assert!(
            surrogate.contains(r#""content":"\ud83d Answer: A""#),
            "{surrogate}"
        );
        let message: Value = serde_json::from_str(&reasoning_only(&body)).unwrap();
        let message = &message["choices"][0]["message"];
        assert!(message["content"].is_null());
        assert_eq!(message["reasoning_content"], "Answer: A");
    }
}
