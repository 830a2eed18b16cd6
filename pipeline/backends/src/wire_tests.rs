//! The `openai` backend with its limits and retries against the mock server.

use std::time::Duration;

use consilium_core::study::GenerationSpec;
use consilium_core::{ErrorKind, SampleKey, SystemClock};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::*;
use consilium_mock_server::{Fault, LocalServer, MockServerOptions, MockServerStats};

/// A mock server and what a test asks of it.
pub(crate) struct Server(LocalServer);

impl std::ops::Deref for Server {
    type Target = LocalServer;

    fn deref(&self) -> &LocalServer {
        &self.0
    }
}

impl Server {
    pub(crate) async fn start(options: MockServerOptions) -> Self {
        Self(LocalServer::start(options).await.unwrap())
    }

    fn backend(&self, settings: &Value) -> LimitedBackend {
        self.backend_at("/v1", settings)
    }

    fn backend_at(&self, path: &str, settings: &Value) -> LimitedBackend {
        let mut spec = json!({
            "name": "mock", "kind": "openai", "base_url": format!("{}{path}", self.address),
            "limits": {"retries": 0, "timeout_s": 5.0},
        });
        merge(&mut spec, settings);
        let spec = serde_json::from_value(spec).unwrap();
        let backend = build(&spec, Path::new("."), 1, None).unwrap();
        LimitedBackend::new(backend, Arc::new(SystemClock), 1)
    }

    pub(crate) async fn stats(&self) -> MockServerStats {
        reqwest::get(format!("{}/stats", self.address))
            .await
            .unwrap()
            .json()
            .await
            .unwrap()
    }
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name.as_str()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

fn failing(kinds: &[Fault]) -> MockServerOptions {
    MockServerOptions {
        faults: 1.0,
        fault_kinds: kinds.to_vec(),
        stall: Duration::from_secs(20),
        retry_after: Duration::from_millis(10),
        ..Default::default()
    }
}

fn request(question: &str, structured: bool) -> ChatRequest {
    let schema = OutputSchema {
        name: "reply".to_owned(),
        schema: json!({"type": "object", "required": ["answer"],
            "properties": {"answer": {"enum": ["yes", "no"]}}}),
        answer_field: "answer".to_owned(),
    };
    ChatRequest {
        model: "m".to_owned(),
        messages: vec![Message::user(format!("{question}\nLabels:\n- yes\n- no"))],
        generation: GenerationSpec::default(),
        seed: Some(1),
        schema: structured.then(|| Arc::new(schema)),
    }
}

async fn call(backend: &LimitedBackend, seq: u32, request: &ChatRequest) -> SentCall {
    let identity = CallIdentity {
        key: SampleKey::new("d", "c", "s", 1),
        attempt: 1,
        scorer: None,
        seq,
        round: None,
        agent: "doctor".into(),
        purpose: "answer".into(),
        role: "doctor".into(),
        verdict: None,
    };
    backend
        .call(&identity, request, &CancellationToken::new())
        .await
}

#[tokio::test]
async fn a_reply_arrives_whole() {
    let server = Server::start(MockServerOptions::default()).await;
    let backend = server.backend(&json!({}));
    backend.backend().probe().await.unwrap();
    let sent = call(&backend, 0, &request("Is it?", false)).await;
    assert_eq!(sent.tries, 1);
    let reply = sent.reply.unwrap();
    assert!(
        reply
            .content
            .unwrap()
            .lines()
            .last()
            .unwrap()
            .contains(['y', 'n'])
    );
    assert_eq!(reply.model.as_deref(), Some("m"));
    assert_eq!(reply.http_status, Some(200));
    assert!(reply.usage.prompt_tokens.unwrap() > 0 && reply.latency_ms > 0.0);
    assert!(reply.request_id.unwrap().starts_with("mock-"));
}

#[tokio::test]
async fn every_fault_has_its_kind_and_is_tried_again() {
    let table = [
        (Fault::RateLimit, ErrorKind::RateLimit, Some(429)),
        (Fault::ServerError, ErrorKind::Server, Some(500)),
        (Fault::Unavailable, ErrorKind::Server, Some(503)),
        (Fault::Reset, ErrorKind::Transport, Some(200)),
        (Fault::TruncatedJson, ErrorKind::BadReply, Some(200)),
        (Fault::SlowDrip, ErrorKind::Timeout, Some(200)),
        (Fault::Hang, ErrorKind::Timeout, None),
        (Fault::WrongContentType, ErrorKind::BadReply, Some(200)),
        (Fault::EmptyChoices, ErrorKind::BadReply, Some(200)),
        (Fault::ErrorInReply, ErrorKind::BadReply, Some(200)),
    ];
    let checks = table.map(|(fault, kind, status)| async move {
        let server = Server::start(failing(&[fault])).await;
        // Short deadlines only where one has to pass.
        let timeout_s = if kind == ErrorKind::Timeout {
            1.0
        } else {
            10.0
        };
        let limits = json!({"limits": {"retries": 1, "timeout_s": timeout_s}});
        let sent = call(&server.backend(&limits), 0, &request("Is it?", false)).await;
        let failure = sent.reply.unwrap_err();
        assert_eq!(failure.kind, kind, "{fault:?}: {failure}");
        // On a busy machine a deadline may pass before the head of a slow body comes.
        if fault != Fault::SlowDrip {
            assert_eq!(failure.http_status, status, "{fault:?}: {failure}");
        }
        assert!(!failure.message.contains("Is it?"), "{failure}");
        assert!(failure.latency_ms.is_some());
        assert_eq!(sent.tries, 2, "{fault:?}");
        assert_eq!(server.stats().await.requests, 2, "{fault:?}");
    });
    futures::future::join_all(checks).await;
}

#[tokio::test]
async fn retries_get_through_and_none_means_one_request() {
    let options = MockServerOptions {
        faults: 0.6,
        ..failing(&[Fault::RateLimit])
    };
    let server = Server::start(options).await;
    let patient = server.backend(&json!({"limits": {"retries": 12}}));
    let calls = (0..8).map(|seq| {
        let patient = &patient;
        async move { call(patient, seq, &request(&format!("Is it {seq}?"), false)).await }
    });
    let mut tries = 0;
    for sent in futures::future::join_all(calls).await {
        assert!(sent.reply.is_ok());
        tries += u64::from(sent.tries);
    }
    let stats = server.stats().await;
    assert!(tries > 8);
    assert_eq!((stats.requests, stats.by_status[&200]), (tries, 8));

    let server = Server::start(failing(&[Fault::ServerError])).await;
    let sent = call(&server.backend(&json!({})), 0, &request("Is it?", false)).await;
    assert_eq!((sent.tries, server.stats().await.requests), (1, 1));
}

#[tokio::test]
async fn a_refused_key_ends_the_backend_after_one_request() {
    let options = MockServerOptions {
        required_key: Some("k".to_owned()),
        ..Default::default()
    };
    let server = Server::start(options).await;
    let backend = server.backend(&json!({"limits": {"retries": 5}}));
    assert!(backend.failed_for_good().is_none());
    for seq in 0..3 {
        let sent = call(&backend, seq, &request("Is it?", false)).await;
        assert_eq!(sent.reply.unwrap_err().kind, ErrorKind::Auth);
        assert_eq!(sent.tries, u32::from(seq == 0));
    }
    assert_eq!(server.stats().await.requests, 1);
    assert_eq!(backend.failed_for_good().unwrap().http_status, Some(401));
    assert_eq!(
        backend.backend().probe().await.unwrap_err().kind,
        ErrorKind::Auth
    );
}

#[tokio::test]
async fn a_server_without_schemas_is_asked_in_words_from_then_on() {
    let options = MockServerOptions {
        structured_output: false,
        ..Default::default()
    };
    let server = Server::start(options).await;
    let backend = server.backend(&json!({}));
    let first = call(&backend, 0, &request("Is it?", true)).await;
    // Schema, JSON mode, words.
    assert_eq!(first.tries, 3);
    assert_eq!(first.reply.unwrap().format, ResponseFormat::Text);
    let second = call(&backend, 1, &request("Is it not?", true)).await;
    assert_eq!(second.tries, 1);

    let strict = server.backend(&json!({"structured_output": "json_schema"}));
    let sent = call(&strict, 0, &request("Is it?", true)).await;
    assert_eq!(
        (sent.tries, sent.reply.unwrap_err().kind),
        (1, ErrorKind::BadRequest)
    );
}

#[tokio::test]
async fn a_server_with_schemas_is_taken_at_its_word() {
    let server = Server::start(MockServerOptions::default()).await;
    let reply = call(&server.backend(&json!({})), 0, &request("Is it?", true))
        .await
        .reply
        .unwrap();
    assert_eq!(reply.format, ResponseFormat::JsonSchema);
    let value: Value = serde_json::from_str(&reply.content.unwrap()).unwrap();
    assert!(["yes", "no"].map(Value::from).contains(&value["answer"]));
}

#[tokio::test]
async fn no_more_are_in_flight_than_permitted() {
    let options = MockServerOptions {
        latency: Duration::from_millis(20),
        ..Default::default()
    };
    let server = Server::start(options).await;
    let backend = Arc::new(server.backend(&json!({"limits": {"concurrency": 3}})));
    let mut calls = JoinSet::new();
    for seq in 0..20 {
        let backend = Arc::clone(&backend);
        calls.spawn(async move { call(&backend, seq, &request(&seq.to_string(), false)).await });
    }
    while let Some(sent) = calls.join_next().await {
        assert!(sent.unwrap().reply.is_ok());
    }
    let stats = server.stats().await;
    assert_eq!(
        (stats.most_in_flight, stats.requests, stats.unique_requests),
        (3, 20, 20)
    );
}

#[tokio::test]
async fn a_stopped_run_lets_go_of_its_calls() {
    let server = Server::start(failing(&[Fault::Hang])).await;
    let backend = server.backend(&json!({"limits": {"retries": 9}}));
    let cancel = CancellationToken::new();
    let identity = CallIdentity {
        key: SampleKey::new("d", "c", "s", 1),
        attempt: 1,
        scorer: None,
        seq: 0,
        round: None,
        agent: "doctor".into(),
        purpose: "answer".into(),
        role: "doctor".into(),
        verdict: None,
    };
    let request = request("Is it?", false);
    let (sent, ()) = tokio::join!(backend.call(&identity, &request, &cancel), async {
        while server.stats().await.in_flight == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    });
    assert_eq!(
        (sent.reply.unwrap_err().kind, sent.tries),
        (ErrorKind::Cancelled, 1)
    );
}

#[tokio::test]
async fn a_wrong_address_is_explained() {
    let server = Server::start(MockServerOptions::default()).await;
    let sent = call(
        &server.backend_at("", &json!({})),
        0,
        &request("Is it?", false),
    )
    .await;
    let failure = sent.reply.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::NotFound);
    assert!(failure.message.contains("/v1"), "{failure}");

    let nobody = server.backend(&json!({"base_url": "http://127.0.0.1:9/v1"}));
    let failure = nobody.backend().probe().await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Transport);
    assert!(failure.message.starts_with("cannot connect"), "{failure}");
}

#[test]
fn settings_that_cannot_work_are_refused() {
    let table = [
        (json!({}), "`base_url`"),
        (json!({"base_url": "http://me:pw@h/v1"}), "api_key_env"),
        (
            json!({"base_url": "http://h/v1", "api_key_env": "CONSILIUM_NO_SUCH_KEY"}),
            "CONSILIUM_NO_SUCH_KEY",
        ),
    ];
    for (settings, expected) in table {
        let mut spec = json!({"name": "mock", "kind": "openai"});
        merge(&mut spec, &settings);
        let spec = serde_json::from_value(spec).unwrap();
        let message = build(&spec, Path::new("."), 1, None)
            .unwrap_err()
            .to_string();
        assert!(
            message.contains(expected) && !message.contains("pw@"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn a_reply_that_does_not_begin_is_given_up_before_the_whole_deadline() {
    let server = Server::start(failing(&[Fault::Hang])).await;
    let limits = json!({"limits": {"timeout_s": 600.0, "first_byte_timeout_s": 0.3}});
    let failure = call(&server.backend(&limits), 0, &request("Is it?", false))
        .await
        .reply
        .unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Timeout);
    assert!(
        failure.message.contains("first_byte_timeout_s"),
        "{failure}"
    );
}

#[tokio::test]
async fn limits_that_the_server_states_are_never_exceeded() {
    let options = MockServerOptions {
        requests_per_second: Some(50.0),
        burst: Some(10.0),
        rate_headers: true,
        latency: Duration::from_millis(5),
        ..Default::default()
    };
    let server = Server::start(options).await;
    let backend = server.backend(&json!({"limits": {"concurrency": 4, "retries": 3}}));
    let calls = (0..60).map(|seq| {
        let backend = &backend;
        async move { call(backend, seq, &request(&seq.to_string(), false)).await }
    });
    for sent in futures::future::join_all(calls).await {
        assert!(sent.reply.is_ok());
    }
    let stats = server.stats().await;
    // The last places of the burst may be asked for before the first reply states how few there are.
    assert!(stats.limit_violations <= 4, "{stats:?}");
}
