//! `text_ci(metric, stats, case, seed, reps)`.

use std::sync::Arc;

use arrow::array::{
    Array as _, ArrayRef, AsArray as _, Float64Array, Int64Array, ListBuilder, PrimitiveBuilder,
    StructArray,
};
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type};
use consilium_metrics::{
    ExactSum, NamedMetric, bootstrap_mean_of_cases, bootstrap_text_of_cases, metric,
};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, Signature, Volatility,
};

use super::input::{Statistics, statistics_type};
use crate::function::SECTION;
use crate::function::case_numbers::{CASE_TYPE, Case, CaseNumbers, case_column, cases_of};
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
            cases: CaseNumbers::default(),
            rows: Vec::new(),
            statistics: Vec::new(),
            sums: Vec::new(),
            resampling,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let kind = list_type(vec![
            ("case", CASE_TYPE),
            ("n", DataType::Int64),
            ("sum", DataType::Float64),
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

/// What is kept of every case stands at its number. Of a metric that adds up that is the sum of its
/// statistics, of another one the sum of its values.
#[derive(Debug)]
struct TextAccumulator {
    metric: Option<NamedMetric>,
    cases: CaseNumbers,
    /// Rows of each case.
    rows: Vec<u64>,
    /// Summed statistics, those of one case after another.
    statistics: Vec<i64>,
    /// Summed values.
    sums: Vec<ExactSum>,
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

    /// The number of a case that has `count` more rows.
    fn case(&mut self, case: Case, count: u64) -> usize {
        let case = self.cases.number(case);
        if case == self.rows.len() {
            self.rows.push(0);
        }
        self.rows[case] += count;
        case
    }

    fn add_statistics(&mut self, case: usize, statistics: &[i64]) {
        let start = case * statistics.len();
        let end = start + statistics.len();
        if self.statistics.len() < end {
            self.statistics.resize(end, 0);
        }
        for (sum, value) in self.statistics[start..end].iter_mut().zip(statistics) {
            *sum = sum.saturating_add(*value);
        }
    }

    fn add_value(&mut self, case: usize, value: f64) {
        if self.sums.len() <= case {
            self.sums.resize_with(case + 1, ExactSum::default);
        }
        self.sums[case].add(value);
    }

    fn estimate(&self, metric: &NamedMetric) -> EstimateValue {
        let Resampling { seed, replicates } = self.resampling;
        let n = self.rows.iter().sum();
        let metric = metric.metric();
        if metric.is_additive() {
            let width = self.statistics.len() / self.rows.len().max(1);
            let mut all = Vec::new();
            for case in self.statistics.chunks_exact(width.max(1)) {
                metric::add(&mut all, case);
            }
            let value = metric.score(&all);
            let interval =
                bootstrap_text_of_cases(metric, &self.statistics, width, seed, replicates, LEVEL);
            return EstimateValue::new(value, interval, n, TOO_FEW_CASES);
        }
        let mut total = ExactSum::default();
        for sum in &self.sums {
            total.merge(sum);
        }
        let sums = self.sums.iter().map(ExactSum::value);
        let sums = sums.zip(self.rows.iter().copied());
        let interval = bootstrap_mean_of_cases(sums, seed, replicates, LEVEL);
        EstimateValue::new(total.value() / n as f64, interval, n, TOO_FEW_CASES)
    }
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
            let Some(metric) = &self.metric else {
                return internal_err!("text_ci: a row has no metric");
            };
            if !metric.fits(numbers) {
                return exec_err!("text_ci: these are no statistics of {metric:?}");
            }
            let value = (!metric.metric().is_additive()).then(|| metric.metric().score(numbers));
            let case = self.case(Case::named(case), 1);
            match value {
                Some(value) => self.add_value(case, value),
                None => self.add_statistics(case, numbers),
            }
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
        size_of::<Self>()
            + self.cases.bytes()
            + self.rows.capacity() * size_of::<u64>()
            + self.statistics.capacity() * size_of::<i64>()
            + self.sums.capacity() * size_of::<ExactSum>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let mut lists = ListBuilder::new(PrimitiveBuilder::<Int64Type>::new());
        let (mut of_rows, mut counts, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        let width = self.statistics.len() / self.rows.len().max(1);
        for (number, case) in self.cases.cases().enumerate() {
            // One entry for each number that the exact sum of a case consists of; the first has the rest.
            let partials = match self.sums.get(number) {
                Some(sum) => sum.partials(),
                None => &[0.0],
            };
            for (at, partial) in partials.iter().enumerate() {
                let first = at == 0;
                of_rows.push(case);
                counts.push(if first { self.rows[number] } else { 0 });
                sums.push(*partial);
                let statistics = self.statistics.get(number * width..(number + 1) * width);
                lists
                    .values()
                    .append_slice(statistics.filter(|_| first).unwrap_or_default());
                lists.append(true);
            }
        }
        let cases = case_column(of_rows.into_iter())?;
        let counts = count_column(counts.into_iter());
        let sums = Float64Array::from(sums);
        let name = self.metric.as_ref().map(NamedMetric::sql_name);
        Ok(vec![
            ScalarValue::Utf8View(name),
            list_scalar(vec![
                ("case", Arc::new(cases)),
                ("n", Arc::new(counts)),
                ("sum", Arc::new(sums)),
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
            let cases = cases_of(entries.column(0))?;
            let counts: &Int64Array = entries.column(1).as_primitive();
            let sums = entries.column(2).as_primitive::<Float64Type>();
            let statistics = Statistics::of(entries.column(3))?;
            let is_additive = self
                .metric
                .as_ref()
                .is_some_and(|metric| metric.metric().is_additive());
            for (row, case) in cases.enumerate() {
                let case = self.case(case, counts.value(row).unsigned_abs());
                if is_additive {
                    self.add_statistics(case, statistics.at(row).unwrap_or_default());
                } else {
                    self.add_value(case, sums.value(row));
                }
            }
        }
        Ok(())
    }
}
