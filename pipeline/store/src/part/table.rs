//! A whole table into parts of a fixed size.

use consilium_core::PartEntry;

use super::{PartWriter, part_stem};
use crate::rows::TableRow;
use crate::{RunDirectory, StoreError};

/// Writes rows as parts numbered from `first_number`, each of
/// `rows_per_part` rows but the last; no rows make no part.
///
/// The caller adds the parts to the manifest and writes it: until then they do not count.
///
/// # Errors
/// When a row does not fit its table or a file cannot be written.
pub fn write_table<R: TableRow>(
    directory: &RunDirectory,
    shard_prefix: Option<&str>,
    first_number: u64,
    rows_per_part: u64,
    rows: impl IntoIterator<Item = R>,
) -> Result<Vec<PartEntry>, StoreError> {
    let mut parts = Vec::new();
    let mut open: Option<PartWriter<R>> = None;
    for row in rows {
        let mut part = if let Some(part) = open.take() {
            part
        } else {
            let number = first_number + parts.len() as u64;
            PartWriter::create(directory, &part_stem(shard_prefix, number))?
        };
        part.push(row)?;
        if part.rows() >= rows_per_part {
            parts.push(part.finish()?);
        } else {
            open = Some(part);
        }
    }
    if let Some(part) = open {
        parts.push(part.finish()?);
    }
    Ok(parts)
}
