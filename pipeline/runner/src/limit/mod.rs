//! What a backend permits: calls in flight, requests and tokens per minute, pauses.

mod bucket;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use consilium_core::study::LimitSpec;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

use bucket::Bucket;

/// The gate every request of one backend passes.
#[derive(Debug)]
pub struct Gate {
    in_flight: Arc<Semaphore>,
    rates: Mutex<Rates>,
}

#[derive(Debug)]
struct Rates {
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
    paused_until: Option<Instant>,
}

/// Leave to send one request; ends when dropped.
#[derive(Debug)]
pub struct Pass {
    estimated_tokens: u64,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Gate {
    /// A gate with nothing in flight.
    pub fn new(limits: &LimitSpec) -> Self {
        let now = Instant::now();
        let concurrency = usize::try_from(limits.concurrency.max(1)).unwrap_or(usize::MAX);
        Self {
            in_flight: Arc::new(Semaphore::new(concurrency.min(Semaphore::MAX_PERMITS))),
            rates: Mutex::new(Rates {
                // One second's worth may come at once.
                requests: limits
                    .rpm
                    .map(|rpm| Bucket::new(rpm, f64::from(rpm) / 60.0, now)),
                // Requests carry thousands of tokens: two seconds' worth keep the flow even.
                tokens: limits
                    .tpm
                    .map(|tpm| Bucket::new(tpm, f64::from(tpm) / 30.0, now)),
                paused_until: None,
            }),
        }
    }

    /// Waits until a request of about `estimated_tokens` may be sent.
    pub async fn enter(&self, estimated_tokens: u64) -> Pass {
        // The semaphore is never closed; without a permit the limit would merely not hold.
        let permit = Arc::clone(&self.in_flight).acquire_owned().await.ok();
        let mut ready_at = self.reserve(estimated_tokens);
        loop {
            sleep_until(ready_at).await;
            match self.paused_until() {
                Some(pause) if pause > Instant::now() => ready_at = pause,
                _ => {
                    return Pass {
                        estimated_tokens,
                        _permit: permit,
                    };
                }
            }
        }
    }

    /// Corrects the estimate of a finished request.
    pub fn settle(&self, pass: &Pass, used_tokens: Option<u64>) {
        let Some(used) = used_tokens else { return };
        if let Some(tokens) = &mut self.rates().tokens {
            tokens.correct(used as f64 - pass.estimated_tokens as f64, Instant::now());
        }
    }

    /// Lets nothing pass for a while, because the server asks for it.
    pub fn pause(&self, duration: Duration) {
        let until = Instant::now() + duration;
        let mut rates = self.rates();
        rates.paused_until = rates.paused_until.max(Some(until));
    }

    fn reserve(&self, estimated_tokens: u64) -> Instant {
        let now = Instant::now();
        let mut rates = self.rates();
        let requests = rates.requests.as_mut().map(|bucket| bucket.take(1.0, now));
        let tokens = rates
            .tokens
            .as_mut()
            .map(|bucket| bucket.take(estimated_tokens as f64, now));
        let wait = requests.max(tokens).unwrap_or_default();
        // A wait past the end of time is as good as one of a year.
        now.checked_add(wait)
            .unwrap_or(now + Duration::from_hours(24 * 365))
    }

    fn paused_until(&self) -> Option<Instant> {
        self.rates().paused_until
    }

    fn rates(&self) -> std::sync::MutexGuard<'_, Rates> {
        // The state is a handful of numbers, whole after every statement.
        self.rates.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures::future::join_all;

    use super::*;

    fn limits(concurrency: u32, rpm: Option<u32>, tpm: Option<u32>) -> LimitSpec {
        LimitSpec {
            concurrency,
            rpm,
            tpm,
            ..Default::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_pass_than_may_be_in_flight() {
        let gate = Gate::new(&limits(2, None, None));
        let first = gate.enter(1).await;
        let _second = gate.enter(1).await;
        let third = tokio::time::timeout(Duration::from_secs(9), gate.enter(1)).await;
        assert!(third.is_err());
        drop(first);
        gate.enter(1).await;
    }

    #[tokio::test(start_paused = true)]
    async fn requests_are_spread_over_the_minute() {
        let gate = Gate::new(&limits(100, Some(60), None));
        let start = Instant::now();
        join_all((0..31).map(|_| gate.enter(1))).await;
        assert!(start.elapsed() >= Duration::from_secs(30));
        assert!(start.elapsed() < Duration::from_secs(32));
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_saved_are_given_back() {
        let gate = Gate::new(&limits(100, None, Some(6000)));
        let start = Instant::now();
        let pass = gate.enter(6000).await;
        gate.settle(&pass, Some(100));
        gate.enter(100).await;
        assert!(start.elapsed() < Duration::from_secs(2));
        gate.enter(6000).await;
        gate.enter(100).await;
        assert!(start.elapsed() > Duration::from_secs(50));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_holds_those_who_wait_already() {
        let gate = Gate::new(&limits(100, Some(60), None));
        let start = Instant::now();
        gate.enter(1).await;
        let (_, ()) = tokio::join!(gate.enter(1), async { gate.pause(Duration::from_secs(20)) });
        assert!(start.elapsed() >= Duration::from_secs(20));
    }
}
