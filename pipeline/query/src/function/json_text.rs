//! `json_text(json, pointer)`.

use std::sync::Arc;

use arrow::array::{Array as _, StringViewArray};
use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use serde_json::Value;

use super::SECTION;
use super::strings::{text_at, text_column};

/// One value out of a JSON column.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct JsonTextFunc {
    signature: Signature,
    documentation: Documentation,
}

impl JsonTextFunc {
    pub(super) fn new() -> Self {
        let types = vec![DataType::Utf8View, DataType::Utf8View];
        Self {
            signature: Signature::exact(types, Volatility::Immutable),
            documentation: Documentation::builder(
                SECTION,
                "Value at a JSON pointer (RFC 6901) of a JSON text such as payload or parameters: a \
                 string as it is, anything else as JSON; NULL where there is none or the text is no JSON.",
                "json_text(json, pointer)",
            )
            .build(),
        }
    }
}

impl ScalarUDFImpl for JsonTextFunc {
    fn name(&self) -> &'static str {
        "json_text"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let texts = text_column(&columns[0])?;
        let pointers = text_column(&columns[1])?;
        let values: StringViewArray = (0..texts.len())
            .map(|row| value_at(text_at(&texts, row)?, text_at(&pointers, row)?))
            .collect();
        Ok(ColumnarValue::Array(Arc::new(values)))
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

fn value_at(text: &str, pointer: &str) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    match value.pointer(pointer)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_pointer() {
        let json = r#"{"a": [1, "x y"], "b": null, "c/d": {"e": true}}"#;
        for (pointer, expected) in [
            ("/a/0", Some("1")),
            ("/a/1", Some("x y")),
            ("/b", None),
            ("/c~1d", Some("{\"e\":true}")),
            ("/nothing", None),
        ] {
            assert_eq!(value_at(json, pointer).as_deref(), expected, "{pointer}");
        }
        assert_eq!(value_at("no json", ""), None);
    }
}
