//! What a run says about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the run directory's format that this build writes and the newest it reads.
pub const FORMAT_VERSION: u32 = 1;

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Being written, or stopped without being able to say so.
    Running,
    /// Stopped with samples missing; running it again continues.
    Incomplete,
    /// Every planned sample has an outcome.
    Complete,
}

/// One immutable file of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartEntry {
    /// Path inside the run, with `/`.
    pub path: String,
    /// Rows.
    pub rows: u64,
    /// Size.
    pub bytes: u64,
    /// Hash of the file.
    pub sha256: String,
}

/// A file or folder the run depends on, and its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceEntry {
    /// Path as the study gives it.
    pub path: String,
    /// Hash of its bytes.
    pub sha256: String,
}

/// What was read of one dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetEntry {
    /// Name in the study.
    pub name: String,
    /// File and hash.
    pub source: SourceEntry,
    /// Rows of the file that became cases, before filter and limit.
    pub rows: u64,
    /// Malformed rows that were skipped.
    pub malformed: u64,
    /// Cases in the study after filter and limit.
    pub selected: u64,
    /// Hash of the selected identifiers in order, so that a draw can be compared.
    pub selected_sha256: String,
    /// Terms of the card whose file this is, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<String>,
}

/// One model as a backend named it, and when it answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServedModel {
    /// Name of the backend in the study.
    pub backend: String,
    /// Model that answered, as the server names it.
    pub model: Option<String>,
    /// System fingerprint, when the server gives one.
    pub fingerprint: Option<String>,
    /// First call, microseconds since the Unix epoch, UTC.
    pub first_at: i64,
    /// Last call, microseconds since the Unix epoch, UTC.
    pub last_at: i64,
    /// Calls it answered.
    pub calls: u64,
}

/// What a backend answered to one fixed question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CanaryAnswer {
    /// Name of the backend in the study.
    pub backend: String,
    /// Number of the question, from 0.
    pub question: u32,
    /// When it was asked, microseconds since the Unix epoch, UTC.
    pub asked_at: i64,
    /// Hash of the answer; NULL when there was none.
    pub answer_sha256: Option<String>,
    /// Model that answered, as the server names it.
    pub model: Option<String>,
    /// System fingerprint, when the server gives one.
    pub fingerprint: Option<String>,
}

/// Whether the models of a run stayed the same while they were asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DriftRecord {
    /// Models that answered, by backend, in order of their first call.
    pub served: Vec<ServedModel>,
    /// Answers to the fixed questions, in the order in which they were asked.
    pub canaries: Vec<CanaryAnswer>,
}

impl DriftRecord {
    /// Whether nothing is recorded.
    pub const fn is_empty(&self) -> bool {
        self.served.is_empty() && self.canaries.is_empty()
    }

    /// Backends that answered as more than one model or fingerprint, each with its models in order.
    pub fn changed(&self) -> Vec<(&str, Vec<&ServedModel>)> {
        let mut backends: Vec<(&str, Vec<&ServedModel>)> = Vec::new();
        for served in &self.served {
            match backends
                .iter_mut()
                .find(|(backend, _)| *backend == served.backend)
            {
                Some((_, models)) => models.push(served),
                None => backends.push((&served.backend, vec![served])),
            }
        }
        backends.retain(|(_, models)| models.len() > 1);
        backends
    }

    /// Fixed questions that a backend did not always answer alike: backend and question.
    pub fn changed_canaries(&self) -> Vec<(&str, u32)> {
        let mut changed: Vec<(&str, u32)> = Vec::new();
        for (at, canary) in self.canaries.iter().enumerate() {
            let name = (canary.backend.as_str(), canary.question);
            let differs = self.canaries[..at].iter().any(|earlier| {
                earlier.backend == canary.backend
                    && earlier.question == canary.question
                    && earlier.answer_sha256.is_some()
                    && canary.answer_sha256.is_some()
                    && earlier.answer_sha256 != canary.answer_sha256
            });
            if differs && !changed.contains(&name) {
                changed.push(name);
            }
        }
        changed
    }
}

/// `manifest.json` of a run: written at the start and again last in every commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunManifest {
    /// Format of the directory; see [`FORMAT_VERSION`].
    pub format_version: u32,
    /// Name of the run.
    pub run: String,
    /// State.
    pub status: RunStatus,
    /// Name of the study.
    pub study_name: String,
    /// The resolved study without secrets.
    pub study: Value,
    /// Hash of what identifies the study: limits, prices and command-line selections are outside.
    pub study_sha256: String,
    /// Seed of the study.
    pub seed: u64,
    /// Repetitions of every case.
    pub epochs: u32,
    /// Systems after matrix expansion, in order.
    pub systems: Vec<String>,
    /// Samples planned: selected cases × systems × epochs.
    pub planned: u64,
    /// Datasets.
    pub datasets: Vec<DatasetEntry>,
    /// Hash of every prompt template used.
    pub prompts: BTreeMap<String, String>,
    /// Hash of every store (knowledge, training, alias file) used.
    pub stores: BTreeMap<String, String>,
    /// Signature of every scorer.
    pub signatures: BTreeMap<String, String>,
    /// Git revision of the working directory, when there is one.
    pub git_revision: Option<String>,
    /// Version of the program.
    pub tool_version: String,
    /// Whether the models stayed the same.
    #[serde(default, skip_serializing_if = "DriftRecord::is_empty")]
    pub drift: DriftRecord,
    /// Runs of the same study that began earlier, in that order. Where there are any, this one is a
    /// sensitivity set: the headline numbers are those of the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rerun_of: Vec<String>,
    /// Start, microseconds since the Unix epoch, UTC.
    pub created_at: i64,
    /// End of the last execution, microseconds since the Unix epoch, UTC.
    pub finished_at: Option<i64>,
    /// First journal segment that is not yet in the parts.
    pub journal_from: u64,
    /// Committed parts.
    pub parts: Vec<PartEntry>,
}

impl RunManifest {
    /// Key in [`Self::stores`] of the expert-labelled subset that a judge scorer was compared with;
    /// while it is absent, every table that shows the judge's scores says that it is not validated.
    pub fn judge_validation_key(scorer: &str) -> String {
        format!("judge-validation/{scorer}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served(backend: &str, fingerprint: &str, first_at: i64) -> ServedModel {
        ServedModel {
            backend: backend.to_owned(),
            model: Some("m".to_owned()),
            fingerprint: Some(fingerprint.to_owned()),
            first_at,
            last_at: first_at + 1,
            calls: 3,
        }
    }

    fn canary(question: u32, asked_at: i64, answer: Option<&str>) -> CanaryAnswer {
        CanaryAnswer {
            backend: "b".to_owned(),
            question,
            asked_at,
            answer_sha256: answer.map(str::to_owned),
            model: None,
            fingerprint: None,
        }
    }

    #[test]
    fn a_change_of_model_or_answer_is_told() {
        let drift = DriftRecord {
            served: vec![
                served("b", "x", 1),
                served("b", "y", 5),
                served("c", "z", 2),
            ],
            canaries: vec![
                canary(0, 1, Some("p")),
                canary(1, 1, Some("q")),
                canary(2, 1, None),
                canary(0, 9, Some("p")),
                canary(1, 9, Some("r")),
                canary(2, 9, Some("s")),
            ],
        };
        let changed = drift.changed();
        assert_eq!(changed.len(), 1);
        assert_eq!((changed[0].0, changed[0].1.len()), ("b", 2));
        assert_eq!(drift.changed_canaries(), [("b", 1)]);
        assert!(DriftRecord::default().is_empty());
    }
}
