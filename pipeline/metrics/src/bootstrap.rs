//! Bootstrap intervals that resample whole cases.
//!
//! A case answered several times (epochs, raters) is one cluster: its rows are drawn together.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::interval::{Interval, is_level};
use crate::metric::TextMetric;

/// The rows of one case, summed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseSum {
    /// Case id. Entries with the same id are added together.
    pub case: String,
    /// Sum of the values of the case's rows.
    pub sum: f64,
    /// Number of rows. A case without rows takes no part.
    pub n: u64,
}

/// The integer statistics of a text metric over one case's rows, summed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseStatistics {
    /// Case id. Entries with the same id are added together.
    pub case: String,
    /// Element-wise sum of the rows' statistics.
    pub statistics: Vec<i64>,
}

/// Returns the percentile bootstrap interval of an additive text metric, resampling cases.
///
/// A replicate draws as many cases as there are, with replacement, and its value is the score of the
/// drawn cases' summed statistics; no text is read again. Draws, quantiles and the `None` cases are
/// those of [`clustered_bootstrap_mean`].
///
/// Source: Koehn 2004, with cases as sampling units.
pub fn clustered_bootstrap_text(
    metric: &dyn TextMetric,
    cases: &[CaseStatistics],
    seed: u64,
    replicates: u32,
    level: f64,
) -> Option<Interval> {
    let mut sorted: Vec<&CaseStatistics> = cases.iter().collect();
    sorted.sort_unstable_by(|a, b| a.case.cmp(&b.case).then(a.statistics.cmp(&b.statistics)));
    let clusters: Vec<Vec<i64>> = sorted
        .chunk_by(|a, b| a.case == b.case)
        .map(|rows| {
            let rows: Vec<&[i64]> = rows.iter().map(|row| row.statistics.as_slice()).collect();
            crate::metric::sum(&rows)
        })
        .collect();
    if replicates == 0 || !is_level(level) || clusters.len() < 2 {
        return None;
    }
    let values = replicate_values(seed, replicates, |generator| {
        let mut total = Vec::new();
        for _ in 0..clusters.len() {
            crate::metric::add(&mut total, &clusters[draw(clusters.len(), generator)]);
        }
        metric.score(&total)
    });
    Some(percentile_interval(&values, level))
}

/// Returns the percentile bootstrap interval of the mean over rows, resampling cases.
///
/// A replicate draws as many cases as there are, with replacement, and its value is
/// Σ sum / Σ n over the drawn cases. The interval runs between the (1 − level) / 2 and
/// (1 + level) / 2 quantiles of the replicates, interpolated linearly (numpy's default).
///
/// The value depends only on the set of cases, `seed`, `replicates` and `level`: cases are sorted
/// by id first, and replicate r draws from stream r of the `ChaCha8` generator seeded with `seed`.
///
/// `None` with fewer than two cases that have rows, a sum that is not finite, no replicate, or a
/// level outside (0, 1).
///
/// Source: Efron and Tibshirani 1993, chapter 13, with clusters as sampling units.
/// Known divergence: scipy resamples rows; with one row per case the methods are the same.
pub fn clustered_bootstrap_mean(
    cases: &[CaseSum],
    seed: u64,
    replicates: u32,
    level: f64,
) -> Option<Interval> {
    if replicates == 0 || !is_level(level) {
        return None;
    }
    let clusters = sorted_clusters(cases);
    if clusters.len() < 2 || clusters.iter().any(|(sum, _)| !sum.is_finite()) {
        return None;
    }
    let means = || clusters.iter().map(|&(sum, n)| sum / n);
    let smallest = means().fold(f64::INFINITY, f64::min);
    let largest = means().fold(f64::NEG_INFINITY, f64::max);

    let values = replicate_values(seed, replicates, |generator| {
        // A ratio of sums lies between the case means; rounding must not break that.
        replicate_mean(&clusters, generator).clamp(smallest, largest)
    });
    Some(percentile_interval(&values, level))
}

/// Ascending values of the replicates; replicate r draws from stream r of the seeded generator.
fn replicate_values(
    seed: u64,
    replicates: u32,
    value: impl Fn(&mut ChaCha8Rng) -> f64 + Sync,
) -> Vec<f64> {
    let generator = ChaCha8Rng::seed_from_u64(seed);
    let mut values: Vec<f64> = (0..replicates)
        .into_par_iter()
        .map(|replicate| {
            let mut generator = generator.clone();
            generator.set_stream(u64::from(replicate));
            value(&mut generator)
        })
        .collect();
    values.par_sort_unstable_by(f64::total_cmp);
    values
}

/// Index of one drawn cluster of `count`.
fn draw(count: usize, generator: &mut ChaCha8Rng) -> usize {
    // Multiply-and-shift: the bias is below count / 2⁶⁴, and no rejection loop is needed.
    let index = (u128::from(generator.next_u64()) * count as u128) >> 64;
    usize::try_from(index).unwrap_or_default()
}

/// The interval between the tails of ascending, non-empty values.
fn percentile_interval(values: &[f64], level: f64) -> Interval {
    let tail = (1.0 - level) / 2.0;
    Interval {
        low: quantile(values, tail),
        high: quantile(values, 1.0 - tail),
    }
}

/// One (sum, number of rows) per case with rows, in the order of case ids.
fn sorted_clusters(cases: &[CaseSum]) -> Vec<(f64, f64)> {
    let mut sorted: Vec<&CaseSum> = cases.iter().filter(|case| case.n > 0).collect();
    sorted.sort_unstable_by(|a, b| {
        a.case
            .cmp(&b.case)
            .then(a.sum.total_cmp(&b.sum))
            .then(a.n.cmp(&b.n))
    });
    sorted
        .chunk_by(|a, b| a.case == b.case)
        .map(|rows| {
            let sum = rows.iter().map(|row| row.sum).sum();
            (sum, rows.iter().map(|row| row.n as f64).sum())
        })
        .collect()
}

/// Draws as many clusters as there are and returns Σ sum / Σ n.
fn replicate_mean(clusters: &[(f64, f64)], generator: &mut ChaCha8Rng) -> f64 {
    let (mut sum, mut rows) = (0.0, 0.0);
    for _ in 0..clusters.len() {
        let (case_sum, case_rows) = clusters[draw(clusters.len(), generator)];
        sum += case_sum;
        rows += case_rows;
    }
    sum / rows
}

/// Quantile of ascending, non-empty `values` by linear interpolation, as `numpy.quantile`.
pub(crate) fn quantile(values: &[f64], probability: f64) -> f64 {
    let last = values.len() - 1;
    let position = last as f64 * probability.clamp(0.0, 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the position lies between 0 and the last index"
    )]
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let share = position - below as f64;
    let (low, high) = (values[below], values[above]);
    // From the nearer end, as numpy does, so that share 1 gives exactly `high`.
    if share < 0.5 {
        low + (high - low) * share
    } else {
        high - (high - low) * (1.0 - share)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn case(id: &str, sum: f64, n: u64) -> CaseSum {
        CaseSum {
            case: id.to_owned(),
            sum,
            n,
        }
    }

    fn correct_of(correct: u32, total: u32) -> Vec<CaseSum> {
        (0..total)
            .map(|index| {
                case(
                    &format!("case-{index}"),
                    f64::from(u8::from(index < correct)),
                    1,
                )
            })
            .collect()
    }

    #[test]
    fn quantile_interpolates_as_numpy() {
        let values = [1.0, 2.0, 4.0, 8.0];
        // numpy.quantile([1, 2, 4, 8], q)
        for (probability, expected) in [
            (0.0, 1.0),
            (0.1, 1.3),
            (0.25, 1.75),
            (0.5, 3.0),
            (0.9, 6.8),
            (1.0, 8.0),
        ] {
            assert!(
                (quantile(&values, probability) - expected).abs() < 1e-12,
                "{probability}"
            );
        }
        assert!((quantile(&[7.0], 0.3) - 7.0).abs() < f64::EPSILON);
    }

    #[test]
    fn agrees_with_the_normal_interval_for_a_proportion() {
        // 60 of 100: standard error √(0.6 · 0.4 / 100) = 0.04899, so 0.504 to 0.696.
        let interval = clustered_bootstrap_mean(&correct_of(60, 100), 7, 20_000, 0.95).unwrap();
        assert!((interval.low - 0.504).abs() < 0.011, "{interval:?}");
        assert!((interval.high - 0.696).abs() < 0.011, "{interval:?}");
    }

    #[test]
    fn clusters_widen_the_interval() {
        // 20 cases answered ten times alike carry the information of 20 rows, not 200.
        let clustered: Vec<_> = (0..20)
            .map(|index| case(&format!("{index}"), f64::from(10 * (index % 2)), 10))
            .collect();
        let single: Vec<_> = (0..20)
            .map(|index| case(&format!("{index}"), f64::from(index % 2), 1))
            .collect();
        let clustered = clustered_bootstrap_mean(&clustered, 1, 2_000, 0.95).unwrap();
        let single = clustered_bootstrap_mean(&single, 1, 2_000, 0.95).unwrap();
        assert_eq!(clustered, single);
        assert!(single.high - single.low > 0.3);
    }

    #[test]
    fn constant_data_gives_a_point() {
        let cases: Vec<_> = (0..7)
            .map(|index| case(&format!("{index}"), 0.1, 1))
            .collect();
        let interval = clustered_bootstrap_mean(&cases, 3, 500, 0.95).unwrap();
        assert_eq!(
            interval,
            Interval {
                low: 0.1,
                high: 0.1
            }
        );
    }

    #[test]
    fn refuses_what_has_no_interval() {
        let two = [case("a", 1.0, 1), case("b", 0.0, 1)];
        assert_eq!(clustered_bootstrap_mean(&[], 1, 100, 0.95), None);
        assert_eq!(clustered_bootstrap_mean(&two[..1], 1, 100, 0.95), None);
        assert_eq!(clustered_bootstrap_mean(&two, 1, 0, 0.95), None);
        assert_eq!(clustered_bootstrap_mean(&two, 1, 100, 1.0), None);
        assert_eq!(clustered_bootstrap_mean(&two, 1, 100, f64::NAN), None);
        let no_rows = [case("a", 0.0, 0), case("b", 0.0, 0)];
        assert_eq!(clustered_bootstrap_mean(&no_rows, 1, 100, 0.95), None);
        let one_with_rows = [case("a", 1.0, 1), case("b", 0.0, 0)];
        assert_eq!(clustered_bootstrap_mean(&one_with_rows, 1, 100, 0.95), None);
        let not_a_number = [case("a", f64::NAN, 1), case("b", 0.0, 1)];
        assert_eq!(clustered_bootstrap_mean(&not_a_number, 1, 100, 0.95), None);
        let same_case = [case("a", 1.0, 1), case("a", 0.0, 1)];
        assert_eq!(clustered_bootstrap_mean(&same_case, 1, 100, 0.95), None);
    }

    #[test]
    fn threads_do_not_matter() {
        let cases = correct_of(30, 90);
        let wide = clustered_bootstrap_mean(&cases, 11, 1_000, 0.9);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let narrow = pool.install(|| clustered_bootstrap_mean(&cases, 11, 1_000, 0.9));
            assert_eq!(wide, narrow);
        }
        assert_ne!(wide, clustered_bootstrap_mean(&cases, 12, 1_000, 0.9));
    }

    #[test]
    fn text_intervals_come_from_summed_statistics() {
        // Token F1 of one-word answers: 2 · matches / (hypothesis + reference words).
        let metric = crate::catalog::text_metric("bleu").unwrap();
        let cases: Vec<CaseStatistics> = (0..40)
            .map(|index| {
                let (hypothesis, reference) = if index % 4 == 0 {
                    ("no match at all here", "the heart is enlarged on the film")
                } else {
                    (
                        "the heart is enlarged today",
                        "the heart is enlarged on the film",
                    )
                };
                CaseStatistics {
                    case: format!("{index:02}"),
                    statistics: metric.statistics(hypothesis, &[reference]),
                }
            })
            .collect();
        let all: Vec<&[i64]> = cases.iter().map(|c| c.statistics.as_slice()).collect();
        let value = metric.score(&crate::metric::sum(&all));
        let interval = clustered_bootstrap_text(metric.as_ref(), &cases, 5, 2_000, 0.95).unwrap();
        assert!(
            interval.low < value && value < interval.high,
            "{interval:?} {value}"
        );
        let mut reversed = cases.clone();
        reversed.reverse();
        assert_eq!(
            clustered_bootstrap_text(metric.as_ref(), &reversed, 5, 2_000, 0.95),
            Some(interval)
        );
        assert_eq!(
            clustered_bootstrap_text(metric.as_ref(), &cases[..1], 5, 9, 0.95),
            None
        );
    }

    fn any_cases() -> impl Strategy<Value = Vec<CaseSum>> {
        prop::collection::vec(("[a-e]{1,2}", -1.0e6_f64..1.0e6, 0_u64..5), 0..30).prop_map(|rows| {
            rows.into_iter()
                .map(|(id, sum, n)| case(&id, sum, n))
                .collect()
        })
    }

    proptest! {
        #[test]
        fn order_does_not_matter(
            (cases, shuffled) in any_cases()
                .prop_flat_map(|cases| (Just(cases.clone()), Just(cases).prop_shuffle())),
            seed in any::<u64>(),
        ) {
            prop_assert_eq!(
                clustered_bootstrap_mean(&cases, seed, 50, 0.95),
                clustered_bootstrap_mean(&shuffled, seed, 50, 0.95)
            );
        }

        #[test]
        fn lies_between_the_case_means(cases in any_cases(), seed in any::<u64>()) {
            if let Some(interval) = clustered_bootstrap_mean(&cases, seed, 50, 0.8) {
                prop_assert!(interval.low <= interval.high);
                let clusters = sorted_clusters(&cases);
                prop_assert!(clusters.iter().any(|(sum, n)| sum / n <= interval.low));
                prop_assert!(clusters.iter().any(|(sum, n)| sum / n >= interval.high));
            }
        }
    }
}
