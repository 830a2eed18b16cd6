//! What a server states of its limits.

use std::time::Duration;

use tokio::time::Instant;

use super::bucket::Bucket;

/// One limit as a server states it beside a reply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StatedLimit {
    /// Units permitted at most.
    pub limit: f64,
    /// Units left after the request that was answered.
    pub remaining: f64,
    /// Time until all of `limit` is there again.
    pub reset: Duration,
}

/// The limits a server states beside a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ServerLimits {
    /// Requests.
    pub requests: Option<StatedLimit>,
    /// Tokens.
    pub tokens: Option<StatedLimit>,
}

/// A server's own bucket, followed from what it states.
#[derive(Debug, Default)]
pub(super) struct Stated(Option<Bucket>);

impl Stated {
    /// Takes over a statement made about a request sent at `sent_at`; `spent_since` was sent after
    /// it, and the server had not counted it.
    pub(super) fn heard(
        &mut self,
        stated: StatedLimit,
        sent_at: Instant,
        spent_since: f64,
        now: Instant,
    ) {
        let missing = stated.limit - stated.remaining;
        let reset = stated.reset.as_secs_f64();
        if missing < 1.0 || reset <= 0.0 || stated.limit < 1.0 {
            // A full bucket does not say how fast it fills.
            self.0 = None;
            return;
        }
        let per_second = missing / reset;
        let refilled = (now - sent_at).as_secs_f64() * per_second;
        let level = stated.remaining - spent_since + refilled;
        self.0 = Some(Bucket::at_level(stated.limit, per_second, level, now));
    }

    pub(super) fn wait(&mut self, cost: f64, now: Instant) -> Duration {
        self.0
            .as_mut()
            .map_or(Duration::ZERO, |bucket| bucket.wait(cost, now))
    }

    pub(super) fn take(&mut self, cost: f64) {
        if let Some(bucket) = &mut self.0 {
            bucket.take(cost);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(remaining: f64, reset_ms: u64) -> StatedLimit {
        StatedLimit {
            limit: 60.0,
            remaining,
            reset: Duration::from_millis(reset_ms),
        }
    }

    #[test]
    fn the_rate_follows_from_what_is_missing_and_when_it_is_back() {
        let now = Instant::now();
        let mut stated = Stated::default();
        assert_eq!(stated.wait(1.0, now), Duration::ZERO);
        // Ten missing are back after ten seconds: one a second.
        stated.heard(limit(50.0, 10_000), now, 0.0, now);
        assert_eq!(stated.wait(50.0, now), Duration::ZERO);
        stated.take(50.0);
        assert_eq!(stated.wait(1.0, now), Duration::from_secs(1));
    }

    #[test]
    fn what_was_sent_meanwhile_is_taken_off() {
        let now = Instant::now();
        let mut stated = Stated::default();
        stated.heard(limit(2.0, 58_000), now, 2.0, now);
        assert_eq!(stated.wait(1.0, now), Duration::from_secs(1));
        stated.heard(limit(60.0, 0), now, 2.0, now);
        assert_eq!(stated.wait(1.0, now), Duration::ZERO);
    }
}
