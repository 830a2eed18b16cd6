//! The `[[dataset]]` table.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AnswerForm;

/// One set of cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatasetSpec {
    /// Name, unique in the study; part of every sample's key.
    pub name: String,
    /// Which adapter reads the file, for example `pubmedqa`, or `table` with `fields`.
    pub adapter: String,
    /// File to read.
    pub path: PathBuf,
    /// File format; told from the name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<FileFormat>,
    /// Kind of answer; adapters know theirs, `table` needs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_form: Option<AnswerForm>,
    /// Language of the text where the rows do not say, `en` unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Case column ← source column, for the adapter `table`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, FieldSource>,
    /// Columns of the case schema and the values to keep.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub filter: BTreeMap<String, FilterValues>,
    /// SQL predicate over the case schema, for what `filter` cannot say.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub predicate: Option<String>,
    /// Size of a seeded draw; never the first rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Column within whose values the draw is proportional.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stratify: Option<String>,
    /// Whether a malformed row ends the run instead of being counted and skipped.
    #[serde(default)]
    pub strict: bool,
}

/// File formats; each may be gzip-compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileFormat {
    /// One JSON object per line.
    Jsonl,
    /// One JSON array of objects, or one object of objects whose keys are identifiers.
    Json,
    /// Comma-separated values with a header line.
    Csv,
    /// Tab-separated values with a header line.
    Tsv,
    /// Apache Parquet.
    Parquet,
}

/// Where a case column comes from: a source column's name, or a rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FieldSource {
    /// The source column as it is.
    Column(String),
    /// A source column, reworked.
    Rule(FieldRule),
}

/// A reworked source column. Steps apply in the order of the fields below.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldRule {
    /// The same value for every row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<serde_json::Value>,
    /// Source column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Source columns that together make a list; empty cells are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// JSON pointer (RFC 6901) into the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// Separator that makes a list of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// Regular expression; its first group is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<String>,
    /// Value ← source value; a value that is not listed makes the row malformed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub map: BTreeMap<String, String>,
}

/// One value or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FilterValues {
    /// Exactly this value.
    One(String),
    /// Any of these.
    Any(Vec<String>),
}

impl FilterValues {
    /// The accepted values.
    pub fn values(&self) -> &[String] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Any(values) => values,
        }
    }
}
