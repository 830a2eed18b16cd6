//! Google-BLEU as nltk computes it.

use crate::metric::{TextMetric, ratio, statistic, value};
use crate::text::common_ngrams::common_ngrams;
use crate::text::ngrams::{Sequences, intern};
use crate::text::tokens::Tokens;

/// GLEU (Wu et al. 2016): matching n-grams / the larger number of n-grams, 0 to 1.
///
/// With several references the one with the best ratio counts. It is neither Napoles' GLEU for
/// grammatical corrections nor Mutton's for fluency.
///
/// Statistics: matches, larger number of n-grams.
/// Signature keys: `min`, `max` (orders), `tok`.
///
/// Source: nltk 3.10 `gleu_score`. A pair without any n-gram adds nothing; an empty corpus is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gleu {
    /// Shortest n-gram.
    pub min_order: usize,
    /// Longest n-gram.
    pub max_order: usize,
    /// Tokenization of text.
    pub tokens: Tokens,
}

impl Default for Gleu {
    fn default() -> Self {
        Self {
            min_order: 1,
            max_order: 4,
            tokens: Tokens::Words,
        }
    }
}

impl Gleu {
    /// Statistics of a pair that is tokenized already.
    pub fn token_statistics(&self, hypothesis: &[&str], references: &[Vec<&str>]) -> Vec<i64> {
        let texts = std::iter::once(hypothesis).chain(references.iter().map(Vec::as_slice));
        self.id_statistics(&intern(texts.map(|tokens| tokens.iter().copied())))
    }

    fn id_statistics(&self, sequences: &Sequences) -> Vec<i64> {
        let longest = sequences.ids.iter().map(Vec::len).max().unwrap_or(0);
        let orders = self.max_order.min(longest);
        let total = |length: usize| {
            (self.min_order.max(1)..=orders)
                .map(|order| (length + 1).saturating_sub(order))
                .sum::<usize>()
        };
        let totals: Vec<usize> = sequences.ids.iter().map(|ids| total(ids.len())).collect();
        let matches = |reference| {
            let common = common_ngrams(sequences, [0, reference], orders);
            let counted = common.iter().skip(self.min_order.saturating_sub(1));
            counted.sum::<usize>()
        };
        let mut best = (0, 0);
        for reference in 1..totals.len() {
            let candidate = (matches(reference), totals[0].max(totals[reference]));
            let quotient = |(matches, total): (usize, usize)| ratio(matches as f64, total as f64);
            if candidate.1 > 0 && (best.1 == 0 || quotient(candidate) > quotient(best)) {
                best = candidate;
            }
        }
        vec![statistic(best.0), statistic(best.1)]
    }
}

impl TextMetric for Gleu {
    fn signature(&self) -> String {
        format!(
            "gleu|min:{}|max:{}|tok:{}|rev:1",
            self.min_order,
            self.max_order,
            self.tokens.name()
        )
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let mut texts = vec![hypothesis];
        texts.extend_from_slice(references);
        self.id_statistics(&self.tokens.intern(&texts))
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        ratio(value(statistics, 0), value(statistics, 1))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        // Hypothesis: 3 + 2 + 1 n-grams, reference: 2 + 1; matches a, b, "a b".
        let gleu = Gleu::default();
        assert_eq!(gleu.statistics("a b c", &["a b"]), [3, 6]);
        assert_eq!(gleu.statistics("a b c", &["d", "a b"]), [3, 6]);
        assert_eq!(gleu.statistics("", &[""]), [0, 0]);
        assert!(gleu.sentence("", &[""]).abs() < f64::EPSILON);
    }

    proptest! {
        #[test]
        fn is_symmetric_and_in_range(one in "[abc ]{0,15}", other in "[abc ]{0,15}") {
            let gleu = Gleu::default();
            let value = gleu.sentence(&one, &[&other]);
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert_eq!(value.to_bits(), gleu.sentence(&other, &[&one]).to_bits());
        }
    }
}
