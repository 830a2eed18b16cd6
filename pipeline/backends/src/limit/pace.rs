//! The pace a server accepts, learnt from what it rejects.

use std::time::Duration;

use tokio::time::Instant;

/// Sends that are remembered while nothing is rejected.
const MEMORY: Duration = Duration::from_secs(5);

/// Time after which an interval is judged, and the rejections that suffice earlier.
const LONG_ENOUGH: f64 = 1.0;
const MANY_REJECTIONS: u64 = 8;
const SHORTEST: f64 = 0.1;

/// Waits up to this were counted out by the server for its next free place; longer ones are
/// rounded up, and places that came free meanwhile may have been lost.
const EXACT_WAIT: f64 = 0.1;

/// Share of the pace that may be lost to rejections and pauses before it is lowered.
const TOLERATED_LOSS: f64 = 0.02;

/// Losses above this are never taken for noise.
const MOST_NOISE: f64 = 0.15;

/// What is left of a pace when lowering it further is in vain. A limit that rejected less than
/// [`MOST_NOISE`] of the first pace rejects nothing at this one.
const IN_VAIN: f64 = 0.75;

/// As [`IN_VAIN`], of what was accepted.
const FEWER: f64 = 0.93;

/// Requests whose share of rejections says nothing yet.
const FEW: u64 = 50;

/// Most of a pace that was rejected.
const LOWERED_TO: f64 = 0.98;

/// Time in which a lowered pace returns to where it was rejected.
const RETURN_SECONDS: f64 = 20.0;

/// Requests a second: unlimited until the server rejects one, then near what it was seen to accept.
///
/// After each rejection the pace is set from what was accepted since the last one: both times the
/// server had nothing left, so that what it let through in between is what it refills. From there
/// it grows along a cubic curve, fast at first, hardly at all where it was last rejected, and
/// faster again when nothing happens there.
#[derive(Debug)]
pub(super) struct Pace {
    curve: Option<Curve>,
    level: f64,
    filled_at: Instant,
    interval: Interval,
    /// Since when the pace is lowered again and again.
    streak: Option<Streak>,
    /// Share of requests that is rejected at any pace.
    noise: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Curve {
    from: f64,
    rejected: f64,
    since: Instant,
}

/// What was sent since the pace was last judged.
#[derive(Debug)]
struct Interval {
    since: Instant,
    sent: u64,
    rejected: u64,
    paused: f64,
    pauses: u32,
}

/// A pace that was lowered, and again, without fewer requests being rejected.
#[derive(Clone, Copy, Debug)]
struct Streak {
    rate: f64,
    share: f64,
    accepted: f64,
}

impl Interval {
    const fn new(since: Instant) -> Self {
        Self {
            since,
            sent: 0,
            rejected: 0,
            paused: 0.0,
            pauses: 0,
        }
    }
}

impl Curve {
    fn at(self, now: Instant) -> f64 {
        let elapsed = now.saturating_duration_since(self.since).as_secs_f64();
        let phase = (elapsed - RETURN_SECONDS) / RETURN_SECONDS;
        (self.rejected - self.from).mul_add(phase.powi(3), self.rejected)
    }
}

impl Pace {
    pub(super) const fn new(now: Instant) -> Self {
        Self {
            curve: None,
            level: 1.0,
            filled_at: now,
            interval: Interval::new(now),
            streak: None,
            noise: None,
        }
    }

    /// Requests a second at most; `None` while nothing was rejected.
    pub(super) fn per_second(&self, now: Instant) -> Option<f64> {
        self.curve.map(|curve| curve.at(now))
    }

    /// How long until a request may be sent.
    pub(super) fn wait(&mut self, now: Instant) -> Duration {
        let Some(rate) = self.per_second(now) else {
            return Duration::ZERO;
        };
        let elapsed = now.saturating_duration_since(self.filled_at).as_secs_f64();
        // A twentieth of a second may be caught up with after a late wake-up.
        let capacity = 0.05_f64.mul_add(rate, 1.0);
        self.level = elapsed.mul_add(rate, self.level).min(capacity);
        self.filled_at = now;
        if self.level >= 1.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64((1.0 - self.level) / rate).unwrap_or(Duration::MAX)
    }

    /// A request is sent.
    pub(super) fn sent(&mut self, now: Instant) {
        let is_new = self.interval.sent == 0 || now - self.interval.since > MEMORY;
        if self.curve.is_none() && is_new {
            self.interval = Interval::new(now);
        }
        self.interval.sent += 1;
        self.level -= 1.0;
    }

    /// Nothing is sent for a while.
    pub(super) fn paused(&mut self, more: Duration) {
        self.interval.paused += more.as_secs_f64();
        self.interval.pauses += 1;
        self.level = self.level.min(1.0);
    }

    /// A request sent at `sent_at` was rejected, with a wish to wait.
    pub(super) fn rejected(&mut self, sent_at: Instant, asked: Option<Duration>, now: Instant) {
        // What was sent at an earlier pace says nothing about this one.
        if sent_at < self.interval.since {
            return;
        }
        self.interval.rejected += 1;
        let elapsed = (now - self.interval.since).as_secs_f64();
        let Some(curve) = self.curve else {
            if !self.is_noise() {
                self.first_rejection(elapsed, asked, now);
            }
            return;
        };
        let many = self.interval.rejected >= MANY_REJECTIONS && elapsed >= SHORTEST;
        if elapsed < LONG_ENOUGH && !many {
            return;
        }
        self.judge(curve, elapsed, now);
    }

    /// Whether no more is rejected than is at any pace.
    fn is_noise(&self) -> bool {
        let Interval { sent, rejected, .. } = self.interval;
        self.noise
            .is_some_and(|noise| sent < FEW || rejected as f64 <= sent as f64 * noise * 3.0)
    }

    /// Most servers allow a burst of about one second; what came through so far is that burst and
    /// what was refilled meanwhile.
    fn first_rejection(&mut self, elapsed: f64, asked: Option<Duration>, now: Instant) {
        self.noise = None;
        self.streak = None;
        let elapsed = elapsed.max(SHORTEST);
        let seen = self.interval.sent as f64 / elapsed;
        let asked = asked.map(|asked| asked.as_secs_f64());
        let from = match asked.filter(|asked| (0.001..EXACT_WAIT).contains(asked)) {
            // The next place comes free within one refill.
            Some(asked) => (seen / 2.0).min(1.0 / asked),
            None => seen * elapsed / (elapsed + 1.0),
        };
        let rejected = seen.min(2.0 * from);
        self.set(from, rejected, now);
    }

    fn judge(&mut self, curve: Curve, elapsed: f64, now: Instant) {
        let rate = curve.at(now);
        let interval = &self.interval;
        let accepted = (interval.sent - interval.rejected) as f64 / elapsed;
        let loss = 1.0 - accepted / rate;
        let exact = interval.paused <= EXACT_WAIT * f64::from(interval.pauses);
        if loss <= TOLERATED_LOSS {
            self.streak = None;
            self.interval = Interval::new(now);
            return;
        }
        let share = interval.rejected as f64 / interval.sent as f64;
        let streak = self
            .streak
            .filter(|streak| exact && share >= streak.share / 3.0)
            .unwrap_or(Streak {
                rate,
                share,
                accepted,
            });
        // A server that refills its places accepts as many as before, however many more were sent.
        let fewer = accepted < streak.accepted * FEWER;
        if exact && fewer && streak.share < MOST_NOISE && rate < streak.rate * IN_VAIN {
            // Far fewer requests were rejected as often: no rate is the reason.
            self.noise = Some(share.max(TOLERATED_LOSS));
            self.streak = None;
            self.curve = None;
            self.interval = Interval::new(now);
            return;
        }
        self.streak = Some(streak);
        let estimate = if exact {
            accepted
        } else {
            (accepted * rate).sqrt()
        };
        self.set(estimate.clamp(rate / 10.0, rate * LOWERED_TO), rate, now);
    }

    fn set(&mut self, from: f64, rejected: f64, now: Instant) {
        // One request a minute is the slowest limit in use anywhere.
        let from = from.max(1.0 / 60.0);
        self.curve = Some(Curve {
            from,
            rejected: rejected.max(from * 1.02),
            since: now,
        });
        self.interval = Interval::new(now);
        self.level = self.level.min(1.0);
        self.filled_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, seconds: f64) -> Instant {
        start + Duration::from_secs_f64(seconds)
    }

    #[test]
    fn nothing_is_held_back_until_something_is_rejected() {
        let now = Instant::now();
        let mut pace = Pace::new(now);
        for _ in 0..10_000 {
            assert_eq!(pace.wait(now), Duration::ZERO);
            pace.sent(now);
        }
        assert_eq!(pace.per_second(now), None);
    }

    #[test]
    fn the_curve_returns_to_where_it_was_rejected_and_goes_on() {
        let now = Instant::now();
        let curve = Curve {
            from: 90.0,
            rejected: 100.0,
            since: now,
        };
        let rates: Vec<f64> = [0.0, 10.0, 20.0, 30.0, 40.0, 80.0]
            .map(|seconds| curve.at(after(now, seconds)))
            .into();
        assert_eq!(rates, [90.0, 98.75, 100.0, 101.25, 110.0, 370.0]);
    }

    #[test]
    fn what_was_accepted_between_two_rejections_is_the_pace() {
        let now = Instant::now();
        let mut pace = Pace::new(now);
        (0..100).for_each(|_| pace.sent(now));
        pace.rejected(now, None, now);
        let first = pace.per_second(now).unwrap();
        assert!((80.0..100.0).contains(&first), "{first}");
        // 200 in two seconds went through, the next one did not.
        let next = after(now, 0.001);
        (0..201).for_each(|_| pace.sent(next));
        pace.rejected(next, None, after(now, 2.0));
        let second = pace.per_second(after(now, 2.0)).unwrap();
        assert!((99.0..101.0).contains(&second), "{second}");
    }

    /// Every thirtieth request is rejected, however few there are.
    #[test]
    fn rejections_that_do_not_follow_the_pace_do_not_slow_it_for_long() {
        let mut now = Instant::now();
        let start = now;
        let mut pace = Pace::new(now);
        let mut slow = 0.0;
        for number in 0_u32..30_000 {
            let wait = pace.wait(now);
            now += wait + Duration::from_millis(1);
            if pace.per_second(now).is_some_and(|rate| rate < 500.0) {
                slow += wait.as_secs_f64();
            }
            pace.sent(now);
            if number % 30 == 29 {
                pace.rejected(now, None, now);
            }
        }
        let took = (now - start).as_secs_f64();
        assert!(took < 45.0 && slow < 12.0, "{took} {slow}");
    }

    #[test]
    fn rejections_of_an_earlier_pace_change_nothing() {
        let now = Instant::now();
        let mut pace = Pace::new(now);
        (0..64).for_each(|_| pace.sent(now));
        pace.rejected(now, None, after(now, 0.01));
        let rate = pace.per_second(after(now, 0.01));
        (0..63).for_each(|_| pace.rejected(now, None, after(now, 0.01)));
        assert_eq!(pace.per_second(after(now, 0.01)), rate);
    }
}
