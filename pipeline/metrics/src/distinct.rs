//! Distinct-n: how varied generated text is.

use std::collections::BTreeSet;

use crate::metric::ratio;
use crate::text::tokens::Tokens;

/// The n-grams of a set of texts, mergeable.
///
/// Distinct-n (Li et al. 2016) = different n-grams / n-grams, over all texts together; n-grams do
/// not cross from one text to the next. It needs no reference. Because different n-grams of a
/// union are not a sum, the state is the set itself.
///
/// Known divergence: some scripts average the ratio of each text instead, which is higher; the two
/// must not be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DistinctNgrams {
    order: usize,
    tokens: Tokens,
    seen: BTreeSet<Vec<String>>,
    total: u64,
}

impl DistinctNgrams {
    /// Starts without text; `order` is at least 1.
    pub fn new(order: usize, tokens: Tokens) -> Self {
        Self {
            order: order.max(1),
            tokens,
            seen: BTreeSet::new(),
            total: 0,
        }
    }

    /// Adds a text.
    pub fn add(&mut self, text: &str) {
        for ngram in self.tokens.split(text).windows(self.order) {
            self.seen.insert(
                ngram
                    .iter()
                    .map(|token| token.as_ref().to_owned())
                    .collect(),
            );
            self.total = self.total.saturating_add(1);
        }
    }

    /// Adds the texts of another set of the same order and tokens.
    pub fn merge(&mut self, other: &Self) {
        self.seen.extend(other.seen.iter().cloned());
        self.total = self.total.saturating_add(other.total);
    }

    /// The different n-grams, each as its tokens, in order.
    pub fn ngrams(&self) -> impl Iterator<Item = &[String]> {
        self.seen.iter().map(Vec::as_slice)
    }

    /// Adds what [`Self::ngrams`] and [`Self::total`] of another set gave.
    pub fn merge_parts<'a>(&mut self, ngrams: impl Iterator<Item = &'a [String]>, total: u64) {
        self.seen.extend(ngrams.map(<[String]>::to_vec));
        self.total = self.total.saturating_add(total);
    }

    /// Number of different n-grams.
    pub fn different(&self) -> usize {
        self.seen.len()
    }

    /// Number of n-grams.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The ratio, 0 to 1; 0 without n-grams.
    pub fn score(&self) -> f64 {
        ratio(self.seen.len() as f64, self.total as f64)
    }

    /// Everything that must be equal before two values may be compared.
    pub fn signature(&self) -> String {
        format!(
            "distinct|n:{}|tok:{}|level:corpus|rev:1",
            self.order,
            self.tokens.name()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_over_all_texts() {
        let mut bigrams = DistinctNgrams::new(2, Tokens::Words);
        bigrams.add("a b a b");
        bigrams.add("b a");
        bigrams.add("c");
        assert_eq!((bigrams.different(), bigrams.total()), (2, 4));
        assert!((bigrams.score() - 0.5).abs() < f64::EPSILON);
        assert_eq!(
            bigrams.signature(),
            "distinct|n:2|tok:split|level:corpus|rev:1"
        );
        assert!(DistinctNgrams::new(0, Tokens::Characters).score().abs() < f64::EPSILON);
    }

    #[test]
    fn merging_is_adding() {
        let (mut whole, mut left, mut right) = (
            DistinctNgrams::new(1, Tokens::Characters),
            DistinctNgrams::new(1, Tokens::Characters),
            DistinctNgrams::new(1, Tokens::Characters),
        );
        whole.add("脾虚");
        whole.add("虚证");
        left.add("脾虚");
        right.add("虚证");
        let mut parts = left.clone();
        parts.merge_parts(right.ngrams(), right.total());
        left.merge(&right);
        assert_eq!(left, whole);
        assert_eq!(parts, whole);
    }
}
