//! How many requests may be in flight.

use tokio::time::Instant;

/// Requests in flight at the start: enough for a fast server at once, few enough to lose when the
/// first replies say that it is too much.
const FIRST_SIZE: f64 = 64.0;

/// Weight of the newest reply in the share of overloaded ones.
const WEIGHT: f64 = 1.0 / 64.0;

/// Share of overloaded replies that shrinks the window. Below it they are faults of the kind that
/// a retry mends, and fewer requests in flight would not make them rarer.
const TOLERATED_SHARE: f64 = 0.2;

/// What is left of the window when it shrinks.
const SHRUNK_TO: f64 = 0.5;

/// Round trips in which a window grows from nothing to its ceiling.
const GROWING_TRIPS: f64 = 32.0;

/// A window in the manner of TCP: it doubles each round trip until the server is overloaded for the
/// first time, then grows evenly and is halved at each overload.
#[derive(Debug)]
pub(super) struct Window {
    size: f64,
    ceiling: f64,
    adaptive: bool,
    doubling: bool,
    overloaded_share: f64,
    shrunk_at: Option<Instant>,
}

impl Window {
    pub(super) fn new(ceiling: u32, adaptive: bool) -> Self {
        let ceiling = f64::from(ceiling.max(1));
        Self {
            size: if adaptive {
                ceiling.min(FIRST_SIZE)
            } else {
                ceiling
            },
            ceiling,
            adaptive,
            doubling: true,
            overloaded_share: 0.0,
            shrunk_at: None,
        }
    }

    /// Requests that may be in flight now, at least 1.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and a u32"
    )]
    pub(super) fn size(&self) -> usize {
        self.size.max(1.0) as usize
    }

    /// A reply came that says nothing of the server's load; `was_full` when the request took the
    /// last place. A window that is not used up says nothing about a larger one.
    pub(super) fn replied(&mut self, good: bool, was_full: bool) {
        self.overloaded_share -= self.overloaded_share * WEIGHT;
        if good && was_full && self.adaptive {
            let step = if self.doubling {
                1.0
            } else {
                (self.ceiling / GROWING_TRIPS).max(1.0) / self.size
            };
            self.size = (self.size + step).min(self.ceiling);
        }
    }

    /// The server could not answer a request sent at `sent_at`; whether the window shrank.
    pub(super) fn overloaded(&mut self, sent_at: Instant, in_flight: usize, now: Instant) -> bool {
        self.overloaded_share += (1.0 - self.overloaded_share) * WEIGHT;
        // What was sent to a larger window says nothing about the smaller one.
        let is_news = self.shrunk_at.is_none_or(|shrunk_at| sent_at > shrunk_at);
        if !self.adaptive || !is_news || self.overloaded_share < TOLERATED_SHARE {
            return false;
        }
        let used = self.size.min(in_flight as f64 + 1.0);
        self.size = (used * SHRUNK_TO).max(1.0);
        self.doubling = false;
        self.overloaded_share = 0.0;
        self.shrunk_at = Some(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn overloads(window: &mut Window, count: usize, sent_at: Instant) -> usize {
        (0..count)
            .filter(|_| window.overloaded(sent_at, window.size(), sent_at + Duration::from_secs(1)))
            .count()
    }

    #[test]
    fn the_ceiling_is_reached_in_a_few_round_trips_and_kept() {
        let mut window = Window::new(2000, true);
        assert_eq!(window.size(), 64);
        let mut trips = 0;
        while window.size() < 2000 {
            (0..window.size()).for_each(|_| window.replied(true, true));
            trips += 1;
        }
        assert_eq!(trips, 5);
        window.replied(true, true);
        assert_eq!(window.size(), 2000);
    }

    #[test]
    fn a_window_that_is_not_full_does_not_grow() {
        let mut window = Window::new(200, true);
        (0..100).for_each(|_| window.replied(true, false));
        (0..100).for_each(|_| window.replied(false, true));
        assert_eq!(window.size(), 64);
    }

    #[test]
    fn overload_halves_it_once_a_round_trip() {
        let now = Instant::now();
        let mut window = Window::new(64, true);
        assert_eq!(overloads(&mut window, 64, now), 1);
        assert_eq!(window.size(), 32);
        assert_eq!(overloads(&mut window, 32, now + Duration::from_secs(2)), 1);
        assert_eq!(window.size(), 16);
        // Evenly from there: two places a round trip.
        (0..16).for_each(|_| window.replied(true, true));
        assert_eq!(window.size(), 17);
    }

    #[test]
    fn single_faults_among_many_replies_do_not_shrink_it() {
        let now = Instant::now();
        let mut window = Window::new(64, true);
        for _ in 0..500 {
            assert_eq!(overloads(&mut window, 1, now), 0);
            (0..9).for_each(|_| window.replied(true, true));
        }
        assert_eq!(window.size(), 64);
    }

    #[test]
    fn a_fixed_window_stays() {
        let mut window = Window::new(200, false);
        assert_eq!(overloads(&mut window, 100, Instant::now()), 0);
        assert_eq!(window.size(), 200);
    }
}
