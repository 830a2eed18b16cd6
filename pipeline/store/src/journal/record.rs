//! One line of the journal: `{"call": …}`, `{"event": …}` or `{"sample": …}`.
//!
//! The events of a sample stand before it, so that a sample that is there has all of them.

use std::sync::Arc;

use consilium_core::{CallRow, EventRow, SampleRow};
use serde::{Deserialize, Serialize};

/// A line to write.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Line<'a> {
    Call(&'a CallRow),
    Event(&'a EventRow),
    Sample(&'a SampleRow),
}

impl Line<'_> {
    /// Appends the line with its newline.
    pub(crate) fn append_to(self, lines: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        serde_json::to_writer(&mut *lines, &self)?;
        lines.push(b'\n');
        Ok(())
    }
}

/// A line that was read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Record {
    Call(Arc<CallRow>),
    Event(Box<EventRow>),
    Sample(Box<SampleRow>),
}
