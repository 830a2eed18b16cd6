//! The tokenizers of sacrebleu's BLEU.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::western;
use super::whitespace::{collapse, is_space, split, strip, strip_end};

/// How BLEU splits a segment into tokens.
///
/// Source: sacrebleu 2.6.0. The output is a string whose tokens are separated by whitespace, to be
/// split by [`whitespace::split`](super::whitespace::split).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BleuTokenizer {
    /// `13a`: mteval-v13a for western languages. Leaves a run of Chinese as one token.
    #[default]
    ThirteenA,
    /// `zh`: separates Chinese characters, then `13a` without its entities and line breaks.
    ///
    /// Keeps the reference's range error: U+2001 to U+2A6D (dashes, curly quotes, arrows, °C) are
    /// separated, ideographs of extension B are not.
    Chinese,
    /// `char`: every code point is a token.
    Character,
    /// `intl`: mteval-v14, by Unicode punctuation and symbols.
    International,
    /// `none`: text is tokenized already.
    Whitespace,
}

impl BleuTokenizer {
    /// Finds the tokenizer by sacrebleu's name for it.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::ThirteenA,
            Self::Chinese,
            Self::Character,
            Self::International,
            Self::Whitespace,
        ]
        .into_iter()
        .find(|tokenizer| tokenizer.name() == name)
    }

    /// The name of the tokenizer in sacrebleu and in signatures.
    pub fn name(self) -> &'static str {
        match self {
            Self::ThirteenA => "13a",
            Self::Chinese => "zh",
            Self::Character => "char",
            Self::International => "intl",
            Self::Whitespace => "none",
        }
    }

    /// Tokenizes one segment; whitespace at its end is dropped first.
    pub fn tokenize(self, segment: &str) -> Cow<'_, str> {
        match self {
            // Runs of spaces are part of what these two give.
            Self::Character | Self::Whitespace => self.spaced(segment),
            _ => Cow::Owned(collapse(&self.spaced(segment))),
        }
    }

    /// Makes a segment ready to be read token by token, which gives the tokens of
    /// [`BleuTokenizer::tokenize`] without making its text.
    pub(crate) fn prepared(self, segment: &str) -> Prepared<'_> {
        let text = match self {
            Self::ThirteenA => unescaped(strip_end(segment)),
            Self::Chinese => Cow::Borrowed(strip(segment)),
            Self::International => self.spaced(segment),
            Self::Character | Self::Whitespace => Cow::Borrowed(segment),
        };
        Prepared {
            tokenizer: self,
            text,
        }
    }

    /// Separates tokens by any amount of whitespace: the step before [`BleuTokenizer::tokenize`].
    pub(super) fn spaced(self, segment: &str) -> Cow<'_, str> {
        let segment = strip_end(segment);
        match self {
            Self::ThirteenA => Cow::Owned(thirteen_a(segment)),
            Self::Chinese => Cow::Owned(chinese(segment)),
            Self::Character => Cow::Owned(characters(segment)),
            Self::International => international(segment),
            Self::Whitespace => Cow::Borrowed(segment),
        }
    }
}

/// A segment whose tokens can be read.
pub(crate) struct Prepared<'text> {
    tokenizer: BleuTokenizer,
    text: Cow<'text, str>,
}

impl Prepared<'_> {
    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Calls `emit` with every token.
    pub(crate) fn each_token<'text>(&'text self, mut emit: impl FnMut(&'text str)) {
        let text = self.text.as_ref();
        match self.tokenizer {
            BleuTokenizer::ThirteenA => western::each_token(text, false, emit),
            BleuTokenizer::Chinese => western::each_token(text, true, emit),
            BleuTokenizer::Character => {
                for (at, character) in text.char_indices().filter(|(_, c)| !is_space(*c)) {
                    emit(&text[at..at + character.len_utf8()]);
                }
            }
            BleuTokenizer::International | BleuTokenizer::Whitespace => split(text).for_each(emit),
        }
    }
}

/// What mteval does before it looks at punctuation: markup out, words joined over lines.
fn unescaped(segment: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(segment);
    let rewritten = [('<', "<skipped>", ""), ('\n', "-\n", ""), ('\n', "\n", " ")];
    for (first, pattern, replacement) in rewritten {
        // Looking for one character costs next to nothing.
        if text.contains(first) && text.contains(pattern) {
            text = Cow::Owned(text.replace(pattern, replacement));
        }
    }
    if text.contains('&') {
        text = Cow::Owned(unescape(&text));
    }
    text
}

fn thirteen_a(segment: &str) -> String {
    split_western(&format!(" {} ", unescaped(segment)))
}

/// Replaces the four entities in the reference's order, so that `&amp;lt;` becomes `<`.
pub(super) fn unescape(text: &str) -> String {
    text.replace("&quot;", "\"")
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
}

fn chinese(segment: &str) -> String {
    let mut spaced = String::with_capacity(segment.len() * 2);
    for character in strip(segment).chars() {
        push_spaced(&mut spaced, character, is_chinese(character));
    }
    split_western(&spaced)
}

fn characters(segment: &str) -> String {
    let mut spaced = String::with_capacity(segment.len() * 2);
    for (index, character) in segment.chars().enumerate() {
        if index > 0 {
            spaced.push(' ');
        }
        spaced.push(character);
    }
    spaced
}

fn international(segment: &str) -> Cow<'_, str> {
    // The patterns are constants: without them (they cannot fail to compile) text stays as it is.
    static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        [
            (r"(\P{N})(\p{P})", "${1} ${2} "),
            (r"(\p{P})(\P{N})", " ${1} ${2}"),
            (r"(\p{S})", " ${1} "),
        ]
        .into_iter()
        .filter_map(|(pattern, replacement)| Some((Regex::new(pattern).ok()?, replacement)))
        .collect()
    });
    let mut text = Cow::Borrowed(segment);
    for (pattern, replacement) in RULES.iter() {
        text = Cow::Owned(pattern.replace_all(&text, *replacement).into_owned());
    }
    text
}

/// The part shared by `13a` and `zh`: splits punctuation, keeping `.` and `,` inside numbers.
fn split_western(text: &str) -> String {
    western_numbers(western_punctuation(text))
}

/// Puts spaces around every punctuation character but `'`, `,`, `-` and `.`.
pub(super) fn western_punctuation(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() + text.len() / 2);
    let mut copied = 0;
    for (at, byte) in text.bytes().enumerate() {
        if matches!(byte, b'{'..=b'~' | b'['..=b'`' | b'!'..=b'&' | b'('..=b'+' | b':'..=b'@' | b'/')
        {
            spaced.push_str(&text[copied..at]);
            push_spaced(&mut spaced, char::from(byte), true);
            copied = at + 1;
        }
    }
    spaced.push_str(&text[copied..]);
    spaced
}

/// Splits `.` and `,` unless between digits, and `-` after a digit.
///
/// Three passes, each over pairs that do not overlap: the pairing is part of the definition.
pub(super) fn western_numbers(mut text: String) -> String {
    let is_period = |byte: u8| matches!(byte, b'.' | b',');
    if text.bytes().any(is_period) {
        text = each_pair(&text, |first, second| {
            (is_period(second) && !first.is_ascii_digit()).then_some(["", " ", " "])
        });
        text = each_pair(&text, |first, second| {
            (is_period(first) && !second.is_ascii_digit()).then_some([" ", " ", ""])
        });
    }
    if text.contains('-') {
        text = each_pair(&text, |first, second| {
            (second == b'-' && first.is_ascii_digit()).then_some(["", " ", " "])
        });
    }
    text
}

/// Walks over the text and, where `rule` holds for two neighbours, puts its three strings before,
/// between and after them and continues behind them.
///
/// The rules look for ASCII characters and see any other as bytes that are no digit. A space may
/// then stand between the bytes of a character only after its last or before its first one.
fn each_pair(text: &str, rule: impl Fn(u8, u8) -> Option<[&'static str; 3]>) -> String {
    let bytes = text.as_bytes();
    let mut spaced = String::with_capacity(text.len() + text.len() / 4);
    let (mut copied, mut at) = (0, 0);
    while let (Some(&first), Some(&second)) = (bytes.get(at), bytes.get(at + 1)) {
        let Some([before, between, after]) = rule(first, second) else {
            at += 1;
            continue;
        };
        // The ASCII one of the two is at a boundary, and so is the place between them.
        spaced.push_str(&text[copied..at + usize::from(!first.is_ascii())]);
        if first.is_ascii() {
            spaced.push_str(before);
            spaced.push(char::from(first));
        }
        spaced.push_str(between);
        at += 1;
        copied = at;
        if second.is_ascii() {
            spaced.push(char::from(second));
            spaced.push_str(after);
            copied += 1;
        }
        at += 1;
    }
    spaced.push_str(&text[copied..]);
    spaced
}

/// Appends the character, with a space on either side if `separate`.
pub(super) fn push_spaced(text: &mut String, character: char, separate: bool) {
    if separate {
        text.push(' ');
    }
    text.push(character);
    if separate {
        text.push(' ');
    }
}

/// Whether the `zh` tokenizer separates the character.
pub(super) fn is_chinese(character: char) -> bool {
    matches!(
        character,
        '\u{2001}'..='\u{2a6d}'
            | '\u{2e80}'..='\u{2eff}'
            | '\u{2f00}'..='\u{2fdf}'
            | '\u{2ff0}'..='\u{2fff}'
            | '\u{3000}'..='\u{303f}'
            | '\u{3100}'..='\u{312f}'
            | '\u{31a0}'..='\u{31bf}'
            | '\u{31c0}'..='\u{31ef}'
            | '\u{3200}'..='\u{33ff}'
            | '\u{3400}'..='\u{4db5}'
            | '\u{4e00}'..='\u{9fbb}'
            | '\u{f900}'..='\u{fa2d}'
            | '\u{fa30}'..='\u{fa6a}'
            | '\u{fa70}'..='\u{fad9}'
            | '\u{fe10}'..='\u{fe1f}'
            | '\u{fe30}'..='\u{fe4f}'
            | '\u{ff00}'..='\u{ffef}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn splits_punctuation_but_not_numbers() {
        let tokenize = |text| BleuTokenizer::ThirteenA.tokenize(text).into_owned();
        assert_eq!(
            tokenize("1,000.5 mg, i.v. (5-10%)"),
            "1,000.5 mg , i . v . ( 5 - 10 % )"
        );
        assert_eq!(tokenize("a&amp;lt;b <skipped>c-\nd\ne"), "a < b cd e");
    }

    #[test]
    fn separates_chinese_and_keeps_the_range_error() {
        let tokenize = |text| BleuTokenizer::Chinese.tokenize(text).into_owned();
        assert_eq!(tokenize("脾肾阳虚证,3.5分"), "脾 肾 阳 虚 证 , 3.5 分");
        assert_eq!(
            tokenize("a\u{2014}b \u{20000}\u{20001}"),
            "a \u{2014} b \u{20000}\u{20001}"
        );
    }

    #[test]
    fn international_leaves_a_final_period_at_a_number() {
        let tokenize = |text| BleuTokenizer::International.tokenize(text).into_owned();
        assert_eq!(tokenize("«In 2020.»"), "« In 2020 . »");
        assert_eq!(tokenize("in 2020."), "in 2020.");
    }

    proptest! {
        #[test]
        fn never_panics_and_keeps_every_visible_character(text in "[ -~\n脾肾éß。，—\u{20000}]{0,60}") {
            for tokenizer in [
                BleuTokenizer::ThirteenA,
                BleuTokenizer::Chinese,
                BleuTokenizer::Character,
                BleuTokenizer::International,
                BleuTokenizer::Whitespace,
            ] {
                prop_assert_eq!(BleuTokenizer::from_name(tokenizer.name()), Some(tokenizer));
                let tokenized = tokenizer.tokenize(&text);
                if tokenizer != BleuTokenizer::ThirteenA {
                    let visible = |text: &str| text.split_whitespace().collect::<String>();
                    prop_assert_eq!(visible(&tokenized), visible(&text));
                }
            }
        }
    }
}
