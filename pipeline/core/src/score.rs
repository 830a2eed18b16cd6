//! What scorers conclude.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A row of `scores`: one value of one metric for one sample.
///
/// `value` is NULL with a `reason` when the sample says nothing (infrastructure failed, the judge
/// failed). An answer that cannot be read, a refusal and the like count as wrong: value 0 with a
/// `reason`, so that complete-case values are those with a NULL reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoreRow {
    /// Key: dataset.
    pub dataset: String,
    /// Key: case.
    pub case_id: String,
    /// Key: system.
    pub system: String,
    /// Key: repetition, from 1.
    pub epoch: u32,
    /// The attempt that was scored.
    pub attempt: u32,
    /// Name of the scorer in the study.
    pub scorer: String,
    /// Name of the metric, `correct` for choice, label and judge.
    pub metric: String,
    /// The value; NULL with a reason when missing.
    pub value: Option<f64>,
    /// The label or letter that was read from the answer.
    pub predicted: Option<String>,
    /// The gold label or letter.
    pub truth: Option<String>,
    /// The rule that found it, for example `letter.parenthesised`.
    pub rule: Option<String>,
    /// Why the value is missing or why the answer counts as wrong without being read.
    pub reason: Option<String>,
    /// Integer statistics, laid out as the signature says; NULL for metrics that do not add up.
    pub stats: Option<Vec<i64>>,
    /// What must match before two values may be compared.
    pub signature: String,
    /// The span the rule matched, or a judge's explanation.
    pub explanation: Option<String>,
}

/// Ready scores that came with an imported log, by metric, as the `payload` of a sample keeps them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedScores {
    /// By metric.
    pub scores: BTreeMap<String, RecordedScore>,
}

/// One ready score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedScore {
    /// The value.
    pub value: f64,
    /// Why the answer counts as wrong without being read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What stood in the log.
    pub recorded: String,
}
