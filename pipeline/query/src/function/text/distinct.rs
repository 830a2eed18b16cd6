//! `distinct_n(text, n, tokens)`.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, StringViewArray};
use arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use consilium_metrics::distinct::DistinctNgrams;
use consilium_metrics::text::tokens::Tokens;
use datafusion::common::cast::as_list_array;
use datafusion::common::utils::SingleRowListArrayBuilder;
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, Signature, Volatility,
};
use datafusion::physical_expr::expressions::Literal;

use crate::function::SECTION;
use crate::function::literal::not_distinct;
use crate::function::strings::{text_at, text_column};

/// Longest n-gram that may be asked for.
const LONGEST: i64 = 9;

/// Share of different n-grams over all texts.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Distinct {
    signature: Signature,
    documentation: Documentation,
}

impl Distinct {
    pub(super) fn new() -> Self {
        let types = vec![DataType::Utf8View, DataType::Int64, DataType::Utf8View];
        Self {
            signature: Signature::exact(types, Volatility::Immutable),
            documentation: Documentation::builder(
                SECTION,
                "Distinct-n: different n-grams / n-grams over all texts together. n and the tokens are \
                 written out; tokens are 'split', 'chars', 'nltk', '13a' or 'jieba-0.42.1'.",
                "distinct_n(text, n, tokens)",
            )
            .build(),
        }
    }
}

impl AggregateUDFImpl for Distinct {
    fn name(&self) -> &'static str {
        "distinct_n"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_distinct("distinct_n", &args)?;
        let literal = |index: usize| {
            let expression = args.exprs.get(index)?.downcast_ref::<Literal>()?;
            Some(expression.value().clone())
        };
        let order = match literal(1) {
            Some(ScalarValue::Int64(Some(order))) if (1..=LONGEST).contains(&order) => {
                usize::try_from(order).unwrap_or(1)
            }
            _ => {
                return plan_err!(
                    "distinct_n: n must be a number from 1 to {LONGEST}, written out"
                );
            }
        };
        let tokens = literal(2).and_then(|tokens| {
            let name = tokens.try_as_str().flatten()?;
            Tokens::from_name(name)
        });
        let Some(tokens) = tokens else {
            return plan_err!(
                "distinct_n: tokens must be 'split', 'chars', 'nltk', '13a' or 'jieba-0.42.1', written out"
            );
        };
        Ok(Box::new(DistinctAccumulator {
            order,
            ngrams: DistinctNgrams::new(order, tokens),
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let field =
            |name, kind| Arc::new(Field::new(format_state_name(args.name, name), kind, true));
        let texts = DataType::List(Arc::new(Field::new_list_field(DataType::Utf8View, true)));
        Ok(vec![
            field("tokens", texts),
            field("total", DataType::Int64),
        ])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

#[derive(Debug)]
struct DistinctAccumulator {
    order: usize,
    ngrams: DistinctNgrams,
}

impl Accumulator for DistinctAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let texts = text_column(&values[0])?;
        for row in 0..texts.len() {
            if let Some(text) = text_at(&texts, row) {
                self.ngrams.add(text);
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let value = (self.ngrams.total() > 0).then(|| self.ngrams.score());
        Ok(ScalarValue::Float64(value))
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.ngrams.different() * self.order * 48
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let tokens = StringViewArray::from_iter_values(self.ngrams.ngrams().flatten());
        Ok(vec![
            SingleRowListArrayBuilder::new(Arc::new(tokens)).build_list_scalar(),
            ScalarValue::Int64(i64::try_from(self.ngrams.total()).ok()),
        ])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let lists = as_list_array(&states[0])?;
        let totals = states[1].as_primitive::<Int64Type>();
        for state in 0..lists.len() {
            let texts = text_column(&lists.value(state))?;
            let tokens: Vec<String> = (0..texts.len())
                .filter_map(|row| text_at(&texts, row))
                .map(str::to_owned)
                .collect();
            let total = totals.value(state).unsigned_abs();
            self.ngrams.merge_parts(tokens.chunks(self.order), total);
        }
        Ok(())
    }
}
