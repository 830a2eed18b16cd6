//! The tokens of sacrebleu's `13a` and `zh` in one pass over the text.
//!
//! The reference rewrites the segment by four regular expressions and splits the result at
//! whitespace. What the rewriting does is decided by the neighbours of each character:
//!
//! - Most ASCII punctuation is a token of its own.
//! - The first period or comma of a run is split off if no digit comes before it, and every next
//!   one if the one before was not, since matches do not overlap. A second rule splits off any
//!   that no digit follows. One that neither rule takes stays with its neighbours: `3.5`.
//! - A hyphen right after a digit is a token of its own.
//!
//! Bytes of characters outside ASCII are no digits, as the characters are not. `13a` puts spaces
//! around the segment first, `zh` does not, so that a period at either end has no neighbour there.

use super::bleu_tokenizer::is_chinese;
use super::whitespace::is_space;

/// What a byte of text does to tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Inner,
    Space,
    Punctuation,
    Period,
    Hyphen,
    /// Part of a character outside ASCII.
    Wide,
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Inner; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let code = byte as u8;
        kinds[byte] = match code {
            b'\t'..=b'\r' | 0x1c..=b' ' => Kind::Space,
            b'.' | b',' => Kind::Period,
            b'-' => Kind::Hyphen,
            b'{'..=b'~' | b'['..=b'`' | b'!'..=b'&' | b'('..=b'+' | b':'..=b'@' | b'/' => {
                Kind::Punctuation
            }
            0x80.. => Kind::Wide,
            _ => Kind::Inner,
        };
        byte += 1;
    }
    kinds
};

/// Calls `emit` with every token.
///
/// With `chinese`, the text is one that has no space at its ends, and every Chinese character is a
/// token.
pub(crate) fn each_token<'text>(text: &'text str, chinese: bool, mut emit: impl FnMut(&'text str)) {
    let bytes = text.as_bytes();
    let padded = !chinese;
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let before = |at: usize| at.checked_sub(1);
    // Where the token begins that is being read, and whether the last period was split off.
    let (mut start, mut at) = (0, 0);
    let mut split = false;
    while let Some(&byte) = bytes.get(at) {
        let mut next = at + 1;
        // Length of what ends the token before it, if it does, and whether it is a token itself.
        let visible = match KINDS[usize::from(byte)] {
            Kind::Inner => {
                at = next;
                continue;
            }
            Kind::Space => false,
            Kind::Punctuation => true,
            Kind::Period => {
                let follows_period =
                    before(at).is_some_and(|at| KINDS[usize::from(bytes[at])] == Kind::Period);
                split = match before(at) {
                    _ if follows_period => !split,
                    Some(before) => !is_digit(before),
                    None => padded,
                };
                let joins = is_digit(next) || (next == bytes.len() && !padded);
                if !split && joins {
                    at = next;
                    continue;
                }
                true
            }
            Kind::Hyphen => {
                if !before(at).is_some_and(is_digit) {
                    at = next;
                    continue;
                }
                true
            }
            Kind::Wide => {
                let Some(character) = text[at..].chars().next() else {
                    break;
                };
                next = at + character.len_utf8();
                let apart = chinese && is_chinese(character);
                if !apart && !is_space(character) {
                    at = next;
                    continue;
                }
                // A Chinese space is separated and then lost, like any other.
                !is_space(character)
            }
        };
        if start < at {
            emit(&text[start..at]);
        }
        if visible {
            emit(&text[at..next]);
        }
        (start, at) = (next, next);
    }
    if start < text.len() {
        emit(&text[start..]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::text::bleu_tokenizer::BleuTokenizer;
    use crate::text::whitespace::split;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn tokens_are_those_of_the_rewritten_text(
            text in "[a5.,\\- (&\n\u{a0}脾。é]{0,24}|(\\.|5|,|-|x|\n|&lt;|&amp;|<skipped>| ){0,16}",
        ) {
            for tokenizer in [
                BleuTokenizer::ThirteenA,
                BleuTokenizer::Chinese,
                BleuTokenizer::Character,
                BleuTokenizer::International,
                BleuTokenizer::Whitespace,
            ] {
                let spaced = tokenizer.spaced(&text);
                let prepared = tokenizer.prepared(&text);
                let mut tokens = Vec::new();
                prepared.each_token(|token| tokens.push(token));
                prop_assert_eq!(tokens, split(&spaced).collect::<Vec<_>>(), "{:?}", tokenizer);
            }
        }
    }
}
