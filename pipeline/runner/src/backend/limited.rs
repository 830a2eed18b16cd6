//! A backend with its limits and retries.

use std::sync::{Arc, OnceLock};

use consilium_core::study::BackendKind;
use consilium_core::{Clock, ErrorKind};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{Backend, CallFailure, CallIdentity, ChatRequest, Reply};
use crate::limit::Gate;
use crate::retry::{Backoff, LONGEST_RETRY_AFTER};

/// Tokens assumed for a completion whose length is not limited.
const ASSUMED_COMPLETION_TOKENS: u64 = 512;

/// How often one call may teach the backend something about its server.
const MOST_LESSONS: u32 = 4;

/// What became of a call after all its tries.
#[derive(Clone, Debug, PartialEq)]
pub struct SentCall {
    /// The reply, or the last failure.
    pub reply: Result<Reply, CallFailure>,
    /// Requests sent, the last included; 0 when none was.
    pub tries: u32,
    /// Start, microseconds since the Unix epoch, UTC.
    pub started_at: i64,
}

/// A backend with its limits and retries; what a context calls.
#[derive(Debug)]
pub struct LimitedBackend {
    backend: Arc<dyn Backend>,
    gate: Gate,
    clock: Arc<dyn Clock>,
    seed: u64,
    failed: OnceLock<CallFailure>,
}

impl LimitedBackend {
    /// Puts the limits of its study entry around a backend; `seed` is the study's.
    pub fn new(backend: Arc<dyn Backend>, clock: Arc<dyn Clock>, seed: u64) -> Self {
        let gate = Gate::new(&backend.spec().limits);
        Self {
            backend,
            gate,
            clock,
            seed,
            failed: OnceLock::new(),
        }
    }

    /// The backend itself.
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// The failure that makes every further call pointless, once there was one: a refused key or
    /// an empty account. Later calls fail with it at once, without a request.
    pub fn failed_for_good(&self) -> Option<CallFailure> {
        self.failed.get().cloned()
    }

    /// Sends a request, within the limits and again where that may help.
    pub async fn call(
        &self,
        identity: &CallIdentity,
        request: &ChatRequest,
        cancel: &CancellationToken,
    ) -> SentCall {
        let started_at = self.clock.now_micros();
        let mut tries = 0;
        let reply = cancel
            .run_until_cancelled(self.call_until_final(identity, request, &mut tries))
            .await
            .unwrap_or_else(|| {
                Err(CallFailure::new(
                    ErrorKind::Cancelled,
                    "the run was stopped",
                ))
            });
        // A recording is read, not asked.
        let is_replay = self.backend.spec().kind == BackendKind::Replay;
        SentCall {
            reply,
            tries: if is_replay { 0 } else { tries },
            started_at,
        }
    }

    async fn call_until_final(
        &self,
        identity: &CallIdentity,
        request: &ChatRequest,
        tries: &mut u32,
    ) -> Result<Reply, CallFailure> {
        let mut backoff = Backoff::new(self.seed, identity, self.backend.spec().limits.retries);
        let mut lessons = 0;
        loop {
            let pass = self.gate.enter(estimated_tokens(request)).await;
            // Others may have found out while this call waited.
            if let Some(failure) = self.failed.get() {
                return Err(failure.clone());
            }
            *tries += 1;
            let revision = self.backend.dialect_revision();
            let failure = match self.backend.send(identity, request).await {
                Ok(reply) => {
                    self.gate.settle(&pass, used_tokens(&reply));
                    return Ok(reply);
                }
                Err(failure) => failure,
            };
            // A refused request costs nothing; of a broken one nobody knows.
            self.gate.settle(
                &pass,
                failure
                    .http_status
                    .filter(|status| *status >= 400)
                    .map(|_| 0),
            );
            drop(pass);
            if failure.is_for_good() {
                // Whoever is first decides; the others say the same.
                return Err(self.failed.get_or_init(|| failure).clone());
            }
            let learnt = self.backend.dialect_revision() != revision;
            if learnt && failure.kind == ErrorKind::BadRequest && lessons < MOST_LESSONS {
                lessons += 1;
                continue;
            }
            if let Some(asked) = failure
                .retry_after
                .filter(|asked| *asked <= LONGEST_RETRY_AFTER)
            {
                tracing::info!(
                    backend = self.backend.name(),
                    ?asked,
                    "the server asks to wait"
                );
                self.gate.pause(asked);
            }
            match backoff.after(&failure) {
                Some(wait) => sleep(wait).await,
                None => return Err(failure),
            }
        }
    }
}

/// About four characters make a token; Chinese has more tokens per character.
fn estimated_tokens(request: &ChatRequest) -> u64 {
    let prompt: u64 = request
        .messages
        .iter()
        .map(|message| text_tokens(&message.content))
        .sum();
    let completion = request
        .generation
        .max_tokens
        .map_or(ASSUMED_COMPLETION_TOKENS, u64::from);
    prompt + completion
}

/// Estimated tokens of a text, at least 1.
pub(crate) fn text_tokens(text: &str) -> u64 {
    let (ascii, other) = text
        .chars()
        .fold((0_u64, 0_u64), |(ascii, other), character| {
            if character.is_ascii() {
                (ascii + 1, other)
            } else {
                (ascii, other + 1)
            }
        });
    (ascii.div_ceil(4) + other.div_ceil(2)).max(1)
}

fn used_tokens(reply: &Reply) -> Option<u64> {
    Some(reply.usage.prompt_tokens? + reply.usage.completion_tokens?)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use consilium_core::study::{BackendSpec, GenerationSpec};
    use consilium_core::{SampleKey, SystemClock};
    use futures::future::BoxFuture;
    use tokio::time::Instant;

    use super::*;
    use crate::backend::Message;

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
}
