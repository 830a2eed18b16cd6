//! What experts answer.

use serde::{Deserialize, Serialize};

/// A row of `votes`; systems are joined only through the panel's key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vote {
    /// Panel.
    pub panel: String,
    /// Packet that was rated.
    pub packet: String,
    /// Who rated, as a pseudonym.
    pub reviewer: String,
    /// What was rated.
    pub dimension: String,
    /// The answer.
    pub value: String,
    /// Revision of this answer, from 1.
    pub revision: u32,
    /// When, microseconds since the Unix epoch, UTC.
    pub at: i64,
    /// Time with the packet in view, milliseconds.
    pub active_ms: Option<u64>,
    /// Free remark.
    pub comment: Option<String>,
}
