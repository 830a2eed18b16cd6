//! One execution of a case by a system.

use serde::{Deserialize, Serialize};

use crate::{ErrorKind, Outcome, SampleKey};

/// A row of `samples`: how one attempt at a sample ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleRow {
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
    /// How it ended.
    pub outcome: Outcome,
    /// The answer as the solver gives it; NULL when there is none.
    pub answer: Option<String>,
    /// Solver-specific facts as JSON text.
    pub payload: Option<String>,
    /// Rounds of a multi-round solver.
    pub rounds: Option<u32>,
    /// Why a multi-round solver stopped.
    pub stop_reason: Option<String>,
    /// Number of model calls, replayed ones included.
    pub calls: u32,
    /// Sum over calls; NULL when any call did not report it.
    pub prompt_tokens: Option<u64>,
    /// Sum over calls; NULL when any call did not report it.
    pub completion_tokens: Option<u64>,
    /// Sum over calls, US dollars; NULL when a call has no price.
    pub cost_usd: Option<f64>,
    /// Start, microseconds since the Unix epoch, UTC.
    pub started_at: i64,
    /// Duration, milliseconds.
    pub wall_ms: u64,
    /// Kind of the failure, when one ended the sample.
    pub error_kind: Option<ErrorKind>,
    /// Message of the failure; never holds case text or keys.
    pub error: Option<String>,
}

impl SampleRow {
    /// A row of which only the key, the attempt and the outcome are known.
    pub fn bare(
        dataset: &str,
        case_id: &str,
        system: &str,
        epoch: u32,
        attempt: u32,
        outcome: Outcome,
    ) -> Self {
        Self {
            dataset: dataset.to_owned(),
            case_id: case_id.to_owned(),
            system: system.to_owned(),
            epoch,
            attempt,
            outcome,
            answer: None,
            payload: None,
            rounds: None,
            stop_reason: None,
            calls: 0,
            prompt_tokens: None,
            completion_tokens: None,
            cost_usd: None,
            started_at: 0,
            wall_ms: 0,
            error_kind: None,
            error: None,
        }
    }

    /// The sample's key.
    pub fn key(&self) -> SampleKey {
        SampleKey::new(
            self.dataset.as_str(),
            self.case_id.as_str(),
            self.system.as_str(),
            self.epoch,
        )
    }
}
