//! Synonyms from `WordNet` 3.0.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use super::embedded::{decompress, section};

/// See `data/build_wordnet.py` for the format and `data/WORDNET_LICENSE` for the licence.
static COMPRESSED: &[u8] = include_bytes!("../../data/wordnet-3.0.txt.gz");

static TEXT: LazyLock<String> = LazyLock::new(|| decompress(COMPRESSED));

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(&TEXT));

/// What a line starts with that is the head of a section.
const MARKS: &[char] = &['=', '!'];

/// All of `WordNet` that synonyms need.
struct Table {
    /// Names of the lemmas of each synset, separated by spaces.
    synsets: Vec<&'static str>,
    parts: Vec<PartOfSpeech>,
}

struct PartOfSpeech {
    /// (suffix, replacement) that may lead from a form to its lemma.
    endings: &'static [(&'static str, &'static str)],
    /// Irregular forms with their lemmas.
    irregular: HashMap<&'static str, &'static str>,
    /// Positions of synsets by lowercased name.
    by_name: HashMap<Cow<'static, str>, Vec<u32>>,
}

impl Table {
    fn read(text: &'static str) -> Self {
        let mut table = Self {
            synsets: Vec::new(),
            parts: Vec::new(),
        };
        for part in ["noun", "verb", "adj", "adv"] {
            let mut by_name: HashMap<Cow<'static, str>, Vec<u32>> = HashMap::new();
            for names in section(text, &format!("={part}"), MARKS) {
                let id = u32::try_from(table.synsets.len()).unwrap_or(u32::MAX);
                table.synsets.push(names);
                for name in names.split(' ') {
                    let key = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
                        Cow::Owned(name.to_lowercase())
                    } else {
                        Cow::Borrowed(name)
                    };
                    by_name.entry(key).or_default().push(id);
                }
            }
            let irregular = section(text, &format!("!{part}"), MARKS)
                .filter_map(|line| line.split_once(' '))
                .collect();
            table.parts.push(PartOfSpeech {
                endings: endings(part),
                irregular,
                by_name,
            });
        }
        table
    }

    fn names(&self, synset: u32) -> impl Iterator<Item = &'static str> {
        let names = self
            .synsets
            .get(synset as usize)
            .copied()
            .unwrap_or_default();
        names.split(' ').filter(|name| !name.contains('_'))
    }
}

impl PartOfSpeech {
    fn named(&self, name: &str) -> &[u32] {
        self.by_name
            .get(name)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Adds the synsets of the form and of its lemmas.
    fn add_synsets(&self, form: &str, synsets: &mut Vec<u32>) {
        synsets.extend(self.named(form));
        if let Some(lemmas) = self.irregular.get(form) {
            for lemma in lemmas.split(' ') {
                synsets.extend(self.named(lemma));
            }
            return;
        }
        let mut lemma = String::new();
        for (suffix, replacement) in self.endings {
            if let Some(stem) = form.strip_suffix(suffix) {
                lemma.clear();
                lemma.push_str(stem);
                lemma.push_str(replacement);
                synsets.extend(self.named(&lemma));
            }
        }
    }
}

fn endings(part: &str) -> &'static [(&'static str, &'static str)] {
    match part {
        "noun" => &[
            ("s", ""),
            ("ses", "s"),
            ("ves", "f"),
            ("xes", "x"),
            ("zes", "z"),
            ("ches", "ch"),
            ("shes", "sh"),
            ("men", "man"),
            ("ies", "y"),
        ],
        "verb" => &[
            ("s", ""),
            ("ies", "y"),
            ("es", "e"),
            ("es", ""),
            ("ed", "e"),
            ("ed", ""),
            ("ing", "e"),
            ("ing", ""),
        ],
        "adj" => &[("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
        _ => &[],
    }
}

/// The synsets of a word and of its lemmas, of any part of speech; some may occur twice.
pub(crate) fn synsets_of(word: &str) -> Vec<u32> {
    let form = word.to_lowercase();
    let mut synsets = Vec::new();
    for part in &TABLE.parts {
        part.add_synsets(&form, &mut synsets);
    }
    synsets
}

/// The synsets among whose names the word is, in this very case.
pub(crate) fn synsets_naming(word: &str) -> Vec<u32> {
    let key = word.to_lowercase();
    let named = TABLE.parts.iter().flat_map(|part| part.named(&key));
    named
        .copied()
        .filter(|&synset| TABLE.names(synset).any(|name| name == word))
        .collect()
}

/// Returns the word and the names of one word that share a synset with it or its lemmas, sorted.
///
/// The word is lowercased for the look-up; names keep the case they have in `WordNet`, and names of
/// several words are left out.
///
/// Source: nltk 3.10 `wordnet.synsets` over `WordNet` 3.0, as nltk's METEOR uses it.
pub fn synonyms(word: &str) -> BTreeSet<Cow<'static, str>> {
    let names = synsets_of(word)
        .into_iter()
        .flat_map(|synset| TABLE.names(synset));
    let mut synonyms: BTreeSet<_> = names.map(Cow::Borrowed).collect();
    synonyms.insert(Cow::Owned(word.to_owned()));
    synonyms
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_synsets_and_lemmas() {
        assert!(synonyms("physicians").contains("doctor"));
        assert!(synonyms("mice").contains("mouse"));
        assert!(synonyms("ran").contains("run"));
        assert!(synsets_naming("einstein").is_empty() && !synsets_of("einstein").is_empty());
        assert!(!synsets_naming("Einstein").is_empty());
        assert!(!synonyms("automobil").contains("car"));
        assert_eq!(synonyms("脾虚"), BTreeSet::from([Cow::Borrowed("脾虚")]));
        assert_eq!(synonyms("").len(), 1);
    }
}
