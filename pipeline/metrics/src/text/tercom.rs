//! The normalisation of tercom, as sacrebleu's TER uses it.

use super::bleu_tokenizer::{push_spaced, unescape, western_numbers, western_punctuation};
use super::whitespace::{collapse, strip_end};

/// What TER changes in a segment before it splits at whitespace.
///
/// Source: sacrebleu 2.6.0 `TercomTokenizer`. Its rules for runs of kana never apply, because
/// normalisation surrounds the segment with spaces first; they are left out here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the four switches of the reference"
)]
pub struct Tercom {
    /// Splits punctuation and joins lines.
    pub normalized: bool,
    /// Removes punctuation.
    pub no_punctuation: bool,
    /// Extends the two switches above to Chinese and Japanese.
    pub asian_support: bool,
    /// Keeps case.
    pub case_sensitive: bool,
}

impl Tercom {
    /// Normalises one segment; tokens are then separated by single spaces.
    pub fn tokenize(self, segment: &str) -> String {
        let segment = strip_end(segment);
        let mut text = if self.case_sensitive {
            segment.to_owned()
        } else {
            segment.to_lowercase()
        };
        if self.normalized {
            text = normalize_western(&text);
            if self.asian_support {
                text = split_asian(&text);
            }
        }
        if self.no_punctuation {
            let asian = self.asian_support;
            text.retain(|character| {
                let removed =
                    is_western_punctuation(character) || (asian && is_asian_punctuation(character));
                !removed
            });
        }
        collapse(&text)
    }
}

fn normalize_western(text: &str) -> String {
    // The reference joins `\n-`, not the `-\n` of hyphenation.
    let joined = unescape(&text.replace("\n-", "").replace('\n', " "));
    let spaced = western_punctuation(&format!(" {joined} "));
    western_numbers(spaced.replace("'s ", " 's "))
}

fn split_asian(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len() * 2);
    for character in text.chars() {
        push_spaced(
            &mut spaced,
            character,
            is_asian(character) || is_asian_punctuation(character),
        );
    }
    spaced
}

fn is_western_punctuation(character: char) -> bool {
    matches!(
        character,
        '.' | ',' | '?' | ':' | ';' | '!' | '"' | '(' | ')'
    )
}

fn is_asian_punctuation(character: char) -> bool {
    matches!(
        character,
        '\u{3001}' | '\u{3002}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}'
            | '\u{ff61}'..='\u{ff65}' | '\u{30fb}' | '\u{ff0e}' | '\u{ff0c}' | '\u{ff1f}'
            | '\u{ff1a}' | '\u{ff1b}' | '\u{ff01}' | '\u{ff02}' | '\u{ff08}' | '\u{ff09}'
    )
}

/// Characters that become tokens of their own; U+3200 to U+3F22 is the reference's range error.
fn is_asian(character: char) -> bool {
    matches!(
        character,
        '\u{2e80}'..='\u{2eff}'
            | '\u{31c0}'..='\u{31ef}'
            | '\u{3200}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe4f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_independent() {
        let text = "The patient's dose (3.5mg), 脾肾。";
        assert_eq!(
            Tercom::default().tokenize(text),
            "the patient's dose (3.5mg), 脾肾。"
        );
        let normalized = Tercom {
            normalized: true,
            ..Tercom::default()
        };
        assert_eq!(
            normalized.tokenize(text),
            "the patient 's dose ( 3.5mg ) , 脾肾。"
        );
        let asian = Tercom {
            asian_support: true,
            ..normalized
        };
        assert_eq!(
            asian.tokenize(text),
            "the patient 's dose ( 3.5mg ) , 脾 肾 。"
        );
        let bare = Tercom {
            no_punctuation: true,
            case_sensitive: true,
            ..asian
        };
        assert_eq!(bare.tokenize(text), "The patient 's dose 35mg 脾 肾");
    }
}
