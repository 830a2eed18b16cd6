//! Typed access to the columns of a record batch.

use std::collections::BTreeMap;
use std::ops::Range;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, ListArray, MapArray, RecordBatch,
    StringArray, StringViewArray, StructArray,
};
use arrow::datatypes::{DataType, Int32Type, Int64Type, TimeUnit, TimestampMicrosecondType};
use consilium_core::ChoiceOption;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};

use crate::DecodeError;

/// The columns of a batch, by name.
pub(crate) struct Columns<'a>(pub(crate) &'a RecordBatch);

/// A column whose type is known.
pub(crate) struct Column<'a, A> {
    name: &'a str,
    array: A,
}

/// Text in either of Arrow's layouts; engines change one into the other.
pub(crate) enum TextArray<'a> {
    View(&'a StringViewArray),
    Plain(&'a StringArray),
}

/// Integers of 32 or 64 bits.
pub(crate) enum IntegerArray<'a> {
    Short(&'a arrow::array::Int32Array),
    Long(&'a arrow::array::Int64Array),
}

impl<'a> Columns<'a> {
    fn array(&self, name: &str) -> Result<&'a ArrayRef, DecodeError> {
        self.0
            .column_by_name(name)
            .ok_or_else(|| DecodeError::MissingColumn {
                column: name.to_owned(),
            })
    }

    pub(crate) fn text(&self, name: &'a str) -> Result<Column<'a, TextArray<'a>>, DecodeError> {
        Ok(Column {
            name,
            array: TextArray::of(name, self.array(name)?)?,
        })
    }

    pub(crate) fn integer(
        &self,
        name: &'a str,
    ) -> Result<Column<'a, IntegerArray<'a>>, DecodeError> {
        let array = self.array(name)?;
        let array = match array.data_type() {
            DataType::Int32 => IntegerArray::Short(array.as_primitive::<Int32Type>()),
            DataType::Int64 => IntegerArray::Long(array.as_primitive::<Int64Type>()),
            _ => return Err(wrong_type(name, array, "Int32 or Int64")),
        };
        Ok(Column { name, array })
    }

    pub(crate) fn number(
        &self,
        name: &'a str,
    ) -> Result<Column<'a, &'a Float64Array>, DecodeError> {
        let array = self.array(name)?;
        let typed = array
            .as_primitive_opt()
            .ok_or_else(|| wrong_type(name, array, "Float64"))?;
        Ok(Column { name, array: typed })
    }

    pub(crate) fn flag(&self, name: &'a str) -> Result<Column<'a, &'a BooleanArray>, DecodeError> {
        let array = self.array(name)?;
        let typed = array
            .as_boolean_opt()
            .ok_or_else(|| wrong_type(name, array, "Boolean"))?;
        Ok(Column { name, array: typed })
    }

    pub(crate) fn time(
        &self,
        name: &'a str,
    ) -> Result<Column<'a, &'a arrow::array::TimestampMicrosecondArray>, DecodeError> {
        let array = self.array(name)?;
        if !matches!(
            array.data_type(),
            DataType::Timestamp(TimeUnit::Microsecond, _)
        ) {
            return Err(wrong_type(name, array, "Timestamp(µs)"));
        }
        Ok(Column {
            name,
            array: array.as_primitive::<TimestampMicrosecondType>(),
        })
    }

    pub(crate) fn list(&self, name: &'a str) -> Result<Column<'a, &'a ListArray>, DecodeError> {
        let array = self.array(name)?;
        let typed = array
            .as_list_opt()
            .ok_or_else(|| wrong_type(name, array, "List"))?;
        Ok(Column { name, array: typed })
    }

    pub(crate) fn map(&self, name: &'a str) -> Result<Column<'a, &'a MapArray>, DecodeError> {
        let array = self.array(name)?;
        let typed = array
            .as_map_opt()
            .ok_or_else(|| wrong_type(name, array, "Map"))?;
        Ok(Column { name, array: typed })
    }
}

fn wrong_type(column: &str, array: &dyn Array, expected: &'static str) -> DecodeError {
    let found = array.data_type().to_string();
    DecodeError::WrongType {
        column: column.to_owned(),
        found,
        expected,
    }
}

impl<'a> TextArray<'a> {
    fn of(name: &str, array: &'a ArrayRef) -> Result<Self, DecodeError> {
        match array.data_type() {
            DataType::Utf8View => Ok(Self::View(array.as_string_view())),
            DataType::Utf8 => Ok(Self::Plain(array.as_string())),
            _ => Err(wrong_type(name, array, "Utf8View or Utf8")),
        }
    }

    fn get(&self, row: usize) -> Option<&'a str> {
        match self {
            Self::View(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Plain(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }

    /// Values of a list; NULL, which no inner text may be, as the empty text.
    fn items(&self, range: Range<usize>) -> impl Iterator<Item = String> {
        range.map(|row| self.get(row).unwrap_or_default().to_owned())
    }
}

impl<A> Column<'_, A> {
    fn null(&self, row: usize) -> DecodeError {
        DecodeError::Null {
            column: self.name.to_owned(),
            row,
        }
    }

    fn bad_value(&self, row: usize, value: &(impl ToString + ?Sized)) -> DecodeError {
        DecodeError::BadValue {
            column: self.name.to_owned(),
            row,
            value: value.to_string(),
        }
    }
}

impl<'a> Column<'a, TextArray<'a>> {
    pub(crate) fn value(&self, row: usize) -> Result<&'a str, DecodeError> {
        self.array.get(row).ok_or_else(|| self.null(row))
    }

    pub(crate) fn required(&self, row: usize) -> Result<String, DecodeError> {
        self.value(row).map(str::to_owned)
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "same shape as every other reader of a cell"
    )]
    pub(crate) fn optional(&self, row: usize) -> Result<Option<String>, DecodeError> {
        Ok(self.array.get(row).map(str::to_owned))
    }

    /// A value of an enumeration, by its serialised name.
    pub(crate) fn named<T: Deserialize<'a>>(&self, row: usize) -> Result<T, DecodeError> {
        let text = self.value(row)?;
        let name: StrDeserializer<'a, ValueError> = text.into_deserializer();
        T::deserialize(name).map_err(|_| self.bad_value(row, text))
    }

    pub(crate) fn optionally_named<T: Deserialize<'a>>(
        &self,
        row: usize,
    ) -> Result<Option<T>, DecodeError> {
        self.array.get(row).map(|_| self.named(row)).transpose()
    }
}

impl Column<'_, IntegerArray<'_>> {
    fn get(&self, row: usize) -> Option<i64> {
        match self.array {
            IntegerArray::Short(array) => array.is_valid(row).then(|| array.value(row).into()),
            IntegerArray::Long(array) => array.is_valid(row).then(|| array.value(row)),
        }
    }

    pub(crate) fn required<T: TryFrom<i64>>(&self, row: usize) -> Result<T, DecodeError> {
        self.optional(row)?.ok_or_else(|| self.null(row))
    }

    pub(crate) fn optional<T: TryFrom<i64>>(&self, row: usize) -> Result<Option<T>, DecodeError> {
        let Some(value) = self.get(row) else {
            return Ok(None);
        };
        T::try_from(value)
            .map(Some)
            .map_err(|_| self.bad_value(row, &value))
    }
}

impl Column<'_, &Float64Array> {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "same shape as every other reader of a cell"
    )]
    pub(crate) fn optional(&self, row: usize) -> Result<Option<f64>, DecodeError> {
        Ok(self.array.is_valid(row).then(|| self.array.value(row)))
    }
}

impl Column<'_, &BooleanArray> {
    pub(crate) fn required(&self, row: usize) -> Result<bool, DecodeError> {
        self.array
            .is_valid(row)
            .then(|| self.array.value(row))
            .ok_or_else(|| self.null(row))
    }
}

impl Column<'_, &arrow::array::TimestampMicrosecondArray> {
    pub(crate) fn required(&self, row: usize) -> Result<i64, DecodeError> {
        self.array
            .is_valid(row)
            .then(|| self.array.value(row))
            .ok_or_else(|| self.null(row))
    }
}

/// Where the items of a row are, in a list's or map's array of items.
fn range(offsets: &[i32], row: usize) -> Range<usize> {
    let at = |row: usize| usize::try_from(offsets[row]).unwrap_or_default();
    at(row)..at(row + 1)
}

impl Column<'_, &ListArray> {
    fn items(&self, row: usize) -> Result<(&ArrayRef, Range<usize>), DecodeError> {
        if self.array.is_null(row) {
            return Err(self.null(row));
        }
        Ok((self.array.values(), range(self.array.value_offsets(), row)))
    }

    pub(crate) fn texts(&self, row: usize) -> Result<Vec<String>, DecodeError> {
        let (items, range) = self.items(row)?;
        Ok(TextArray::of(self.name, items)?.items(range).collect())
    }

    pub(crate) fn optional_integers(&self, row: usize) -> Result<Option<Vec<i64>>, DecodeError> {
        if self.array.is_null(row) {
            return Ok(None);
        }
        let (items, range) = self.items(row)?;
        let integers = items
            .as_primitive_opt::<Int64Type>()
            .ok_or_else(|| wrong_type(self.name, items, "List of Int64"))?;
        Ok(Some(integers.values()[range].to_vec()))
    }

    pub(crate) fn options(&self, row: usize) -> Result<Vec<ChoiceOption>, DecodeError> {
        let (items, range) = self.items(row)?;
        let options: &StructArray = items
            .as_struct_opt()
            .ok_or_else(|| wrong_type(self.name, items, "List of Struct"))?;
        let texts = |field: &str| {
            let column =
                options
                    .column_by_name(field)
                    .ok_or_else(|| DecodeError::MissingColumn {
                        column: format!("{}.{field}", self.name),
                    })?;
            TextArray::of(self.name, column)
        };
        let (labels, texts) = (texts("label")?, texts("text")?);
        let pairs = labels.items(range.clone()).zip(texts.items(range));
        Ok(pairs
            .map(|(label, text)| ChoiceOption { label, text })
            .collect())
    }
}

impl Column<'_, &MapArray> {
    pub(crate) fn texts(&self, row: usize) -> Result<BTreeMap<String, String>, DecodeError> {
        if self.array.is_null(row) {
            return Err(self.null(row));
        }
        let range = range(self.array.value_offsets(), row);
        let keys = TextArray::of(self.name, self.array.keys())?;
        let values = TextArray::of(self.name, self.array.values())?;
        Ok(keys.items(range.clone()).zip(values.items(range)).collect())
    }
}
