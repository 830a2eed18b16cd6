//! Columns of texts and of statistics.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, Int64Array, ListArray, StringViewArray};
use arrow::datatypes::{DataType, Field, Int64Type};
use datafusion::common::cast::as_list_array;
use datafusion::common::{Result, plan_err};

use crate::function::strings::{text_at, text_column};

/// Type of a pair's statistics.
pub(super) fn statistics_type() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Int64, true)))
}

fn texts_type() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Utf8View, true)))
}

/// Types that the planner casts a hypothesis and its reference or list of references to.
pub(super) fn coerced(function: &str, given: &[DataType]) -> Result<Vec<DataType>> {
    let is_text = |kind: &DataType| {
        matches!(
            kind,
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null
        )
    };
    let reference = |kind: &DataType| match kind {
        kind if is_text(kind) => Some(DataType::Utf8View),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::FixedSizeList(item, _)
            if is_text(item.data_type()) =>
        {
            Some(texts_type())
        }
        _ => None,
    };
    match given {
        [hypothesis, second] if is_text(hypothesis) => {
            let Some(second) = reference(second) else {
                return plan_err!("{function}: the reference must be a text or a list of texts");
            };
            Ok(vec![DataType::Utf8View, second])
        }
        [_, _] => plan_err!("{function}: the hypothesis must be a text"),
        _ => plan_err!("{function} takes a hypothesis and a reference, or a list of references"),
    }
}

/// References of every row: one text, or a list of them.
pub(super) enum References {
    /// One reference a row.
    Text(StringViewArray),
    /// Several references a row.
    Texts(ListArray, StringViewArray),
}

impl References {
    pub(super) fn of(column: &ArrayRef) -> Result<Self> {
        if matches!(column.data_type(), DataType::List(_)) {
            let list = as_list_array(column)?.clone();
            let texts = text_column(list.values())?;
            return Ok(Self::Texts(list, texts));
        }
        Ok(Self::Text(text_column(column)?))
    }

    /// The references of a row; `None` when they are NULL or none is left without NULLs.
    pub(super) fn at(&self, row: usize) -> Option<Vec<&str>> {
        match self {
            Self::Text(texts) => text_at(texts, row).map(|text| vec![text]),
            Self::Texts(list, texts) => {
                if !list.is_valid(row) {
                    return None;
                }
                let offsets = list.value_offsets();
                let range =
                    usize::try_from(offsets[row]).ok()?..usize::try_from(offsets[row + 1]).ok()?;
                let references: Vec<&str> =
                    range.filter_map(|index| text_at(texts, index)).collect();
                (!references.is_empty()).then_some(references)
            }
        }
    }
}

/// Statistics of every row.
pub(super) struct Statistics {
    list: ListArray,
    numbers: Int64Array,
}

impl Statistics {
    pub(super) fn of(column: &ArrayRef) -> Result<Self> {
        let column = arrow::compute::cast(column, &statistics_type())?;
        let list = as_list_array(&column)?.clone();
        let numbers = list.values().as_primitive::<Int64Type>().clone();
        Ok(Self { list, numbers })
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The statistics of a row, `None` when NULL.
    pub(super) fn at(&self, row: usize) -> Option<&[i64]> {
        if !self.list.is_valid(row) {
            return None;
        }
        let offsets = self.list.value_offsets();
        let (start, end) = (
            usize::try_from(offsets[row]).ok()?,
            usize::try_from(offsets[row + 1]).ok()?,
        );
        self.numbers.values().get(start..end)
    }
}
