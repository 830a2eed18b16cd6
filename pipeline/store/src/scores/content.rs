//! Whose scores a part holds, from its footer.

use std::fs::File;
use std::path::Path;

use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::file::statistics::Statistics;

use crate::StoreError;

/// Whose scores a part holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// One metric of one scorer.
    Only {
        /// The scorer.
        scorer: String,
        /// The metric.
        metric: String,
    },
    /// Several, or names too long for a footer.
    Mixed,
}

pub(super) fn content_of(path: &Path) -> Result<Content, StoreError> {
    let file = File::open(path).map_err(StoreError::io("read", path))?;
    let metadata = ParquetMetaDataReader::new()
        .parse_and_finish(&file)
        .map_err(StoreError::part("read", path))?;
    Ok(
        match (only(&metadata, "scorer"), only(&metadata, "metric")) {
            (Some(scorer), Some(metric)) => Content::Only { scorer, metric },
            _ => Content::Mixed,
        },
    )
}

/// The value that a column has in every row.
fn only(metadata: &ParquetMetaData, column: &str) -> Option<String> {
    let mut values = metadata.row_groups().iter().map(|group| {
        let chunk = group
            .columns()
            .iter()
            .find(|chunk| chunk.column_path().string() == column)?;
        let Some(Statistics::ByteArray(statistics)) = chunk.statistics() else {
            return None;
        };
        let exact = statistics.min_is_exact() && statistics.max_is_exact();
        let (least, most) = (statistics.min_opt()?, statistics.max_opt()?);
        let same = exact && least == most && statistics.null_count_opt() == Some(0);
        same.then(|| least.as_utf8().ok().map(str::to_owned))?
    });
    let first = values.next()??;
    values
        .all(|value| value.as_ref() == Some(&first))
        .then_some(first)
}
