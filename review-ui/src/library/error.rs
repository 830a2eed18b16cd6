//! Why runs cannot be read.

use std::error::Error;

/// Runs cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("read the runs: {message}")]
pub struct LibraryError {
    /// What failed, without case text; for the log, not for a page.
    pub message: String,
    /// What a page may say of it: what is wrong, where and what to do, without case text or folders.
    pub shown: Option<String>,
    /// What it failed of.
    #[source]
    pub source: Option<Box<dyn Error + Send + Sync>>,
}

impl LibraryError {
    /// An error without a cause of its own.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            shown: None,
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
            shown: None,
            source: Some(source.into()),
        }
    }

    /// The error with what a page may say of it.
    #[must_use]
    pub fn showing(mut self, text: impl Into<String>) -> Self {
        self.shown = Some(text.into());
        self
    }
}
