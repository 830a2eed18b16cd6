//! Embeddings through the wire against the mock server.

use std::time::Duration;

use consilium_core::ErrorKind;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::wire_tests::Server;
use super::{BackendError, EmbeddingBackend};
use consilium_mock_server::{Fault, MockServerOptions};

fn spec(address: &str, limits: &Value) -> consilium_core::study::BackendSpec {
    let spec = json!({"name": "vectors", "kind": "openai", "model": "m",
        "base_url": format!("{address}/v1"), "limits": limits});
    serde_json::from_value(spec).unwrap()
}

fn backend(server: &Server, limits: &Value) -> EmbeddingBackend {
    EmbeddingBackend::new(&spec(&server.address, limits), 1).unwrap()
}

#[tokio::test]
async fn each_text_is_sent_once_and_empty_ones_never() {
    let server = Server::start(MockServerOptions::default()).await;
    let backend = backend(&server, &json!({}));
    let cancel = CancellationToken::new();
    let texts = ["renal failure", "", "gout", "renal failure", " \n"];
    let vectors = backend.embed(&texts, &cancel).await.unwrap();
    assert_eq!(vectors[0], vectors[3]);
    assert!(vectors[0].is_some() && vectors[0] != vectors[2]);
    assert!(vectors[1].is_none() && vectors[4].is_none());
    let again = backend.embed(&["gout", "renal failure"], &cancel).await;
    assert_eq!(again.unwrap(), [vectors[2].clone(), vectors[0].clone()]);
    assert_eq!(server.stats().await.requests, 1);
    assert!(backend.embed(&[], &cancel).await.unwrap().is_empty());
}

#[tokio::test]
async fn many_texts_come_back_in_order_within_the_limits() {
    let server = Server::start(MockServerOptions::default()).await;
    let together = backend(&server, &json!({"concurrency": 2}));
    let alone = backend(&server, &json!({"concurrency": 1}));
    let texts: Vec<String> = (0..150).map(|number| format!("case {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let cancel = CancellationToken::new();
    let vectors = together.embed(&texts, &cancel).await.unwrap();
    assert!(server.stats().await.most_in_flight <= 2);
    for place in [0, 77, 149] {
        let one = alone.embed(&texts[place..=place], &cancel).await.unwrap();
        assert_eq!(one[0], vectors[place]);
    }
}

#[tokio::test]
async fn a_server_that_takes_few_texts_is_sent_halves() {
    let options = MockServerOptions {
        most_inputs: 10,
        ..Default::default()
    };
    let server = Server::start(options).await;
    let texts: Vec<String> = (0..32).map(|number| format!("case {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = backend(&server, &json!({}))
        .embed(&texts, &CancellationToken::new())
        .await
        .unwrap();
    assert!(vectors.iter().all(Option::is_some));
    // 32 and twice 16 are refused, four times 8 are not.
    let stats = server.stats().await;
    assert_eq!((stats.by_status[&400], stats.by_status[&200]), (3, 4));
}

#[tokio::test]
async fn faults_are_tried_again_and_told_without_the_text() {
    let failing = |faults| MockServerOptions {
        faults,
        fault_kinds: vec![Fault::RateLimit, Fault::EmptyChoices, Fault::ErrorInReply],
        retry_after: Duration::from_millis(10),
        ..Default::default()
    };
    let cancel = CancellationToken::new();
    let server = Server::start(failing(0.5)).await;
    let patient = backend(&server, &json!({"retries": 12}));
    for text in ["gout", "asthma", "sepsis", "stroke"] {
        assert!(patient.embed(&[text], &cancel).await.unwrap()[0].is_some());
    }
    let server = Server::start(failing(1.0)).await;
    let failure = backend(&server, &json!({"retries": 1}))
        .embed(&["a rare disease"], &cancel)
        .await
        .unwrap_err();
    assert!(!failure.message.contains("rare"), "{failure}");
    assert_eq!(server.stats().await.requests, 2);
}

#[tokio::test]
async fn a_refused_key_and_a_stop_end_it() {
    let options = MockServerOptions {
        required_key: Some("k".to_owned()),
        ..Default::default()
    };
    let server = Server::start(options).await;
    let refused = backend(&server, &json!({"retries": 5}));
    let cancel = CancellationToken::new();
    for _ in 0..2 {
        let failure = refused.embed(&["gout", "asthma"], &cancel).await;
        assert_eq!(failure.unwrap_err().kind, ErrorKind::Auth);
    }
    assert_eq!(server.stats().await.requests, 1);
    cancel.cancel();
    let stopped = backend(&server, &json!({})).embed(&["gout"], &cancel).await;
    assert_eq!(stopped.unwrap_err().kind, ErrorKind::Cancelled);
}

#[test]
fn only_servers_embed() {
    let mut spec = spec("http://127.0.0.1:1", &json!({}));
    let backend = EmbeddingBackend::new(&spec, 1).unwrap();
    assert_eq!(
        backend.signature(),
        "model:m|endpoint:http://127.0.0.1:1/v1"
    );
    spec.kind = consilium_core::study::BackendKind::Simulated;
    let error = EmbeddingBackend::new(&spec, 1).unwrap_err();
    assert!(matches!(error, BackendError::NoEmbeddings { .. }));
}
