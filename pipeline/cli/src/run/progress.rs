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

/// Shows progress until it is told to stop; `total` samples are to be executed.
pub(crate) async fn show_progress(progress: Arc<Progress>, total: u64, stop: CancellationToken) {
    let started = Instant::now();
    if std::io::stderr().is_terminal() {
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

/// Rate, failures, calls in flight and time left.
fn described(counts: &ProgressCounts, total: u64, elapsed: Duration) -> String {
    let rate = counts.finished as f64 / elapsed.as_secs_f64().max(1e-3);
    let failed: u64 = counts
        .by_outcome
        .iter()
        .filter(|(outcome, _)| outcome.is_infrastructure())
        .map(|(_, count)| count)
        .sum();
    let left = total.saturating_sub(counts.finished) as f64 / rate;
    let left = if counts.finished == 0 || !left.is_finite() {
        "time left unknown".to_owned()
    } else {
        format!("{} left", duration(left))
    };
    format!(
        "{rate:.1}/s · {failed} failed · {} calls in flight · {left}",
        counts.calls_in_flight
    )
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
