//! `prf_ci(truth, predicted, case, seed, reps)`.

use std::sync::Arc;

use arrow::array::ArrayRef;
use consilium_metrics::{ClassificationIntervals, Interval};

use super::classification::ClassificationFunc;
use super::estimate::{
    EstimateValue, NO_ROWS, TOO_FEW_CASES, estimate_column, estimate_type, struct_scalar,
    struct_type,
};
use super::literal::LEVEL;
use super::prf::AVERAGES;

/// The interval of each entry of [`AVERAGES`].
const INTERVALS: [fn(&ClassificationIntervals) -> Option<Interval>; 10] = [
    |intervals| intervals.accuracy,
    |intervals| intervals.macro_average.precision,
    |intervals| intervals.macro_average.recall,
    |intervals| intervals.macro_average.f1,
    |intervals| intervals.weighted.precision,
    |intervals| intervals.weighted.recall,
    |intervals| intervals.weighted.f1,
    |intervals| intervals.micro.precision,
    |intervals| intervals.micro.recall,
    |intervals| intervals.micro.f1,
];

pub(super) fn prf_ci() -> ClassificationFunc {
    ClassificationFunc::new(
        "prf_ci",
        true,
        struct_type(
            AVERAGES
                .iter()
                .map(|(name, _)| (*name, estimate_type()))
                .collect(),
        ),
        |counts, resampling| {
            let summary = counts.total().summary();
            let intervals = resampling.and_then(|resampling| {
                counts.bootstrap(resampling.seed, resampling.replicates, LEVEL)
            });
            let columns = AVERAGES
                .iter()
                .zip(INTERVALS)
                .map(|((name, value), interval)| {
                    let estimate = match &summary {
                        Some(summary) => {
                            let interval = intervals.as_ref().and_then(interval);
                            EstimateValue::new(value(summary), interval, summary.n, TOO_FEW_CASES)
                        }
                        None => EstimateValue::missing(NO_ROWS),
                    };
                    Ok((*name, Arc::new(estimate_column(&[estimate])?) as ArrayRef))
                });
            struct_scalar(columns.collect::<datafusion::common::Result<_>>()?)
        },
        "As prf, each value a struct of value, low, high, n and reason: 95 % percentile bootstrap that \
         resamples cases; seed and reps are written out.",
    )
}
