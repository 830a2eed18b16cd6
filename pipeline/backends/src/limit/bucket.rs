//! A rate as a bucket that fills evenly.

use std::time::Duration;

use tokio::time::Instant;

/// The window providers count in.
const WINDOW_SECONDS: f64 = 60.0;

/// Share of the rate that is used; the rest absorbs the jitter of the network, so that requests
/// spaced evenly here do not arrive closer together there.
const USED_SHARE: f64 = 0.99;

/// A bucket from which costs are taken.
///
/// The level may fall below zero: those who ask then wait until it has filled up again. What has
/// been taken in any window of a minute stays within the limit, because the burst is taken off the
/// rate.
#[derive(Debug)]
pub(super) struct Bucket {
    capacity: f64,
    per_second: f64,
    level: f64,
    filled_at: Instant,
}

impl Bucket {
    /// A full bucket for `per_minute` units of which `burst` may come at once.
    pub(super) fn new(per_minute: u32, burst: f64, now: Instant) -> Self {
        let limit = f64::from(per_minute.max(1));
        let capacity = burst.clamp(1.0, limit);
        let per_second = (limit - (capacity - 1.0)) / WINDOW_SECONDS * USED_SHARE;
        Self::at_level(capacity, per_second, capacity, now)
    }

    /// A bucket as a server describes its own.
    pub(super) fn at_level(capacity: f64, per_second: f64, level: f64, now: Instant) -> Self {
        Self {
            capacity,
            per_second,
            level: level.min(capacity),
            filled_at: now,
        }
    }

    /// How long until `cost` may be taken.
    ///
    /// A cost beyond the capacity waits for a full bucket only, else it would wait for ever.
    pub(super) fn wait(&mut self, cost: f64, now: Instant) -> Duration {
        self.fill(now);
        let missing = cost.min(self.capacity) - self.level;
        if missing <= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(missing / self.per_second).unwrap_or(Duration::MAX)
    }

    /// Takes `cost`.
    pub(super) fn take(&mut self, cost: f64) {
        self.level -= cost;
    }

    /// Corrects an earlier cost by `more`, which may be negative.
    pub(super) fn correct(&mut self, more: f64, now: Instant) {
        self.fill(now);
        self.level = (self.level - more).min(self.capacity);
    }

    fn fill(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.filled_at).as_secs_f64();
        self.level = elapsed
            .mul_add(self.per_second, self.level)
            .min(self.capacity);
        self.filled_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times at which `count` units of cost 1 may be used, all asked for at once.
    fn times(bucket: &mut Bucket, count: u32, now: Instant) -> Vec<f64> {
        (0..count)
            .map(|_| {
                let wait = bucket.wait(1.0, now).as_secs_f64();
                bucket.take(1.0);
                wait
            })
            .collect()
    }

    #[test]
    fn no_minute_holds_more_than_the_limit() {
        for (limit, burst) in [(1, 1.0), (2, 1.0), (60, 1.0), (500, 8.0), (600, 600.0)] {
            let now = Instant::now();
            let times = times(&mut Bucket::new(limit, burst, now), limit * 3, now);
            for (first, start) in times.iter().enumerate() {
                let inside = times[first..]
                    .iter()
                    .take_while(|time| **time < start + 60.0)
                    .count();
                assert!(inside <= limit as usize, "{inside} of {limit} from {start}");
            }
        }
    }

    #[test]
    fn the_rate_is_nearly_used_up() {
        let now = Instant::now();
        let times = times(&mut Bucket::new(500, 8.0, now), 1000, now);
        assert!(*times.last().unwrap() < 125.0);
    }

    #[test]
    fn a_cost_beyond_the_capacity_passes_and_is_paid_back() {
        let now = Instant::now();
        let mut bucket = Bucket::new(60, 10.0, now);
        assert_eq!(bucket.wait(100.0, now), Duration::ZERO);
        bucket.take(100.0);
        let wait = bucket.wait(1.0, now);
        assert!(wait > Duration::from_secs(90), "{wait:?}");
        bucket.correct(-90.0, now);
        assert!(bucket.wait(1.0, now) < wait);
    }
}
