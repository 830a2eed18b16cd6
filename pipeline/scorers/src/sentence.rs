//! Sentences of an answer.

use std::ops::Range;

use super::fold::has_content;

/// Short words before a full stop that ends no sentence.
const ABBREVIATIONS: [&str; 12] = [
    "dr", "mr", "mrs", "ms", "vs", "e.g", "i.e", "fig", "approx", "st", "spp", "sp",
];

/// Byte ranges of the sentences of a text in NFKC; a line break always ends one.
///
/// A full stop after a single letter ends none: `B. Metformin` and `E. coli` are one sentence.
pub(super) fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        let end = match byte {
            b'\n' | b'!' | b'?' | b';' => at + 1,
            // 。 is E3 80 82.
            0x82 if at >= 2 && bytes[at - 2..at] == [0xe3, 0x80] => at + 1,
            b'.' if ends_word(&text[at + 1..]) && !is_abbreviation(&text[start..at]) => at + 1,
            _ => continue,
        };
        ranges.push(start..end);
        start = end;
    }
    ranges.push(start..text.len());
    ranges.retain(|range| has_content(&text[range.clone()]));
    ranges
}

fn ends_word(after: &str) -> bool {
    after.chars().next().is_none_or(char::is_whitespace)
}

fn is_abbreviation(before: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | ':'))
        .next()
        .unwrap_or_default();
    let mut chars = word.chars();
    let single = matches!((chars.next(), chars.next()), (Some(c), None) if c.is_ascii_alphabetic());
    single
        || ABBREVIATIONS
            .iter()
            .any(|short| word.eq_ignore_ascii_case(short))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text)
            .into_iter()
            .map(|range| text[range].trim())
            .collect()
    }

    #[test]
    fn sentences_end_where_they_should() {
        assert_eq!(
            split("Answer: B. Metformin is first. Then insulin!\n\nDone"),
            ["Answer: B. Metformin is first.", "Then insulin!", "Done"]
        );
        assert_eq!(split("E. coli at 2.5 mg"), ["E. coli at 2.5 mg"]);
        assert_eq!(split("排除甲。考虑乙;选B"), ["排除甲。", "考虑乙;", "选B"]);
        assert!(split(" … \n").is_empty());
    }
}
