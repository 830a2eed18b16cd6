//! `prf(truth, predicted)`.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use arrow::datatypes::DataType;
use consilium_metrics::ClassificationSummary;

use super::classification::ClassificationFunc;
use super::estimate::{count_column, struct_scalar, struct_type};

/// Reads one averaged value.
type ReadAverage = fn(&ClassificationSummary) -> f64;

/// Names and readings of the averaged values, in the order of the struct.
pub(super) const AVERAGES: [(&str, ReadAverage); 10] = [
    ("accuracy", |summary| summary.accuracy),
    ("macro_precision", |summary| summary.macro_average.precision),
    ("macro_recall", |summary| summary.macro_average.recall),
    ("macro_f1", |summary| summary.macro_average.f1),
    ("weighted_precision", |summary| summary.weighted.precision),
    ("weighted_recall", |summary| summary.weighted.recall),
    ("weighted_f1", |summary| summary.weighted.f1),
    ("micro_precision", |summary| summary.micro.precision),
    ("micro_recall", |summary| summary.micro.recall),
    ("micro_f1", |summary| summary.micro.f1),
];

pub(super) fn prf() -> ClassificationFunc {
    let mut fields = vec![("n", DataType::Int64)];
    fields.extend(AVERAGES.iter().map(|(name, _)| (*name, DataType::Float64)));
    ClassificationFunc::new(
        "prf",
        false,
        struct_type(fields),
        |counts, _| {
            let summary = counts.total().summary();
            let n = summary.as_ref().map_or(0, |summary| summary.n);
            let mut columns = vec![("n", Arc::new(count_column(std::iter::once(n))) as ArrayRef)];
            columns.extend(AVERAGES.iter().map(|(name, value)| {
                let value = Float64Array::from(vec![summary.as_ref().map(value)]);
                (*name, Arc::new(value) as ArrayRef)
            }));
            struct_scalar(columns)
        },
        "Struct of n, accuracy and macro, weighted and micro precision, recall and F1, as \
         scikit-learn with zero_division = 0; read a field as prf(truth, predicted)['macro_f1'].",
    )
}
