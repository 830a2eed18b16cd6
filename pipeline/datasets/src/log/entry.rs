//! What one row of a log says about one sample.

use std::collections::BTreeMap;

use consilium_core::{Case, Outcome, RecordedScores};

use crate::error::Place;

/// One recorded sample.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEntry {
    /// Position of the file among those given.
    pub file: usize,
    /// Where the row stands.
    pub place: Place,
    /// The case that was asked.
    pub case_id: String,
    /// The system that answered.
    pub system: String,
    /// Which repetition, from 1.
    pub epoch: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// The answer, when the log holds answers.
    pub answer: Option<String>,
    /// The ready scores, when the log holds scores.
    pub scores: Option<RecordedScores>,
    /// Subgroup labels of the case that the log adds.
    pub labels: BTreeMap<String, String>,
    /// The case, when the log holds the cases as well.
    pub case: Option<Case>,
}
