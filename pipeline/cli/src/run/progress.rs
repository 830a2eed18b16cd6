//! How far a run is: one moving line on a terminal, plain lines elsewhere.

use std::io::IsTerminal as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use consilium_core::Outcome;
use consilium_runner::executor::{Progress, ProgressCounts};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio_util::sync::CancellationToken;

use crate::printer;

/// Time between two plain lines.
const PLAIN_INTERVAL: Duration = Duration::from_secs(10);

/// Time between two updates of the moving line.
const MOVING_INTERVAL: Duration = Duration::from_millis(200);

/// Time between two lines of JSON.
const JSON_INTERVAL: Duration = Duration::from_secs(1);

/// Shows progress until it is told to stop; `total` samples are to be executed.
pub(crate) async fn show_progress(progress: Arc<Progress>, total: u64, stop: CancellationToken) {
    let started = Instant::now();
    if printer::speaks_json() {
        loop {
            let ended = tokio::time::timeout(JSON_INTERVAL, stop.cancelled())
                .await
                .is_ok();
            printer::event(&json_line(&progress.counts(), total, started.elapsed()));
            if ended {
                break;
            }
        }
    } else if std::io::stderr().is_terminal() {
        let bar =
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}") {
            bar.set_style(style.progress_chars("█▉ "));
        }
        while tokio::time::timeout(MOVING_INTERVAL, stop.cancelled())
            .await
            .is_err()
        {
            let counts = progress.counts();
            bar.set_position(counts.finished);
            bar.set_message(described(&counts, total, started.elapsed()));
        }
        bar.finish_and_clear();
    } else {
        while tokio::time::timeout(PLAIN_INTERVAL, stop.cancelled())
            .await
            .is_err()
        {
            let counts = progress.counts();
            printer::note(&format!(
                "{}/{total} samples · {}",
                counts.finished,
                described(&counts, total, started.elapsed())
            ));
        }
    }
}

/// Samples a second.
fn rate(counts: &ProgressCounts, elapsed: Duration) -> f64 {
    counts.finished as f64 / elapsed.as_secs_f64().max(1e-3)
}

/// Samples that failed for lack of infrastructure.
fn failed(counts: &ProgressCounts) -> u64 {
    counts
        .by_outcome
        .iter()
        .filter(|(outcome, _)| outcome.is_infrastructure())
        .map(|(_, count)| count)
        .sum()
}

/// Seconds left, once a sample has ended.
fn seconds_left(counts: &ProgressCounts, total: u64, elapsed: Duration) -> Option<f64> {
    let left = total.saturating_sub(counts.finished) as f64 / rate(counts, elapsed);
    (counts.finished > 0 && left.is_finite()).then_some(left)
}

/// Rate, failures, calls in flight of those permitted now, and time left.
fn described(counts: &ProgressCounts, total: u64, elapsed: Duration) -> String {
    let left = seconds_left(counts, total, elapsed).map_or_else(
        || "time left unknown".to_owned(),
        |left| format!("{} left", duration(left)),
    );
    let paused = counts
        .backends
        .iter()
        .filter_map(|(_, state)| state.paused)
        .max();
    let paused = paused.map_or_else(String::new, |paused| {
        format!(" · paused for {}", duration(paused.as_secs_f64()))
    });
    format!(
        "{:.1}/s · {} failed · {} calls in flight of {}{paused} · {left}",
        rate(counts, elapsed),
        failed(counts),
        in_flight(counts),
        counts.concurrency()
    )
}

/// Requests that are with a server; calls that wait for their turn are not among them.
fn in_flight(counts: &ProgressCounts) -> u64 {
    let sent: usize = counts
        .backends
        .iter()
        .map(|(_, state)| state.in_flight)
        .sum();
    sent as u64
}

/// The same for programs.
fn json_line(counts: &ProgressCounts, total: u64, elapsed: Duration) -> serde_json::Value {
    let backends: serde_json::Map<String, serde_json::Value> = counts
        .backends
        .iter()
        .map(|(name, state)| {
            let state = serde_json::json!({
                "in_flight": state.in_flight,
                "concurrency": state.concurrency,
                "waiting": state.waiting,
                "per_second": state.per_second,
                "paused_s": state.paused.map(|paused| paused.as_secs_f64()),
            });
            (name.clone(), state)
        })
        .collect();
    serde_json::json!({
        "event": "progress",
        "done": counts.finished,
        "planned": total,
        "in_flight": in_flight(counts),
        "concurrency": counts.concurrency(),
        "rate": rate(counts, elapsed),
        "errors": failed(counts),
        "calls": counts.calls,
        "failed_calls": counts.failed_calls,
        "cache_hits": counts.cache_hits,
        "tokens": counts.tokens,
        "cost_usd": counts.cost_usd,
        "eta_s": seconds_left(counts, total, elapsed),
        "backends": backends,
    })
}

/// Seconds as a reader would say them.
pub(crate) fn duration(seconds: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float cast saturates, and durations are not negative"
    )]
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Outcomes that occurred, for a summary.
pub(crate) fn outcome_summary(counts: &[(Outcome, u64)]) -> String {
    let named: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(outcome, count)| format!("{count} {outcome}"))
        .collect();
    if named.is_empty() {
        "nothing to do".to_owned()
    } else {
        named.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_naturally() {
        assert_eq!(duration(0.4), "0 s");
        assert_eq!(duration(61.0), "1 min 1 s");
        assert_eq!(duration(3_725.0), "1 h 2 min");
    }
}
