use std::sync::Mutex;
use std::time::Duration;

use consilium_core::study::{BackendSpec, GenerationSpec};
use consilium_core::{SampleKey, SystemClock};
use futures::future::BoxFuture;

use super::*;
use crate::Message;

/// Fails in the order written, then answers; notes when it was asked.
#[derive(Debug)]
struct Scripted {
    spec: BackendSpec,
    failures: Mutex<Vec<CallFailure>>,
    asked_at: Mutex<Vec<Instant>>,
}

impl Backend for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn model(&self) -> &'static str {
        "m"
    }

    fn endpoint(&self) -> &'static str {
        "scripted:"
    }

    fn spec(&self) -> &BackendSpec {
        &self.spec
    }

    fn send<'a>(
        &'a self,
        _call: &'a CallIdentity,
        _request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<Reply, CallFailure>> {
        self.asked_at.lock().unwrap().push(Instant::now());
        let failure = self.failures.lock().unwrap().pop();
        Box::pin(async move { failure.map_or_else(|| Ok(Reply::default()), Err) })
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), CallFailure>> {
        Box::pin(async { Ok(()) })
    }
}

fn scripted(mut failures: Vec<CallFailure>, retries: u32) -> (Arc<Scripted>, LimitedBackend) {
    let spec = serde_json::json!({
        "name": "b", "kind": "openai", "limits": {"retries": retries}
    });
    failures.reverse();
    let backend = Arc::new(Scripted {
        spec: serde_json::from_value(spec).unwrap(),
        failures: Mutex::new(failures),
        asked_at: Mutex::new(Vec::new()),
    });
    let dynamic: Arc<dyn Backend> = Arc::<Scripted>::clone(&backend);
    (
        backend,
        LimitedBackend::new(dynamic, Arc::new(SystemClock), 1),
    )
}

fn failure(kind: ErrorKind, status: u16, retry_after_s: Option<u64>) -> CallFailure {
    CallFailure {
        http_status: Some(status),
        retry_after: retry_after_s.map(Duration::from_secs),
        ..CallFailure::new(kind, format!("HTTP {status}"))
    }
}

async fn call(backend: &LimitedBackend, seq: u32) -> SentCall {
    let identity = CallIdentity {
        key: SampleKey::new("d", "c", "s", 1),
        attempt: 1,
        scorer: None,
        seq,
        round: None,
        agent: "a".into(),
        purpose: "answer".into(),
        role: "a".into(),
        verdict: None,
    };
    let request = ChatRequest {
        model: "m".to_owned(),
        messages: vec![Message::user("q")],
        generation: GenerationSpec::default(),
        seed: None,
        schema: None,
    };
    backend
        .call(&identity, &request, &CancellationToken::new())
        .await
}

#[tokio::test(start_paused = true)]
async fn a_wait_asked_of_one_call_holds_the_others() {
    let (scripted, backend) = scripted(vec![failure(ErrorKind::RateLimit, 429, Some(20))], 3);
    let start = Instant::now();
    let (first, second) = tokio::join!(call(&backend, 0), async {
        sleep(Duration::from_secs(1)).await;
        call(&backend, 1).await
    });
    assert_eq!((first.tries, second.tries), (2, 1));
    let asked: Vec<_> = scripted
        .asked_at
        .lock()
        .unwrap()
        .iter()
        .map(|at| (*at - start).as_secs())
        .collect();
    assert_eq!(asked, [0, 20, 20]);
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_is_told_when_tries_are_used_up() {
    let failures = vec![
        failure(ErrorKind::Server, 500, None),
        failure(ErrorKind::Transport, 502, None),
        failure(ErrorKind::Server, 503, None),
    ];
    let (_, backend) = scripted(failures, 2);
    let sent = call(&backend, 0).await;
    assert_eq!(
        (sent.tries, sent.reply.unwrap_err().http_status),
        (3, Some(503))
    );
    assert!(backend.failed_for_good().is_none());
}

#[tokio::test(start_paused = true)]
async fn an_empty_account_ends_the_backend() {
    let (scripted, backend) = scripted(vec![failure(ErrorKind::BadRequest, 429, None)], 5);
    assert_eq!(call(&backend, 0).await.tries, 1);
    let second = call(&backend, 1).await;
    assert_eq!(
        (second.tries, second.reply.unwrap_err().kind),
        (0, ErrorKind::BadRequest)
    );
    assert_eq!(scripted.asked_at.lock().unwrap().len(), 1);
}
