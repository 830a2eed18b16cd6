//! Scorers: sample → score rows. Pure functions of the recorded answer and the case's gold.

// Patterns here use ASCII word boundaries, `(?-u:\b)`: the Unicode ones keep the regex crate from
// its fast engine on any text that is not ASCII, and made reading 2.4 times slower.
mod choice;
mod comparison;
mod conclusion;
mod embedding;
pub mod encoder;
mod extraction;
mod fold;
mod json_field;
pub mod judge;
mod keyword;
mod label;
mod mention;
mod recorded;
mod row;
mod sentence;
mod stance;
mod text;

use std::path::Path;

use consilium_core::AnswerForm;
use consilium_core::study::{ScorerKind, ScorerSpec};
use consilium_runner::Scorer;
use consilium_runner::prompt::PromptError;

pub use choice::{ChoiceScorer, read_choice};
pub use embedding::{ComparedAnswers, EmbeddingScorer};
pub use extraction::Extraction;
pub use label::{AliasError, AliasTable, LabelScorer};
pub use recorded::RecordedScorer;
pub use text::{TextScorer, UnknownMetric};

use crate::encoder::ModelError;

/// Samples that one thread scores at a time.
const BATCH: usize = 64;

/// A scorer that cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum ScorerError {
    /// A key that this kind of scorer does not use.
    #[error("set up scorer '{scorer}': a scorer of kind {kind} has no use for `{key}`; remove it")]
    UnusedKey {
        /// Name of the scorer.
        scorer: String,
        /// Its kind as written in the study.
        kind: &'static str,
        /// The key.
        key: &'static str,
    },
    /// The alias table cannot be used.
    #[error("set up scorer '{scorer}'")]
    Aliases {
        /// Name of the scorer.
        scorer: String,
        /// Why.
        #[source]
        source: AliasError,
    },
    /// A key without which this kind of scorer makes no sense.
    #[error("set up scorer '{scorer}': a scorer of kind {kind} needs `{key}`; add it")]
    MissingKey {
        /// Name of the scorer.
        scorer: String,
        /// Its kind as written in the study.
        kind: &'static str,
        /// The key.
        key: &'static str,
    },
    /// The judge's policy cannot be used.
    #[error("set up scorer '{scorer}'")]
    Policy {
        /// Name of the scorer.
        scorer: String,
        /// Why.
        #[source]
        source: judge::PolicyError,
    },
    /// The judge's prompt cannot be filled in.
    #[error("set up scorer '{scorer}'")]
    Prompt {
        /// Name of the scorer.
        scorer: String,
        /// Why.
        #[source]
        source: PromptError,
    },
    /// A scorer that asks a model where none is at hand.
    #[error("set up scorer '{scorer}': a scorer of kind {kind} needs its model")]
    NeedsModel {
        /// Name of the scorer.
        scorer: String,
        /// Its kind as written in the study.
        kind: &'static str,
    },
    /// The encoder or its baseline cannot be used.
    #[error("set up scorer '{scorer}'")]
    Encoder {
        /// Name of the scorer.
        scorer: String,
        /// Why.
        #[source]
        source: ModelError,
    },
    /// A metric is not known.
    #[error("set up scorer '{scorer}'")]
    Metric {
        /// Name of the scorer.
        scorer: String,
        /// Which one.
        #[source]
        source: UnknownMetric,
    },
}

/// Checks a study's entry and tells which forms of answer it scores; needs no backend.
///
/// # Errors
/// When a key is missing, unknown or not used by the kind, or a file cannot be read.
pub fn answer_forms(
    spec: &ScorerSpec,
    study_folder: &Path,
) -> Result<Vec<AnswerForm>, ScorerError> {
    if spec.kind == ScorerKind::Judge {
        check_keys(spec)?;
        judge::check(spec, study_folder)?;
        return Ok(vec![AnswerForm::Diagnosis]);
    }
    if spec.kind == ScorerKind::Embedding {
        check_keys(spec)?;
        embedding::check(spec, study_folder)?;
        return Ok(vec![AnswerForm::Text]);
    }
    let scorer = build(spec, study_folder)?;
    let forms = [
        AnswerForm::Choice,
        AnswerForm::Label,
        AnswerForm::Diagnosis,
        AnswerForm::Text,
    ];
    Ok(forms
        .into_iter()
        .filter(|form| scorer.applies(*form))
        .collect())
}

fn check_keys(spec: &ScorerSpec) -> Result<(), ScorerError> {
    let kind = spec.kind;
    let is_judge = kind == ScorerKind::Judge;
    let is_label = kind == ScorerKind::Label;
    let is_embedding = kind == ScorerKind::Embedding;
    let has_texts = kind == ScorerKind::Text || is_embedding;
    let has_policy = is_judge || kind == ScorerKind::Recorded;
    let unused = [
        ("aliases", spec.aliases.is_some() && !is_label && !is_judge),
        (
            "ignore_suffixes",
            !spec.ignore_suffixes.is_empty() && !is_label,
        ),
        ("metrics", !spec.metrics.is_empty() && !has_texts),
        ("against", spec.against.is_some() && !has_texts),
        (
            "backend",
            spec.backend.is_some() && !is_judge && !(is_embedding && spec.encoder.is_none()),
        ),
        ("policy", spec.policy.is_some() && !has_policy),
        ("encoder", spec.encoder.is_some() && !is_embedding),
        ("layer", spec.layer.is_some() && !is_embedding),
        ("idf", spec.idf && !is_embedding),
        ("baseline", spec.baseline.is_some() && !is_embedding),
    ];
    if is_embedding && spec.encoder.is_none() && spec.backend.is_none() {
        return Err(ScorerError::MissingKey {
            scorer: spec.display_name().to_owned(),
            kind: kind.as_str(),
            key: "encoder",
        });
    }
    match unused.into_iter().find(|(_, given)| *given) {
        Some((key, _)) => Err(ScorerError::UnusedKey {
            scorer: spec.display_name().to_owned(),
            kind: spec.kind.as_str(),
            key,
        }),
        None => Ok(()),
    }
}

/// Builds the scorer of a study's entry; relative paths are resolved against `study_folder`.
///
/// # Errors
/// When a key is given that the kind does not use, the alias table cannot be read, or the scorer asks
/// a model: see [`judge::Judge::new`] and [`EmbeddingScorer`].
pub fn build(spec: &ScorerSpec, study_folder: &Path) -> Result<Box<dyn Scorer>, ScorerError> {
    let name = spec.display_name();
    check_keys(spec)?;
    Ok(match spec.kind {
        ScorerKind::Judge | ScorerKind::Embedding => {
            return Err(ScorerError::NeedsModel {
                scorer: name.to_owned(),
                kind: spec.kind.as_str(),
            });
        }
        ScorerKind::Choice => Box::new(ChoiceScorer::new(name)),
        ScorerKind::Label => {
            let aliases = spec
                .aliases
                .as_ref()
                .map(|path| AliasTable::read(&study_folder.join(path)))
                .transpose()
                .map_err(|source| ScorerError::Aliases {
                    scorer: name.to_owned(),
                    source,
                })?;
            Box::new(LabelScorer::new(name, aliases, &spec.ignore_suffixes))
        }
        ScorerKind::Recorded => Box::new(RecordedScorer::new(
            name,
            spec.policy.as_deref().unwrap_or("unknown"),
        )),
        ScorerKind::Text => Box::new(TextScorer::new(name, &spec.metrics, spec.against).map_err(
            |source| ScorerError::Metric {
                scorer: name.to_owned(),
                source,
            },
        )?),
    })
}

#[cfg(test)]
mod tests;
