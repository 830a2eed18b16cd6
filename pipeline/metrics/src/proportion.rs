//! Intervals for a proportion of successes among independent trials.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::interval::{Interval, is_level};

/// Returns the Wilson score interval of `successes` among `n` independent trials.
///
/// With p = successes / n and z the (1 + level) / 2 quantile of the standard normal distribution:
/// (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), cut to the range 0 to 1.
///
/// Source: Wilson 1927; equals statsmodels 0.15 `proportion_confint(method="wilson")`.
/// Known divergence: where statsmodels answers NaN (`n = 0`) or a meaningless interval
/// (`successes > n`), and for a level outside (0, 1), the answer here is `None`.
///
/// ```
/// let interval = consilium_metrics::wilson(8, 10, 0.95).unwrap();
/// assert!((interval.low - 0.490_162_471_536_641_9).abs() < 1e-12);
/// assert!((interval.high - 0.943_317_848_545_624_8).abs() < 1e-12);
/// ```
pub fn wilson(successes: u64, n: u64, level: f64) -> Option<Interval> {
    if n == 0 || successes > n || !is_level(level) {
        return None;
    }
    // The upper tail keeps full precision when the level is close to 1.
    let z = -Normal::standard().inverse_cdf((1.0 - level) / 2.0);
    let trials = n as f64;
    let proportion = successes as f64 / trials;
    let z_squared = z * z;
    let denominator = 1.0 + z_squared / trials;
    let center = (proportion + z_squared / (2.0 * trials)) / denominator;
    let spread = proportion * (1.0 - proportion) / trials + z_squared / (4.0 * trials * trials);
    let half_width = z * spread.sqrt() / denominator;
    // Rounding must not move an exact end off 0 or 1.
    let low = if successes == 0 {
        0.0
    } else {
        (center - half_width).clamp(0.0, 1.0)
    };
    let high = if successes == n {
        1.0
    } else {
        (center + half_width).clamp(0.0, 1.0)
    };
    Some(Interval { low, high })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_close(interval: Option<Interval>, low: f64, high: f64) {
        let interval = interval.unwrap();
        assert!((interval.low - low).abs() < 1e-12, "{interval:?} {low}");
        assert!((interval.high - high).abs() < 1e-12, "{interval:?} {high}");
    }

    #[test]
    fn equals_statsmodels() {
        // statsmodels 0.15 values, golden/public/proportion_ci.jsonl.
        assert_close(wilson(0, 1, 0.95), 0.0, 0.793_450_685_622_762_7);
        assert_close(wilson(0, 1, 0.99), 0.0, 0.869_022_456_719_814_2);
        assert_close(wilson(0, 1, 0.90), 0.0, 0.730_134_051_215_946);
        assert_close(
            wilson(10, 30, 0.95),
            0.192_304_980_836_761_3,
            0.512_199_483_554_561_6,
        );
    }

    #[test]
    fn refuses_what_has_no_interval() {
        assert_eq!(wilson(0, 0, 0.95), None);
        assert_eq!(wilson(3, 2, 0.95), None);
        for level in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            assert_eq!(wilson(1, 2, level), None);
        }
    }

    proptest! {
        #[test]
        fn holds_the_proportion_and_stays_in_range(
            n in 1_u64..=u64::MAX,
            share in 0.0_f64..=1.0,
            level in 0.000_001_f64..0.999_999,
        ) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of n")]
            let successes = ((n as f64 * share) as u64).min(n);
            let interval = wilson(successes, n, level).unwrap();
            let proportion = successes as f64 / n as f64;
            prop_assert!(0.0 <= interval.low && interval.high <= 1.0);
            prop_assert!(interval.low <= proportion + 1e-12);
            prop_assert!(proportion <= interval.high + 1e-12);
        }

        #[test]
        fn is_symmetric(n in 1_u64..100_000, share in 0.0_f64..=1.0, level in 0.01_f64..0.999) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of n")]
            let successes = ((n as f64 * share) as u64).min(n);
            let one = wilson(successes, n, level).unwrap();
            let other = wilson(n - successes, n, level).unwrap();
            prop_assert!((one.low - (1.0 - other.high)).abs() < 1e-12);
            prop_assert!((one.high - (1.0 - other.low)).abs() < 1e-12);
        }
    }
}
