//! Reading arguments from JSON and writing values to it.

use serde_json::{Value, json};

use super::MetricError;

/// Named arguments in a JSON object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arguments<'json>(&'json Value);

impl<'json> Arguments<'json> {
    pub(super) fn new(object: &'json Value) -> Self {
        Self(object)
    }

    /// The argument; `None` if absent or null.
    pub(super) fn get(self, name: &str) -> Option<&'json Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn required(
        self,
        name: &str,
        expected: &'static str,
    ) -> Result<&'json Value, MetricError> {
        self.get(name).ok_or_else(|| invalid(name, expected))
    }

    pub(super) fn text(self, name: &str) -> Result<&'json str, MetricError> {
        let expected = "a string";
        self.required(name, expected)?
            .as_str()
            .ok_or_else(|| invalid(name, expected))
    }

    pub(super) fn text_or(
        self,
        name: &str,
        default: &'json str,
    ) -> Result<&'json str, MetricError> {
        if self.get(name).is_some() {
            self.text(name)
        } else {
            Ok(default)
        }
    }

    pub(super) fn texts(self, name: &str) -> Result<Vec<&'json str>, MetricError> {
        let expected = "a list of strings";
        list(self.required(name, expected)?, name, expected)?
            .iter()
            .map(|text| text.as_str().ok_or_else(|| invalid(name, expected)))
            .collect()
    }

    /// A list of lists of strings.
    pub(super) fn text_lists(self, name: &str) -> Result<Vec<Vec<&'json str>>, MetricError> {
        let expected = "a list of lists of strings";
        list(self.required(name, expected)?, name, expected)?
            .iter()
            .map(|texts| Arguments(texts).all_texts(name, expected))
            .collect()
    }

    /// A list of lists of lists of strings.
    pub(super) fn nested_texts(self, name: &str) -> Result<Vec<Vec<Vec<&'json str>>>, MetricError> {
        let expected = "a list of lists of lists of strings";
        list(self.required(name, expected)?, name, expected)?
            .iter()
            .map(|lists| {
                list(lists, name, expected)?
                    .iter()
                    .map(|texts| Arguments(texts).all_texts(name, expected))
                    .collect()
            })
            .collect()
    }

    fn all_texts(self, name: &str, expected: &'static str) -> Result<Vec<&'json str>, MetricError> {
        list(self.0, name, expected)?
            .iter()
            .map(|text| text.as_str().ok_or_else(|| invalid(name, expected)))
            .collect()
    }

    pub(super) fn flag(self, name: &str) -> Result<bool, MetricError> {
        self.flag_or(name, false)
    }

    pub(super) fn flag_or(self, name: &str, default: bool) -> Result<bool, MetricError> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| invalid(name, "true or false")),
        }
    }

    pub(super) fn number_or(self, name: &str, default: f64) -> Result<f64, MetricError> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => as_number(value).ok_or_else(|| invalid(name, "a number")),
        }
    }

    pub(super) fn count_or(self, name: &str, default: usize) -> Result<usize, MetricError> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value
                .as_u64()
                .and_then(|count| usize::try_from(count).ok())
                .filter(|&count| count <= 64)
                .ok_or_else(|| invalid(name, "a whole number from 0 to 64")),
        }
    }

    pub(super) fn numbers(self, name: &str) -> Result<Vec<f64>, MetricError> {
        let expected = "a list of numbers";
        numbers(self.required(name, expected)?, name, expected)
    }
}

/// The elements of a JSON list of numbers.
pub(super) fn numbers(
    value: &Value,
    name: &str,
    expected: &'static str,
) -> Result<Vec<f64>, MetricError> {
    list(value, name, expected)?
        .iter()
        .map(|number| as_number(number).ok_or_else(|| invalid(name, expected)))
        .collect()
}

/// The elements of a JSON list.
pub(super) fn list<'json>(
    value: &'json Value,
    name: &str,
    expected: &'static str,
) -> Result<&'json [Value], MetricError> {
    value
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| invalid(name, expected))
}

/// A number, also as one of the strings that [`number`] writes.
pub(super) fn as_number(value: &Value) -> Option<f64> {
    match value.as_str() {
        None => value.as_f64(),
        Some("NaN" | "nan") => Some(f64::NAN),
        Some("Infinity" | "inf") => Some(f64::INFINITY),
        Some("-Infinity" | "-inf") => Some(f64::NEG_INFINITY),
        Some(_) => None,
    }
}

pub(super) fn invalid(name: &str, expected: &'static str) -> MetricError {
    MetricError::Argument {
        name: name.to_owned(),
        expected,
    }
}

/// A number as JSON; what JSON has no number for becomes `NaN`, `Infinity` or `-Infinity`.
pub fn number(value: f64) -> Value {
    if value.is_nan() {
        json!("NaN")
    } else if value == f64::INFINITY {
        json!("Infinity")
    } else if value == f64::NEG_INFINITY {
        json!("-Infinity")
    } else {
        json!(value)
    }
}

/// Numbers as a JSON list.
pub(super) fn number_list(values: &[f64]) -> Value {
    values.iter().copied().map(number).collect()
}
