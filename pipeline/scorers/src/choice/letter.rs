//! A letter that stands for an option, told from letters that do not.

use std::sync::LazyLock;

use consilium_core::is_han;
use regex::Regex;

use super::options::Options;

/// A letter read at the start of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letter {
    /// Index of the option.
    pub(super) index: usize,
    /// Where the letter itself ends in the text that was read.
    pub(super) end: usize,
}

static OPENING: LazyLock<Regex> = LazyLock::new(|| {
    // Line breaks may come before an answer, never inside it.
    let quotes = r#"[ \t("'\[{<“‘「『【《]*"#;
    let name = r"(?:(?i:the[ \t]+)?(?i:option|choice|letter)(?-u:\b)[ \t:]*|(?:选项|第)[ \t]*)";
    Regex::new(&format!(r"^\s*{quotes}(?:{name}{quotes})?")).expect("a valid pattern")
});

/// Words that may follow a letter in a sentence about it. After any other word the letter is
/// taken for an article, a pronoun or a part of a name ("A patient", "I think", "B cell").
static CONNECTOR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)^(?:because|since|as|due\s+to|given\s+(?:that|the)|which|based\s+on|for|though|although",
        r"|while|whereas|but|and|or|is|was|are|would|will|should|seems|appears|not|isn't|rather",
        r"|instead|however|here|therefore|thus|hence|if|when|with|in\s+this|in\s+the|according\s+to",
        r"|by|option|choice|only|actually|over|wait|no\s+wait|the\s+answer|so\s+(?:the|it|that))(?-u:\b)",
    ))
    .expect("a valid pattern")
});

/// The same after "I", which is a pronoun before most verbs.
static CONNECTOR_AFTER_I: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:because|since|as|due\s+to|given\s+that|which|and|or|is)(?-u:\b)")
        .expect("a valid pattern")
});

/// Han characters that may follow a letter directly; after any other one the letter is a part of
/// a word: B超, C反应蛋白, X线.
const AFTER_HAN: &str = "项选答因故或和与及为是正而但最较更符错不对、";

/// Reads the letter of an option at the start of a text, past brackets, quotes and "option".
pub(super) fn letter_at(text: &str, options: &Options<'_>) -> Option<Letter> {
    let start = OPENING.find(text).map_or(0, |opening| opening.end());
    let (index, length) = options.letter_at(&text[start..])?;
    let end = start + length;
    let letter = &text[start..end];
    let opened =
        text[..start].ends_with(['(', '[', '{', '<', '"', '\'', '“', '‘', '「', '『', '【']);
    let reading = Reading {
        index,
        letter,
        opened,
        options,
    };
    reading
        .stands_for_option(&text[end..])
        .then_some(Letter { index, end })
}

/// A letter as it is written, with what is known about it.
#[derive(Clone, Copy)]
struct Reading<'a> {
    index: usize,
    letter: &'a str,
    opened: bool,
    options: &'a Options<'a>,
}

impl Reading<'_> {
    fn is_followed_by_text(self, rest: &str) -> bool {
        self.options.is_followed_by_text(self.index, rest)
    }

    fn is_connected(self, word: &str) -> bool {
        let connector = if self.letter == "I" {
            &CONNECTOR_AFTER_I
        } else {
            &CONNECTOR
        };
        connector.is_match(word)
    }

    fn stands_for_option(self, after: &str) -> bool {
        let mut chars = after.chars();
        let Some(next) = chars.next() else {
            return true;
        };
        let rest = chars.as_str();
        let joined = rest.chars().next().is_some_and(char::is_alphanumeric);
        match next {
            '\'' => !joined,
            '-' | '‐' | '‑' | '–' | '—' => !joined || self.is_followed_by_text(rest),
            '+' | '_' | '#' | '%' | '=' | '\\' | '@' => false,
            '.' => self.stands_before_full_stop(rest),
            c if is_han(c) => AFTER_HAN.contains(c) || self.is_followed_by_text(after),
            c if c.is_alphanumeric() => false,
            ' ' | '\t' | '\r' | '\u{3000}' => self.stands_before_word(rest),
            _ => true,
        }
    }

    /// "B. Metformin" names an option; "E. coli" and "B.C." do not.
    fn stands_before_full_stop(self, rest: &str) -> bool {
        let word = rest.trim_start_matches([' ', '\t']);
        let close = word.len() == rest.len();
        match word.chars().next() {
            Some(c) if c.is_ascii_lowercase() => {
                !close && (self.opened || self.is_connected(word) || self.is_followed_by_text(word))
            }
            Some(c) if c.is_ascii_alphanumeric() && close => self.is_followed_by_text(word),
            _ => true,
        }
    }

    fn stands_before_word(self, rest: &str) -> bool {
        let word = rest.trim_start_matches([' ', '\t', '\r', '\u{3000}']);
        let lower = self.letter.chars().all(|c| c.is_ascii_lowercase());
        match word.chars().next() {
            Some(c) if is_han(c) => {
                self.is_followed_by_text(word) || (!lower && AFTER_HAN.contains(c))
            }
            Some(c) if c.is_alphanumeric() => {
                self.is_followed_by_text(word) || (!lower && self.is_connected(word))
            }
            _ => true,
        }
    }
}

static DENIAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)^[)\].:"'”】」>]*\s*(?:\([^)\n]{0,80}\)\s*)?(?:选项|项)?\s*"#,
        r"(?:(?:is|was|are|would\s+be|seems|can\s+be|could\s+be|should\s+be|must\s+be)\s+(?:\w+ly\s+|also\s+)?",
        r"(?:not|incorrect|wrong|unlikely|ruled\s+out|excluded|eliminated|false|inappropriate|less|never)(?-u:\b)",
        r"|(?:isn|wasn|can|couldn|wouldn)['’]t(?-u:\b)|cannot(?-u:\b)|incorrect(?-u:\b)|wrong(?-u:\b)",
        r"|(?:是|也|都|可|可以|被|显然|明显)?(?:错误|错的|错$|不正确|不对|不符|不是|不选|不恰当|不合适|不考虑|排除|除外|有误))",
    ))
    .expect("a valid pattern")
});

/// Whether the words after a letter deny it: "B is incorrect", "B项错误".
///
/// The option's own text may begin like a denial: "D) Cannot be calculated".
pub(super) fn is_denied(after: &str, index: usize, options: &Options<'_>) -> bool {
    DENIAL.is_match(after) && !options.is_followed_by_text(index, after)
}

static JUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)^[)\]"'”】」>.]*\s*(?:选项|项)?\s*"#,
        r"(?:,\s*(?:and|or|and/or)?(?-u:\b)|/|&|\+|and/or(?-u:\b)|and(?-u:\b)|or(?-u:\b)|或者?|和|、|与|及|还是)\s*(?:also\s+|possibly\s+|maybe\s+)?",
    ))
    .expect("a valid pattern")
});

/// The letters that are joined to a first one: "A or B", "B、C", "A, C and D".
pub(super) fn joined_letters(after: &str, options: &Options<'_>) -> Vec<usize> {
    let mut joined = Vec::new();
    let mut rest = after;
    while let Some(junction) = JUNCTION.find(rest) {
        rest = &rest[junction.end()..];
        let Some(letter) = letter_at(rest, options) else {
            break;
        };
        rest = &rest[letter.end..];
        if is_denied(rest, letter.index, options) {
            break;
        }
        joined.push(letter.index);
    }
    joined
}
