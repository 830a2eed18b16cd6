//! The `[[system]]` and `[[matrix]]` tables.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::GenerationSpec;

/// Variant flags of a solver.
pub type Variant = BTreeMap<String, Value>;

/// What is compared: a solver with its flags and backends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SystemSpec {
    /// Name, unique in the study; part of every sample's key.
    pub name: String,
    /// Strategy that turns a case into an answer.
    pub solver: String,
    /// Backend of every role without one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// Backend by role.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub role_backends: BTreeMap<String, String>,
    /// Flags of the solver; `preset` names a set of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variant: Variant,
    /// Generation settings over those of the backend.
    #[serde(default)]
    pub generation: GenerationSpec,
    /// Datasets it runs on; all when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub datasets: Vec<String>,
}

impl SystemSpec {
    /// Whether the system runs on a dataset.
    pub fn runs_on(&self, dataset: &str) -> bool {
        self.datasets.is_empty() || self.datasets.iter().any(|name| name == dataset)
    }
}

/// A grid over one system's flags; the base itself does not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MatrixSpec {
    /// Name of the base system.
    pub system: String,
    /// Name of the produced systems, with `{flag}` for values.
    pub name: String,
    /// Flag sets, one produced system each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<Variant>,
    /// Flags and their values; every combination is produced.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub axes: BTreeMap<String, Vec<Value>>,
}
