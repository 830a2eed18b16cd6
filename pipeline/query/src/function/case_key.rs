//! `case_key(dataset, case_id)`.

use std::sync::Arc;

use arrow::array::{Array as _, StringViewArray};
use arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::SECTION;
use super::strings::{text_at, text_column};

/// One text per case over all datasets, for clustering.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct CaseKeyFunc {
    signature: Signature,
    documentation: Documentation,
}

impl CaseKeyFunc {
    pub(super) fn new() -> Self {
        let types = vec![DataType::Utf8View, DataType::Utf8View];
        Self {
            signature: Signature::exact(types, Volatility::Immutable),
            documentation: Documentation::builder(
                SECTION,
                "One text per (dataset, case), unambiguous whatever the names hold: the cluster of \
                 case-clustered intervals.",
                "case_key(dataset, case_id)",
            )
            .build(),
        }
    }
}

impl ScalarUDFImpl for CaseKeyFunc {
    fn name(&self) -> &'static str {
        "case_key"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let (datasets, cases) = (text_column(&columns[0])?, text_column(&columns[1])?);
        let keys: StringViewArray = (0..datasets.len())
            .map(|row| {
                let (dataset, case) = (text_at(&datasets, row)?, text_at(&cases, row)?);
                // The length in front keeps `a` + `b/c` apart from `a/b` + `c`.
                Some(format!("{}:{dataset}/{case}", dataset.len()))
            })
            .collect();
        Ok(ColumnarValue::Array(Arc::new(keys)))
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}
