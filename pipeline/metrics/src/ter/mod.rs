//! Translation edit rate as sacrebleu computes it.

mod edit_distance;
mod shift;

use crate::metric::{TextMetric, statistic, value};
use crate::text::ngrams::intern;
use crate::text::tercom::Tercom;
use crate::text::whitespace::split;

/// TER (Snover et al. 2006): edits, among them shifts of phrases, per reference word, in percent.
///
/// `score = 100 · Σ edits / Σ average reference length`, with the fewest edits over the
/// references. May exceed 100. Without reference words it is 100 if there are edits, else 0.
///
/// Statistics: edits, average reference length × 720720 (so that averages over up to 16
/// references stay integers).
/// Signature keys: `case`, `tok`, `norm`, `punct`, `asian`.
///
/// Source: sacrebleu 2.6.0, a port of tercom, with its limits: beam 25, shifts of at most 10 words
/// over at most 50, 1000 shift candidates. As there, references are normalised twice and the
/// hypothesis once, which splits `..4b` further in a reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ter {
    /// Preprocessing.
    pub tokenizer: Tercom,
}

/// Least common multiple of 1 to 16.
const LENGTH_UNIT: i64 = 720_720;

/// TER with its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TerScore {
    /// Percent of edits.
    pub score: f64,
    /// Edits.
    pub edits: f64,
    /// Sum of average reference lengths.
    pub reference_length: f64,
}

impl Ter {
    /// Computes the score and its parts from (summed) statistics.
    pub fn score_parts(self, statistics: &[i64]) -> TerScore {
        let edits = value(statistics, 0);
        let reference_length = value(statistics, 1) / LENGTH_UNIT as f64;
        let rate = if reference_length > 0.0 {
            edits / reference_length
        } else if edits > 0.0 {
            1.0
        } else {
            0.0
        };
        TerScore {
            score: 100.0 * rate,
            edits,
            reference_length,
        }
    }
}

impl TextMetric for Ter {
    fn signature(&self) -> String {
        let yes = |flag| if flag { "yes" } else { "no" };
        format!(
            "ter|case:{}|tok:tercom|norm:{}|punct:{}|asian:{}|rev:1",
            if self.tokenizer.case_sensitive {
                "mixed"
            } else {
                "lc"
            },
            yes(self.tokenizer.normalized),
            yes(!self.tokenizer.no_punctuation),
            yes(self.tokenizer.asian_support),
        )
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let references = if references.is_empty() {
            &[""]
        } else {
            references
        };
        let once = |text: &&str| self.tokenizer.tokenize(text);
        let texts: Vec<String> = std::iter::once(once(&hypothesis))
            .chain(
                references
                    .iter()
                    .map(once)
                    .map(|text| self.tokenizer.tokenize(&text)),
            )
            .collect();
        let sequences = intern(texts.iter().map(|text| split(text)));
        let (hypothesis, references) = sequences.ids.split_at(1);
        let edits = references
            .iter()
            .map(|reference| shift::edits(&hypothesis[0], reference))
            .min()
            .unwrap_or_default();
        let length: usize = references.iter().map(Vec::len).sum();
        let count = statistic(references.len()).max(1);
        let scaled = statistic(length).saturating_mul(LENGTH_UNIT);
        // Rounded to the nearest unit where the number of references does not divide it.
        let average = scaled.saturating_add(count / 2) / count;
        vec![statistic(edits), average]
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        self.score_parts(statistics).score
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        let ter = Ter::default();
        let edits = |hypothesis, reference: &str| ter.statistics(hypothesis, &[reference])[0];
        assert_eq!(edits("a b c", "a b c"), 0);
        assert_eq!(edits("c a b", "a b c"), 1);
        assert_eq!(edits("a x c", "a b c"), 1);
        assert_eq!(edits("a b", ""), 2);
        assert_eq!(edits("", "a b"), 2);
        assert!((ter.sentence("a b", &[""]) - 100.0).abs() < 1e-12);
        assert!(ter.sentence("", &[""]).abs() < 1e-12);
        assert!((ter.sentence("a", &["a", "a b"]) - 0.0).abs() < 1e-12);
        assert!((ter.sentence("x", &["a", "a b", "a b c"]) - 50.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn shifts_never_cost_more_than_words(
            hypothesis in prop::collection::vec("[abcd]", 0..40),
            reference in prop::collection::vec("[abcd]", 0..40),
        ) {
            let (hypothesis, reference) = (hypothesis.join(" "), reference.join(" "));
            let edits = Ter::default().statistics(&hypothesis, &[&reference])[0];
            let words = |text: &str| split(text).count();
            prop_assert!(edits <= statistic(words(&hypothesis).max(words(&reference))));
            prop_assert_eq!(Ter::default().statistics(&reference, &[&reference])[0], 0);
        }
    }
}
