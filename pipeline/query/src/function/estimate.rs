//! The result type of statistics: value, interval, number of rows, and why something is missing.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Float64Array, Int64Array, StringViewArray, StructArray};
use arrow::datatypes::{DataType, Field, Fields};
use consilium_metrics::Interval;
use datafusion::common::{Result, ScalarValue};

/// One statistic.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct EstimateValue {
    pub(super) value: Option<f64>,
    pub(super) interval: Option<Interval>,
    pub(super) n: u64,
    pub(super) reason: Option<&'static str>,
}

impl EstimateValue {
    /// A value that exists, with its interval or the reason why there is none.
    pub(super) fn new(
        value: f64,
        interval: Option<Interval>,
        n: u64,
        without: &'static str,
    ) -> Self {
        let reason = interval.is_none().then_some(without);
        Self {
            value: Some(value),
            interval,
            n,
            reason,
        }
    }

    /// No value.
    pub(super) fn missing(reason: &'static str) -> Self {
        Self {
            reason: Some(reason),
            ..Self::default()
        }
    }
}

/// Why a resampled interval is missing.
pub(super) const TOO_FEW_CASES: &str = "an interval needs at least two cases";

/// Why a statistic of nothing is missing.
pub(super) const NO_ROWS: &str = "no scored samples";

/// Fields of the struct: `value`, `low`, `high`, `n`, `reason`.
pub(super) fn estimate_fields() -> Fields {
    Fields::from(vec![
        Field::new("value", DataType::Float64, true),
        Field::new("low", DataType::Float64, true),
        Field::new("high", DataType::Float64, true),
        Field::new("n", DataType::Int64, false),
        Field::new("reason", DataType::Utf8View, true),
    ])
}

/// The type of one statistic.
pub(super) fn estimate_type() -> DataType {
    DataType::Struct(estimate_fields())
}

/// Statistics as a column.
pub(super) fn estimate_column(estimates: &[EstimateValue]) -> Result<StructArray> {
    let number = |of: fn(&EstimateValue) -> Option<f64>| {
        Arc::new(estimates.iter().map(of).collect::<Float64Array>()) as ArrayRef
    };
    Ok(StructArray::try_new(
        estimate_fields(),
        vec![
            number(|estimate| estimate.value),
            number(|estimate| estimate.interval.map(|interval| interval.low)),
            number(|estimate| estimate.interval.map(|interval| interval.high)),
            Arc::new(count_column(estimates.iter().map(|estimate| estimate.n))),
            Arc::new(
                estimates
                    .iter()
                    .map(|estimate| estimate.reason)
                    .collect::<StringViewArray>(),
            ),
        ],
        None,
    )?)
}

/// One statistic as a value.
pub(super) fn estimate_scalar(estimate: &EstimateValue) -> Result<ScalarValue> {
    Ok(ScalarValue::Struct(Arc::new(estimate_column(
        std::slice::from_ref(estimate),
    )?)))
}

/// Counts as a column.
pub(super) fn count_column(counts: impl Iterator<Item = u64>) -> Int64Array {
    counts
        .map(|count| i64::try_from(count).ok())
        .map(|count| Some(count.unwrap_or(i64::MAX)))
        .collect()
}

/// A one-row struct value of named columns.
pub(super) fn struct_scalar(columns: Vec<(&str, ArrayRef)>) -> Result<ScalarValue> {
    let fields: Fields = columns
        .iter()
        .map(|(name, column)| Field::new(*name, column.data_type().clone(), true))
        .collect();
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    Ok(ScalarValue::Struct(Arc::new(StructArray::try_new(
        fields, columns, None,
    )?)))
}

/// The type that [`struct_scalar`] gives for these columns.
pub(super) fn struct_type(fields: Vec<(&str, DataType)>) -> DataType {
    DataType::Struct(
        fields
            .into_iter()
            .map(|(name, kind)| Field::new(name, kind, true))
            .collect(),
    )
}

/// A list value whose items are structs of named columns of equal length.
pub(super) fn list_scalar(columns: Vec<(&str, ArrayRef)>) -> Result<ScalarValue> {
    let fields: Fields = columns
        .iter()
        .map(|(name, column)| Field::new(*name, column.data_type().clone(), true))
        .collect();
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    let items = StructArray::try_new(fields, columns, None)?;
    Ok(
        datafusion::common::utils::SingleRowListArrayBuilder::new(Arc::new(items))
            .build_list_scalar(),
    )
}

/// The type that [`list_scalar`] gives for these columns.
pub(super) fn list_type(fields: Vec<(&str, DataType)>) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(struct_type(fields), true)))
}
