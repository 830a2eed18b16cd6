//! The gate every request of one backend passes.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use consilium_core::study::LimitSpec;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::queue::Queue;
use super::stated::ServerLimits;

/// The gate every request of one backend passes: so many in flight, so many a minute, none while
/// the server asks to wait, systems in turn.
#[derive(Debug)]
pub struct Gate {
    queue: Arc<Queue>,
    timer: OnceLock<JoinSet<()>>,
}

/// Leave to send one request; ends when dropped.
#[derive(Debug)]
pub struct Pass {
    queue: Option<Arc<Queue>>,
    pub(super) estimated_tokens: u64,
    pub(super) sent_at: Instant,
    /// Requests and tokens passed so far, these included.
    pub(super) requests: u64,
    pub(super) tokens: u64,
    /// Whether it took the last place.
    pub(super) was_full: bool,
}

/// What became of a request, as far as limits are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was answered.
    Answered,
    /// It failed in a way that says nothing about the server's load.
    Failed,
    /// The server was too busy: 503, 529 or a deadline passed.
    Overloaded,
    /// The server wants fewer requests: 429, or a wish to wait.
    Rejected {
        /// How long it asks to wait.
        asked: Option<Duration>,
    },
}

/// A gate at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateState {
    /// Requests in flight.
    pub in_flight: usize,
    /// Requests that may be in flight now.
    pub concurrency: usize,
    /// Requests that wait.
    pub waiting: usize,
    /// Requests a second at most, where the server was seen to reject more.
    pub per_second: Option<f64>,
    /// How long nothing may be sent, because the server asked for it.
    pub paused: Option<Duration>,
}

impl Pass {
    pub(super) const fn new(
        queue: Arc<Queue>,
        estimated_tokens: u64,
        sent_at: Instant,
        was_full: bool,
        (requests, tokens): (u64, u64),
    ) -> Self {
        Self {
            queue: Some(queue),
            estimated_tokens,
            sent_at,
            requests,
            tokens,
            was_full,
        }
    }

    /// Gives the pass up to somebody who holds the queue's lock.
    pub(super) fn disarm(mut self) {
        self.queue = None;
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        if let Some(queue) = self.queue.take() {
            queue.leave();
        }
    }
}

impl Gate {
    /// A gate with nothing in flight.
    pub fn new(limits: &LimitSpec) -> Self {
        Self {
            queue: Arc::new(Queue::new(limits)),
            timer: OnceLock::new(),
        }
    }

    /// Waits until a request of about `estimated_tokens` may be sent. Requests of one lane pass in
    /// their order, lanes take turns.
    pub async fn enter(&self, lane: &Arc<str>, estimated_tokens: u64) -> Pass {
        let mut wait = match self.queue.enter(lane, estimated_tokens) {
            Ok(pass) => return pass,
            Err(wait) => wait,
        };
        // Started here, where there is a runtime; it ends with the gate.
        self.timer.get_or_init(|| {
            let mut timer = JoinSet::new();
            timer.spawn(Arc::clone(&self.queue).keep_time());
            timer
        });
        loop {
            match wait.await {
                Ok(pass) => return pass,
                // Nobody drops a place in the queue; if it were so, one would queue again.
                Err(_) => match self.queue.enter(lane, estimated_tokens) {
                    Ok(pass) => return pass,
                    Err(again) => wait = again,
                },
            }
        }
    }

    /// Corrects the estimate of a finished request.
    pub fn settle(&self, pass: &Pass, used_tokens: Option<u64>) {
        self.queue.settle(pass, used_tokens);
    }

    /// Learns from what became of a request and what the server stated with it.
    pub fn learn(&self, pass: &Pass, verdict: Verdict, stated: Option<&ServerLimits>) {
        self.queue.learn(pass, verdict, stated);
    }

    /// The gate now.
    pub fn state(&self) -> GateState {
        self.queue.state()
    }
}
