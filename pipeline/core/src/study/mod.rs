//! The study file: one TOML document that says what to compare.
//!
//! These types are the grammar; `consilium check --schema` publishes their JSON Schema. Keys that
//! are not listed here are refused. Paths are relative to the study file.

mod backend;
mod dataset;
mod expand;
mod scorer;
mod system;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use backend::{
    AccuracyRule, BackendKind, BackendSpec, GenerationSpec, LimitSpec, PriceSpec, ReplayMatch,
    SimulatedAccuracy, StructuredOutput,
};
pub use dataset::{DatasetSpec, FieldRule, FieldSource, FileFormat, FilterValues};
pub use expand::ExpandError;
pub use scorer::{ScorerKind, ScorerSpec, TableSpec, TextTarget};
pub use system::{MatrixSpec, SystemSpec, TrainingSpec, Variant};

/// A whole study file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Study {
    /// Name, seed and repetitions.
    pub study: StudyHead,
    /// What is asked.
    #[serde(default)]
    pub dataset: Vec<DatasetSpec>,
    /// Models that answer.
    #[serde(default)]
    pub backend: Vec<BackendSpec>,
    /// What is compared.
    #[serde(default)]
    pub system: Vec<SystemSpec>,
    /// Grids over a system's variant flags.
    #[serde(default)]
    pub matrix: Vec<MatrixSpec>,
    /// How answers are scored.
    #[serde(default)]
    pub scorer: Vec<ScorerSpec>,
    /// Optional hard stop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetSpec>,
    /// Watching whether a model stays the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftSpec>,
    /// Tables of the report; the standard set when none is named.
    #[serde(default)]
    pub table: Vec<TableSpec>,
}

/// The `[study]` table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StudyHead {
    /// Name; the first part of a run's name. Letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Seed of every draw, simulated answer and interval.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Repetitions of every case, from 1.
    #[serde(default = "default_epochs")]
    pub epochs: u32,
    /// Whether the run only evaluates or also fills experience stores.
    #[serde(default)]
    pub mode: Mode,
    /// Share of samples that may fail before the exit code is 1.
    #[serde(default)]
    pub tolerance: f64,
    /// Longest time one sample may take, seconds, waiting for limits included; it then ends with
    /// outcome `timeout`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_timeout_s: Option<f64>,
    /// Model calls one sample may make, repairs included; it then ends with outcome `budget`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_calls: Option<u32>,
    /// Folder whose prompt files replace the built-in ones of the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<PathBuf>,
}

fn default_seed() -> u64 {
    1
}

fn default_epochs() -> u32 {
    1
}

/// What a run may change besides its own tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Gold is only scored against.
    #[default]
    Evaluate,
    /// Training reviewers see gold and fill experience stores.
    Train,
}

/// The `[drift]` table: whether a model stays the same while it is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DriftSpec {
    /// Fixed questions, at most 8, put to every backend before and after each execution; their
    /// answers are compared in the manifest and are no part of any sample.
    pub canaries: u32,
}

/// The `[budget]` table: no call of a system is started that could exceed it. Calls of judge scorers
/// are recorded with their cost but are not bound by it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetSpec {
    /// US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Model calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// Tokens, prompt and completion together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}
