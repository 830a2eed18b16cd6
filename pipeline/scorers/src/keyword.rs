//! Words that patterns begin with, found in one pass over a text.
//!
//! A pattern that begins with one of a few words is tried only where such a word stands. That gives
//! what a search of the whole text gives, as long as no match begins elsewhere.

use std::ops::Range;

use regex::Regex;

/// A set of patterns, one bit each.
pub(super) type Bits = u32;

/// Beginnings of words, in lower case, with the patterns that they may begin.
#[derive(Debug)]
pub(super) struct Keywords {
    by_first_letter: [Vec<(&'static str, Bits)>; 26],
}

/// A place where patterns may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Where the word begins, a boundary between ASCII words.
    pub(super) at: usize,
    /// The patterns.
    pub(super) patterns: Bits,
}

impl Keywords {
    /// Keywords of patterns; each begins with an ASCII letter.
    pub(super) fn new(keywords: impl IntoIterator<Item = (&'static str, Bits)>) -> Self {
        let mut by_first_letter = [const { Vec::new() }; 26];
        for (keyword, patterns) in keywords {
            let first = keyword.bytes().next().unwrap_or(b'a');
            by_first_letter[usize::from(first - b'a')].push((keyword, patterns));
        }
        Self { by_first_letter }
    }

    /// The places where words begin with a keyword, in order; case does not matter.
    ///
    /// A text in NFKC has no character outside ASCII that is an ASCII letter but for its case.
    pub(super) fn hits(&self, text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        let mut inside = false;
        for (at, &byte) in bytes.iter().enumerate() {
            let is_word = byte.is_ascii_alphanumeric() || byte == b'_';
            if is_word && !inside && byte.is_ascii_alphabetic() {
                let first = byte.to_ascii_lowercase() - b'a';
                let patterns = self.by_first_letter[usize::from(first)]
                    .iter()
                    .filter(|(keyword, _)| {
                        bytes[at..]
                            .get(..keyword.len())
                            .is_some_and(|head| head.eq_ignore_ascii_case(keyword.as_bytes()))
                    })
                    .fold(0, |patterns, (_, more)| patterns | more);
                if patterns != 0 {
                    hits.push(Hit { at, patterns });
                }
            }
            inside = is_word;
        }
        hits
    }
}

/// The matches of a pattern that begins at a keyword of this bit, without overlap, in order.
///
/// The pattern must be anchored to the start of the text that it is given.
pub(super) fn matches_at<'a>(
    anchored: &'a Regex,
    text: &'a str,
    hits: &'a [Hit],
    bit: Bits,
) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut free = 0;
    hits.iter()
        .filter(move |hit| hit.patterns & bit != 0)
        .filter_map(move |hit| {
            if hit.at < free {
                return None;
            }
            let found = anchored.find(&text[hit.at..])?;
            free = hit.at + found.end();
            Some(hit.at..free)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_begin() {
        let keywords = Keywords::new([("answer", 1), ("so", 2), ("an", 4)]);
        let hit = |at, patterns| Hit { at, patterns };
        assert_eq!(
            keywords.hits("SO the Answers, unanswered; _so 答案so so"),
            [hit(0, 2), hit(7, 5), hit(38, 2), hit(41, 2)]
        );
        let pattern = Regex::new("^answer(?: answer)?").unwrap();
        let text = "answer answer answer";
        let hits = keywords.hits(text);
        let found: Vec<_> = matches_at(&pattern, text, &hits, 1).collect();
        assert_eq!(found, [0..13, 14..20]);
    }
}
