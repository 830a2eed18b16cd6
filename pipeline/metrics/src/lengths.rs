//! Lengths of texts.

use crate::metric::{TextMetric, ratio, statistic, value};
use crate::text::tokens::Tokens;
use crate::text::whitespace::split;

/// How long a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextLength {
    /// Code points, with whitespace.
    pub characters: usize,
    /// Runs of characters between whitespace.
    pub words: usize,
    /// Lines that hold more than whitespace.
    pub lines: usize,
}

impl TextLength {
    /// Measures a text.
    pub fn of(text: &str) -> Self {
        Self {
            characters: text.chars().count(),
            words: split(text).count(),
            lines: text
                .lines()
                .filter(|line| split(line).next().is_some())
                .count(),
        }
    }
}

/// Length ratio: Σ tokens of the hypotheses / Σ tokens of the closest references.
///
/// "Closest" as in BLEU: the smaller of two equally close lengths. Without reference tokens it
/// is 0.
///
/// Statistics: tokens of the hypothesis, tokens of the closest reference, pairs.
/// Signature keys: `tok`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LengthRatio {
    /// What is counted.
    pub tokens: Tokens,
}

impl TextMetric for LengthRatio {
    fn signature(&self) -> String {
        format!("length_ratio|tok:{}|rev:1", self.tokens.name())
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let length = self.tokens.split(hypothesis).len();
        let closest = references
            .iter()
            .map(|reference| self.tokens.split(reference).len())
            .min_by_key(|&reference| (reference.abs_diff(length), reference))
            .unwrap_or_default();
        vec![statistic(length), statistic(closest), 1]
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        ratio(value(statistics, 0), value(statistics, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!(
            TextLength::of("脾 é\n\n \u{1c}\nb c"),
            TextLength {
                characters: 11,
                words: 4,
                lines: 2
            }
        );
        let ratio = LengthRatio::default();
        assert_eq!(ratio.statistics("a b", &["a", "a b c"]), [2, 1, 1]);
        assert!((ratio.score(&[6, 4, 2]) - 1.5).abs() < f64::EPSILON);
        assert!(ratio.sentence("a", &[]).abs() < f64::EPSILON);
    }
}
