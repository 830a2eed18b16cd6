//! Samples that failed for lack of infrastructure.

use std::collections::BTreeSet;

use arrow::array::AsArray as _;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type, Int64Type};
use consilium_core::{Outcome, SampleKey};
use datafusion::common::Result;
use datafusion::prelude::SessionContext;

/// SQL condition: the outcome says nothing about the model, as [`Outcome::is_infrastructure`] has it.
pub fn infrastructure_failed() -> String {
    let outcomes: Vec<String> = Outcome::ALL
        .into_iter()
        .filter(|outcome| outcome.is_infrastructure())
        .map(|outcome| format!("'{outcome}'"))
        .collect();
    format!("outcome IN ({})", outcomes.join(", "))
}

/// Failed samples of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedSamples {
    /// Kind of the failure.
    pub kind: String,
    /// How many.
    pub samples: u64,
    /// The message of one of them.
    pub example: String,
}

/// Failed samples of the registered runs by kind, the most frequent first.
///
/// # Errors
/// When the run's tables cannot be read.
pub async fn failed_samples(session: &SessionContext) -> Result<Vec<FailedSamples>> {
    let batches = session
        .sql(&format!(
            "SELECT coalesce(error_kind, 'unknown') AS kind, count(*) AS n, \
             coalesce(min(error), 'no message') AS example FROM samples WHERE {} GROUP BY kind ORDER BY \
             n DESC, kind",
            infrastructure_failed()
        ))
        .await?
        .collect()
        .await?;
    let mut failures = Vec::new();
    for batch in &batches {
        let kinds = cast(batch.column(0), &DataType::Utf8)?;
        let counts = cast(batch.column(1), &DataType::Int64)?;
        let examples = cast(batch.column(2), &DataType::Utf8)?;
        for row in 0..batch.num_rows() {
            failures.push(FailedSamples {
                kind: kinds.as_string::<i32>().value(row).to_owned(),
                samples: counts.as_primitive::<Int64Type>().value(row).unsigned_abs(),
                example: examples.as_string::<i32>().value(row).to_owned(),
            });
        }
    }
    Ok(failures)
}

/// Keys of the samples of a work session whose last attempt failed.
///
/// # Errors
/// When the run's samples cannot be read.
pub async fn failed_keys(session: &SessionContext) -> Result<BTreeSet<SampleKey>> {
    let batches = session
        .sql(&format!(
            "SELECT dataset, case_id, system, epoch FROM latest WHERE {}",
            infrastructure_failed()
        ))
        .await?
        .collect()
        .await?;
    let mut keys = BTreeSet::new();
    for batch in &batches {
        let text = |index: usize| cast(batch.column(index), &DataType::Utf8);
        let (dataset, case_id, system) = (text(0)?, text(1)?, text(2)?);
        let epoch = cast(batch.column(3), &DataType::Int32)?;
        for row in 0..batch.num_rows() {
            keys.insert(SampleKey::new(
                dataset.as_string::<i32>().value(row),
                case_id.as_string::<i32>().value(row),
                system.as_string::<i32>().value(row),
                epoch.as_primitive::<Int32Type>().value(row).unsigned_abs(),
            ));
        }
    }
    Ok(keys)
}
