//! Wall-clock time as a dependency, so that runs can be replayed and tests can set it.

use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

/// A source of wall-clock time.
pub trait Clock: Debug + Send + Sync {
    /// Microseconds since the Unix epoch, UTC. May jump; durations are measured elsewhere.
    fn now_micros(&self) -> i64;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the machine's clock is read"
    )]
    fn now_micros(&self) -> i64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .ok()
            .and_then(|elapsed| i64::try_from(elapsed.as_micros()).ok())
            .unwrap_or(0)
    }
}
