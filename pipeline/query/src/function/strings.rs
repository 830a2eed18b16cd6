//! Text columns as Rust strings.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringViewArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::common::cast::as_string_view_array;

/// A text column as views; the planner casts, so that this is a copy of pointers only.
pub(super) fn text_column(array: &ArrayRef) -> Result<StringViewArray> {
    let views = if array.data_type() == &DataType::Utf8View {
        Arc::clone(array)
    } else {
        cast(array, &DataType::Utf8View)?
    };
    Ok(as_string_view_array(&views)?.clone())
}

/// The text of a row, `None` when it is NULL.
pub(super) fn text_at(column: &StringViewArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}
