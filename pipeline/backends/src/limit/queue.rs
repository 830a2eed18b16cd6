//! The state behind a gate: who waits, what may pass.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use consilium_core::study::LimitSpec;
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};

use super::bucket::Bucket;
use super::gate::{GateState, Pass, Verdict};
use super::lanes::Lanes;
use super::pace::Pace;
use super::stated::{ServerLimits, Stated};
use super::window::Window;

#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// Wakes the timer when it has to look again.
    sooner: Notify,
}

#[derive(Debug)]
struct State {
    adaptive: bool,
    window: Window,
    in_flight: usize,
    waiting: Lanes<Waiter>,
    waiters: usize,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
    pace: Pace,
    stated_requests: Stated,
    stated_tokens: Stated,
    paused_until: Option<Instant>,
    passed_requests: u64,
    passed_tokens: u64,
    /// When the timer looks next.
    alarm: Option<Instant>,
}

#[derive(Debug)]
struct Waiter {
    tokens: u64,
    pass: oneshot::Sender<Pass>,
}

impl Queue {
    pub(super) fn new(limits: &LimitSpec) -> Self {
        let now = Instant::now();
        let state = State {
            adaptive: limits.adaptive,
            window: Window::new(limits.concurrency, limits.adaptive),
            in_flight: 0,
            waiting: Lanes::default(),
            waiters: 0,
            // One second's worth may come at once.
            requests: limits
                .rpm
                .map(|rpm| Bucket::new(rpm, f64::from(rpm) / 60.0, now)),
            // Requests carry thousands of tokens: two seconds' worth keep the flow even.
            tokens: limits
                .tpm
                .map(|tpm| Bucket::new(tpm, f64::from(tpm) / 30.0, now)),
            pace: Pace::new(now),
            stated_requests: Stated::default(),
            stated_tokens: Stated::default(),
            paused_until: None,
            passed_requests: 0,
            passed_tokens: 0,
            alarm: None,
        };
        Self {
            state: Mutex::new(state),
            sooner: Notify::new(),
        }
    }

    /// Passes at once, or takes a place in the queue.
    pub(super) fn enter(
        self: &Arc<Self>,
        lane: &Arc<str>,
        tokens: u64,
    ) -> Result<Pass, oneshot::Receiver<Pass>> {
        let now = Instant::now();
        let mut state = self.lock();
        if state.waiting.is_empty() && state.has_place() && state.ready_at(tokens, now) <= now {
            return Ok(state.pass(self, tokens, now));
        }
        let (pass, wait) = oneshot::channel();
        state.waiting.push(lane, Waiter { tokens, pass });
        state.waiters += 1;
        self.serve_and_tell(&mut state);
        Err(wait)
    }

    /// A request is no longer in flight.
    pub(super) fn leave(self: &Arc<Self>) {
        let mut state = self.lock();
        state.in_flight = state.in_flight.saturating_sub(1);
        self.serve_and_tell(&mut state);
    }

    /// Serves those who wait for time rather than for a place, for as long as the gate is there.
    pub(super) async fn keep_time(self: Arc<Self>) {
        loop {
            let alarm = {
                let mut state = self.lock();
                state.alarm = None;
                self.serve(&mut state);
                state.alarm
            };
            match alarm {
                Some(alarm) => tokio::select! {
                    () = sleep_until(alarm) => {}
                    () = self.sooner.notified() => {}
                },
                None => self.sooner.notified().await,
            }
        }
    }

    pub(super) fn settle(&self, pass: &Pass, used_tokens: Option<u64>) {
        let Some(used) = used_tokens else { return };
        if let Some(tokens) = &mut self.lock().tokens {
            tokens.correct(used as f64 - pass.estimated_tokens as f64, Instant::now());
        }
    }

    pub(super) fn learn(
        self: &Arc<Self>,
        pass: &Pass,
        verdict: Verdict,
        stated: Option<&ServerLimits>,
    ) {
        let now = Instant::now();
        let mut state = self.lock();
        let state = &mut *state;
        match verdict {
            Verdict::Answered => state.window.replied(true, pass.was_full),
            Verdict::Failed => state.window.replied(false, pass.was_full),
            Verdict::Overloaded => state.overloaded(pass, now),
            Verdict::Rejected { asked } => {
                state.overloaded(pass, now);
                if state.adaptive {
                    state.pace.rejected(pass.sent_at, asked, now);
                }
                if let Some(asked) = asked {
                    state.pause(asked, now);
                }
            }
        }
        let Some(stated) = stated.filter(|_| state.adaptive) else {
            return;
        };
        if let Some(requests) = stated.requests {
            let since = (state.passed_requests - pass.requests) as f64;
            state
                .stated_requests
                .heard(requests, pass.sent_at, since, now);
        }
        if let Some(tokens) = stated.tokens {
            let since = (state.passed_tokens - pass.tokens) as f64;
            state.stated_tokens.heard(tokens, pass.sent_at, since, now);
        }
    }

    pub(super) fn state(&self) -> GateState {
        let now = Instant::now();
        let state = self.lock();
        GateState {
            in_flight: state.in_flight,
            concurrency: state.window.size(),
            waiting: state.waiters,
            per_second: state.pace.per_second(now),
            paused: state
                .paused_until
                .map(|until| until.saturating_duration_since(now))
                .filter(|left| !left.is_zero()),
        }
    }

    /// Serves, and wakes the timer when it has to look sooner than it would.
    fn serve_and_tell(self: &Arc<Self>, state: &mut State) {
        let before = state.alarm;
        self.serve(state);
        if state.alarm != before {
            self.sooner.notify_one();
        }
    }

    /// Lets pass whoever may, and sets the alarm for the first one who only waits for time.
    fn serve(self: &Arc<Self>, state: &mut State) {
        while state.has_place() {
            let Some(front) = state.waiting.front() else {
                return;
            };
            if front.pass.is_closed() {
                // Whoever waited has given up.
                state.waiting.pop();
                state.waiters -= 1;
                continue;
            }
            let (tokens, now) = (front.tokens, Instant::now());
            let ready_at = state.ready_at(tokens, now);
            if ready_at > now {
                if state.alarm.is_none_or(|alarm| ready_at < alarm) {
                    state.alarm = Some(ready_at);
                }
                return;
            }
            let Some(waiter) = state.waiting.pop() else {
                return;
            };
            state.waiters -= 1;
            if let Err(unused) = waiter.pass.send(state.pass(self, tokens, now)) {
                unused.disarm();
                state.in_flight -= 1;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole after every statement that can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn has_place(&self) -> bool {
        self.in_flight < self.window.size()
    }

    /// When a request of so many tokens may be sent.
    fn ready_at(&mut self, tokens: u64, now: Instant) -> Instant {
        let tokens = tokens as f64;
        let waits = [
            self.requests
                .as_mut()
                .map_or(Duration::ZERO, |bucket| bucket.wait(1.0, now)),
            self.tokens
                .as_mut()
                .map_or(Duration::ZERO, |bucket| bucket.wait(tokens, now)),
            self.stated_requests.wait(1.0, now),
            self.stated_tokens.wait(tokens, now),
            self.pace.wait(now),
        ];
        let wait = waits.into_iter().max().unwrap_or_default();
        // A wait past the end of time is as good as one of a year.
        let ready_at = now
            .checked_add(wait)
            .unwrap_or(now + Duration::from_hours(24 * 365));
        self.paused_until
            .map_or(ready_at, |until| until.max(ready_at))
    }

    fn pass(&mut self, queue: &Arc<Queue>, tokens: u64, now: Instant) -> Pass {
        if let Some(bucket) = &mut self.requests {
            bucket.take(1.0);
        }
        if let Some(bucket) = &mut self.tokens {
            bucket.take(tokens as f64);
        }
        self.stated_requests.take(1.0);
        self.stated_tokens.take(tokens as f64);
        self.pace.sent(now);
        self.in_flight += 1;
        self.passed_requests += 1;
        self.passed_tokens += tokens;
        let was_full = !self.has_place();
        let passed = (self.passed_requests, self.passed_tokens);
        Pass::new(Arc::clone(queue), tokens, now, was_full, passed)
    }

    fn overloaded(&mut self, pass: &Pass, now: Instant) {
        if self.window.overloaded(pass.sent_at, self.in_flight, now) {
            tracing::info!(
                concurrency = self.window.size(),
                "the server is overloaded: fewer calls in flight"
            );
        }
    }

    fn pause(&mut self, asked: Duration, now: Instant) {
        let from = self.paused_until.map_or(now, |until| until.max(now));
        let until = now + asked;
        if until > from {
            self.pace.paused(until - from);
            tracing::info!(
                milliseconds = asked.as_secs_f64() * 1e3,
                per_second = self.pace.per_second(now),
                "the server asks to wait"
            );
            self.paused_until = Some(until);
        }
    }
}
