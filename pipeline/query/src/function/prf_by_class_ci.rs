//! `prf_by_class_ci(truth, predicted, case, seed, reps)`.

use std::sync::Arc;

use arrow::array::ArrayRef;
use consilium_metrics::{AverageIntervals, ClassScore, Interval};

use super::classification::ClassificationFunc;
use super::estimate::{EstimateValue, estimate_column, estimate_type, list_scalar, list_type};
use super::literal::LEVEL;
use super::prf_by_class::{class_columns, class_fields};

/// Why a class may have no value.
const UNDEFINED: &str = "undefined: the label was never answered or never asked";

/// Why a class may have no interval.
const TOO_RARE: &str = "the class occurs in too few resamples for an interval";

pub(super) fn prf_by_class_ci() -> ClassificationFunc {
    let mut fields = class_fields();
    fields.extend(["precision", "recall", "f1"].map(|name| (name, estimate_type())));
    ClassificationFunc::new(
        "prf_by_class_ci",
        true,
        list_type(fields),
        |counts, resampling| {
            let classes = counts
                .total()
                .summary()
                .map_or(Vec::new(), |summary| summary.classes);
            let intervals = resampling
                .and_then(|resampling| {
                    counts.bootstrap(resampling.seed, resampling.replicates, LEVEL)
                })
                .map_or_else(Vec::new, |intervals| intervals.classes);
            let column =
                |value: fn(&ClassScore) -> f64,
                 n: fn(&ClassScore) -> u64,
                 interval: fn(&AverageIntervals) -> Option<Interval>| {
                    let estimates: Vec<EstimateValue> = classes
                        .iter()
                        .enumerate()
                        .map(|(index, class)| {
                            let interval = intervals.get(index).and_then(interval);
                            // 0 / 0 is no number: what was never asked or answered has no value.
                            match n(class) {
                                0 => EstimateValue::missing(UNDEFINED),
                                n => EstimateValue::new(value(class), interval, n, TOO_RARE),
                            }
                        })
                        .collect();
                    Ok::<_, datafusion::error::DataFusionError>(Arc::new(estimate_column(
                        &estimates,
                    )?) as ArrayRef)
                };
            let mut columns = class_columns(&classes);
            columns.push((
                "precision",
                column(
                    |class| class.precision,
                    |class| class.predicted,
                    |class| class.precision,
                )?,
            ));
            columns.push((
                "recall",
                column(
                    |class| class.recall,
                    |class| class.support,
                    |class| class.recall,
                )?,
            ));
            columns.push((
                "f1",
                column(|class| class.f1, |class| class.support, |class| class.f1)?,
            ));
            list_scalar(columns)
        },
        "As prf_by_class, precision, recall and f1 each a struct of value, low, high, n and reason: \
         95 % percentile bootstrap that resamples cases.",
    )
}
