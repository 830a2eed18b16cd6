//! `accuracy(truth, predicted)`.

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;

use super::classification::ClassificationFunc;

pub(super) fn accuracy() -> ClassificationFunc {
    ClassificationFunc::new(
        "accuracy",
        false,
        DataType::Float64,
        |counts, _| {
            Ok(ScalarValue::Float64(
                counts.total().summary().map(|summary| summary.accuracy),
            ))
        },
        "Share of rows whose predicted label is the truth; a NULL prediction counts as wrong, a NULL \
         truth is left out.",
    )
}
