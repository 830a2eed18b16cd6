//! METEOR as nltk computes it.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use crate::metric::{TextMetric, ratio, statistic, value};
use crate::text::interner::Interner;
use crate::text::lexicon::Lexicon;
use crate::text::ngrams::PairHasher;
use crate::text::tokens::{Tokens, borrowed};

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

/// Words that are not matched yet: position and number, equal for equal words.
type Unmatched = Vec<(usize, u32)>;

/// Pairs of matched positions, ascending in the hypothesis.
pub fn align(hypothesis: &[&str], reference: &[&str]) -> Vec<(usize, usize)> {
    let (text, ends) = lowercased(hypothesis.iter().chain(reference));
    let mut interner = Interner::for_bytes(text.len());
    let mut start = 0;
    let mut words: Unmatched = Vec::with_capacity(ends.len());
    for (place, end) in ends.into_iter().enumerate() {
        let position = place.checked_sub(hypothesis.len()).unwrap_or(place);
        words.push((position, interner.id(&text[start..end])));
        start = end;
    }
    let mut reference: Unmatched = words.split_off(hypothesis.len());
    let mut hypothesis = words;
    let mut matches = match_words(
        &mut hypothesis,
        &mut reference,
        interner.distinct(),
        |word, free| free.last_of(std::iter::once(word)),
    );
    if hypothesis.is_empty() || reference.is_empty() {
        matches.sort_unstable();
        return matches;
    }
    Lexicon::lend(|lexicon| {
        let texts: Vec<&str> = interner.texts().collect();
        let stems = Stems::new(lexicon, &texts, [&mut hypothesis, &mut reference]);
        let distinct = stems.numbers.len();
        matches.extend(match_words(
            &mut hypothesis,
            &mut reference,
            distinct,
            |stem, free| free.last_of(std::iter::once(stem)),
        ));
        if hypothesis.is_empty() || reference.is_empty() {
            return;
        }
        let names = stems.names(lexicon, &reference);
        matches.extend(match_words(
            &mut hypothesis,
            &mut reference,
            distinct,
            |stem, free| {
                let synsets = if names.is_empty() {
                    &[]
                } else {
                    lexicon.synsets(stems.numbers[stem as usize])
                };
                let synonyms = synsets
                    .iter()
                    .filter_map(|synset| names.get(synset))
                    .flatten();
                free.last_of(synonyms.copied().chain(std::iter::once(stem)))
            },
        ));
    });
    matches.sort_unstable();
    matches
}

/// The words in lower case, one after the other, and where each ends.
fn lowercased<'text>(words: impl Iterator<Item = &'text &'text str>) -> (String, Vec<usize>) {
    let mut text = String::new();
    let ends = words.map(|word| {
        if word.is_ascii() {
            let start = text.len();
            text.push_str(word);
            text[start..].make_ascii_lowercase();
        } else {
            text.push_str(&word.to_lowercase());
        }
        text.len()
    });
    let ends = ends.collect();
    (text, ends)
}

/// The stems of the words that are left, numbered from 0.
struct Stems {
    /// Numbers in the lexicon.
    numbers: Vec<u32>,
}

impl Stems {
    /// Replaces words by their stems.
    fn new(lexicon: &mut Lexicon, texts: &[&str], sides: [&mut Unmatched; 2]) -> Self {
        let mut by_word = vec![None; texts.len()];
        let mut known: HashMap<u32, u32, BuildHasherDefault<PairHasher>> = HashMap::default();
        let mut numbers = Vec::new();
        for (_, word) in sides.into_iter().flatten() {
            let at = *word as usize;
            *word = *by_word[at].get_or_insert_with(|| {
                let number = lexicon.stem(texts[at]);
                *known.entry(number).or_insert_with(|| {
                    numbers.push(number);
                    u32::try_from(numbers.len() - 1).unwrap_or(u32::MAX)
                })
            });
        }
        Self { numbers }
    }

    /// The stems of a reference by the synsets that have them as a name.
    fn names(&self, lexicon: &mut Lexicon, reference: &Unmatched) -> Names {
        let mut names = Names::default();
        let mut seen = vec![false; self.numbers.len()];
        for &(_, stem) in reference {
            if !std::mem::replace(&mut seen[stem as usize], true) {
                for &synset in lexicon.synsets_naming(self.numbers[stem as usize]) {
                    names.entry(synset).or_default().push(stem);
                }
            }
        }
        names
    }
}

type Names = HashMap<u32, Vec<u32>, BuildHasherDefault<PairHasher>>;

/// Free places in the list of unmatched reference words: the last one of each word, and before
/// each the one before it of the same word.
struct Free {
    last: Vec<Option<usize>>,
    before: Vec<Option<usize>>,
}

impl Free {
    fn new(reference: &Unmatched, distinct: usize) -> Self {
        let mut free = Self {
            last: vec![None; distinct],
            before: Vec::with_capacity(reference.len()),
        };
        for (place, (_, word)) in reference.iter().enumerate() {
            let last = &mut free.last[*word as usize];
            free.before.push(*last);
            *last = Some(place);
        }
        free
    }

    /// Takes the last free place of any of the words.
    fn last_of(&mut self, words: impl Iterator<Item = u32>) -> Option<usize> {
        let last = words
            .filter_map(|word| Some((self.last[word as usize]?, word)))
            .max_by_key(|(place, _)| *place);
        let (place, word) = last?;
        self.last[word as usize] = self.before[place];
        Some(place)
    }
}

/// Matches hypothesis words from the last to the first and removes what is matched.
fn match_words(
    hypothesis: &mut Unmatched,
    reference: &mut Unmatched,
    distinct: usize,
    mut find: impl FnMut(u32, &mut Free) -> Option<usize>,
) -> Vec<(usize, usize)> {
    let mut free = Free::new(reference, distinct);
    let mut taken = vec![false; reference.len()];
    let mut matches = Vec::with_capacity(hypothesis.len().min(reference.len()));
    let mut unmatched = Vec::new();
    for &(position, word) in hypothesis.iter().rev() {
        match find(word, &mut free) {
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
