//! What happened inside a sample.

use serde::{Deserialize, Serialize};

/// A row of `events`: one entry of a sample's transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// Key: dataset.
    pub dataset: String,
    /// Key: case.
    pub case_id: String,
    /// Key: system.
    pub system: String,
    /// Key: repetition, from 1.
    pub epoch: u32,
    /// The try at this sample, from 1.
    pub attempt: u32,
    /// Position in the transcript, from 0.
    pub seq: u32,
    /// Round of a multi-round solver.
    pub round: Option<u32>,
    /// Agent role that speaks.
    pub agent: String,
    /// `question`, `answer`, `predictions`, `summary`, `vote`, `retrieval`, `judge`, `final`, ….
    pub kind: String,
    /// What is said.
    pub content: Option<String>,
    /// Structured part as JSON text.
    pub payload: Option<String>,
}
