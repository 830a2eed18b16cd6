//! `wilson_ci(value)`.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray as _};
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, Signature, Volatility,
};

use super::SECTION;
use super::estimate::{estimate_scalar, estimate_type};
use super::literal::not_distinct;
use super::wilson::proportion;

/// Proportion of ones among zeros and ones, with its Wilson interval.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct WilsonCi {
    signature: Signature,
    documentation: Documentation,
}

impl WilsonCi {
    pub(super) fn new() -> Self {
        Self {
            signature: Signature::exact(vec![DataType::Float64], Volatility::Immutable),
            documentation: Documentation::builder(
                SECTION,
                "Proportion of ones among values that are 0 or 1, NULL left out, with its 95 % Wilson \
                 score interval: a struct of value, low, high, n and reason. Only for one row per case.",
                "wilson_ci(value)",
            )
            .build(),
        }
    }
}

impl AggregateUDFImpl for WilsonCi {
    fn name(&self) -> &'static str {
        "wilson_ci"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(estimate_type())
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_distinct("wilson_ci", &args)?;
        Ok(Box::new(WilsonAccumulator::default()))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let field = |name| {
            Arc::new(Field::new(
                format_state_name(args.name, name),
                DataType::Int64,
                true,
            ))
        };
        Ok(vec![field("successes"), field("n")])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

#[derive(Debug, Default)]
struct WilsonAccumulator {
    successes: i64,
    n: i64,
}

impl Accumulator for WilsonAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for value in values[0].as_primitive::<Float64Type>().iter().flatten() {
            // Exactly these bit patterns (and −0): anything else is no outcome of a trial.
            if value.total_cmp(&1.0).is_eq() {
                self.successes += 1;
            } else if value.abs().total_cmp(&0.0).is_ne() {
                return exec_err!("wilson_ci: {value} is neither 0 nor 1; use bootstrap_ci");
            }
            self.n += 1;
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        estimate_scalar(&proportion(self.successes, self.n))
    }

    fn size(&self) -> usize {
        size_of::<Self>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![
            ScalarValue::Int64(Some(self.successes)),
            ScalarValue::Int64(Some(self.n)),
        ])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let sum = |column: &ArrayRef| {
            column
                .as_primitive::<Int64Type>()
                .iter()
                .flatten()
                .sum::<i64>()
        };
        self.successes += sum(&states[0]);
        self.n += sum(&states[1]);
        Ok(())
    }
}
