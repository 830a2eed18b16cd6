//! `text_ci(metric, stats, case, seed, reps)`.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, Int64Array, ListBuilder, PrimitiveBuilder};
use arrow::array::{StringViewArray, StructArray};
use arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use consilium_metrics::{
    CaseStatistics, CaseSum, ExactSum, NamedMetric, clustered_bootstrap_mean,
    clustered_bootstrap_text, metric,
};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, Signature, Volatility,
};

use super::input::{Statistics, statistics_type};
use crate::function::SECTION;
use crate::function::estimate::{
    EstimateValue, NO_ROWS, TOO_FEW_CASES, count_column, estimate_scalar, estimate_type,
    list_scalar, list_type,
};
use crate::function::literal::{LEVEL, Resampling, not_distinct, resampling};
use crate::function::strings::{text_at, text_column};

/// Corpus value of a text metric with an interval from resampling whole cases.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct TextCi {
    signature: Signature,
    documentation: Documentation,
}

impl TextCi {
    pub(super) fn new() -> Self {
        let types = vec![
            DataType::Utf8View,
            statistics_type(),
            DataType::Utf8View,
            DataType::Int64,
            DataType::Int64,
        ];
        Self {
            signature: Signature::exact(types, Volatility::Immutable),
            documentation: Documentation::builder(
                SECTION,
                "Corpus value of the named text metric from stored statistics, with a 95 % percentile \
                 bootstrap interval that resamples whole cases: a struct of value, low, high, n and \
                 reason. Statistics are summed where the metric adds up, else sentence values are \
                 averaged. The metric must be the same in all rows of a group.",
                "text_ci(metric, stats, case, seed, reps)",
            )
            .build(),
        }
    }
}

impl AggregateUDFImpl for TextCi {
    fn name(&self) -> &'static str {
        "text_ci"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(estimate_type())
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_distinct("text_ci", &args)?;
        let resampling = resampling("text_ci", &args, 3)?;
        Ok(Box::new(TextAccumulator {
            metric: None,
            cases: BTreeMap::new(),
            bytes: 0,
            resampling,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let kind = list_type(vec![
            ("case", DataType::Utf8View),
            ("n", DataType::Int64),
            ("stats", statistics_type()),
        ]);
        Ok(vec![
            Arc::new(Field::new(
                format_state_name(args.name, "metric"),
                DataType::Utf8View,
                true,
            )),
            Arc::new(Field::new(format_state_name(args.name, "rows"), kind, true)),
        ])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

/// What is kept of a case: distinct statistics with how often they came, or one sum of them.
#[derive(Debug, Default)]
struct CaseRows {
    rows: BTreeMap<Vec<i64>, u64>,
}

#[derive(Debug)]
struct TextAccumulator {
    metric: Option<NamedMetric>,
    cases: BTreeMap<String, CaseRows>,
    bytes: usize,
    resampling: Resampling,
}

impl TextAccumulator {
    fn name(&mut self, name: &str) -> Result<()> {
        match &self.metric {
            None => {
                let Some(found) = NamedMetric::find(name) else {
                    return exec_err!("text_ci: there is no text metric '{name}'");
                };
                self.metric = Some(found);
                Ok(())
            }
            Some(known) if NamedMetric::find(name).as_ref() == Some(known) => Ok(()),
            Some(known) => exec_err!("text_ci: a group holds both '{known:?}' and '{name}'"),
        }
    }

    fn add(&mut self, case: &str, statistics: &[i64], count: u64) {
        if !self.cases.contains_key(case) {
            self.bytes += case.len() + 96;
            self.cases.insert(case.to_owned(), CaseRows::default());
        }
        if let Some(rows) = self.cases.get_mut(case) {
            if let Some(known) = rows.rows.get_mut(statistics) {
                *known += count;
            } else {
                self.bytes += 8 * statistics.len() + 64;
                rows.rows.insert(statistics.to_vec(), count);
            }
        }
    }

    fn estimate(&self, metric: &NamedMetric) -> EstimateValue {
        let Resampling { seed, replicates } = self.resampling;
        let n = self
            .cases
            .values()
            .flat_map(|case| case.rows.values())
            .sum();
        let metric = metric.metric();
        if metric.is_additive() {
            let cases: Vec<CaseStatistics> = self
                .cases
                .iter()
                .map(|(case, rows)| CaseStatistics {
                    case: case.clone(),
                    statistics: summed(rows),
                })
                .collect();
            let all: Vec<&[i64]> = cases
                .iter()
                .map(|case| case.statistics.as_slice())
                .collect();
            let value = metric.score(&metric::sum(&all));
            let interval = clustered_bootstrap_text(metric, &cases, seed, replicates, LEVEL);
            return EstimateValue::new(value, interval, n, TOO_FEW_CASES);
        }
        let mut total = ExactSum::default();
        let sums: Vec<CaseSum> = self
            .cases
            .iter()
            .map(|(case, rows)| {
                let mut sum = ExactSum::default();
                let mut n = 0;
                for (statistics, &count) in &rows.rows {
                    let value = metric.score(statistics);
                    for _ in 0..count {
                        sum.add(value);
                    }
                    n += count;
                }
                total.merge(&sum);
                CaseSum {
                    case: case.clone(),
                    sum: sum.value(),
                    n,
                }
            })
            .collect();
        let interval = clustered_bootstrap_mean(&sums, seed, replicates, LEVEL);
        EstimateValue::new(total.value() / n as f64, interval, n, TOO_FEW_CASES)
    }
}

fn summed(rows: &CaseRows) -> Vec<i64> {
    let mut total = Vec::new();
    for (statistics, &count) in &rows.rows {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let times: Vec<i64> = statistics
            .iter()
            .map(|value| value.saturating_mul(count))
            .collect();
        metric::add(&mut total, &times);
    }
    total
}

impl Accumulator for TextAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let names = text_column(&values[0])?;
        let statistics = Statistics::of(&values[1])?;
        let cases = text_column(&values[2])?;
        let mut last = None;
        for row in 0..statistics.len() {
            let Some(numbers) = statistics.at(row) else {
                continue;
            };
            let (Some(name), Some(case)) = (text_at(&names, row), text_at(&cases, row)) else {
                return exec_err!("text_ci: statistics have no metric or no case");
            };
            if last != Some(name) {
                self.name(name)?;
                last = Some(name);
            }
            if let Some(metric) = self.metric.as_ref().filter(|metric| !metric.fits(numbers)) {
                return exec_err!("text_ci: these are no statistics of {metric:?}");
            }
            self.add(case, numbers, 1);
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let estimate = match &self.metric {
            Some(metric) => self.estimate(metric),
            None => EstimateValue::missing(NO_ROWS),
        };
        if estimate.value.is_some_and(|value| !value.is_finite()) {
            return exec_err!("text_ci: these are no statistics of {:?}", self.metric);
        }
        estimate_scalar(&estimate)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.bytes
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let rows = || {
            self.cases.iter().flat_map(|(case, rows)| {
                rows.rows
                    .iter()
                    .map(move |(statistics, count)| (case, statistics, *count))
            })
        };
        let cases = StringViewArray::from_iter_values(rows().map(|(case, ..)| case));
        let counts = count_column(rows().map(|(.., count)| count));
        let mut lists = ListBuilder::new(PrimitiveBuilder::<Int64Type>::new());
        for (_, statistics, _) in rows() {
            lists.values().append_slice(statistics);
            lists.append(true);
        }
        let name = self.metric.as_ref().map(NamedMetric::sql_name);
        Ok(vec![
            ScalarValue::Utf8View(name),
            list_scalar(vec![
                ("case", Arc::new(cases)),
                ("n", Arc::new(counts)),
                ("stats", Arc::new(lists.finish())),
            ])?,
        ])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let names = text_column(&states[0])?;
        let lists = states[1].as_list::<i32>();
        for index in (0..lists.len()).filter(|index| lists.is_valid(*index)) {
            if let Some(name) = text_at(&names, index) {
                self.name(name)?;
            }
            let items = lists.value(index);
            let Some(entries) = items.as_any().downcast_ref::<StructArray>() else {
                return internal_err!("the state of text_ci is no list of structs");
            };
            let cases = text_column(entries.column(0))?;
            let counts: &Int64Array = entries.column(1).as_primitive();
            let statistics = Statistics::of(entries.column(2))?;
            for row in 0..entries.len() {
                if let (Some(case), Some(numbers)) = (text_at(&cases, row), statistics.at(row)) {
                    self.add(case, numbers, counts.value(row).unsigned_abs());
                }
            }
        }
        Ok(())
    }
}
