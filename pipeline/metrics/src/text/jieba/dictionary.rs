//! The dictionary of jieba.

use std::sync::LazyLock;

use crate::text::embedded::{decompress, section};

/// See `data/build_jieba.py` for the format and `data/JIEBA_LICENSE` for the licence.
static COMPRESSED: &[u8] = include_bytes!("../../../data/jieba-0.42.1.txt.gz");

pub(super) static TEXT: LazyLock<String> = LazyLock::new(|| decompress(COMPRESSED));

static DICTIONARY: LazyLock<Dictionary> = LazyLock::new(|| Dictionary::read(&TEXT));

/// The dictionary, read at first use.
pub(super) fn dictionary() -> &'static Dictionary {
    &DICTIONARY
}

/// Words with their frequencies, sorted.
pub(super) struct Dictionary {
    words: Vec<(&'static str, f64)>,
    /// First word of each initial character, with the character, sorted, and the end.
    initials: Vec<(char, usize)>,
    /// Logarithm of the sum of all frequencies.
    pub(super) log_total: f64,
}

impl Dictionary {
    fn read(text: &'static str) -> Self {
        let total = section(text, "=total", &['=']).find_map(|line| line.parse().ok());
        let words: Vec<(&str, f64)> = section(text, "=words", &['='])
            .filter_map(|line| line.split_once(' '))
            .filter_map(|(word, frequency)| Some((word, frequency.parse().ok()?)))
            .collect();
        let mut initials: Vec<(char, usize)> = Vec::new();
        for (index, (word, _)) in words.iter().enumerate() {
            if let Some(initial) = word.chars().next()
                && initials.last().is_none_or(|last| last.0 != initial)
            {
                initials.push((initial, index));
            }
        }
        Self {
            words,
            initials,
            log_total: f64::ln(total.unwrap_or(1.0)),
        }
    }

    pub(super) fn contains(&self, word: &str) -> bool {
        self.words
            .binary_search_by(|(known, _)| (*known).cmp(word))
            .is_ok_and(|index| self.words[index].1 > 0.0)
    }

    /// The words that start at the first offset: number of characters and frequency, shortest
    /// first. `offsets` are those of the characters from there on and of the end of the text.
    pub(super) fn words_at<'a>(
        &'a self,
        text: &'a str,
        offsets: &'a [usize],
    ) -> impl Iterator<Item = (usize, f64)> + 'a {
        let mut candidates = self.with_initial(&text[offsets[0]..]);
        let mut characters = 0;
        std::iter::from_fn(move || {
            while characters + 1 < offsets.len() && !candidates.is_empty() {
                characters += 1;
                let prefix = &text[offsets[0]..offsets[characters]];
                // Words that start with the prefix are adjacent, the prefix itself first.
                let from = candidates.partition_point(|(word, _)| *word < prefix);
                let count =
                    candidates[from..].partition_point(|(word, _)| word.starts_with(prefix));
                candidates = &candidates[from..from + count];
                if let Some((word, frequency)) = candidates.first()
                    && *word == prefix
                    && *frequency > 0.0
                {
                    return Some((characters, *frequency));
                }
            }
            None
        })
    }

    /// The words with the initial character of a text.
    fn with_initial(&self, text: &str) -> &[(&'static str, f64)] {
        let found = text.chars().next().and_then(|initial| {
            self.initials
                .binary_search_by_key(&initial, |(initial, _)| *initial)
                .ok()
        });
        let Some(index) = found else { return &[] };
        let end = self
            .initials
            .get(index + 1)
            .map_or(self.words.len(), |(_, start)| *start);
        &self.words[self.initials[index].1..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_words_and_prefixes() {
        let dictionary = dictionary();
        assert!(dictionary.contains("B超") && !dictionary.contains("清华大"));
        let text = "清华大学生";
        let offsets: Vec<usize> = (0..=5).map(|index| index * 3).collect();
        let lengths: Vec<usize> = dictionary
            .words_at(text, &offsets)
            .map(|(characters, _)| characters)
            .collect();
        assert_eq!(lengths, [1, 2, 4]);
        assert!((dictionary.log_total - 60_101_967_f64.ln()).abs() < 1e-12);
    }
}
