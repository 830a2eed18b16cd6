//! `bootstrap_ci(value, case, seed, reps)`.

use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, Float64Array, StructArray};
use arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type};
use consilium_metrics::{ExactSum, bootstrap_mean_of_cases};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, Signature, Volatility,
};

use super::SECTION;
use super::case_numbers::{CASE_TYPE, Case, CaseNumbers, case_column, cases_of};
use super::estimate::{
    EstimateValue, NO_ROWS, TOO_FEW_CASES, count_column, estimate_scalar, estimate_type,
    list_scalar, list_type,
};
use super::literal::{LEVEL, Resampling, not_distinct, resampling};
use super::strings::{text_at, text_column};

/// Mean with an interval from resampling whole cases.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct BootstrapCi {
    signature: Signature,
    documentation: Documentation,
}

impl BootstrapCi {
    pub(super) fn new() -> Self {
        let types = vec![
            DataType::Float64,
            DataType::Utf8View,
            DataType::Int64,
            DataType::Int64,
        ];
        Self {
            signature: Signature::exact(types, Volatility::Immutable),
            documentation: Documentation::builder(
                SECTION,
                "Mean of the values, NULL left out, with a 95 % percentile bootstrap interval that \
                 resamples whole cases: a struct of value, low, high, n and reason. Seed and reps are \
                 written out; the same seed gives the same interval whatever the order of rows.",
                "bootstrap_ci(value, case, seed, reps)",
            )
            .build(),
        }
    }
}

impl AggregateUDFImpl for BootstrapCi {
    fn name(&self) -> &'static str {
        "bootstrap_ci"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(estimate_type())
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_distinct("bootstrap_ci", &args)?;
        let resampling = resampling("bootstrap_ci", &args, 2)?;
        Ok(Box::new(BootstrapAccumulator {
            cases: CaseNumbers::default(),
            sums: Vec::new(),
            resampling,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = format_state_name(args.name, "cases");
        let kind = list_type(vec![
            ("case", CASE_TYPE),
            ("sum", DataType::Float64),
            ("n", DataType::Int64),
        ]);
        Ok(vec![Arc::new(Field::new(name, kind, true))])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

#[derive(Debug)]
struct BootstrapAccumulator {
    cases: CaseNumbers,
    /// Sum and number of rows, by number of the case.
    sums: Vec<(ExactSum, u64)>,
    resampling: Resampling,
}

impl BootstrapAccumulator {
    fn add(&mut self, case: Case, sum: f64, n: u64) {
        let case = self.cases.number(case);
        if case == self.sums.len() {
            self.sums.push((ExactSum::default(), 0));
        }
        let (known_sum, known_n) = &mut self.sums[case];
        known_sum.add(sum);
        *known_n += n;
    }
}

impl Accumulator for BootstrapAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let numbers = values[0].as_primitive::<Float64Type>();
        let cases = text_column(&values[1])?;
        for row in (0..numbers.len()).filter(|row| numbers.is_valid(*row)) {
            let value = numbers.value(row);
            if !value.is_finite() {
                return exec_err!("bootstrap_ci: {value} is not a finite number");
            }
            match text_at(&cases, row) {
                Some(case) => self.add(Case::named(case), value, 1),
                None => return exec_err!("bootstrap_ci: a value has no case"),
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let n: u64 = self.sums.iter().map(|(_, n)| n).sum();
        if n == 0 {
            return estimate_scalar(&EstimateValue::missing(NO_ROWS));
        }
        let mut total = ExactSum::default();
        for (sum, _) in &self.sums {
            total.merge(sum);
        }
        let mean = total.value() / n as f64;
        if !mean.is_finite() {
            return estimate_scalar(&EstimateValue::missing(
                "the sum of the values is too large",
            ));
        }
        let Resampling { seed, replicates } = self.resampling;
        let sums = self.sums.iter().map(|(sum, n)| (sum.value(), *n));
        let interval = bootstrap_mean_of_cases(sums, seed, replicates, LEVEL);
        estimate_scalar(&EstimateValue::new(mean, interval, n, TOO_FEW_CASES))
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.cases.bytes() + self.sums.capacity() * size_of::<(ExactSum, u64)>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        // One entry for each number that the exact sum of a case consists of; the first has the rows.
        let entries = || {
            let cases = self.cases.cases().zip(&self.sums);
            cases.flat_map(|(case, (sum, n))| {
                let partials = sum.partials().iter().enumerate();
                partials.map(move |(at, partial)| (case, *partial, if at == 0 { *n } else { 0 }))
            })
        };
        let cases = case_column(entries().map(|(case, ..)| case))?;
        let sums = Float64Array::from_iter_values(entries().map(|(_, sum, _)| sum));
        let counts = count_column(entries().map(|(.., n)| n));
        Ok(vec![list_scalar(vec![
            ("case", Arc::new(cases)),
            ("sum", Arc::new(sums)),
            ("n", Arc::new(counts)),
        ])?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let lists = states[0].as_list::<i32>();
        for index in (0..lists.len()).filter(|index| lists.is_valid(*index)) {
            let items = lists.value(index);
            let Some(entries) = items.as_any().downcast_ref::<StructArray>() else {
                return internal_err!("the state of bootstrap_ci is no list of structs");
            };
            let cases = cases_of(entries.column(0))?;
            let sums = entries.column(1).as_primitive::<Float64Type>();
            let counts = entries.column(2).as_primitive::<Int64Type>();
            for (row, case) in cases.enumerate() {
                self.add(case, sums.value(row), counts.value(row).unsigned_abs());
            }
        }
        Ok(())
    }
}
