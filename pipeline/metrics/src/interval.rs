//! The two ends of an interval estimate.

use serde::{Deserialize, Serialize};

/// A confidence interval with both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end; never below `low`.
    pub high: f64,
}

/// Whether `level` can be a confidence level, that is, lies strictly between 0 and 1.
pub(crate) fn is_level(level: f64) -> bool {
    level > 0.0 && level < 1.0
}
