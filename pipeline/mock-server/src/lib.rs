//! An OpenAI-compatible server for tests and load: seeded answers, seeded faults, honest counts.

mod completion;
mod counts;
mod embeddings;
mod fault;
mod local;
mod options;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{Json, Router};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub use counts::MockServerStats;
pub use fault::Fault;
pub use local::LocalServer;
pub use options::{MockAnswers, MockAnswersError, MockServerOptions};

use completion::{Request, completion};
use counts::{BucketState, Counts};

/// Longest request accepted.
const LONGEST_REQUEST: usize = 64 << 20;

/// How long open requests may take after the server is told to end.
const FAREWELL: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
struct Server {
    options: Arc<MockServerOptions>,
    counts: Counts,
}

/// Serves until told to end: `/v1/chat/completions`, `/v1/embeddings`, `/v1/models` and `GET /stats`.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    options: MockServerOptions,
    listener: TcpListener,
    shutdown: CancellationToken,
) -> io::Result<()> {
    let server = Server {
        options: Arc::new(options),
        counts: Counts::default(),
    };
    let router = Router::new()
        .route("/v1/chat/completions", post(chat))
        .route("/v1/embeddings", post(embed))
        .route("/v1/models", get(models))
        .route("/stats", get(stats))
        .layer(DefaultBodyLimit::max(LONGEST_REQUEST))
        .with_state(server);
    // Small replies must not wait for an acknowledgement.
    let listener = listener.tap_io(|connection| {
        if let Err(error) = connection.set_nodelay(true) {
            tracing::debug!(%error, "small packets may be delayed");
        }
    });
    let ending = shutdown.clone();
    let serving = axum::serve(listener, router)
        .with_graceful_shutdown(async move { ending.cancelled().await });
    tokio::select! {
        served = serving.into_future() => served,
        () = async {
            shutdown.cancelled().await;
            tokio::time::sleep(FAREWELL).await;
        } => Ok(()),
    }
}

async fn stats(State(server): State<Server>) -> Json<MockServerStats> {
    Json(server.counts.stats())
}

async fn models(State(server): State<Server>, headers: HeaderMap) -> Response {
    if !server.admits(&headers) {
        return unauthorized();
    }
    let models: Value = json!({"object": "list", "data": [{"id": "mock", "object": "model"}]});
    Json(models).into_response()
}

async fn chat(State(server): State<Server>, headers: HeaderMap, body: Bytes) -> Response {
    server.count(&headers, &body, write_completion).await
}

async fn embed(State(server): State<Server>, headers: HeaderMap, body: Bytes) -> Response {
    server.count(&headers, &body, embeddings::reply).await
}

/// Writes the reply to a body by a seed, or says what is wrong with it.
type Writer = fn(&MockServerOptions, &[u8], u64) -> Result<String, String>;

fn write_completion(options: &MockServerOptions, body: &[u8], seed: u64) -> Result<String, String> {
    let request: Request = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    if request.stream {
        return Err("stream is not supported".to_owned());
    }
    if request.is_structured() && !options.structured_output {
        return Err("response_format is not supported".to_owned());
    }
    Ok(completion(options, &request, seed))
}

impl Server {
    async fn count(&self, headers: &HeaderMap, body: &[u8], write: Writer) -> Response {
        let hash = hash(body);
        let in_flight = self.counts.enter(hash);
        let response = self
            .answer(headers, body, hash, in_flight.seen_before, write)
            .await;
        self.counts.answered(response.status().as_u16());
        drop(in_flight);
        response
    }

    async fn answer(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        hash: u128,
        seen: u32,
        write: Writer,
    ) -> Response {
        let options = &self.options;
        if !self.admits(headers) {
            return unauthorized();
        }
        if let Some(per_minute) = options.requests_per_minute
            && let Err(wait) = self.counts.accept(per_minute)
        {
            return self.too_many(wait);
        }
        let Some(per_second) = options.requests_per_second else {
            return self.answer_within_limits(body, hash, seen, write).await;
        };
        let burst = options.burst.unwrap_or(per_second).max(1.0);
        let (accepted, left) = self.counts.accept_from_bucket(per_second, burst);
        let mut response = match accepted {
            Ok(()) => self.answer_within_limits(body, hash, seen, write).await,
            Err(wait) => self.too_many(wait),
        };
        if options.rate_headers {
            state_bucket(response.headers_mut(), burst, left);
        }
        response
    }

    fn too_many(&self, wait: Duration) -> Response {
        if self.options.whole_seconds {
            fault::too_many_in_seconds(wait)
        } else {
            fault::too_many_requests(wait)
        }
    }

    async fn answer_within_limits(
        &self,
        body: &[u8],
        hash: u128,
        seen: u32,
        write: Writer,
    ) -> Response {
        let options = &self.options;
        let seed = seed(options.seed, hash);
        let reply = match write(options, body, seed) {
            Ok(reply) => reply,
            Err(message) => return refused(&message),
        };
        let poison = Fault::draw(options.poison, &options.poison_kinds, !seed);
        if let Some(poison) = poison.filter(|_| seen == 0) {
            self.counts.poisoned(poison.as_str());
        }
        let try_seed = seed ^ u64::from(seen + 1);
        let drawn = poison.or_else(|| Fault::draw(options.faults, &options.fault_kinds, try_seed));
        let latency = options.latency(try_seed);
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        match drawn {
            None => fault::json_body(Body::from(reply)),
            Some(fault) => {
                self.counts.faulted(fault.as_str());
                fault.reply(reply, options.stall, options.retry_after).await
            }
        }
    }

    fn admits(&self, headers: &HeaderMap) -> bool {
        self.options.required_key.as_ref().is_none_or(|key| {
            let given = headers
                .get(header::AUTHORIZATION)
                .and_then(|value| value.to_str().ok());
            given.and_then(|given| given.strip_prefix("Bearer ")) == Some(key)
        })
    }
}

/// States a bucket as large providers do.
fn state_bucket(headers: &mut HeaderMap, burst: f64, left: BucketState) {
    let milliseconds = left.full_in.as_micros().div_ceil(1000);
    for (name, value) in [
        ("x-ratelimit-limit-requests", burst.to_string()),
        ("x-ratelimit-remaining-requests", left.remaining.to_string()),
        ("x-ratelimit-reset-requests", format!("{milliseconds}ms")),
    ] {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
}

fn unauthorized() -> Response {
    fault::error(
        StatusCode::UNAUTHORIZED,
        "invalid_api_key",
        "Incorrect API key provided",
    )
}

fn refused(message: &str) -> Response {
    fault::error(StatusCode::BAD_REQUEST, "invalid_request_error", message)
}

fn hash(body: &[u8]) -> u128 {
    let digest = Sha256::digest(body);
    digest
        .iter()
        .take(16)
        .fold(0, |hash, byte| (hash << 8) | u128::from(*byte))
}

/// Mixes the server's seed into a request's hash.
fn seed(server: u64, hash: u128) -> u64 {
    // The hash is uniform already, so that a multiplication by an odd number suffices.
    let low = u64::try_from(hash & u128::from(u64::MAX)).unwrap_or_default();
    low ^ server.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
