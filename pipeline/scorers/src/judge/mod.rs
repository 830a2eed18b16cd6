//! Judge: asks a model whether a diagnosis is the accepted one, under a named policy.
//!
//! What can be told without the model is: an answer that was refused, is empty, cannot be read or
//! names no disease is wrong; an infrastructure failure is missing; with an alias table, exact
//! synonyms are right. A judge that gives no verdict, after one repair, leaves the score missing:
//! never a grade by default.

mod asking;
mod diagnosis;
mod executor;
mod policy;
mod recorded;
mod synonyms;

use std::path::Path;
use std::sync::Arc;

use consilium_core::canonical::{canonical_sha256, sha256_hex};
use consilium_core::study::{GenerationSpec, ScorerSpec};
use consilium_core::{AnswerForm, Case, SampleRow, ScoreRow, Signature};

use self::asking::{PROMPT, Verdict};
use self::diagnosis::{is_no_diagnosis, read_diagnosis};
use self::synonyms::Synonyms;
use super::ScorerError;
use super::label::AliasTable;
use super::row::{Truth, correct_row};
use consilium_backends::{Backend, Message};
use consilium_runner::Scorer;
use consilium_runner::context::REPAIR_PROMPT;
use consilium_runner::prompt::{PromptError, PromptLibrary, RenderedPrompt};

pub use executor::{JudgeExecutor, JudgeParts};
pub use policy::{Policy, PolicyError};

/// Raised whenever an answer may be read differently or a judge asked differently.
const REVISION: u32 = 1;

/// Reason of a score that is missing because the judge gave no verdict.
pub const JUDGE_FAILED: &str = "judge_failed";

/// Reason of a wrong answer that names no disease.
const NO_DIAGNOSIS: &str = "no_diagnosis";

/// What every signature of a judge begins with.
pub const SIGNATURE_PREFIX: &str = "judge|";

/// Decides with a model whether diagnoses are right.
#[derive(Debug)]
pub struct Judge {
    name: Arc<str>,
    policy: Policy,
    synonyms: Synonyms,
    has_aliases: bool,
    generation: GenerationSpec,
    signature: Signature,
}

/// A sample as far as it is scored without the model.
#[derive(Debug)]
enum Decision {
    Decided(ScoreRow),
    /// The model must be asked about this diagnosis.
    Ask {
        row: ScoreRow,
        predicted: String,
    },
}

/// Checks what a study says of a judge, as far as it can be without its backend.
pub(super) fn check(spec: &ScorerSpec, study_folder: &Path) -> Result<(), ScorerError> {
    backend_name(spec)?;
    policy(spec)?;
    aliases(spec, study_folder)?;
    Ok(())
}

/// The messages of one call of a judge, in the language of a case, for an estimate of what it costs.
///
/// # Errors
/// When the policy is not known or the prompt cannot be filled in.
pub fn preview(
    spec: &ScorerSpec,
    prompts: &PromptLibrary,
    language: &str,
    label: &str,
) -> Result<Vec<Message>, ScorerError> {
    let policy = policy(spec)?;
    let values = asking::values(policy.rule(language), label, label);
    prompts
        .render(PROMPT, language, &values)
        .map(RenderedPrompt::messages)
        .map_err(|source| ScorerError::Prompt {
            scorer: spec.display_name().to_owned(),
            source,
        })
}

/// Name of the backend that judges.
fn backend_name(spec: &ScorerSpec) -> Result<&str, ScorerError> {
    spec.backend
        .as_deref()
        .ok_or_else(|| ScorerError::MissingKey {
            scorer: spec.display_name().to_owned(),
            kind: spec.kind.as_str(),
            key: "backend",
        })
}

fn policy(spec: &ScorerSpec) -> Result<Policy, ScorerError> {
    let scorer = || spec.display_name().to_owned();
    let name = spec
        .policy
        .as_ref()
        .ok_or_else(|| ScorerError::MissingKey {
            scorer: scorer(),
            kind: spec.kind.as_str(),
            key: "policy",
        })?;
    Policy::named(name).map_err(|source| ScorerError::Policy {
        scorer: scorer(),
        source,
    })
}

fn aliases(spec: &ScorerSpec, study_folder: &Path) -> Result<Option<AliasTable>, ScorerError> {
    spec.aliases
        .as_ref()
        .map(|path| AliasTable::read(&study_folder.join(path)))
        .transpose()
        .map_err(|source| ScorerError::Aliases {
            scorer: spec.display_name().to_owned(),
            source,
        })
}

impl Judge {
    /// The judge of a study's entry; relative paths are resolved against `study_folder`.
    ///
    /// # Errors
    /// When a key is missing or names nothing, the alias table cannot be read, or the prompt cannot
    /// be filled in.
    pub fn new(
        spec: &ScorerSpec,
        study_folder: &Path,
        backend: &dyn Backend,
        prompts: &PromptLibrary,
    ) -> Result<Self, ScorerError> {
        let policy = policy(spec)?;
        let aliases = aliases(spec, study_folder)?;
        let prompt = prompt_sha256(&policy, prompts).map_err(|source| ScorerError::Prompt {
            scorer: spec.display_name().to_owned(),
            source,
        })?;
        // A judge that draws its verdicts says something else each time.
        let generation = GenerationSpec {
            temperature: Some(0.0),
            ..GenerationSpec::default()
        }
        .overlaid(&backend.spec().generation);
        let settings = canonical_sha256(&generation).unwrap_or_default();
        let signature = Signature::new("judge", REVISION)
            .with("policy", format!("{}.{}", policy.name, policy.version))
            .with("prompt", &prompt[..12])
            .with("model", backend.model())
            .with("settings", settings.get(..12).unwrap_or_default())
            .with(
                "aliases",
                aliases
                    .as_ref()
                    .map_or("none", |table| &table.sha256()[..12]),
            );
        Ok(Self {
            name: spec.display_name().into(),
            policy,
            synonyms: Synonyms::new(aliases.as_ref()),
            has_aliases: aliases.is_some(),
            generation,
            signature,
        })
    }

    /// Its policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What a simulated judge takes for right.
    fn expected(&self, predicted: &str, gold: &str) -> bool {
        self.synonyms.verdict(&self.policy, predicted, gold)
    }

    fn decide(&self, sample: &SampleRow, case: &Case) -> Decision {
        let truth = Truth::new(case.gold.clone());
        let mut row = correct_row(self, sample, &truth, read_diagnosis);
        let Some(predicted) = row.predicted.clone() else {
            return Decision::Decided(row);
        };
        row.value = Some(0.0);
        row.truth = case.gold.first().cloned();
        if is_no_diagnosis(&predicted) {
            row.predicted = None;
            row.reason = Some(NO_DIAGNOSIS.to_owned());
            return Decision::Decided(row);
        }
        let known = case
            .gold
            .iter()
            .find(|gold| self.has_aliases && self.synonyms.same(&predicted, gold));
        if let Some(label) = known {
            row.value = Some(1.0);
            row.truth = Some(label.clone());
            row.rule = row.rule.map(|rule| format!("{rule}+synonym"));
            return Decision::Decided(row);
        }
        row.explanation = None;
        Decision::Ask { row, predicted }
    }

    /// A row with the judge's verdict.
    fn judged(row: ScoreRow, verdict: Verdict) -> ScoreRow {
        match verdict {
            Verdict::Same { label, explanation } => ScoreRow {
                value: Some(1.0),
                truth: Some(label),
                explanation: Some(explanation),
                ..row
            },
            Verdict::Different { explanation } => ScoreRow {
                value: Some(0.0),
                explanation: Some(explanation),
                ..row
            },
            Verdict::Failed { message } => ScoreRow {
                value: None,
                reason: Some(JUDGE_FAILED.to_owned()),
                explanation: Some(message),
                ..row
            },
        }
    }
}

impl Scorer for Judge {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "judge"
    }

    fn signature(&self) -> Signature {
        self.signature.clone()
    }

    fn applies(&self, answer_form: AnswerForm) -> bool {
        answer_form == AnswerForm::Diagnosis
    }

    /// The score as far as it follows without the model; missing where it would be asked.
    fn score(&self, sample: &SampleRow, case: &Case) -> Vec<ScoreRow> {
        vec![match self.decide(sample, case) {
            Decision::Decided(row) => row,
            Decision::Ask { row, .. } => Self::judged(
                row,
                Verdict::Failed {
                    message: "not judged".to_owned(),
                },
            ),
        }]
    }
}

/// Hash of everything a judge is told, and a trial of the prompt in every language.
fn prompt_sha256(policy: &Policy, prompts: &PromptLibrary) -> Result<String, PromptError> {
    for language in ["en", "zh"] {
        let values = asking::values(policy.rule(language), "x", "x");
        prompts.render(PROMPT, language, &values)?;
    }
    let files = prompts.hashes([PROMPT, REPAIR_PROMPT]);
    let parts: Vec<&str> = std::iter::once(policy.sha256())
        .chain(files.values().map(String::as_str))
        .collect();
    Ok(sha256_hex(parts.join("\n").as_bytes()))
}

#[cfg(test)]
mod tests;
