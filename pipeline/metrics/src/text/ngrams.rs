//! N-gram counts over small integer ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::interner::Interner;
use super::whitespace::is_space;

/// Longest n-gram that any metric counts; larger settings are cut to it.
pub(crate) const MAX_ORDER: usize = 64;

/// Sequences of ids below `distinct`; equal elements have equal ids.
pub(crate) struct Sequences {
    /// The sequences.
    pub(crate) ids: Vec<Vec<u32>>,
    /// Number of different elements.
    pub(crate) distinct: usize,
}

/// Gives every different token of the sequences an id, in order of appearance.
pub(crate) fn intern<'text>(
    sequences: impl IntoIterator<Item = impl IntoIterator<Item = &'text str>>,
) -> Sequences {
    intern_bytes(1 << 8, sequences)
}

/// The same for sequences that come from about as many bytes of text.
pub(crate) fn intern_bytes<'text>(
    bytes: usize,
    sequences: impl IntoIterator<Item = impl IntoIterator<Item = &'text str>>,
) -> Sequences {
    let mut interner = Interner::for_bytes(bytes);
    let ids = sequences
        .into_iter()
        .map(|sequence| sequence.into_iter().map(|text| interner.id(text)).collect())
        .collect();
    Sequences {
        ids,
        distinct: interner.distinct(),
    }
}

/// The same for the characters of texts, of whitespace only if `with_spaces`.
pub(crate) fn intern_characters<'text>(
    texts: impl IntoIterator<Item = &'text str>,
    with_spaces: bool,
) -> Sequences {
    let mut ascii = [u32::MAX; 128];
    let mut others: HashMap<u32, u32, BuildHasherDefault<PairHasher>> = HashMap::default();
    let mut distinct = 0;
    let mut fresh = || {
        distinct += 1;
        id(distinct - 1)
    };
    let mut of_character = |character: char| {
        let code = u32::from(character);
        match ascii.get_mut(code as usize) {
            Some(known) => {
                if *known == u32::MAX {
                    *known = fresh();
                }
                *known
            }
            None => *others.entry(code).or_insert_with(&mut fresh),
        }
    };
    let counted = |character: &char| with_spaces || !is_space(*character);
    let ids = texts
        .into_iter()
        .map(|text| {
            let mut ids = Vec::with_capacity(text.len());
            if text.is_ascii() {
                let characters = text.bytes().map(char::from);
                ids.extend(characters.filter(counted).map(&mut of_character));
            } else {
                ids.extend(text.chars().filter(counted).map(&mut of_character));
            }
            ids
        })
        .collect();
    Sequences { ids, distinct }
}

/// An id from a count of elements; no text that fits in memory has more.
fn id(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The n-grams of several sequences, one order at a time.
///
/// The id of an n-gram comes from the id of its first n − 1 elements and its last element, so
/// every order costs one look-up per position.
pub(crate) struct NgramLadder<'tokens> {
    tokens: &'tokens [Vec<u32>],
    /// Ids of the n-grams of the present order, one list per sequence.
    grams: Vec<Vec<u32>>,
    distinct: usize,
    order: usize,
}

impl<'tokens> NgramLadder<'tokens> {
    /// Starts with unigrams.
    pub(crate) fn new(sequences: &'tokens Sequences) -> Self {
        Self {
            tokens: &sequences.ids,
            grams: sequences.ids.clone(),
            distinct: sequences.distinct,
            order: 1,
        }
    }

    /// Number of n-grams in a sequence.
    pub(crate) fn total(&self, sequence: usize) -> usize {
        self.grams[sequence].len()
    }

    /// Number of different n-grams in a sequence.
    pub(crate) fn distinct_in(&self, sequence: usize) -> usize {
        self.counts(sequence)
            .iter()
            .filter(|&&count| count > 0)
            .count()
    }

    /// How often each n-gram occurs in a sequence, by id.
    pub(crate) fn counts(&self, sequence: usize) -> Vec<u32> {
        let mut counts = vec![0; self.distinct];
        for &gram in &self.grams[sequence] {
            counts[gram as usize] += 1;
        }
        counts
    }

    /// Goes on to the next order.
    pub(crate) fn advance(&mut self) {
        let positions = self.grams.iter().map(Vec::len).sum();
        let mut known: HashMap<u64, u32, BuildHasherDefault<PairHasher>> =
            HashMap::with_capacity_and_hasher(positions, BuildHasherDefault::default());
        let order = self.order;
        for (grams, tokens) in self.grams.iter_mut().zip(self.tokens) {
            let ends = tokens.get(order..).unwrap_or_default();
            grams.truncate(ends.len());
            for (gram, &end) in grams.iter_mut().zip(ends) {
                let next = id(known.len());
                let key = (u64::from(*gram) << 32) | u64::from(end);
                *gram = *known.entry(key).or_insert(next);
            }
        }
        self.distinct = known.len();
        self.order += 1;
    }
}

/// Sum over ids of the smaller of two counts.
pub(crate) fn overlap(one: &[u32], other: &[u32]) -> usize {
    one.iter()
        .zip(other)
        .map(|(&one, &other)| one.min(other) as usize)
        .sum()
}

/// Mixes one 64-bit key by a multiplication; the keys are ids, not text from outside.
#[derive(Default)]
pub(crate) struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, key: u32) {
        self.write_u64(u64::from(key));
    }

    fn write_u64(&mut self, key: u64) {
        let mixed = (self.0 ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_order() {
        let sequences = intern([vec!["a", "b", "a", "b"], vec!["a", "b", "b"], vec![]]);
        assert_eq!(sequences.distinct, 2);
        let mut ladder = NgramLadder::new(&sequences);
        assert_eq!(overlap(&ladder.counts(0), &ladder.counts(1)), 3);
        ladder.advance();
        assert_eq!(
            [ladder.total(0), ladder.total(1), ladder.total(2)],
            [3, 2, 0]
        );
        assert_eq!(overlap(&ladder.counts(0), &ladder.counts(1)), 1);
        assert_eq!(ladder.distinct_in(0), 2);
        for _ in 0..4 {
            ladder.advance();
        }
        assert_eq!(ladder.total(0), 0);
    }
}
