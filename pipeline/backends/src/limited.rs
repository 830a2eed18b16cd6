//! A backend with its limits and retries.

use std::sync::{Arc, OnceLock};

use consilium_core::study::BackendKind;
use consilium_core::{Clock, ErrorKind};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use super::{Backend, CacheKey, CallFailure, CallIdentity, ChatRequest, Reply, ResponseCache};
use crate::limit::{Budget, Gate, GateState, Spent, Verdict};
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
    /// Whether the reply was given to an earlier run.
    pub cache_hit: bool,
}

/// A backend with its limits and retries; what a context calls.
#[derive(Debug)]
pub struct LimitedBackend {
    backend: Arc<dyn Backend>,
    gate: Gate,
    clock: Arc<dyn Clock>,
    seed: u64,
    failed: OnceLock<CallFailure>,
    budget: Option<Arc<Budget>>,
    cache: Option<Arc<ResponseCache>>,
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
            budget: None,
            cache: None,
        }
    }

    /// The same, within a budget that other backends may share.
    #[must_use]
    pub fn with_budget(mut self, budget: Arc<Budget>) -> Self {
        // A recording costs nothing.
        if self.backend.spec().kind != BackendKind::Replay {
            self.budget = Some(budget);
        }
        self
    }

    /// The same, with replies kept between runs. Simulated and recorded replies are not kept: they
    /// cost nothing.
    #[must_use]
    pub fn with_cache(mut self, cache: Arc<ResponseCache>) -> Self {
        if self.backend.spec().kind == BackendKind::Openai {
            self.cache = Some(cache);
        }
        self
    }

    /// Whether replies are kept between runs.
    pub fn is_cached(&self) -> bool {
        self.cache.is_some()
    }

    /// The reply to this request that an earlier run was given, as a call that cost nothing.
    pub async fn cached(&self, key: &CacheKey) -> Option<SentCall> {
        let cache = Arc::clone(self.cache.as_ref()?);
        let (started_at, started) = (self.clock.now_micros(), Instant::now());
        let key = key.clone();
        let reply = tokio::task::spawn_blocking(move || cache.find(&key))
            .await
            .ok()
            .flatten()?;
        Some(SentCall {
            reply: Ok(Reply {
                http_status: None,
                latency_ms: started.elapsed().as_secs_f64() * 1e3,
                ..reply
            }),
            tries: 0,
            started_at,
            cache_hit: true,
        })
    }

    /// Keeps a reply for later runs. A cache that cannot be written to costs money, not the run.
    pub async fn keep(&self, key: CacheKey, reply: &Reply) {
        let Some(cache) = self.cache.clone() else {
            return;
        };
        let reply = reply.clone();
        let kept = tokio::task::spawn_blocking(move || cache.keep(key, &reply)).await;
        if let Ok(Err(error)) = kept {
            tracing::warn!(%error, "a reply cannot be kept in the cache");
        }
    }

    /// The backend itself.
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// Calls in flight and what holds others back, now.
    pub fn state(&self) -> GateState {
        self.gate.state()
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
        self.call_before(identity, request, cancel, None).await
    }

    /// The same, given up at a deadline with a failure of kind `timeout`.
    pub async fn call_before(
        &self,
        identity: &CallIdentity,
        request: &ChatRequest,
        cancel: &CancellationToken,
        deadline: Option<Instant>,
    ) -> SentCall {
        let (started_at, started) = (self.clock.now_micros(), Instant::now());
        let mut tries = 0;
        let calling = async {
            let calling = self.call_until_final(identity, request, &mut tries);
            match deadline {
                Some(deadline) => timeout_at(deadline, calling).await.unwrap_or_else(|_| {
                    Err(CallFailure::new(
                        ErrorKind::Timeout,
                        "the time of the sample (sample_timeout_s) was used up",
                    ))
                }),
                None => calling.await,
            }
        };
        let mut reply = cancel
            .run_until_cancelled(calling)
            .await
            .unwrap_or_else(|| {
                Err(CallFailure::new(
                    ErrorKind::Cancelled,
                    "the run was stopped",
                ))
            });
        if let Err(failure) = &mut reply {
            failure
                .latency_ms
                .get_or_insert_with(|| started.elapsed().as_secs_f64() * 1e3);
        }
        // A recording is read, not asked.
        let is_replay = self.backend.spec().kind == BackendKind::Replay;
        SentCall {
            reply,
            tries: if is_replay { 0 } else { tries },
            started_at,
            cache_hit: false,
        }
    }

    async fn call_until_final(
        &self,
        identity: &CallIdentity,
        request: &ChatRequest,
        tries: &mut u32,
    ) -> Result<Reply, CallFailure> {
        let Some(budget) = &self.budget else {
            return self.try_until_final(identity, request, tries).await;
        };
        let mut reservation = budget
            .reserve(self.estimate(request))
            .await
            .map_err(|exceeded| CallFailure::new(ErrorKind::Budget, exceeded.to_string()))?;
        // From here on it may cost something, also when this is given up.
        reservation.begin();
        let result = self.try_until_final(identity, request, tries).await;
        match &result {
            Ok(reply) => reservation.charge(self.spent(request, reply)),
            // A refused request costs nothing but its count; of a broken one nobody knows.
            Err(failure) if *tries == 0 => reservation.charge(Spent {
                calls: u64::from(failure.http_status.is_some()),
                ..Spent::default()
            }),
            Err(failure) if failure.http_status.is_some_and(|status| status >= 400) => {
                reservation.charge(Spent {
                    calls: 1,
                    ..Spent::default()
                });
            }
            Err(_) => drop(reservation),
        }
        result
    }

    async fn try_until_final(
        &self,
        identity: &CallIdentity,
        request: &ChatRequest,
        tries: &mut u32,
    ) -> Result<Reply, CallFailure> {
        let mut backoff = Backoff::new(self.seed, identity, self.backend.spec().limits.retries);
        let mut lessons = 0;
        let (prompt, completion) = estimated_tokens(request);
        loop {
            let lane = &identity.key.system;
            let pass = self.gate.enter(lane, prompt + completion).await;
            // Others may have found out while this call waited.
            if let Some(failure) = self.failed.get() {
                return Err(failure.clone());
            }
            *tries += 1;
            let revision = self.backend.dialect_revision();
            let failure = match self.backend.send(identity, request).await {
                Ok(reply) => {
                    self.gate.settle(&pass, used_tokens(&reply));
                    self.gate
                        .learn(&pass, Verdict::Answered, reply.limits.as_ref());
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
            self.gate
                .learn(&pass, verdict(&failure), failure.limits.as_deref());
            drop(pass);
            tracing::debug!(
                backend = self.backend.name(),
                kind = failure.kind.as_str(),
                status = failure.http_status,
                asked = ?failure.retry_after,
                tries,
                "a request failed"
            );
            if failure.is_for_good() {
                tracing::error!(
                    backend = self.backend.name(),
                    kind = failure.kind.as_str(),
                    status = failure.http_status,
                    "the backend refuses every request"
                );
                // Whoever is first decides; the others say the same.
                return Err(self.failed.get_or_init(|| failure).clone());
            }
            let learnt = self.backend.dialect_revision() != revision;
            if learnt && failure.kind == ErrorKind::BadRequest && lessons < MOST_LESSONS {
                lessons += 1;
                continue;
            }
            match backoff.after(&failure) {
                Some(wait) => sleep(wait).await,
                None => return Err(failure),
            }
        }
    }

    fn estimate(&self, request: &ChatRequest) -> Spent {
        let (prompt, completion) = estimated_tokens(request);
        Spent {
            calls: 1,
            tokens: prompt + completion,
            usd: self.price(prompt, 0, completion),
        }
    }

    /// What a reply cost; what the server does not report is taken as estimated.
    fn spent(&self, request: &ChatRequest, reply: &Reply) -> Spent {
        let (prompt, completion) = estimated_tokens(request);
        let prompt = reply.usage.prompt_tokens.unwrap_or(prompt);
        let completion = reply.usage.completion_tokens.unwrap_or(completion);
        Spent {
            calls: 1,
            tokens: prompt.saturating_add(completion),
            usd: self.price(prompt, reply.usage.cached_tokens.unwrap_or(0), completion),
        }
    }

    fn price(&self, prompt: u64, cached: u64, completion: u64) -> f64 {
        let price = self.backend.spec().price.as_ref();
        price.map_or(0.0, |price| price.cost_usd(prompt, cached, completion))
    }
}

/// What a failure says about the server's load.
pub(super) fn verdict(failure: &CallFailure) -> Verdict {
    let asked = failure
        .retry_after
        .filter(|asked| *asked <= LONGEST_RETRY_AFTER);
    match failure.kind {
        ErrorKind::RateLimit => Verdict::Rejected { asked },
        ErrorKind::Server if asked.is_some() => Verdict::Rejected { asked },
        ErrorKind::Server if matches!(failure.http_status, Some(503 | 529)) => Verdict::Overloaded,
        ErrorKind::Timeout => Verdict::Overloaded,
        _ => Verdict::Failed,
    }
}

/// About four characters make a token; Chinese has more tokens per character. Prompt and
/// completion.
fn estimated_tokens(request: &ChatRequest) -> (u64, u64) {
    let prompt: u64 = request
        .messages
        .iter()
        .map(|message| text_tokens(&message.content))
        .sum();
    let completion = request
        .generation
        .max_tokens
        .map_or(ASSUMED_COMPLETION_TOKENS, u64::from);
    (prompt, completion)
}

/// Estimated tokens of a text, at least 1.
pub fn text_tokens(text: &str) -> u64 {
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
    reply
        .usage
        .prompt_tokens?
        .checked_add(reply.usage.completion_tokens?)
}

#[cfg(test)]
mod tests;
