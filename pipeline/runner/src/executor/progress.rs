//! Counters of a run for whoever watches it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use consilium_core::{CallRow, Outcome};

use consilium_backends::LimitedBackend;
use consilium_backends::limit::GateState;

/// Counters that samples and calls move and a progress line reads.
///
/// They count what this process did; replayed calls cost nothing again and are left out.
#[derive(Debug, Default)]
pub struct Progress {
    by_outcome: [AtomicU64; Outcome::ALL.len()],
    samples_in_flight: AtomicU64,
    calls: AtomicU64,
    tokens: AtomicU64,
    /// Millionths of a US dollar, since there are no atomic fractions.
    micro_usd: AtomicU64,
    failed_calls: AtomicU64,
    cache_hits: AtomicU64,
    backends: Vec<Arc<LimitedBackend>>,
}

/// The counters at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgressCounts {
    /// Samples that ended.
    pub finished: u64,
    /// The same by outcome, in report order, zeros included.
    pub by_outcome: Vec<(Outcome, u64)>,
    /// Samples that have begun and not ended.
    pub samples_in_flight: u64,
    /// Calls that ended, well or not.
    pub calls: u64,
    /// Tokens of prompts and completions, as far as reported.
    pub tokens: u64,
    /// US dollars, as far as priced.
    pub cost_usd: f64,
    /// Calls that ended without a reply.
    pub failed_calls: u64,
    /// Calls that an earlier run had answered.
    pub cache_hits: u64,
    /// What each backend permits now, by its name.
    pub backends: Vec<(String, GateState)>,
}

impl ProgressCounts {
    /// Calls that may be in flight now over all backends.
    pub fn concurrency(&self) -> usize {
        self.backends
            .iter()
            .map(|(_, state)| state.concurrency)
            .sum()
    }
}

/// Something in flight; it no longer is when this is dropped.
#[derive(Debug)]
pub struct InFlight<'a>(&'a AtomicU64);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Progress {
    /// Counters of a run that asks these backends.
    pub fn new(backends: Vec<Arc<LimitedBackend>>) -> Self {
        Self {
            backends,
            ..Self::default()
        }
    }

    /// Backends the run asks.
    pub fn backends(&self) -> &[Arc<LimitedBackend>] {
        &self.backends
    }

    /// The counters now.
    pub fn counts(&self) -> ProgressCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let by_outcome: Vec<(Outcome, u64)> = Outcome::ALL
            .into_iter()
            .zip(self.by_outcome.iter().map(read))
            .collect();
        ProgressCounts {
            finished: by_outcome.iter().map(|(_, count)| count).sum(),
            by_outcome,
            samples_in_flight: read(&self.samples_in_flight),
            calls: read(&self.calls),
            tokens: read(&self.tokens),
            cost_usd: read(&self.micro_usd) as f64 / 1e6,
            failed_calls: read(&self.failed_calls),
            cache_hits: read(&self.cache_hits),
            backends: self
                .backends
                .iter()
                .map(|backend| (backend.backend().name().to_owned(), backend.state()))
                .collect(),
        }
    }

    /// Counts a sample as in flight until what is returned is dropped.
    pub fn sample_in_flight(&self) -> InFlight<'_> {
        self.samples_in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(&self.samples_in_flight)
    }

    /// Counts a finished sample.
    pub fn finish_sample(&self, outcome: Outcome) {
        let place = Outcome::ALL.into_iter().position(|other| other == outcome);
        if let Some(counter) = place.and_then(|place| self.by_outcome.get(place)) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a finished call.
    pub fn add_call(&self, call: &CallRow) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.failed_calls
            .fetch_add(u64::from(call.error_kind.is_some()), Ordering::Relaxed);
        self.cache_hits
            .fetch_add(u64::from(call.cache_hit), Ordering::Relaxed);
        let tokens = call
            .prompt_tokens
            .unwrap_or(0)
            .saturating_add(call.completion_tokens.unwrap_or(0));
        self.tokens.fetch_add(tokens, Ordering::Relaxed);
        self.micro_usd
            .fetch_add(micro_usd(call.cost_usd), Ordering::Relaxed);
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float cast saturates, and prices are not negative"
)]
fn micro_usd(cost_usd: Option<f64>) -> u64 {
    (cost_usd.unwrap_or(0.0) * 1e6).round() as u64
}
