use std::sync::Arc;
use std::time::Duration;

use consilium_core::study::LimitSpec;
use futures::future::join_all;
use tokio::time::{Instant, timeout};

use super::*;

fn limits(concurrency: u32, rpm: Option<u32>, tpm: Option<u32>) -> LimitSpec {
    LimitSpec {
        concurrency,
        rpm,
        tpm,
        ..Default::default()
    }
}

fn lane() -> Arc<str> {
    "system".into()
}

#[tokio::test(start_paused = true)]
async fn no_more_pass_than_may_be_in_flight() {
    let gate = Gate::new(&limits(2, None, None));
    let first = gate.enter(&lane(), 1).await;
    let _second = gate.enter(&lane(), 1).await;
    let third = timeout(Duration::from_secs(9), gate.enter(&lane(), 1)).await;
    assert!(third.is_err());
    assert_eq!(gate.state().in_flight, 2);
    drop(first);
    let third = gate.enter(&lane(), 1).await;
    drop(third);
    assert_eq!(gate.state().in_flight, 1);
}

#[tokio::test(start_paused = true)]
async fn requests_are_spread_over_the_minute() {
    let gate = Gate::new(&limits(100, Some(60), None));
    let start = Instant::now();
    join_all((0..31).map(|_| async { drop(gate.enter(&lane(), 1).await) })).await;
    assert!(start.elapsed() >= Duration::from_secs(30));
    assert!(start.elapsed() < Duration::from_secs(32));
}

#[tokio::test(start_paused = true)]
async fn tokens_saved_are_given_back() {
    let gate = Gate::new(&limits(100, None, Some(6000)));
    let start = Instant::now();
    let pass = gate.enter(&lane(), 6000).await;
    gate.settle(&pass, Some(100));
    gate.enter(&lane(), 100).await;
    assert!(start.elapsed() < Duration::from_secs(2));
    gate.enter(&lane(), 6000).await;
    gate.enter(&lane(), 100).await;
    assert!(start.elapsed() > Duration::from_secs(50));
}

#[tokio::test(start_paused = true)]
async fn a_pause_holds_those_who_wait_already() {
    let gate = Gate::new(&limits(100, Some(60), None));
    let start = Instant::now();
    let pass = gate.enter(&lane(), 1).await;
    let rejected = Verdict::Rejected {
        asked: Some(Duration::from_secs(20)),
    };
    let lane = lane();
    let (_, ()) = tokio::join!(gate.enter(&lane, 1), async {
        gate.learn(&pass, rejected, None);
    });
    assert!(start.elapsed() >= Duration::from_secs(20));
}

#[tokio::test(start_paused = true)]
async fn a_place_is_not_lost_with_whoever_gives_up_waiting() {
    let gate = Gate::new(&limits(1, None, None));
    let first = gate.enter(&lane(), 1).await;
    for _ in 0..3 {
        assert!(
            timeout(Duration::from_secs(1), gate.enter(&lane(), 1))
                .await
                .is_err()
        );
    }
    drop(first);
    gate.enter(&lane(), 1).await;
    assert_eq!((gate.state().in_flight, gate.state().waiting), (0, 0));
}

/// A system that issues fifty calls at once a sample and one that issues a single one: the single
/// call waits for one place, not for all fifty.
#[tokio::test(start_paused = true)]
async fn many_calls_of_one_system_do_not_hold_up_another() {
    let gate = Gate::new(&limits(1, None, None));
    let (many, one): (Arc<str>, Arc<str>) = ("many".into(), "one".into());
    let start = Instant::now();
    let crowd = join_all((0..50).map(|_| async {
        let pass = gate.enter(&many, 1).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        drop(pass);
    }));
    let single = async {
        tokio::task::yield_now().await;
        gate.enter(&one, 1).await;
        start.elapsed()
    };
    let (_, waited) = tokio::join!(crowd, single);
    assert!(waited <= Duration::from_secs(2), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stated_limit_is_kept_before_anything_is_rejected() {
    let gate = Gate::new(&limits(100, None, None));
    let start = Instant::now();
    let pass = gate.enter(&lane(), 1).await;
    let stated = ServerLimits {
        requests: Some(StatedLimit {
            limit: 10.0,
            remaining: 0.0,
            reset: Duration::from_secs(10),
        }),
        tokens: None,
    };
    gate.learn(&pass, Verdict::Answered, Some(&stated));
    let lane = lane();
    join_all((0..5).map(|_| gate.enter(&lane, 1))).await;
    assert!(start.elapsed() >= Duration::from_secs(5));
    assert!(start.elapsed() < Duration::from_secs(6));
}
