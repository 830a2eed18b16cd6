//! `wilson(successes, n)`.

use std::sync::Arc;

use arrow::array::{Array as _, AsArray as _};
use arrow::datatypes::{DataType, Int64Type};
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::SECTION;
use super::estimate::{EstimateValue, estimate_column, estimate_type};
use super::literal::LEVEL;

/// Proportion with its Wilson interval from counts.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct WilsonFunc {
    signature: Signature,
    documentation: Documentation,
}

impl WilsonFunc {
    pub(super) fn new() -> Self {
        let types = vec![DataType::Int64, DataType::Int64];
        Self {
            signature: Signature::exact(types, Volatility::Immutable),
            documentation: Documentation::builder(
                SECTION,
                "Proportion with its 95 % Wilson score interval, a struct of value, low, high, n and \
                 reason.",
                "wilson(successes, n)",
            )
            .build(),
        }
    }
}

/// A proportion of counts, or why there is none.
pub(super) fn proportion(successes: i64, n: i64) -> EstimateValue {
    let (Ok(successes), Ok(n)) = (u64::try_from(successes), u64::try_from(n)) else {
        return EstimateValue::missing("counts cannot be negative");
    };
    match consilium_metrics::wilson(successes, n, LEVEL) {
        Some(interval) => {
            EstimateValue::new(successes as f64 / n as f64, Some(interval), n, "undefined")
        }
        None if n == 0 => EstimateValue::missing(super::estimate::NO_ROWS),
        None => EstimateValue::missing("more successes than trials"),
    }
}

impl ScalarUDFImpl for WilsonFunc {
    fn name(&self) -> &'static str {
        "wilson"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(estimate_type())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let successes = columns[0].as_primitive::<Int64Type>();
        let trials = columns[1].as_primitive::<Int64Type>();
        let estimates: Vec<EstimateValue> = (0..successes.len())
            .map(|row| {
                if successes.is_valid(row) && trials.is_valid(row) {
                    proportion(successes.value(row), trials.value(row))
                } else {
                    EstimateValue::missing("a count is missing")
                }
            })
            .collect();
        Ok(ColumnarValue::Array(Arc::new(estimate_column(&estimates)?)))
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}
