//! Texts as terms of an index.

use consilium_core::is_han;
use unicode_normalization::UnicodeNormalization;

/// Terms longer than this are cut: nothing is told by the tail of a longer one.
const LONGEST: usize = 64;

/// Words of scripts with spaces, and overlapping pairs of Han characters; NFKC and caseless.
///
/// A Han character that stands alone is a term of its own.
pub(super) fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut word = String::new();
    let mut han: Vec<char> = Vec::new();
    for c in text.nfkc().flat_map(char::to_lowercase).chain(['\n']) {
        if is_han(c) {
            end_word(&mut word, &mut terms);
            han.push(c);
            continue;
        }
        end_han(&mut han, &mut terms);
        if c.is_alphanumeric() {
            word.push(c);
        } else {
            end_word(&mut word, &mut terms);
        }
    }
    terms
}

fn end_word(word: &mut String, terms: &mut Vec<String>) {
    if !word.is_empty() {
        terms.push(word.chars().take(LONGEST).collect());
        word.clear();
    }
}

fn end_han(han: &mut Vec<char>, terms: &mut Vec<String>) {
    match han.as_slice() {
        [] => return,
        [one] => terms.push(one.to_string()),
        several => terms.extend(several.windows(2).map(String::from_iter)),
    }
    han.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_pairs_of_characters() {
        assert_eq!(terms("Chest pain, 3-day"), ["chest", "pain", "3", "day"]);
        assert_eq!(terms("舌质淡红"), ["舌质", "质淡", "淡红"]);
        assert_eq!(
            terms("脉弦，WBC 升高3天"),
            ["脉弦", "wbc", "升高", "3", "天"]
        );
        assert_eq!(terms("Ｆｅｖｅｒ"), ["fever"]);
        assert!(terms(" …\n").is_empty());
    }
}
