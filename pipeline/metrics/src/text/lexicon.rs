//! Stems and synonyms of words, remembered by each thread.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::interner::WordHasher;
use super::porter::PorterStemmer;
use super::wordnet::{synsets_naming, synsets_of};

/// Bytes of words after which a thread forgets them and begins anew.
const MOST_BYTES: usize = 1 << 21;

type ByWord = HashMap<Box<str>, u32, BuildHasherDefault<WordHasher>>;

/// Words are few and come again and again, so each is stemmed and looked up in `WordNet` once.
#[derive(Default)]
pub(crate) struct Lexicon {
    /// Number of the stem of a word.
    stems: ByWord,
    numbers: ByWord,
    entries: Vec<Entry>,
    bytes: usize,
}

/// What is known of a stem.
struct Entry {
    text: Box<str>,
    synsets: Option<Box<[u32]>>,
    naming: Option<Box<[u32]>>,
}

thread_local! {
    static LEXICON: RefCell<Lexicon> = RefCell::default();
}

impl Lexicon {
    /// Lends this thread's lexicon; numbers hold for as long as it is lent.
    pub(crate) fn lend<T>(work: impl FnOnce(&mut Self) -> T) -> T {
        LEXICON.with_borrow_mut(|lexicon| {
            if lexicon.bytes > MOST_BYTES {
                *lexicon = Self::default();
            }
            work(lexicon)
        })
    }

    /// Number of the Porter stem of a word; equal stems have equal numbers.
    pub(crate) fn stem(&mut self, word: &str) -> u32 {
        if let Some(&number) = self.stems.get(word) {
            return number;
        }
        let stem = PorterStemmer::default().stem(word).into_boxed_str();
        let number = if let Some(&number) = self.numbers.get(&stem) {
            number
        } else {
            let number = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
            self.entries.push(Entry {
                text: stem.clone(),
                synsets: None,
                naming: None,
            });
            self.numbers.insert(stem, number);
            number
        };
        self.bytes += 2 * word.len() + 64;
        self.stems.insert(word.into(), number);
        number
    }

    /// The synsets of a stem and of its lemmas.
    pub(crate) fn synsets(&mut self, stem: u32) -> &[u32] {
        let entry = &mut self.entries[stem as usize];
        let text = &entry.text;
        (entry.synsets).get_or_insert_with(|| synsets_of(text).into_boxed_slice())
    }

    /// The synsets among whose names a stem is.
    pub(crate) fn synsets_naming(&mut self, stem: u32) -> &[u32] {
        let entry = &mut self.entries[stem as usize];
        let text = &entry.text;
        (entry.naming).get_or_insert_with(|| synsets_naming(text).into_boxed_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_is_found() {
        Lexicon::lend(|lexicon| {
            for _ in 0..2 {
                let [doctor, doctors, physician] =
                    ["doctor", "doctors", "physician"].map(|word| lexicon.stem(word));
                assert_eq!(doctor, doctors);
                assert_ne!(doctor, physician);
                assert_eq!(lexicon.synsets(doctor), synsets_of("doctor"));
                assert_eq!(
                    lexicon.synsets_naming(physician),
                    synsets_naming("physician")
                );
            }
        });
    }

    #[test]
    fn much_is_forgotten() {
        let word = "a".repeat(MOST_BYTES);
        Lexicon::lend(|lexicon| lexicon.stem(&word));
        Lexicon::lend(|lexicon| assert!(lexicon.entries.is_empty()));
    }
}
