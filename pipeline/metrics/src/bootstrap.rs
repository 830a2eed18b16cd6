//! Bootstrap intervals that resample whole cases.
//!
//! A case answered several times (epochs, raters) is one cluster: its rows are drawn together.

use std::cmp::Ordering;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::interval::{Interval, is_level};
use crate::metric::TextMetric;
use crate::resample::{Kinds, replicates as drawn_replicates};

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
/// those of [`clustered_bootstrap_mean`]; cases with the same statistics are drawn together.
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
    sorted.sort_unstable_by(|a, b| a.case.cmp(&b.case));
    let width = cases.iter().map(|case| case.statistics.len()).max();
    let mut statistics = Vec::new();
    for rows in sorted.chunk_by(|a, b| a.case == b.case) {
        let rows: Vec<&[i64]> = rows.iter().map(|row| row.statistics.as_slice()).collect();
        let mut sum = crate::metric::sum(&rows);
        sum.resize(width.unwrap_or_default(), 0);
        statistics.extend(sum);
    }
    bootstrap_text_of_cases(
        metric,
        &statistics,
        width.unwrap_or_default(),
        seed,
        replicates,
        level,
    )
}

/// As [`clustered_bootstrap_text`], for the sums of different cases: `width` statistics of each, one case
/// after another.
pub fn bootstrap_text_of_cases(
    metric: &dyn TextMetric,
    statistics: &[i64],
    width: usize,
    seed: u64,
    replicates: u32,
    level: f64,
) -> Option<Interval> {
    let mut cases: Vec<&[i64]> = statistics.chunks_exact(width.max(1)).collect();
    if replicates == 0 || !is_level(level) || cases.len() < 2 {
        return None;
    }
    cases.par_sort_unstable();
    let alike: Vec<&[&[i64]]> = cases.chunk_by(|a, b| a == b).collect();
    let kinds = Kinds::new(alike.iter().map(|alike| alike.len() as u64));
    // In the order in which they are drawn: every replicate reads them all.
    let statistics: Vec<i64> = alike.iter().flat_map(|alike| alike[0]).copied().collect();
    let values = drawn_replicates(seed, replicates, |generator| {
        let mut total = vec![0_i64; width];
        kinds.draw(generator, &mut |kind, times| {
            let times = i64::try_from(times).unwrap_or(i64::MAX);
            let row = &statistics[kind * width..(kind + 1) * width];
            for (sum, value) in total.iter_mut().zip(row) {
                *sum = sum.saturating_add(value.saturating_mul(times));
            }
        });
        metric.score(&total)
    });
    Some(percentile_interval(values, level))
}

/// Returns the percentile bootstrap interval of the mean over rows, resampling cases.
///
/// A replicate draws as many cases as there are, with replacement, and its value is
/// Σ sum / Σ n over the drawn cases. The interval runs between the (1 − level) / 2 and
/// (1 + level) / 2 quantiles of the replicates, interpolated linearly (numpy's default).
///
/// The value depends only on the set of cases, `seed`, `replicates` and `level`. Cases with the same sum
/// and number of rows are drawn together, in ascending order of both; replicate r draws from stream r of
/// the `ChaCha8` generator seeded with `seed`.
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
    bootstrap_mean_of_cases(sums_by_case(cases), seed, replicates, level)
}

/// As [`clustered_bootstrap_mean`], for the sum and the number of rows of different cases.
pub fn bootstrap_mean_of_cases(
    cases: impl IntoIterator<Item = (f64, u64)>,
    seed: u64,
    replicates: u32,
    level: f64,
) -> Option<Interval> {
    let with_rows = cases.into_iter().filter(|(_, n)| *n > 0);
    let mut clusters: Vec<(f64, f64)> = with_rows.map(|(sum, n)| (sum, n as f64)).collect();
    let all_finite = clusters.iter().all(|(sum, _)| sum.is_finite());
    if replicates == 0 || !is_level(level) || clusters.len() < 2 || !all_finite {
        return None;
    }
    clusters.par_sort_unstable_by(order);
    let means = || clusters.iter().map(|&(sum, n)| sum / n);
    let smallest = means().fold(f64::INFINITY, f64::min);
    let largest = means().fold(f64::NEG_INFINITY, f64::max);

    let alike: Vec<&[(f64, f64)]> = clusters.chunk_by(|a, b| order(a, b).is_eq()).collect();
    let kinds = Kinds::new(alike.iter().map(|alike| alike.len() as u64));
    let alike: Vec<(f64, f64)> = alike.into_iter().map(|alike| alike[0]).collect();
    let values = drawn_replicates(seed, replicates, |generator| {
        let (mut sum, mut rows) = (0.0, 0.0);
        kinds.draw(generator, &mut |kind, times| {
            let (case_sum, case_rows) = alike[kind];
            sum += times as f64 * case_sum;
            rows += times as f64 * case_rows;
        });
        // A ratio of sums lies between the case means; rounding must not break that.
        (sum / rows).clamp(smallest, largest)
    });
    Some(percentile_interval(values, level))
}

/// The interval between the tails of values, of which there is at least one.
pub(crate) fn percentile_interval(mut values: Vec<f64>, level: f64) -> Interval {
    values.par_sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - level) / 2.0;
    Interval {
        low: quantile(&values, tail),
        high: quantile(&values, 1.0 - tail),
    }
}

/// One (sum, number of rows) per case.
fn sums_by_case(cases: &[CaseSum]) -> Vec<(f64, u64)> {
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
            (sum, rows.iter().map(|row| row.n).sum())
        })
        .collect()
}

fn order(one: &(f64, f64), other: &(f64, f64)) -> Ordering {
    one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
}

/// Quantile of ascending, non-empty `values` by linear interpolation, as `numpy.quantile`.
fn quantile(values: &[f64], probability: f64) -> f64 {
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
        // No two alike: another seed then gives another interval.
        let cases: Vec<_> = (0..90)
            .map(|index| case(&format!("case-{index}"), f64::from(index).sqrt(), 1))
            .collect();
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
                let means: Vec<f64> = sums_by_case(&cases)
                    .into_iter()
                    .map(|(sum, n)| sum / n as f64)
                    .collect();
                prop_assert!(means.iter().any(|mean| *mean <= interval.low));
                prop_assert!(means.iter().any(|mean| *mean >= interval.high));
            }
        }
    }
}
