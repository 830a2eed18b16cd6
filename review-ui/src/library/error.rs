//! Why runs cannot be read.

use std::error::Error;

/// Runs cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("read the runs: {message}")]
pub struct LibraryError {
    /// What failed, without case text; for the log, not for a page.
    pub message: String,
    /// What it failed of.
    #[source]
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl LibraryError {
    /// An error without a cause of its own.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// An error with its cause.
    pub fn because(
        message: impl Into<String>,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        Self {
            message: message.into(),
            source: Some(source.into()),
        }
    }
}
