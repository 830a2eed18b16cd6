//! Chinese words as jieba finds them.
//!
//! The crate jieba-rs joins what jieba splits (`1.5cm`, `PET-CT`) and takes further ideographs for
//! Chinese, so its words differ; with the same dictionary and model these are equal.

mod dictionary;
mod model;

use super::whitespace::is_space;
use dictionary::{Dictionary, dictionary};

/// Splits text into words, whitespace and punctuation, as `jieba.cut(text, HMM=hmm)`.
///
/// Nothing is dropped: joined, the words are the text. With `hmm`, words that are not in the
/// dictionary are found by a hidden Markov model.
///
/// Source: jieba 0.42.1, accurate mode, with its own dictionary.
pub fn cut(text: &str, hmm: bool) -> Vec<&str> {
    let mut words = Vec::new();
    for run in runs(text, is_block) {
        if run.starts_with(is_block) {
            cut_block(run, hmm, &mut words);
        } else {
            cut_other(run, &mut words);
        }
    }
    words
}

/// Characters that are segmented: Chinese, ASCII letters and digits and some signs in between.
fn is_block(character: char) -> bool {
    is_chinese(character)
        || character.is_ascii_alphanumeric()
        || matches!(character, '+' | '#' | '&' | '.' | '_' | '%' | '-')
}

fn is_chinese(character: char) -> bool {
    matches!(character, '\u{4e00}'..='\u{9fd5}')
}

/// Runs of characters that are all of the class or all not.
fn runs(text: &str, class: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_member = class(rest.chars().next()?);
        let end = rest
            .find(|character| class(character) != is_member)
            .unwrap_or(rest.len());
        let (run, behind) = rest.split_at(end);
        rest = behind;
        Some(run)
    })
}

/// Everything else: each character by itself, but a line break of two characters stays whole.
fn cut_other<'text>(run: &'text str, words: &mut Vec<&'text str>) {
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let end = if rest.starts_with("\r\n") {
            2
        } else {
            first.len_utf8()
        };
        let (word, behind) = rest.split_at(end);
        words.push(word);
        rest = behind;
    }
}

/// Cuts a block along the most probable words of the dictionary.
fn cut_block<'text>(block: &'text str, hmm: bool, words: &mut Vec<&'text str>) {
    let dictionary = dictionary();
    // Offsets of all characters and of the end.
    let offsets: Vec<usize> = block
        .char_indices()
        .map(|(at, _)| at)
        .chain(std::iter::once(block.len()))
        .collect();
    let ends = best_ends(block, &offsets, dictionary);
    let joins = |word: &str| hmm || word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let mut start = 0;
    let mut unjoined = 0;
    while start < ends.len() {
        let end = ends[start];
        let word = &block[offsets[start]..offsets[end]];
        if end - start > 1 || !joins(word) {
            flush(
                &block[offsets[unjoined]..offsets[start]],
                hmm,
                dictionary,
                words,
            );
            words.push(word);
            unjoined = end;
        }
        start = end;
    }
    flush(&block[offsets[unjoined]..], hmm, dictionary, words);
}

/// Handles characters that stayed single: joins them without the model, else asks the model.
fn flush<'text>(run: &'text str, hmm: bool, dictionary: &Dictionary, words: &mut Vec<&'text str>) {
    let mut characters = run.char_indices();
    if characters.next().is_none() {
        return;
    }
    if !hmm || characters.next().is_none() {
        words.push(run);
    } else if dictionary.contains(run) {
        // As a word it was less probable than its characters.
        words.extend(
            run.char_indices()
                .map(|(at, c)| &run[at..at + c.len_utf8()]),
        );
    } else {
        cut_unknown(run, words);
    }
}

/// Cuts a run without known words: Chinese by the model, letters and digits as words.
fn cut_unknown<'text>(run: &'text str, words: &mut Vec<&'text str>) {
    for part in runs(run, is_chinese) {
        if part.starts_with(is_chinese) {
            model::cut(part, words);
        } else {
            cut_latin(part, words);
        }
    }
}

/// Letters and digits with a decimal fraction and a percent sign are one word; what is between
/// such words is another.
fn cut_latin<'text>(part: &'text str, words: &mut Vec<&'text str>) {
    let bytes = part.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let skip = |mut at: usize, class: &dyn Fn(usize) -> bool| {
        while class(at) {
            at += 1;
        }
        at
    };
    let mut start = 0;
    while start < bytes.len() {
        let mut end;
        if is_word(start) {
            end = skip(start, &is_word);
            if bytes.get(end) == Some(&b'.') && is_digit(end + 1) {
                end = skip(end + 1, &is_digit);
            }
            end += usize::from(bytes.get(end) == Some(&b'%'));
        } else {
            end = skip(start, &|at| at < bytes.len() && !is_word(at));
        }
        words.push(&part[start..end]);
        start = end;
    }
}

/// For each character, the end of the word that starts there on the most probable way to the end.
fn best_ends(block: &str, offsets: &[usize], dictionary: &Dictionary) -> Vec<usize> {
    let length = offsets.len() - 1;
    let mut ends = vec![0; length];
    let mut values = vec![0.0; length + 1];
    for start in (0..length).rev() {
        let mut best: Option<(f64, usize)> = None;
        let candidates = dictionary.words_at(block, &offsets[start..]);
        for (characters, frequency) in candidates {
            let end = start + characters;
            let value = frequency.ln() - dictionary.log_total + values[end];
            // Of equal ways the one with the longer word.
            if best.is_none_or(|(highest, _)| value >= highest) {
                best = Some((value, end));
            }
        }
        (values[start], ends[start]) =
            best.unwrap_or((values[start + 1] - dictionary.log_total, start + 1));
    }
    ends
}

/// Splits text into words without whitespace, for metrics over tokens.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    cut(text, true)
        .into_iter()
        .filter(|word| !word.chars().all(is_space))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equals_jieba() {
        assert_eq!(cut("脾肾阳虚证", true).concat(), "脾肾阳虚证");
        assert_eq!(
            cut("我来到北京清华大学", true),
            ["我", "来到", "北京", "清华大学"]
        );
        assert_eq!(
            cut("他来到了网易杭研大厦", true),
            ["他", "来到", "了", "网易", "杭研", "大厦"]
        );
        assert_eq!(
            cut("他来到了网易杭研大厦", false),
            ["他", "来到", "了", "网易", "杭", "研", "大厦"]
        );
        assert_eq!(
            cut("1.5cm PET-CT\r\n!", true),
            ["1.5", "cm", " ", "PET", "-", "CT", "\r\n", "!"]
        );
        assert!(cut("", true).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "[患者脾肾阳虚B超T恤1.5%a+&# \r\n，。𠀀é-]{0,40}", hmm in any::<bool>()) {
            prop_assert_eq!(cut(&text, hmm).concat(), text);
        }
    }
}
