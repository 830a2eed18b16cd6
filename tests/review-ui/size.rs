//! Pages stay small, and are made fast.

use std::time::{Duration, Instant};

use crate::fixture::{get, page, pages, study};

#[tokio::test]
async fn every_page_is_under_100_kilobytes() {
    let runs = pages(vec![study::triage(), study::large(500), study::long()]);
    let mut addresses = crate::routes::addresses();
    addresses.push("/runs/question-bank-20261129-090000-aaaa/samples".to_owned());
    addresses.push(
        "/runs/endless-20261128-090000-bbbb/sample?dataset=dialogue&case=endless&system=talker"
            .to_owned(),
    );
    addresses.push(
        "/runs/endless-20261128-090000-bbbb/calls?dataset=dialogue&case=endless&system=talker"
            .to_owned(),
    );
    for address in addresses {
        let size = get(&runs, &address).await.body.len();
        assert!(size < 100_000, "{address}: {size} bytes");
    }
}

/// How long the pages take, for a person to read: `cargo test … -- --ignored --nocapture`.
#[tokio::test]
#[ignore = "prints timings; nothing to assert"]
async fn timings() {
    let runs = pages(vec![study::triage(), study::large(2_000), study::long()]);
    let mut addresses = crate::routes::addresses();
    addresses.push("/runs/question-bank-20261129-090000-aaaa/samples".to_owned());
    for address in addresses {
        let mut best = Duration::MAX;
        for _ in 0..10 {
            let start = Instant::now();
            let size = get(&runs, &address).await.body.len();
            best = best.min(start.elapsed());
            assert!(size > 0);
        }
        println!("{best:>10.2?} {address}");
    }
    assert!(!page(&runs, "/").await.is_empty());
}
