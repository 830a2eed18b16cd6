//! `seeded_hash(seed, text)`.

use std::sync::Arc;

use arrow::array::{Array as _, AsArray as _, UInt64Array};
use arrow::datatypes::{DataType, Int64Type};
use consilium_core::seed::derive_seed;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::SECTION;
use super::strings::{text_at, text_column};

/// A hash that is the same on every machine, for draws and shards.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct SeededHashFunc {
    signature: Signature,
    documentation: Documentation,
}

impl SeededHashFunc {
    pub(super) fn new() -> Self {
        let types = vec![DataType::Int64, DataType::Utf8View];
        Self {
            signature: Signature::exact(types, Volatility::Immutable),
            documentation: Documentation::builder(
                SECTION,
                "First 64 bits of SHA-256 over seed and text: the same on every machine; orders seeded \
                 draws and assigns shards.",
                "seeded_hash(seed, text)",
            )
            .build(),
        }
    }
}

impl ScalarUDFImpl for SeededHashFunc {
    fn name(&self) -> &'static str {
        "seeded_hash"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let seeds = columns[0].as_primitive::<Int64Type>();
        let texts = text_column(&columns[1])?;
        let hashes: UInt64Array = (0..texts.len())
            .map(|row| {
                let text = text_at(&texts, row)?;
                seeds
                    .is_valid(row)
                    .then(|| derive_seed(seeds.value(row).cast_unsigned(), &[text]))
            })
            .collect();
        Ok(ColumnarValue::Array(Arc::new(hashes)))
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}
