//! chrF and chrF++ as sacrebleu computes them.

use std::borrow::Cow;

use crate::metric::{TextMetric, statistic, value};
use crate::text::common_ngrams::common_ngrams;
use crate::text::ngrams::{MAX_ORDER, Sequences, intern_bytes, intern_characters};
use crate::text::whitespace::split;

/// chrF (Popović 2015): F-score of character n-grams, 0 to 100; with words chrF+ and chrF++.
///
/// Precision and recall are averaged over the orders for which both sides have n-grams, then
/// F = (1 + β²) P R / (β² P + R). With `epsilon_smoothing` the F of every order is averaged
/// instead. With several references the one with the best sentence score counts (the first, if
/// equal).
///
/// Statistics: for each order, n-grams of the hypothesis (0 if the reference has none), n-grams of
/// the reference, matches; characters first, then words.
/// Signature keys: `case`, `eff` (no with `epsilon_smoothing`), `nc`, `nw`, `space`, `beta`.
///
/// Source: sacrebleu 2.6.0. N-grams are over code points; `(hi)` becomes the words `(hi` and `)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chrf {
    /// Longest character n-gram, at most 64.
    pub character_order: usize,
    /// Longest word n-gram: 0 for chrF, 1 for chrF+, 2 for chrF++.
    pub word_order: usize,
    /// How many times more recall counts than precision.
    pub beta: f64,
    /// Lowercases first.
    pub lowercase: bool,
    /// Keeps whitespace in character n-grams.
    pub whitespace: bool,
    /// Smooths as chrF++.py does; two different one-word texts then score just above 0.
    pub epsilon_smoothing: bool,
}

impl Default for Chrf {
    fn default() -> Self {
        Self {
            character_order: 6,
            word_order: 0,
            beta: 2.0,
            lowercase: false,
            whitespace: false,
            epsilon_smoothing: false,
        }
    }
}

/// What an undefined ratio becomes with epsilon smoothing.
const EPSILON: f64 = 1e-16;

impl Chrf {
    /// Orders of character and of word n-grams.
    fn orders(self) -> [usize; 2] {
        [
            self.character_order.min(MAX_ORDER),
            self.word_order.min(MAX_ORDER),
        ]
    }

    /// Statistics of every reference, for the given elements and orders.
    fn count(sequences: &Sequences, max_order: usize, rows: &mut [Vec<i64>]) {
        let total = |index: usize, order| (sequences.ids[index].len() + 1).saturating_sub(order);
        for (index, row) in (1..).zip(rows) {
            let common = common_ngrams(sequences, [0, index], max_order);
            for (order, matches) in (1..).zip(common) {
                let reference = total(index, order);
                let hypothesis = if reference == 0 { 0 } else { total(0, order) };
                row.extend([
                    statistic(hypothesis),
                    statistic(reference),
                    statistic(matches),
                ]);
            }
        }
    }
}

impl TextMetric for Chrf {
    fn signature(&self) -> String {
        let yes = |flag| if flag { "yes" } else { "no" };
        format!(
            "chrf|case:{}|eff:{}|nc:{}|nw:{}|space:{}|beta:{}|rev:1",
            if self.lowercase { "lc" } else { "mixed" },
            yes(!self.epsilon_smoothing),
            self.character_order,
            self.word_order,
            yes(self.whitespace),
            self.beta,
        )
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let references = if references.is_empty() {
            &[""]
        } else {
            references
        };
        let texts: Vec<Cow<'_, str>> = std::iter::once(&hypothesis)
            .chain(references)
            .map(|text| {
                if self.lowercase {
                    Cow::Owned(text.to_lowercase())
                } else {
                    Cow::Borrowed(*text)
                }
            })
            .collect();
        let [character_order, word_order] = self.orders();
        let mut rows = vec![Vec::new(); references.len()];
        let characters = intern_characters(texts.iter().map(AsRef::as_ref), self.whitespace);
        Self::count(&characters, character_order, &mut rows);
        if word_order > 0 {
            let bytes = texts.iter().map(|text| text.len()).sum();
            let words = intern_bytes(bytes, texts.iter().map(|text| words(text)));
            Self::count(&words, word_order, &mut rows);
        }
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for row in rows {
            let score = self.score(&row);
            if score > best.0 || best.1.is_empty() {
                best = (score, row);
            }
        }
        best.1
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        let factor = self.beta * self.beta;
        let orders: usize = self.orders().iter().sum();
        let (mut precisions, mut recalls, mut effective) = (0.0, 0.0, 0.0);
        let mut sum_of_scores = 0.0;
        for order in 0..orders {
            let hypothesis = value(statistics, 3 * order);
            let reference = value(statistics, 3 * order + 1);
            let matches = value(statistics, 3 * order + 2);
            let precision = if hypothesis > 0.0 {
                matches / hypothesis
            } else {
                EPSILON
            };
            let recall = if reference > 0.0 {
                matches / reference
            } else {
                EPSILON
            };
            let denominator = factor * precision + recall;
            sum_of_scores += if denominator > 0.0 {
                (1.0 + factor) * precision * recall / denominator
            } else {
                EPSILON
            };
            if hypothesis > 0.0 && reference > 0.0 {
                precisions += precision;
                recalls += recall;
                effective += 1.0;
            }
        }
        if self.epsilon_smoothing {
            return if orders == 0 {
                0.0
            } else {
                100.0 * sum_of_scores / orders as f64
            };
        }
        if precisions + recalls == 0.0 {
            return 0.0;
        }
        let (precision, recall) = (precisions / effective, recalls / effective);
        100.0 * (1.0 + factor) * precision * recall / (factor * precision + recall)
    }
}

/// Words with one ASCII punctuation character split off, at the end or else at the start.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in split(text) {
        let mut characters = word.chars();
        let (first, last) = (characters.next(), characters.next_back());
        // `last` is none for a word of one character.
        match (first, last) {
            (_, Some(last)) if last.is_ascii_punctuation() => {
                let (start, end) = word.split_at(word.len() - last.len_utf8());
                words.extend([start, end]);
            }
            (Some(first), Some(_)) if first.is_ascii_punctuation() => {
                let (start, end) = word.split_at(first.len_utf8());
                words.extend([start, end]);
            }
            _ => words.push(word),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_split_once() {
        assert_eq!(
            words("(hi) \"a b... ! 脾。"),
            ["(hi", ")", "\"", "a", "b..", ".", "!", "脾。"]
        );
    }

    #[test]
    fn by_hand() {
        let chrf = Chrf::default();
        assert!((chrf.sentence("abc", &["abc"]) - 100.0).abs() < 1e-9);
        assert!(chrf.sentence("yes", &["no"]).abs() < f64::EPSILON);
        assert!(chrf.sentence("", &[""]).abs() < f64::EPSILON);
        let smoothed = Chrf {
            epsilon_smoothing: true,
            ..chrf
        };
        assert!((smoothed.sentence("a", &["a"]) - 100.0 / 6.0).abs() < 1e-9);
        // "ab" against "ac": one of two characters, no bigram: P = R = 1/4.
        assert!((chrf.sentence("ab", &["ac"]) - 25.0).abs() < 1e-9);
    }

    proptest! {
        #[test]
        fn stays_in_range(hypothesis in "[ab.脾 ]{0,12}", reference in "[ab.脾 ]{0,12}") {
            for word_order in [0, 2] {
                for epsilon_smoothing in [false, true] {
                    let chrf = Chrf { word_order, epsilon_smoothing, ..Chrf::default() };
                    let value = chrf.sentence(&hypothesis, &[&reference]);
                    prop_assert!((0.0..=100.0 + 1e-9).contains(&value));
                }
            }
        }
    }
}
