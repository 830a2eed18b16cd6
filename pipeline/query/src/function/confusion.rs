//! `confusion(truth, predicted)`.

use std::sync::Arc;

use arrow::array::{ArrayRef, StringViewArray};
use arrow::datatypes::DataType;

use super::classification::ClassificationFunc;
use super::estimate::{count_column, list_scalar, list_type};

pub(super) fn confusion() -> ClassificationFunc {
    ClassificationFunc::new(
        "confusion",
        false,
        list_type(vec![
            ("truth", DataType::Utf8View),
            ("predicted", DataType::Utf8View),
            ("n", DataType::Int64),
        ]),
        |counts, _| {
            let total = counts.total();
            let cells: Vec<_> = total.cells().collect();
            let text = |of: &dyn Fn(usize) -> Option<String>| {
                Arc::new((0..cells.len()).map(of).collect::<StringViewArray>()) as ArrayRef
            };
            list_scalar(vec![
                ("truth", text(&|row| Some(cells[row].0.to_owned()))),
                ("predicted", text(&|row| cells[row].1.map(str::to_owned))),
                ("n", Arc::new(count_column(cells.iter().map(|cell| cell.2)))),
            ])
        },
        "List of (truth, predicted, n) of the pairs that occur, sorted; predicted is NULL where no \
         label was found.",
    )
}
