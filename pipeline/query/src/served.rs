//! Which models answered, and when.

use arrow::array::{Array as _, AsArray as _};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use consilium_core::ServedModel;
use datafusion::common::Result;
use datafusion::prelude::SessionContext;

/// Models kept at most: some servers give every reply a fingerprint of its own.
const MOST_MODELS: usize = 64;

/// Models that answered the calls of the registered run, in order of their first call. Replayed and
/// cached calls are left out: they were answered in another run.
///
/// # Errors
/// When the run's calls cannot be read.
pub async fn served_models(session: &SessionContext) -> Result<Vec<ServedModel>> {
    let batches = session
        .sql(&format!(
            "SELECT backend, model_returned, fingerprint, min(started_at) AS first, \
             max(started_at) AS last, count(*) AS n FROM calls WHERE tries > 0 AND NOT cache_hit AND \
             error_kind IS NULL GROUP BY backend, model_returned, fingerprint ORDER BY backend, first, \
             model_returned, fingerprint LIMIT {MOST_MODELS}"
        ))
        .await?
        .collect()
        .await?;
    let mut served = Vec::new();
    for batch in &batches {
        let text = |index: usize| cast(batch.column(index), &DataType::Utf8);
        let number = |index: usize| cast(batch.column(index), &DataType::Int64);
        let (backend, model, fingerprint) = (text(0)?, text(1)?, text(2)?);
        let (first, last, calls) = (number(3)?, number(4)?, number(5)?);
        for row in 0..batch.num_rows() {
            let optional = |column: &arrow::array::ArrayRef| {
                let column = column.as_string::<i32>();
                (!column.is_null(row)).then(|| column.value(row).to_owned())
            };
            served.push(ServedModel {
                backend: backend.as_string::<i32>().value(row).to_owned(),
                model: optional(&model),
                fingerprint: optional(&fingerprint),
                first_at: first.as_primitive::<Int64Type>().value(row),
                last_at: last.as_primitive::<Int64Type>().value(row),
                calls: calls.as_primitive::<Int64Type>().value(row).unsigned_abs(),
            });
        }
    }
    Ok(served)
}
