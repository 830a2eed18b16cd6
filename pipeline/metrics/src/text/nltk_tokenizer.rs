//! nltk's word tokenizers.

use std::sync::LazyLock;

use regex::Regex;

use super::whitespace::{is_space, split};

/// Splits text as nltk's `NLTKWordTokenizer`, the one behind `word_tokenize`.
///
/// Splits off punctuation, quotes and English clitics (`'s`, `n't`); only the period at the end of
/// the text is a token, so sentences must be separated first. Opening double quotes become two
/// backquotes, closing ones two apostrophes.
///
/// Source: nltk 3.10 `NLTKWordTokenizer` with the module `regex` installed, after Robert `MacIntyre`'s script for the Penn Treebank.
pub fn nltk_words(text: &str) -> Vec<String> {
    static RULES: LazyLock<[Vec<(Regex, &str)>; 3]> = LazyLock::new(|| {
        [
            compile(&BEFORE_CLITICS),
            compile(&PUNCTUATION),
            compile(&CLITICS),
        ]
    });
    static WORDS: LazyLock<Vec<(Regex, Next)>> = LazyLock::new(|| compile(&CONTRACTIONS));
    let [before_clitics, punctuation, clitics] = &*RULES;
    let text = apply(text.to_owned(), before_clitics);
    let text = split_opening_apostrophes(&text);
    let text = apply(text, punctuation);
    let mut text = apply(
        one_space(&format!(" {text} ").replace('"', " '' ")),
        clitics,
    );
    for (pattern, next) in WORDS.iter() {
        if pattern.is_match(&text) {
            text = split_contraction(&text, pattern, *next);
        }
    }
    split(&text).map(str::to_owned).collect()
}

/// Splits text into runs of word characters and runs of other characters but whitespace.
///
/// Source: nltk 3.10 `WordPunctTokenizer`.
pub fn word_punctuation(text: &str) -> Vec<&str> {
    #[derive(PartialEq)]
    enum Kind {
        Word,
        Space,
        Other,
    }
    let kind = |character| {
        if is_word(character) {
            Kind::Word
        } else if character.is_whitespace() {
            Kind::Space
        } else {
            Kind::Other
        }
    };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let kind_of_first = kind(first);
        let end = rest
            .find(|character| kind(character) != kind_of_first)
            .unwrap_or(rest.len());
        let (token, behind) = rest.split_at(end);
        if kind_of_first != Kind::Space {
            tokens.push(token);
        }
        rest = behind;
    }
    tokens
}

const BEFORE_CLITICS: [(&str, &str); 4] = [
    (r"([«“‘„]|[`]+)", " ${1} "),
    ("^\"", "``"),
    (r"(``)", " ${1} "),
    (r#"([ (\[{<])("|'{2})"#, "${1} `` "),
];

const PUNCTUATION: [(&str, &str); 12] = [
    (r#"([^.])(\.)([\])}>"'»”’ ]*)\s*$"#, "${1} ${2} ${3} "),
    (r"([:,])(\D)", " ${1} ${2}"),
    (r"([:,])$", " ${1} "),
    (r"\.{2,}", " ${0} "),
    (r"[;@#$%&]", " ${0} "),
    (r"[\u{2012}-\u{2015}]", " ${0} "),
    (r#"([^.])(\.)([\])}>"']*)\s*$"#, "${1} ${2}${3} "),
    (r"[?!]", " ${0} "),
    (r"([^'])' ", "${1} ' "),
    (r"[*]", " ${0} "),
    (r"[\]\[(){}<>]", " ${0} "),
    (r"--", " -- "),
];

const CLITICS: [(&str, &str); 2] = [
    (r"([^' ])('[sS]|'[mM]|'[dD]|') ", "${1} ${2} "),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", "${1} ${2} "),
];

/// Words that are two tokens, and what must follow them; those with a space must follow one.
const CONTRACTIONS: [(&str, Next); 10] = [
    ("(?i)(can)(not)", Next::Boundary),
    ("(?i)(d)('ye)", Next::Boundary),
    ("(?i)(gim)(me)", Next::Boundary),
    ("(?i)(gon)(na)", Next::Boundary),
    ("(?i)(got)(ta)", Next::Boundary),
    ("(?i)(lem)(me)", Next::Boundary),
    ("(?i)(more)('n)", Next::Boundary),
    ("(?i)(wan)(na)", Next::Space),
    ("(?i) ('t)(is)", Next::Boundary),
    ("(?i) ('t)(was)", Next::Boundary),
];

#[derive(Clone, Copy, PartialEq)]
enum Next {
    /// No word character.
    Boundary,
    /// Whitespace.
    Space,
}

/// Compiles rules; the patterns are constants and cannot fail to.
fn compile<T: Copy>(rules: &[(&str, T)]) -> Vec<(Regex, T)> {
    let compiled = |&(pattern, with): &(&str, T)| Some((Regex::new(pattern).ok()?, with));
    rules.iter().filter_map(compiled).collect()
}

fn apply(mut text: String, rules: &[(Regex, &str)]) -> String {
    for (pattern, replacement) in rules {
        if pattern.is_match(&text) {
            text = pattern.replace_all(&text, *replacement).into_owned();
        }
    }
    text
}

/// Puts spaces around and inside a contraction that is a word of its own.
///
/// Word boundaries here are those of Python's `re`, where combining marks are no word characters.
fn split_contraction(text: &str, pattern: &Regex, next: Next) -> String {
    let mut spaced = String::with_capacity(text.len());
    let (mut written, mut from) = (0, 0);
    while let Some(found) = pattern.captures_at(text, from) {
        let (Some(whole), Some(first), Some(second)) = (found.get(0), found.get(1), found.get(2))
        else {
            break;
        };
        let before = text[..whole.start()].chars().next_back();
        let behind = text[whole.end()..].chars().next();
        let starts = whole.as_str().starts_with(' ') || !before.is_some_and(is_word_in_re);
        let ends = match next {
            Next::Boundary => !behind.is_some_and(is_word_in_re),
            Next::Space => behind.is_some_and(is_space),
        };
        if starts && ends {
            spaced.push_str(&text[written..whole.start()]);
            for part in [" ", first.as_str(), " ", second.as_str(), " "] {
                spaced.push_str(part);
            }
            written = whole.end();
            from = written;
        } else {
            from = whole.start() + whole.as_str().chars().next().map_or(1, char::len_utf8);
        }
    }
    spaced.push_str(&text[written..]);
    spaced
}

/// Puts a space behind an apostrophe that opens a word, unless the word is a clitic.
fn split_opening_apostrophes(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut previous = None;
    for (at, character) in text.char_indices() {
        spaced.push(character);
        let rest = &text[at + character.len_utf8()..];
        if character == '\''
            && !previous.is_some_and(is_word)
            && rest.starts_with(is_word)
            && !starts_with_clitic(rest)
        {
            spaced.push(' ');
        }
        previous = Some(character);
    }
    spaced
}

fn starts_with_clitic(text: &str) -> bool {
    let end = text
        .find(|character| !is_word(character))
        .unwrap_or(text.len());
    let word = &text[..end];
    ["re", "ve", "ll", "m", "t", "s", "d", "n"]
        .iter()
        .any(|clitic| word.eq_ignore_ascii_case(clitic))
}

/// Closing quotes as tokens, then every run of whitespace as one space.
fn one_space(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let quoted: String = text
        .chars()
        .flat_map(|character| match character {
            '»' | '”' | '’' => [Some(' '), Some(character), Some(' ')],
            _ => [Some(character), None, None],
        })
        .flatten()
        .collect();
    // Closing double quotes were two apostrophes already or have become so.
    for character in quoted.replace("''", " '' ").chars() {
        if !character.is_whitespace() {
            spaced.push(character);
        } else if !spaced.ends_with(' ') {
            spaced.push(' ');
        }
    }
    spaced
}

/// `\w` of Unicode's recommendation, as the module `regex` has it: with combining marks.
fn is_word(character: char) -> bool {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\w$").ok());
    is_one(character, WORD.as_ref())
}

/// `\w` of Python's module `re`: letters, numbers and the underscore.
fn is_word_in_re(character: char) -> bool {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{L}\p{N}_]$").ok());
    is_one(character, WORD.as_ref())
}

fn is_one(character: char, class: Option<&Regex>) -> bool {
    if character.is_ascii() {
        return character == '_' || character.is_ascii_alphanumeric();
    }
    let mut buffer = [0; 4];
    class.is_some_and(|class| class.is_match(character.encode_utf8(&mut buffer)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_like_the_treebank() {
        assert_eq!(
            nltk_words("She said: \"I can't, 'tis 3,5 mg (b.i.d.).\""),
            [
                "She", "said", ":", "``", "I", "ca", "n't", ",", "'", "tis", "3,5", "mg", "(",
                "b.i.d.", ")", ".", "''"
            ]
        );
        assert_eq!(
            nltk_words("Dr. Li's cannot stop..."),
            ["Dr.", "Li", "'s", "can", "not", "stop", "..."]
        );
        assert!(nltk_words(" \u{1c}").is_empty());
    }

    #[test]
    fn runs_of_a_kind() {
        assert_eq!(
            word_punctuation("a_1 b.(脾)\u{301}"),
            ["a_1", "b", ".(", "脾", ")", "\u{301}"]
        );
    }
}
