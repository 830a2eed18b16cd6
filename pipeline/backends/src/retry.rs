//! When a failed request is sent again.

use std::time::Duration;

use consilium_core::seed::derive_seed;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{CallFailure, CallIdentity};

const FIRST_DELAY: Duration = Duration::from_millis(500);
const LONGEST_DELAY: Duration = Duration::from_secs(30);

/// The longest wait a server may ask for; beyond it the call fails, and a later run tries again.
pub const LONGEST_RETRY_AFTER: Duration = Duration::from_mins(10);

/// The waits between the tries of one call: exponential with full jitter, seeded by the call.
#[derive(Debug)]
pub struct Backoff {
    left: u32,
    ceiling: Duration,
    jitter: ChaCha8Rng,
}

impl Backoff {
    /// At most `retries` waits for a call.
    pub fn new(study_seed: u64, identity: &CallIdentity, retries: u32) -> Self {
        let key = &identity.key;
        let seed = derive_seed(
            study_seed,
            &[
                "retry",
                &key.dataset,
                &key.case_id,
                &key.system,
                &key.epoch.to_string(),
                &identity.attempt.to_string(),
                identity.scorer.as_deref().unwrap_or_default(),
                &identity.seq.to_string(),
            ],
        );
        Self::seeded(seed, retries)
    }

    /// At most `retries` waits for a request that is no call of a sample.
    pub fn seeded(seed: u64, retries: u32) -> Self {
        Self {
            left: retries,
            ceiling: FIRST_DELAY,
            jitter: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// How long to wait before trying again after a failure; `None` when it is final.
    pub fn after(&mut self, failure: &CallFailure) -> Option<Duration> {
        if !failure.kind.is_retryable() || self.left == 0 {
            return None;
        }
        let asked = failure.retry_after.unwrap_or_default();
        if asked > LONGEST_RETRY_AFTER {
            return None;
        }
        self.left -= 1;
        let share: f64 = self.jitter.random();
        // Those told to wait equally long must not come back all at once.
        let spread = if asked.is_zero() {
            self.ceiling
        } else {
            FIRST_DELAY
        };
        self.ceiling = (self.ceiling * 2).min(LONGEST_DELAY);
        Some(asked + spread.mul_f64(share))
    }
}

#[cfg(test)]
mod tests {
    use consilium_core::{ErrorKind, SampleKey};

    use super::*;

    fn identity(seq: u32) -> CallIdentity {
        CallIdentity {
            key: SampleKey::new("d", "c", "s", 1),
            attempt: 1,
            scorer: None,
            seq,
            round: None,
            agent: "a".into(),
            purpose: "answer".into(),
            role: "a".into(),
            verdict: None,
        }
    }

    fn waits(seq: u32, retries: u32, failure: &CallFailure) -> Vec<Duration> {
        let mut backoff = Backoff::new(7, &identity(seq), retries);
        std::iter::from_fn(|| backoff.after(failure)).collect()
    }

    #[test]
    fn waits_are_bounded_seeded_and_counted() {
        let failure = CallFailure::new(ErrorKind::Server, "HTTP 503");
        let first = waits(0, 12, &failure);
        assert_eq!(first.len(), 12);
        for (index, wait) in first.iter().enumerate() {
            let ceiling = 0.5 * 2_f64.powi(i32::try_from(index).unwrap());
            assert!(wait.as_secs_f64() <= ceiling.min(30.0));
        }
        assert_eq!(first, waits(0, 12, &failure));
        assert_ne!(first, waits(1, 12, &failure));
    }

    #[test]
    fn no_retries_means_one_try() {
        assert!(waits(0, 0, &CallFailure::new(ErrorKind::Server, "HTTP 503")).is_empty());
    }

    #[test]
    fn a_wish_to_wait_is_honoured_within_reason() {
        let mut failure = CallFailure::new(ErrorKind::RateLimit, "HTTP 429");
        failure.retry_after = Some(Duration::from_secs(7));
        for wait in waits(0, 3, &failure) {
            assert!(wait >= Duration::from_secs(7) && wait <= Duration::from_millis(7500));
        }
        failure.retry_after = Some(Duration::from_hours(5));
        assert!(waits(0, 3, &failure).is_empty());
    }

    #[test]
    fn final_failures_are_not_repeated() {
        for kind in [
            ErrorKind::Auth,
            ErrorKind::NotFound,
            ErrorKind::BadRequest,
            ErrorKind::ContentFilter,
            ErrorKind::ContextOverflow,
            ErrorKind::NotRecorded,
        ] {
            assert!(
                waits(0, 3, &CallFailure::new(kind, "x")).is_empty(),
                "{kind}"
            );
        }
    }
}
