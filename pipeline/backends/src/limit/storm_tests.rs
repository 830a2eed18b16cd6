//! The gate against a server that accepts so many requests a second, in simulated time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use consilium_core::study::LimitSpec;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::bucket::Bucket;
use super::*;

/// What the server says beside a rejection.
#[derive(Clone, Copy, Debug)]
enum Says {
    /// When the next place comes free.
    Milliseconds,
    /// The same in whole seconds, rounded up.
    Seconds,
    Nothing,
}

struct Server {
    bucket: Mutex<Bucket>,
    says: Says,
    latency: Duration,
    /// Decides which requests fail otherwise, and how late everything is.
    random: Mutex<ChaCha8Rng>,
}

impl Server {
    /// Between 0 and 1.
    fn chance(&self) -> f64 {
        f64::from(self.random.lock().unwrap().next_u32()) / f64::from(u32::MAX)
    }

    async fn ask(&self) -> Verdict {
        // The way there: late now and then, as on a busy machine.
        let late = if self.chance() < 0.01 { 0.03 } else { 0.001 };
        sleep(Duration::from_secs_f64(late * self.chance())).await;
        let wait = {
            let mut bucket = self.bucket.lock().unwrap();
            let wait = bucket.wait(1.0, Instant::now());
            if wait.is_zero() {
                bucket.take(1.0);
            }
            wait
        };
        if wait.is_zero() {
            let chance = self.chance();
            if chance < 0.01 {
                return Verdict::Overloaded;
            }
            sleep(self.latency.mul_f64(0.9 + 0.2 * self.chance())).await;
            return if chance < 0.02 {
                Verdict::Failed
            } else {
                Verdict::Answered
            };
        }
        sleep(Duration::from_millis(2)).await;
        let asked = match self.says {
            Says::Milliseconds => Some(Duration::from_millis(
                u64::try_from(wait.as_millis()).unwrap() + 1,
            )),
            Says::Seconds => Some(Duration::from_secs(1)),
            Says::Nothing => None,
        };
        Verdict::Rejected { asked }
    }
}

/// Share of what the server allowed in a minute that was used, and share of rejected requests.
async fn storm(per_second: f64, burst: f64, says: Says, concurrency: u32, seed: u64) -> (f64, f64) {
    let server = Arc::new(Server {
        bucket: Mutex::new(Bucket::at_level(burst, per_second, burst, Instant::now())),
        says,
        latency: Duration::from_millis(50),
        random: Mutex::new(ChaCha8Rng::seed_from_u64(seed)),
    });
    let gate = Arc::new(Gate::new(&LimitSpec {
        concurrency,
        ..Default::default()
    }));
    let start = Instant::now();
    let end = start + Duration::from_mins(1);
    let mut workers = JoinSet::new();
    // Somewhat more samples than places, as the executor has them.
    for number in 0..concurrency + concurrency / 4 {
        let (server, gate) = (Arc::clone(&server), Arc::clone(&gate));
        workers.spawn(async move {
            let (mut answered, mut rejected) = (0_u32, 0_u32);
            while Instant::now() < end {
                let pass = gate.enter(&"system".into(), 1).await;
                let verdict = server.ask().await;
                gate.learn(&pass, verdict, None);
                drop(pass);
                match verdict {
                    Verdict::Rejected { asked } => {
                        rejected += 1;
                        // Full jitter of the first retry.
                        let share = u64::from((number * 7 + rejected * 13) % 500);
                        sleep(asked.unwrap_or_default() + Duration::from_millis(share)).await;
                    }
                    _ => answered += 1,
                }
            }
            (answered, rejected)
        });
    }
    let (mut answered, mut rejected) = (0.0, 0.0);
    while let Some(worker) = workers.join_next().await {
        let (some, others) = worker.unwrap();
        answered += f64::from(some);
        rejected += f64::from(others);
    }
    // Those who waited at the end were answered a little later.
    let allowed = per_second.mul_add(start.elapsed().as_secs_f64(), burst);
    (answered / allowed, rejected / (answered + rejected))
}

#[tokio::test(start_paused = true)]
async fn a_server_that_rejects_is_used_up_and_hardly_annoyed() {
    let mut seen = Vec::new();
    let mut missed = false;
    for says in [Says::Milliseconds, Says::Seconds, Says::Nothing] {
        for burst in [10.0, 100.0] {
            for concurrency in [64, 200] {
                let (goodput, rejected) = storm(100.0, burst, says, concurrency, 1).await;
                let least = match says {
                    // A tenth of a second's worth at once, but a whole second of waiting: every
                    // rejection costs nine tenths of a second, whatever a client does.
                    Says::Seconds if burst < 100.0 => 0.88,
                    // Nothing is paused, but those rejected wait before their next try.
                    Says::Nothing => 0.92,
                    _ => 0.95,
                };
                missed |= goodput < least || rejected > 0.03;
                seen.push(format!(
                    "{says:?}, burst {burst}, {concurrency} at once: {goodput:.3} of what is allowed, \
                     {rejected:.3} rejected"
                ));
            }
        }
    }
    assert!(!missed, "{seen:#?}");
}

/// A server with a bucket of a second's worth is emptied while the pace is far too high, and seems to reject
/// the same few requests at any pace.
#[tokio::test(start_paused = true)]
async fn a_limit_is_never_taken_for_noise() {
    for seed in 0..16 {
        let (goodput, rejected) = storm(100.0, 100.0, Says::Milliseconds, 100, seed).await;
        assert!(
            goodput > 0.95 && rejected < 0.025,
            "seed {seed}: {goodput:.3} of what is allowed, {rejected:.3} rejected"
        );
    }
}
