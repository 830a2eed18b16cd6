//! The attempt a row belongs to.

use consilium_core::SampleKey;

use super::Columns;
use crate::DecodeError;

/// One attempt at a sample.
pub(crate) type AttemptKey = (SampleKey, u32);

/// Calls `visit` with the attempt of every row.
pub(crate) fn for_each_attempt(
    columns: &Columns<'_>,
    rows: usize,
    mut visit: impl FnMut(AttemptKey, usize) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let dataset = columns.text("dataset")?;
    let case_id = columns.text("case_id")?;
    let system = columns.text("system")?;
    let epoch = columns.integer("epoch")?;
    let attempt = columns.integer("attempt")?;
    for row in 0..rows {
        let key = SampleKey::new(
            dataset.value(row)?,
            case_id.value(row)?,
            system.value(row)?,
            epoch.required(row)?,
        );
        visit((key, attempt.required(row)?), row)?;
    }
    Ok(())
}
