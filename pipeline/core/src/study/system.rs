//! The `[[system]]` and `[[matrix]]` tables.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{DatasetSpec, FieldSource, FileFormat, GenerationSpec};

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
    /// Labelled examples of solvers that learn from them: `majority`, `nearest`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub training: Vec<TrainingSpec>,
}

/// A file of labelled cases that a system learns from; never the cases it is evaluated on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainingSpec {
    /// Dataset of the study whose cases are answered from it; may be left out where the system runs
    /// on one dataset only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// File to read.
    pub path: PathBuf,
    /// Adapter that reads it; that of the dataset when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// File format; told from the name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<FileFormat>,
    /// Case column ← source column for the adapter `table`; those of the dataset when absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, FieldSource>,
}

impl TrainingSpec {
    /// The file as a dataset, read as the dataset that it serves unless it says otherwise.
    pub fn as_dataset(&self, served: &DatasetSpec) -> DatasetSpec {
        let own_adapter = self.adapter.is_some();
        DatasetSpec {
            path: self.path.clone(),
            adapter: self
                .adapter
                .clone()
                .unwrap_or_else(|| served.adapter.clone()),
            format: self.format,
            fields: if self.fields.is_empty() && !own_adapter {
                served.fields.clone()
            } else {
                self.fields.clone()
            },
            filter: BTreeMap::new(),
            predicate: None,
            limit: None,
            stratify: None,
            ..served.clone()
        }
    }
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
