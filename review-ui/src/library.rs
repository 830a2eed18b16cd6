//! How pages get at runs.

use std::fmt::Debug;

/// A list entry of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCard {
    /// Name of the run.
    pub name: String,
    /// Name of its study.
    pub study: String,
    /// Samples planned.
    pub planned: u64,
    /// Start, microseconds since the Unix epoch, UTC.
    pub created_at: i64,
}

/// Runs cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("read the runs: {message}")]
pub struct LibraryError {
    /// What failed; for the log, not for a page.
    pub message: String,
}

/// The runs that pages may show.
pub trait RunLibrary: Debug + Send + Sync {
    /// Every run, the newest first.
    ///
    /// # Errors
    /// When the folder of the runs cannot be read.
    fn list(&self) -> Result<Vec<RunCard>, LibraryError>;
}
