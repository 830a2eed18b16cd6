//! `prf_by_class(truth, predicted)`.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, StringViewArray};
use arrow::datatypes::DataType;
use consilium_metrics::ClassScore;

use super::classification::ClassificationFunc;
use super::estimate::{count_column, list_scalar, list_type};

/// Fields that describe a class before its values.
pub(super) fn class_fields() -> Vec<(&'static str, DataType)> {
    vec![
        ("class", DataType::Utf8View),
        ("support", DataType::Int64),
        ("predicted", DataType::Int64),
        ("true_positive", DataType::Int64),
    ]
}

/// Columns that describe classes before their values.
pub(super) fn class_columns(classes: &[ClassScore]) -> Vec<(&'static str, ArrayRef)> {
    let count =
        |of: fn(&ClassScore) -> u64| Arc::new(count_column(classes.iter().map(of))) as ArrayRef;
    let labels =
        StringViewArray::from_iter_values(classes.iter().map(|class| class.label.as_str()));
    vec![
        ("class", Arc::new(labels)),
        ("support", count(|class| class.support)),
        ("predicted", count(|class| class.predicted)),
        ("true_positive", count(|class| class.true_positive)),
    ]
}

pub(super) fn prf_by_class() -> ClassificationFunc {
    let mut fields = class_fields();
    fields.extend(["precision", "recall", "f1"].map(|name| (name, DataType::Float64)));
    ClassificationFunc::new(
        "prf_by_class",
        false,
        list_type(fields),
        |counts, _| {
            let classes = counts
                .total()
                .summary()
                .map_or(Vec::new(), |summary| summary.classes);
            let value = |of: fn(&ClassScore) -> f64| {
                Arc::new(Float64Array::from_iter_values(classes.iter().map(of))) as ArrayRef
            };
            let mut columns = class_columns(&classes);
            columns.push(("precision", value(|class| class.precision)));
            columns.push(("recall", value(|class| class.recall)));
            columns.push(("f1", value(|class| class.f1)));
            list_scalar(columns)
        },
        "List of (class, support, predicted, true_positive, precision, recall, f1), sorted by class; \
         unnest it for one row per class.",
    )
}
