//! METEOR as nltk computes it.

use std::collections::{BTreeSet, HashMap};

use crate::metric::{TextMetric, ratio, statistic, value};
use crate::text::porter::PorterStemmer;
use crate::text::tokens::{Tokens, borrowed};
use crate::text::wordnet::{synsets_naming, synsets_of};

/// METEOR (Lavie and Agarwal 2007) for English, 0 to 1.
///
/// Words are lowercased and aligned in three stages: equal words, equal Porter stems,
/// `WordNet` synonyms. With m matches, P = m / hypothesis, R = m / reference,
/// F = P R / (α P + (1 − α) R) and `score = (1 − γ (chunks / m)^β) F`, where a chunk is a run of
/// matches that are adjacent on both sides. The best reference counts; a corpus value is the mean.
///
/// Statistics: matches, chunks, words of the hypothesis, words of the reference.
/// Signature keys: `alpha`, `beta`, `gamma`, `stem`, `wordnet`, `tok`.
///
/// Source: nltk 3.10 `meteor_score`, with its habits: each stage takes the last free equal word,
/// and the synonym stage sees stems, so `car` does not match `automobile` (stem `automobil`).
/// A perfect match of one word scores 0.5. It is not the Java program METEOR 1.5.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meteor {
    /// Weight of precision.
    pub alpha: f64,
    /// Exponent of the penalty.
    pub beta: f64,
    /// Largest penalty.
    pub gamma: f64,
    /// Tokenization of text.
    pub tokens: Tokens,
}

impl Default for Meteor {
    fn default() -> Self {
        Self {
            alpha: 0.9,
            beta: 3.0,
            gamma: 0.5,
            tokens: Tokens::NltkWords,
        }
    }
}

impl Meteor {
    /// Statistics of a pair that is tokenized already.
    pub fn token_statistics(hypothesis: &[&str], reference: &[&str]) -> Vec<i64> {
        let matches = align(hypothesis, reference);
        let adjacent = matches
            .windows(2)
            .filter(|pair| pair[1].0 == pair[0].0 + 1 && pair[1].1 == pair[0].1 + 1);
        let chunks = matches.len() - adjacent.count();
        [matches.len(), chunks, hypothesis.len(), reference.len()]
            .map(statistic)
            .to_vec()
    }
}

impl TextMetric for Meteor {
    fn signature(&self) -> String {
        format!(
            "meteor|alpha:{}|beta:{}|gamma:{}|stem:nltk_porter|wordnet:3.0|tok:{}|rev:1",
            self.alpha,
            self.beta,
            self.gamma,
            self.tokens.name(),
        )
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let hypothesis = self.tokens.split(hypothesis);
        let hypothesis = borrowed(&hypothesis);
        let mut best: Option<(f64, Vec<i64>)> = None;
        for reference in references {
            let reference = self.tokens.split(reference);
            let row = Self::token_statistics(&hypothesis, &borrowed(&reference));
            let score = self.score(&row);
            if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                best = Some((score, row));
            }
        }
        best.map_or_else(|| vec![0; 4], |(_, row)| row)
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        let matches = value(statistics, 0);
        let precision = ratio(matches, value(statistics, 2));
        let recall = ratio(matches, value(statistics, 3));
        let mean = ratio(
            precision * recall,
            self.alpha * precision + (1.0 - self.alpha) * recall,
        );
        let penalty = self.gamma * ratio(value(statistics, 1), matches).powf(self.beta);
        if matches == 0.0 {
            0.0
        } else {
            (1.0 - penalty) * mean
        }
    }

    fn is_additive(&self) -> bool {
        false
    }
}

/// Words that are not matched yet, with their positions.
type Unmatched = Vec<(usize, String)>;

/// Pairs of matched positions, ascending in the hypothesis.
pub fn align(hypothesis: &[&str], reference: &[&str]) -> Vec<(usize, usize)> {
    let lowercase = |words: &[&str]| {
        words
            .iter()
            .map(|word| word.to_lowercase())
            .enumerate()
            .collect()
    };
    let mut hypothesis: Unmatched = lowercase(hypothesis);
    let mut reference: Unmatched = lowercase(reference);
    let mut matches = match_words(&mut hypothesis, &mut reference, |word, free| {
        free.last_of(std::iter::once(word))
    });
    let stemmer = PorterStemmer::default();
    for (_, word) in hypothesis.iter_mut().chain(&mut reference) {
        *word = stemmer.stem(word);
    }
    matches.extend(match_words(
        &mut hypothesis,
        &mut reference,
        |stem, free| free.last_of(std::iter::once(stem)),
    ));
    if !reference.is_empty() {
        let names = ReferenceNames::new(&reference);
        matches.extend(match_words(
            &mut hypothesis,
            &mut reference,
            |stem, free| {
                free.last_of(
                    names
                        .synonyms_of(stem)
                        .into_iter()
                        .chain(std::iter::once(stem)),
                )
            },
        ));
    }
    matches.sort_unstable();
    matches
}

/// Unmatched reference words by the synsets that have them as a name.
struct ReferenceNames(HashMap<u32, Vec<String>>);

impl ReferenceNames {
    fn new(reference: &Unmatched) -> Self {
        let words: BTreeSet<&String> = reference.iter().map(|(_, word)| word).collect();
        let mut names: HashMap<u32, Vec<String>> = HashMap::new();
        for word in words {
            for synset in synsets_naming(word) {
                names.entry(synset).or_default().push(word.clone());
            }
        }
        Self(names)
    }

    /// Reference words that share a synset with the word or its lemmas.
    fn synonyms_of(&self, word: &str) -> Vec<&str> {
        let synsets = synsets_of(word).into_iter();
        synsets
            .filter_map(|synset| self.0.get(&synset))
            .flatten()
            .map(String::as_str)
            .collect()
    }
}

/// Free places in the list of unmatched reference words, by word, ascending.
struct Free<'words>(HashMap<&'words str, Vec<usize>>);

impl Free<'_> {
    /// Takes the last free place of any of the words.
    fn last_of<'word>(&mut self, words: impl Iterator<Item = &'word str>) -> Option<usize> {
        let last = words
            .filter_map(|word| Some((*self.0.get(word)?.last()?, word)))
            .max_by_key(|(place, _)| *place);
        let (place, word) = last?;
        self.0.get_mut(word)?.pop();
        Some(place)
    }
}

/// Matches hypothesis words from the last to the first and removes what is matched.
fn match_words(
    hypothesis: &mut Unmatched,
    reference: &mut Unmatched,
    find: impl Fn(&str, &mut Free<'_>) -> Option<usize>,
) -> Vec<(usize, usize)> {
    let mut free = Free(HashMap::new());
    for (place, (_, word)) in reference.iter().enumerate() {
        free.0.entry(word).or_default().push(place);
    }
    let mut taken = vec![false; reference.len()];
    let mut matches = Vec::new();
    let mut unmatched = Vec::new();
    for (position, word) in hypothesis.drain(..).rev() {
        match find(&word, &mut free) {
            Some(place) => {
                taken[place] = true;
                matches.push((position, reference[place].0));
            }
            None => unmatched.push((position, word)),
        }
    }
    unmatched.reverse();
    *hypothesis = unmatched;
    let mut taken = taken.into_iter();
    reference.retain(|_| !taken.next().unwrap_or_default());
    matches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        let meteor = Meteor {
            tokens: Tokens::Words,
            ..Meteor::default()
        };
        assert!((meteor.sentence("fever", &["Fever"]) - 0.5).abs() < 1e-12);
        assert!((meteor.sentence("high fever", &["high fever"]) - 0.9375).abs() < 1e-12);
        assert_eq!(
            meteor.statistics("The doctors ran", &["a physician was running"]),
            [2, 2, 3, 4]
        );
        assert_eq!(meteor.statistics("car", &["automobile"]), [0, 0, 1, 1]);
        assert!(meteor.sentence("", &[""]).abs() < 1e-12);
        assert!(meteor.sentence("a", &[]).abs() < 1e-12);
    }

    #[test]
    fn the_last_equal_word_is_taken() {
        assert_eq!(align(&["a", "b"], &["a", "a", "b"]), [(0, 1), (1, 2)]);
    }

    proptest! {
        #[test]
        fn stays_in_range(hypothesis in "(doctor|ill|sick|a|脾|é| ){0,12}", reference in "(physician|ill|a| ){0,12}") {
            let value = Meteor::default().sentence(&hypothesis, &[&reference]);
            prop_assert!((0.0..=1.0).contains(&value));
        }
    }
}
