//! The identity of a sample.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Identifies one execution of a case by a system: (dataset, case, system, epoch).
///
/// The parts are opaque text: never used as file names, never parsed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SampleKey {
    /// Name of the dataset in the study.
    pub dataset: Arc<str>,
    /// Identifier of the case in its dataset.
    pub case_id: Arc<str>,
    /// Name of the system.
    pub system: Arc<str>,
    /// Repetition index, from 1.
    pub epoch: u32,
}

impl SampleKey {
    /// Builds a key from its parts.
    pub fn new(
        dataset: impl Into<Arc<str>>,
        case_id: impl Into<Arc<str>>,
        system: impl Into<Arc<str>>,
        epoch: u32,
    ) -> Self {
        Self {
            dataset: dataset.into(),
            case_id: case_id.into(),
            system: system.into(),
            epoch,
        }
    }
}

impl fmt::Display for SampleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} / {} / {} / epoch {}",
            self.dataset, self.case_id, self.system, self.epoch
        )
    }
}
