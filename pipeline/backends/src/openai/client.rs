//! The client: one request in, one reply or failure out.

use std::time::Duration;

use consilium_core::ErrorKind;
use consilium_core::study::BackendSpec;
use futures::future::BoxFuture;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, RequestBuilder, Response};
use tokio::time::Instant;

use super::address::Address;
use super::dialect::{Dialect, Learner};
use super::failure::{self, Key, Secrets};
use super::stated_limits::server_limits;
use super::{body, wire};
use crate::{
    Backend, BackendError, CallFailure, CallIdentity, ChatRequest, Message, Reply, ResponseFormat,
    configured_format,
};

/// No reply is as long as this; a server that sends more is broken.
const LONGEST_BODY: usize = 64 << 20;

/// Longest wait for a probe: it serves people who wait at a terminal.
const PROBE_DEADLINE: Duration = Duration::from_secs(10);

/// A client of one OpenAI-compatible server.
#[derive(Debug)]
pub(crate) struct OpenAi {
    spec: BackendSpec,
    model: String,
    address: Address,
    client: Client,
    authorization: Option<HeaderValue>,
    key: Option<Key>,
    learner: Learner,
    first_byte_deadline: Option<Duration>,
}

impl OpenAi {
    /// Sets up a client; the key is read from the environment once, here.
    pub(crate) fn new(spec: &BackendSpec) -> Result<Self, BackendError> {
        let key = match &spec.api_key_env {
            Some(variable) => Some(read_key(&spec.name, variable)?),
            None => None,
        };
        Self::with_key(spec, key)
    }

    fn with_key(spec: &BackendSpec, key: Option<Key>) -> Result<Self, BackendError> {
        let backend = spec.name.clone();
        let Some(base_url) = &spec.base_url else {
            return Err(BackendError::MissingField {
                backend,
                kind: "openai",
                key: "base_url",
            });
        };
        let address = Address::parse(base_url).map_err(|reason| BackendError::Address {
            backend: backend.clone(),
            reason,
        })?;
        let authorization = match &key {
            Some(key) => Some(bearer(key).ok_or_else(|| BackendError::InvalidKey {
                backend: backend.clone(),
                variable: spec.api_key_env.clone().unwrap_or_default(),
            })?),
            None => None,
        };
        let client =
            client(spec, &address).map_err(|source| BackendError::Client { backend, source })?;
        Ok(Self {
            model: spec.model.clone().unwrap_or_else(|| spec.name.clone()),
            address,
            client,
            authorization,
            key,
            learner: Learner::new(spec.structured_output),
            first_byte_deadline: spec
                .limits
                .first_byte_timeout_s
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            spec: spec.clone(),
        })
    }

    /// The model to ask for.
    pub(super) fn model_name(&self) -> &str {
        &self.model
    }

    /// A request for embeddings, yet without a body.
    pub(super) fn post_embeddings(&self) -> RequestBuilder {
        self.client.post(self.address.embeddings.clone())
    }

    /// What to try when the server does not know the address.
    pub(super) fn address_hint(&self) -> Option<&'static str> {
        self.address.hint()
    }

    /// What messages about a request must not repeat.
    pub(super) fn secrets<'a>(&'a self, request: Option<&'a ChatRequest>) -> Secrets<'a> {
        Secrets {
            request,
            key: self.key.as_ref(),
        }
    }

    /// Sends a request with the key, if there is one, and receives all of the reply.
    pub(super) async fn send_authorized(
        &self,
        mut request: RequestBuilder,
        secrets: Secrets<'_>,
    ) -> Result<(u16, HeaderMap, Vec<u8>), CallFailure> {
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let sending = request.send();
        let response = match self.first_byte_deadline {
            Some(deadline) => tokio::time::timeout(deadline, sending)
                .await
                .map_err(|_| failure::of_first_byte(deadline))?,
            None => sending.await,
        };
        let response = response.map_err(|error| failure::of_transport(error, secrets))?;
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        Ok((status, headers, receive(response, secrets).await?))
    }

    async fn exchange(
        &self,
        request: &ChatRequest,
        dialect: Dialect,
    ) -> Result<Reply, CallFailure> {
        let secrets = Secrets {
            request: Some(request),
            key: self.key.as_ref(),
        };
        let body = wire::body(request, dialect)
            .map_err(|error| CallFailure::new(ErrorKind::BadRequest, error.to_string()))?;
        let post = self
            .client
            .post(self.address.chat.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        let (status, headers, received) = self.send_authorized(post, secrets).await?;
        if !(200..300).contains(&status) {
            let (mut failure, complaint) = failure::of_status(status, &headers, &received, secrets);
            failure.limits = server_limits(&headers).map(Box::new);
            self.learner.learn(status, &complaint, request, dialect);
            if let (ErrorKind::NotFound, Some(hint)) = (failure.kind, self.address.hint()) {
                failure.message = format!("{}; {hint}", failure.message);
            }
            return Err(failure);
        }
        let read = match body::read(&received) {
            Ok(_) if failure::is_html(&headers) => {
                Err(body::NoReply::NotJson("its content type".to_owned()))
            }
            read => read,
        };
        let mut reply =
            read.map_err(|none| failure::of_no_reply(status, none, &headers, secrets))?;
        reply.http_status = Some(status);
        reply.limits = server_limits(&headers);
        reply.request_id = request_id(&headers).or(reply.request_id);
        if request.schema.is_some() {
            reply.format = dialect.format;
        }
        Ok(reply)
    }

    async fn ask_for_models(&self) -> Result<(), CallFailure> {
        let secrets = Secrets {
            request: None,
            key: self.key.as_ref(),
        };
        let get = self
            .client
            .get(self.address.models.clone())
            .timeout(PROBE_DEADLINE);
        let (status, headers, received) = self.send_authorized(get, secrets).await?;
        match status {
            200..300 => Ok(()),
            // A server need not list its models: then one token tells.
            404 | 405 | 501 => self.ask_for_a_token().await,
            _ => Err(failure::of_status(status, &headers, &received, secrets).0),
        }
    }

    async fn ask_for_a_token(&self) -> Result<(), CallFailure> {
        let mut generation = self.spec.generation.clone();
        generation.max_tokens = Some(1);
        let request = ChatRequest {
            model: self.model.clone(),
            messages: vec![Message::user("ping")],
            generation,
            seed: None,
            schema: None,
        };
        self.exchange(&request, self.learner.dialect())
            .await
            .map(|_| ())
    }
}

impl Backend for OpenAi {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn endpoint(&self) -> &str {
        &self.address.endpoint
    }

    fn spec(&self) -> &BackendSpec {
        &self.spec
    }

    fn send<'a>(
        &'a self,
        _call: &'a CallIdentity,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<Reply, CallFailure>> {
        Box::pin(async move {
            let started = Instant::now();
            let dialect = self.learner.dialect();
            let outcome = self.exchange(request, dialect).await;
            let latency_ms = started.elapsed().as_secs_f64() * 1e3;
            let adaptation = dialect.adaptation(request);
            match outcome {
                Ok(reply) => Ok(Reply {
                    latency_ms,
                    adaptation,
                    ..reply
                }),
                Err(failure) => Err(CallFailure {
                    latency_ms: Some(latency_ms),
                    adaptation,
                    ..failure
                }),
            }
        })
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), CallFailure>> {
        Box::pin(self.ask_for_models())
    }

    fn effective_format(&self) -> ResponseFormat {
        configured_format(self.spec.structured_output)
    }

    fn dialect_revision(&self) -> u32 {
        self.learner.revision()
    }
}

fn client(spec: &BackendSpec, address: &Address) -> reqwest::Result<Client> {
    // Fails when another part of the program has chosen a provider already, which is as good.
    let _already_chosen = rustls::crypto::ring::default_provider().install_default();
    let limits = &spec.limits;
    let mut builder = Client::builder()
        .user_agent(concat!("consilium/", env!("CARGO_PKG_VERSION")))
        .http1_only()
        .pool_max_idle_per_host(usize::try_from(limits.concurrency).unwrap_or(usize::MAX))
        .tcp_keepalive(Duration::from_secs(30))
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never());
    if let Ok(deadline) = Duration::try_from_secs_f64(limits.timeout_s) {
        builder = builder.timeout(deadline);
    }
    if let Ok(deadline) = Duration::try_from_secs_f64(limits.connect_timeout_s) {
        builder = builder.connect_timeout(deadline);
    }
    if address.is_loopback {
        builder = builder.no_proxy();
    }
    builder.build()
}

fn read_key(backend: &str, variable: &str) -> Result<Key, BackendError> {
    let missing = || BackendError::MissingKey {
        backend: backend.to_owned(),
        variable: variable.to_owned(),
    };
    let key = std::env::var(variable).map_err(|_| missing())?;
    let key = key.trim();
    if key.is_empty() {
        Err(missing())
    } else {
        Ok(Key(key.to_owned()))
    }
}

fn bearer(key: &Key) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.0)).ok()?;
    value.set_sensitive(true);
    Some(value)
}

async fn receive(mut response: Response, secrets: Secrets<'_>) -> Result<Vec<u8>, CallFailure> {
    let status = response.status().as_u16();
    let mut received = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => received.extend_from_slice(&chunk),
            Ok(None) => return Ok(received),
            Err(error) => {
                let failure = failure::of_transport(error, secrets);
                return Err(CallFailure {
                    http_status: Some(status),
                    ..failure
                });
            }
        }
        if received.len() > LONGEST_BODY {
            return Err(failure::of_size(status, LONGEST_BODY));
        }
    }
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    ["x-request-id", "request-id", "apim-request-id"]
        .into_iter()
        .find_map(|name| headers.get(name)?.to_str().ok().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_sent_and_never_shown() {
        let spec = serde_json::json!({"name": "b", "kind": "openai", "base_url": "http://h/v1"});
        let spec: BackendSpec = serde_json::from_value(spec).unwrap();
        let client = OpenAi::with_key(&spec, Some(Key("hunter2".to_owned()))).unwrap();
        assert!(!format!("{client:?}").contains("hunter2"));
        assert_eq!(client.authorization.unwrap().as_bytes(), b"Bearer hunter2");
        let broken = OpenAi::with_key(&spec, Some(Key("hunter2\n".to_owned()))).unwrap_err();
        assert!(!format!("{broken} {broken:?}").contains("hunter2"));
    }
}
