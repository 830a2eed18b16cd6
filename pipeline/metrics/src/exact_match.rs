//! Exact match of short answers.

use crate::metric::{TextMetric, ratio, value};
use crate::text::whitespace::{collapse, split, strip};

/// What is ignored when two answers are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AnswerForm {
    /// Only whitespace at both ends.
    #[default]
    Raw,
    /// Case, ASCII punctuation, the articles a, an, the, and runs of whitespace, as in the
    /// evaluation script of `SQuAD` 1.1.
    Squad,
}

impl AnswerForm {
    /// The name in signatures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Squad => "squad",
        }
    }

    /// Brings an answer into this form.
    pub fn normalize(self, answer: &str) -> String {
        match self {
            Self::Raw => strip(answer).to_owned(),
            Self::Squad => {
                let mut text = answer.to_lowercase();
                text.retain(|character| !character.is_ascii_punctuation());
                let words = split(&text).filter(|word| !matches!(*word, "a" | "an" | "the"));
                collapse(&words.collect::<Vec<_>>().join(" "))
            }
        }
    }
}

/// Exact match: 1 if the answer equals any reference, else 0; a corpus value is the share.
///
/// Statistics: matches, pairs.
/// Signature keys: `form`.
///
/// Source: Rajpurkar et al. 2016 for the form `squad`. Known divergence: an article is removed
/// only where whitespace or punctuation surrounds it, not where Unicode letters adjoin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExactMatch {
    /// What is ignored.
    pub form: AnswerForm,
}

impl TextMetric for ExactMatch {
    fn signature(&self) -> String {
        format!("exact_match|form:{}|rev:1", self.form.name())
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let hypothesis = self.form.normalize(hypothesis);
        let is_match = references
            .iter()
            .any(|reference| self.form.normalize(reference) == hypothesis);
        vec![i64::from(is_match), 1]
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        ratio(value(statistics, 0), value(statistics, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let raw = ExactMatch::default();
        assert_eq!(raw.statistics(" yes ", &["no", "yes\n"]), [1, 1]);
        assert_eq!(raw.statistics("Yes", &["yes"]), [0, 1]);
        assert_eq!(raw.statistics("yes", &[]), [0, 1]);
        let squad = ExactMatch {
            form: AnswerForm::Squad,
        };
        assert_eq!(
            squad.statistics("The  Acute-Phase.", &["acutephase"]),
            [1, 1]
        );
        assert!((squad.score(&[1, 4]) - 0.25).abs() < f64::EPSILON);
        assert!(squad.score(&[]).abs() < f64::EPSILON);
    }
}
