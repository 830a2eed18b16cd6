//! Parameters given as SQL literals.

use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::physical_expr::expressions::Literal;

/// Seed and number of replicates of a resampling aggregate, and its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Resampling {
    pub(super) seed: u64,
    pub(super) replicates: u32,
}

/// Level of every interval.
pub(super) const LEVEL: f64 = 0.95;

/// Replicates that one call may ask for.
const MOST_REPLICATES: u64 = 1_000_000;

/// Refuses `DISTINCT`, which would silently mean nothing.
pub(super) fn not_distinct(function: &str, args: &AccumulatorArgs) -> Result<()> {
    if args.is_distinct {
        return plan_err!("{function}: DISTINCT has no meaning here");
    }
    Ok(())
}

/// Reads seed and replicates, the two arguments that start at `first`.
pub(super) fn resampling(
    function: &str,
    args: &AccumulatorArgs,
    first: usize,
) -> Result<Resampling> {
    let seed = whole_number(function, "seed", args, first)?;
    let replicates = whole_number(function, "reps", args, first + 1)?;
    match u32::try_from(replicates) {
        Ok(count) if count > 0 && replicates <= MOST_REPLICATES => Ok(Resampling {
            seed,
            replicates: count,
        }),
        _ => plan_err!("{function}: reps must lie between 1 and {MOST_REPLICATES}"),
    }
}

fn whole_number(function: &str, name: &str, args: &AccumulatorArgs, index: usize) -> Result<u64> {
    let literal = args
        .exprs
        .get(index)
        .and_then(|expr| expr.downcast_ref::<Literal>());
    match literal.map(Literal::value) {
        Some(ScalarValue::Int64(Some(value))) if *value >= 0 => Ok(value.unsigned_abs()),
        Some(ScalarValue::UInt64(Some(value))) => Ok(*value),
        _ => plan_err!("{function}: {name} must be a whole number from 0, written out"),
    }
}
