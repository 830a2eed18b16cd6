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
    /// Different request bodies that are poisoned, by kind.
    pub poisoned: BTreeMap<String, u64>,
    /// Microseconds between the first request and the last reply.
    pub busy_micros: u64,
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
    bucket: Option<Bucket>,
    began: Option<Instant>,
}

/// A bucket of requests.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    level: f64,
    filled_at: Instant,
}

/// A bucket after a request, as a server states it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BucketState {
    /// Whole requests left.
    pub(super) remaining: f64,
    /// Time until it is full.
    pub(super) full_in: Duration,
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
        state.began.get_or_insert_with(Instant::now);
        let stats = &mut state.stats;
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

    /// Whether a request stays within a bucket that fills by so many a second; if not, how long
    /// until one would. The state is the bucket's afterwards.
    pub(super) fn accept_from_bucket(
        &self,
        per_second: f64,
        burst: f64,
    ) -> (Result<(), Duration>, BucketState) {
        let now = Instant::now();
        let mut state = self.state();
        let bucket = state.bucket.get_or_insert(Bucket {
            level: burst,
            filled_at: now,
        });
        let elapsed = now.duration_since(bucket.filled_at).as_secs_f64();
        bucket.level = elapsed.mul_add(per_second, bucket.level).min(burst);
        bucket.filled_at = now;
        let missing = 1.0 - bucket.level;
        let accepted = if missing <= 0.0 {
            bucket.level -= 1.0;
            Ok(())
        } else {
            Err(Duration::from_secs_f64(missing / per_second))
        };
        let left = BucketState {
            remaining: bucket.level.floor().max(0.0),
            full_in: Duration::from_secs_f64((burst - bucket.level) / per_second),
        };
        state.stats.limit_violations += u64::from(accepted.is_err());
        (accepted, left)
    }

    pub(super) fn answered(&self, status: u16) {
        let mut state = self.state();
        *state.stats.by_status.entry(status).or_default() += 1;
        let busy = state.began.map_or(Duration::ZERO, |began| began.elapsed());
        state.stats.busy_micros = u64::try_from(busy.as_micros()).unwrap_or(u64::MAX);
    }

    pub(super) fn poisoned(&self, fault: &str) {
        *self
            .state()
            .stats
            .poisoned
            .entry(fault.to_owned())
            .or_default() += 1;
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

    #[tokio::test(start_paused = true)]
    async fn a_bucket_lets_its_burst_pass_and_then_its_rate() {
        let counts = Counts::default();
        let ask = || counts.accept_from_bucket(10.0, 3.0);
        for _ in 0..3 {
            assert!(ask().0.is_ok());
        }
        let (refused, left) = ask();
        assert_eq!(refused, Err(Duration::from_millis(100)));
        assert_eq!(left.full_in, Duration::from_millis(300));
        tokio::time::advance(Duration::from_millis(150)).await;
        assert!(ask().0.is_ok());
        assert!(ask().0.is_err());
        assert_eq!(counts.stats().limit_violations, 2);
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
