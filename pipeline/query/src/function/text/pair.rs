//! `<metric>_stats(hypothesis, reference)` and `sentence_<metric>(hypothesis, reference)`.

use std::sync::Arc;

use arrow::array::{Array as _, Float64Array, ListArray};
use arrow::datatypes::{DataType, Int64Type};
use consilium_metrics::NamedMetric;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use rayon::prelude::*;

use super::input::{References, coerced, statistics_type};
use crate::function::SECTION;
use crate::function::strings::{text_at, text_column};

/// What is told of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Told {
    Statistics,
    Value,
}

/// A function of a hypothesis and its references.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct PairFunc {
    name: String,
    aliases: Vec<String>,
    metric: NamedMetric,
    told: Told,
    signature: Signature,
    documentation: Documentation,
}

impl PairFunc {
    /// The integer statistics.
    pub(super) fn statistics(metric: NamedMetric) -> Self {
        let short = metric.sql_name();
        let text = format!(
            "Integer statistics of a pair for {}; add them up with corpus_{short}. The reference may be a \
             list of texts.",
            metric.metric().signature()
        );
        Self::new(
            format!("{short}_stats"),
            Vec::new(),
            metric,
            Told::Statistics,
            text,
        )
    }

    /// The value.
    pub(super) fn sentence(metric: NamedMetric) -> Self {
        let short = metric.sql_name();
        let text = format!(
            "Value of one pair by {}. The reference may be a list of texts.",
            metric.metric().signature()
        );
        let aliases = if metric.metric().is_additive() {
            Vec::new()
        } else {
            vec![short.clone()]
        };
        Self::new(
            format!("sentence_{short}"),
            aliases,
            metric,
            Told::Value,
            text,
        )
    }

    fn new(
        name: String,
        aliases: Vec<String>,
        metric: NamedMetric,
        told: Told,
        text: String,
    ) -> Self {
        let syntax = format!("{name}(hypothesis, reference)");
        Self {
            name,
            aliases,
            metric,
            told,
            signature: Signature::user_defined(Volatility::Immutable),
            documentation: Documentation::builder(SECTION, text, syntax).build(),
        }
    }
}

impl ScalarUDFImpl for PairFunc {
    fn name(&self) -> &str {
        &self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        coerced(&self.name, given)
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(match self.told {
            Told::Statistics => statistics_type(),
            Told::Value => DataType::Float64,
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let columns = ColumnarValue::values_to_arrays(&args.args)?;
        let hypotheses = text_column(&columns[0])?;
        let references = References::of(&columns[1])?;
        let metric = self.metric.metric();
        let statistics: Vec<Option<Vec<i64>>> = (0..hypotheses.len())
            .into_par_iter()
            .with_min_len(16)
            .map(|row| {
                let references = references.at(row)?;
                text_at(&hypotheses, row).map(|text| metric.statistics(text, &references))
            })
            .collect();
        Ok(ColumnarValue::Array(match self.told {
            Told::Statistics => Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(
                statistics
                    .into_iter()
                    .map(|row| row.map(|row| row.into_iter().map(Some))),
            )),
            Told::Value => Arc::new(
                statistics
                    .into_iter()
                    .map(|row| {
                        row.map(|row| metric.score(&row))
                            .filter(|value| value.is_finite())
                    })
                    .collect::<Float64Array>(),
            ),
        }))
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}
