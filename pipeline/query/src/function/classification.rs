//! Aggregates over (truth, predicted): one accumulator, many results.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array as _, ArrayRef, AsArray as _, Int64Array, StringViewArray, StructArray};
use arrow::datatypes::{DataType, Field, FieldRef, Int64Type};
use consilium_metrics::ClusteredConfusion;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::{AggregateOrderSensitivity, format_state_name};
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, Documentation, Signature, Volatility,
};

use super::SECTION;
use super::estimate::{count_column, list_scalar, list_type};
use super::literal::{Resampling, not_distinct, resampling};
use super::strings::{text_at, text_column};

/// What a function makes of the counts.
pub(super) type Evaluate = fn(&ClusteredConfusion, Option<Resampling>) -> Result<ScalarValue>;

/// An aggregate of (truth, predicted) or of (truth, predicted, case, seed, reps).
///
/// Rows with a NULL truth are left out; a NULL prediction counts as wrong and is no class.
#[derive(Debug)]
pub(super) struct ClassificationFunc {
    name: &'static str,
    clustered: bool,
    return_type: DataType,
    evaluate: Evaluate,
    signature: Signature,
    documentation: Documentation,
}

impl ClassificationFunc {
    pub(super) fn new(
        name: &'static str,
        clustered: bool,
        return_type: DataType,
        evaluate: Evaluate,
        description: &str,
    ) -> Self {
        let text = DataType::Utf8View;
        let mut types = vec![text.clone(), text.clone()];
        let mut syntax = format!("{name}(truth, predicted");
        if clustered {
            types.extend([text, DataType::Int64, DataType::Int64]);
            syntax.push_str(", case, seed, reps");
        }
        syntax.push(')');
        Self {
            name,
            clustered,
            return_type,
            evaluate,
            signature: Signature::exact(types, Volatility::Immutable),
            documentation: Documentation::builder(SECTION, description, syntax).build(),
        }
    }
}

// A function is its name: comparing function pointers would say nothing reliable.
impl PartialEq for ClassificationFunc {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ClassificationFunc {}

impl Hash for ClassificationFunc {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl AggregateUDFImpl for ClassificationFunc {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        Ok(self.return_type.clone())
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        not_distinct(self.name, &args)?;
        let resampling = if self.clustered {
            Some(resampling(self.name, &args, 3)?)
        } else {
            None
        };
        Ok(Box::new(ClassificationAccumulator {
            counts: ClusteredConfusion::new(),
            bytes: 0,
            clustered: self.clustered,
            resampling,
            evaluate: self.evaluate,
        }))
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let name = format_state_name(args.name, "cells");
        Ok(vec![Arc::new(Field::new(name, cells_type(), true))])
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        AggregateOrderSensitivity::Insensitive
    }

    fn documentation(&self) -> Option<&Documentation> {
        Some(&self.documentation)
    }
}

fn cells_type() -> DataType {
    list_type(vec![
        ("case", DataType::Utf8View),
        ("truth", DataType::Utf8View),
        ("predicted", DataType::Utf8View),
        ("count", DataType::Int64),
    ])
}

#[derive(Debug)]
struct ClassificationAccumulator {
    counts: ClusteredConfusion,
    bytes: usize,
    clustered: bool,
    resampling: Option<Resampling>,
    evaluate: Evaluate,
}

impl ClassificationAccumulator {
    fn add(&mut self, case: &str, truth: &str, predicted: Option<&str>, count: u64) {
        // An upper bound: every row as if it were a cell of its own.
        self.bytes += case.len() + truth.len() + predicted.map_or(0, str::len) + 64;
        self.counts.add(case, truth, predicted, count);
    }
}

impl Accumulator for ClassificationAccumulator {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let (truths, predictions) = (text_column(&values[0])?, text_column(&values[1])?);
        let cases = if self.clustered {
            Some(text_column(&values[2])?)
        } else {
            None
        };
        for row in 0..truths.len() {
            let case = match &cases {
                Some(cases) => text_at(cases, row),
                None => Some(""),
            };
            if let (Some(case), Some(truth)) = (case, text_at(&truths, row)) {
                self.add(case, truth, text_at(&predictions, row), 1);
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        (self.evaluate)(&self.counts, self.resampling)
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.bytes
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let cells: Vec<_> = self.counts.cells().collect();
        let text = |of: &dyn Fn(usize) -> Option<String>| {
            Arc::new((0..cells.len()).map(of).collect::<StringViewArray>()) as ArrayRef
        };
        Ok(vec![list_scalar(vec![
            ("case", text(&|row| Some(cells[row].0.to_owned()))),
            ("truth", text(&|row| Some(cells[row].1.to_owned()))),
            ("predicted", text(&|row| cells[row].2.map(str::to_owned))),
            (
                "count",
                Arc::new(count_column(cells.iter().map(|cell| cell.3))),
            ),
        ])?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let lists = states[0].as_list::<i32>();
        for index in (0..lists.len()).filter(|index| lists.is_valid(*index)) {
            let items = lists.value(index);
            let Some(cells) = items.as_any().downcast_ref::<StructArray>() else {
                return internal_err!("the state of {:?} is no list of structs", self);
            };
            let (cases, truths, predictions) = (
                text_column(cells.column(0))?,
                text_column(cells.column(1))?,
                text_column(cells.column(2))?,
            );
            let counts: &Int64Array = cells.column(3).as_primitive::<Int64Type>();
            for row in 0..cells.len() {
                if let (Some(case), Some(truth)) = (text_at(&cases, row), text_at(&truths, row)) {
                    let count = counts.value(row).unsigned_abs();
                    self.add(case, truth, text_at(&predictions, row), count);
                }
            }
        }
        Ok(())
    }
}
