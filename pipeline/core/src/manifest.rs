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
    /// Start, microseconds since the Unix epoch, UTC.
    pub created_at: i64,
    /// End of the last execution, microseconds since the Unix epoch, UTC.
    pub finished_at: Option<i64>,
    /// First journal segment that is not yet in the parts.
    pub journal_from: u64,
    /// Committed parts.
    pub parts: Vec<PartEntry>,
}
