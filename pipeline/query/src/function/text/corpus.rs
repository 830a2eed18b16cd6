//! `corpus_<metric>(stats)`.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray as _};
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type};
use consilium_metrics::{ExactSum, NamedMetric, metric};
use datafusion::common::cast::as_list_array;
use datafusion::common::utils::SingleRowListArrayBuilder;
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, Signature, Volatility,
};

use super::input::{Statistics, statistics_type};
use crate::function::SECTION;
use crate::function::literal::not_distinct;

/// The value of many pairs from their statistics.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct CorpusFunc {
    name: String,
    aliases: Vec<String>,
    metric: NamedMetric,
    signature: Signature,
    documentation: Documentation,
}

impl CorpusFunc {
    pub(super) fn new(metric: NamedMetric) -> Self {
        let short = metric.sql_name();
        let (how, aliases) = if metric.metric().is_additive() {
            ("Value of the summed statistics", vec![short.clone()])
        } else {
            ("Mean over pairs, from their statistics,", Vec::new())
        };
        let name = format!("corpus_{short}");
        let text = format!(
            "{how} by {}; NULL rows are left out, NULL without rows.",
            metric.metric().signature()
        );
        let syntax = format!("{name}({short}_stats(hypothesis, reference))");
        Self {
            name,
            aliases,
            metric,
            signature: Signature::exact(vec![statistics_type()], Volatility::Immutable),
            documentation: Documentation::builder(SECTION, text, syntax).build(),
        }
    }
}

impl AggregateUDFImpl for CorpusFunc {
    fn name(&self) -> &str {
        &self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Float64)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_distinct(&self.name, &args)?;
        Ok(Box::new(CorpusAccumulator {
            metric: self.metric.clone(),
            rows: 0,
            total: Vec::new(),
            values: ExactSum::default(),
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let field =
            |name, kind| Arc::new(Field::new(format_state_name(args.name, name), kind, true));
        let numbers = DataType::List(Arc::new(Field::new_list_field(DataType::Float64, true)));
        Ok(vec![
            field("rows", DataType::Int64),
            field("total", statistics_type()),
            field("values", numbers),
        ])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

/// Summed statistics of an additive metric, or the sum of the others' values.
#[derive(Debug)]
struct CorpusAccumulator {
    metric: NamedMetric,
    rows: i64,
    total: Vec<i64>,
    values: ExactSum,
}

impl Accumulator for CorpusAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let statistics = Statistics::of(&values[0])?;
        let metric = self.metric.metric();
        for row in 0..statistics.len() {
            let Some(row) = statistics.at(row) else {
                continue;
            };
            if !self.metric.fits(row) {
                return exec_err!("{:?}: these are no statistics of it", self.metric);
            }
            self.rows += 1;
            if metric.is_additive() {
                metric::add(&mut self.total, row);
                continue;
            }
            let value = metric.score(row);
            if !value.is_finite() {
                return exec_err!("{:?}: these are no statistics of it", self.metric);
            }
            self.values.add(value);
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let metric = self.metric.metric();
        let value = match (self.rows, metric.is_additive()) {
            (0, _) => None,
            (_, true) => Some(metric.score(&self.total)),
            (rows, false) => Some(self.values.value() / rows as f64),
        };
        Ok(ScalarValue::Float64(
            value.filter(|value| value.is_finite()),
        ))
    }

    fn size(&self) -> usize {
        size_of::<Self>() + 8 * self.total.capacity() + 16 * self.values.partials().len()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let list = |array: ArrayRef| SingleRowListArrayBuilder::new(array).build_list_scalar();
        let total = arrow::array::Int64Array::from(self.total.clone());
        let values = arrow::array::Float64Array::from(self.values.partials().to_vec());
        Ok(vec![
            ScalarValue::Int64(Some(self.rows)),
            list(Arc::new(total)),
            list(Arc::new(values)),
        ])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let rows = states[0].as_primitive::<Int64Type>();
        let totals = Statistics::of(&states[1])?;
        let values = as_list_array(&states[2])?;
        for state in 0..rows.len() {
            self.rows += rows.value(state);
            if let Some(total) = totals.at(state) {
                metric::add(&mut self.total, total);
            }
            let values = values.value(state);
            for &partial in values.as_primitive::<Float64Type>().values() {
                self.values.add(partial);
            }
        }
        Ok(())
    }
}
