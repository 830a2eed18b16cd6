//! What the mock server has seen.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::Instant;

const WINDOW: Duration = Duration::from_mins(1);

/// The answer of `GET /stats`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MockServerStats {
    /// Chat requests received.
    pub requests: u64,
    /// Chat requests being answered now.
    pub in_flight: u64,
    /// Most of them at once so far.
    pub most_in_flight: u64,
    /// Requests beyond the permitted rate.
    pub limit_violations: u64,
    /// Replies by HTTP status.
    pub by_status: BTreeMap<u16, u64>,
    /// Planned faults by kind.
    pub faults: BTreeMap<String, u64>,
    /// Different request bodies.
    pub unique_requests: u64,
    /// Request bodies received twice or more.
    pub requests_seen_twice_or_more: u64,
}

/// Shared counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    stats: MockServerStats,
    times_seen: HashMap<u128, u32>,
    accepted: VecDeque<Instant>,
}

/// One request that is being answered; ends when dropped.
#[derive(Debug)]
pub(super) struct InFlight {
    counts: Counts,
    /// How often the same body came before.
    pub(super) seen_before: u32,
}

impl Counts {
    pub(super) fn stats(&self) -> MockServerStats {
        self.state().stats.clone()
    }

    /// A request with a body of this hash comes in.
    pub(super) fn enter(&self, body_hash: u128) -> InFlight {
        let mut state = self.state();
        let times = state.times_seen.entry(body_hash).or_default();
        let seen_before = *times;
        *times += 1;
        let stats = &mut state.stats;
        stats.unique_requests += u64::from(seen_before == 0);
        stats.requests_seen_twice_or_more += u64::from(seen_before == 1);
        stats.requests += 1;
        stats.in_flight += 1;
        stats.most_in_flight = stats.most_in_flight.max(stats.in_flight);
        InFlight {
            counts: self.clone(),
            seen_before,
        }
    }

    /// Whether a request stays within the rate; if not, how long until one would.
    pub(super) fn accept(&self, per_minute: u32) -> Result<(), Duration> {
        let now = Instant::now();
        let mut state = self.state();
        while state
            .accepted
            .front()
            .is_some_and(|&first| now.duration_since(first) >= WINDOW)
        {
            state.accepted.pop_front();
        }
        let full = state.accepted.len() >= usize::try_from(per_minute).unwrap_or(usize::MAX);
        if full {
            state.stats.limit_violations += 1;
            let first = state.accepted.front().copied().unwrap_or(now);
            return Err(WINDOW.saturating_sub(now.duration_since(first)));
        }
        state.accepted.push_back(now);
        Ok(())
    }

    pub(super) fn answered(&self, status: u16) {
        *self.state().stats.by_status.entry(status).or_default() += 1;
    }

    pub(super) fn faulted(&self, fault: &str) {
        *self
            .state()
            .stats
            .faults
            .entry(fault.to_owned())
            .or_default() += 1;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Counts are whole after every statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.counts.state().stats.in_flight -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_minute_holds_no_more_than_permitted() {
        let counts = Counts::default();
        assert!(counts.accept(2).is_ok());
        tokio::time::advance(Duration::from_secs(20)).await;
        assert!(counts.accept(2).is_ok());
        assert_eq!(counts.accept(2), Err(Duration::from_secs(40)));
        tokio::time::advance(Duration::from_secs(40)).await;
        assert!(counts.accept(2).is_ok());
        assert_eq!(counts.stats().limit_violations, 1);
    }

    #[test]
    fn repeats_and_requests_in_flight_are_counted() {
        let counts = Counts::default();
        let first = counts.enter(1);
        let again = counts.enter(1);
        let third = counts.enter(1);
        drop((first, third));
        let other = counts.enter(2);
        assert_eq!((again.seen_before, other.seen_before), (1, 0));
        let stats = counts.stats();
        assert_eq!(
            (stats.in_flight, stats.most_in_flight, stats.requests),
            (2, 3, 4)
        );
        assert_eq!(
            (stats.unique_requests, stats.requests_seen_twice_or_more),
            (2, 1)
        );
    }
}
