//! The `[[scorer]]` and `[[table]]` tables.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How answers are scored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScorerSpec {
    /// What the scorer does.
    pub kind: ScorerKind,
    /// Name, unique in the study; the kind when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Datasets it scores; those of its answer form when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub datasets: Vec<String>,
    /// `label`, `judge`: table of alias and canonical label, tab-separated with a header line. A judge
    /// is not asked about answers that the table or their spelling settles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aliases: Option<PathBuf>,
    /// `label`: endings that do not distinguish labels, for example `证`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore_suffixes: Vec<String>,
    /// `text`, `embedding`: metrics to compute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metrics: Vec<String>,
    /// `text`, `embedding`: what answers are compared with; the reference where a case has one, else its gold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<TextTarget>,
    /// Judge-like scorers: backend that judges. `embedding`: backend whose `/embeddings` is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<String>,
    /// Judge-like scorers: named, versioned policy. `recorded`: who scored by what rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// `embedding`: local encoder, a folder in Hugging Face layout in `$CONSILIUM_MODELS` or the user's
    /// cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<String>,
    /// `embedding`: layer of `BERTScore`, 0 the embeddings of tokens; the one that is usual for an
    /// encoder of this name when absent, else the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<usize>,
    /// `embedding`: whether `BERTScore` weighs tokens by how rare they are in the dataset's references.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idf: bool,
    /// `embedding`: table of the scores of unrelated texts, by which `BERTScore` is rescaled; columns
    /// `LAYER`, `P`, `R` and `F`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
}

impl ScorerSpec {
    /// A scorer of this kind that says nothing else.
    pub fn of_kind(kind: ScorerKind) -> Self {
        Self {
            kind,
            name: None,
            datasets: Vec::new(),
            aliases: None,
            ignore_suffixes: Vec::new(),
            metrics: Vec::new(),
            against: None,
            backend: None,
            policy: None,
            encoder: None,
            layer: None,
            idf: false,
            baseline: None,
        }
    }

    /// The scorer's name.
    pub fn display_name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.kind.as_str())
    }
}

/// Kinds of scorers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScorerKind {
    /// Reads a letter and compares it.
    Choice,
    /// Reads a label and compares it.
    Label,
    /// Compares texts by metrics such as ROUGE.
    Text,
    /// Asks a model whether a diagnosis is the accepted one, under a named policy.
    Judge,
    /// Compares texts by what an encoder makes of them.
    Embedding,
    /// Gives back ready scores that an imported log brought along; `policy` says whose they are.
    Recorded,
}

impl ScorerKind {
    /// The name used in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Choice => "choice",
            Self::Label => "label",
            Self::Text => "text",
            Self::Judge => "judge",
            Self::Embedding => "embedding",
            Self::Recorded => "recorded",
        }
    }
}

/// What text metrics compare answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TextTarget {
    /// The reference answer in prose.
    Reference,
    /// The accepted answers, each a reference of its own.
    Gold,
}

impl TextTarget {
    /// The name used in files.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reference => "reference",
            Self::Gold => "gold",
        }
    }
}

/// One table of the report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableSpec {
    /// Name of a built-in table.
    pub preset: String,
    /// Heading in place of the preset's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `differences`: system that the others are compared with; the study's first when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
}
