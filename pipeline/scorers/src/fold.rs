//! Comparable forms of text.

use std::char::{ToLowercase, ToUppercase};
use std::iter::FlatMap;

use consilium_core::is_han;
use unicode_normalization::UnicodeNormalization;

/// Text in NFKC without Markdown emphasis, so that `Ｂ．`, `**B**` and `B.` read alike.
pub(super) fn plain(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii() && !matches!(byte, b'*' | b'`' | b'$');
    if text.bytes().all(is_plain) {
        return text.to_owned();
    }
    let kept = |c: &char| !matches!(c, '*' | '`' | '$' | '\u{200b}' | '\u{feff}');
    let mut plain = String::with_capacity(text.len());
    // Normalising costs fifty times what copying does, and most characters are what they become.
    let mut copied = 0;
    while let Some(length) = text[copied..].find(|c: char| !is_stable(c)) {
        let stable = &text[copied..copied + length];
        // A mark may join the character before it.
        let base = stable.chars().next_back().map_or(0, char::len_utf8);
        let start = copied + length - base;
        plain.extend(text[copied..start].chars().filter(kept));
        let run = &text[copied + length..];
        let end = run.find(is_stable).unwrap_or(run.len());
        let end = copied + length + end;
        plain.extend(text[start..end].nfkc().filter(kept));
        copied = end;
    }
    plain.extend(text[copied..].chars().filter(kept));
    plain
}

/// Whether NFKC leaves a character as it is, unless a mark follows it.
fn is_stable(c: char) -> bool {
    c.is_ascii() || matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3001}' | '\u{3002}')
}

/// Bytes of [`fold`] that a text is sure to give: those of its ASCII letters and digits and of
/// common Han characters.
fn sure_bytes(c: char) -> usize {
    match c {
        c if c.is_ascii_alphanumeric() => 1,
        '\u{4e00}'..='\u{9fff}' => 3,
        _ => 0,
    }
}

/// The start of a text that is enough to give more than so many bytes when folded.
///
/// A text that is longer than this is told from any that folds to fewer bytes by its start alone.
pub(super) fn start_of(text: &str, bytes: usize) -> &str {
    let mut sure = 0;
    for (at, c) in text.char_indices() {
        sure += sure_bytes(c);
        // What follows may still change the last character.
        if sure > bytes + 8 {
            return &text[..at + c.len_utf8()];
        }
    }
    text
}

/// Whether a text says anything.
pub(super) fn has_content(text: &str) -> bool {
    text.chars()
        .any(|c| c.is_alphanumeric() || matches!(c, '↑' | '↓' | '→' | '←' | '↔'))
}

/// NFKC, caseless, with every run of separators as one space.
///
/// Signs that tell findings apart (`+`, `%`, `<`, `↑`, a minus that joins nothing) are kept.
pub(super) fn fold(text: &str) -> String {
    let plain = plain(text);
    if plain.is_ascii() {
        return fold_ascii(plain.as_bytes());
    }
    without_separators(plain.len(), plain.chars().flat_map(Caseless::of))
}

/// [`fold`] of plain text in which a character is a byte.
fn fold_ascii(plain: &[u8]) -> String {
    let mut folded = String::with_capacity(plain.len());
    let mut separated = false;
    for (at, byte) in plain.iter().enumerate() {
        let before = at.checked_sub(1).map_or(b' ', |before| plain[before]);
        let digit_follows = || plain.get(at + 1).is_some_and(u8::is_ascii_digit);
        let is_kept = match byte {
            b'+' | b'%' | b'<' | b'>' | b'=' => true,
            b'-' => before == b'(' || (digit_follows() && !before.is_ascii_alphanumeric()),
            b'.' => before.is_ascii_alphanumeric() && digit_follows(),
            _ => byte.is_ascii_alphanumeric(),
        };
        if !is_kept {
            separated = !folded.is_empty();
            continue;
        }
        if separated {
            folded.push(' ');
            separated = false;
        }
        folded.push(char::from(byte.to_ascii_lowercase()));
    }
    folded
}

fn without_separators(length: usize, chars: impl Iterator<Item = char>) -> String {
    let mut folded = String::with_capacity(length);
    let mut before = None;
    let mut last = None;
    let mut chars = chars.peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let sign = match c {
            '+' | '%' | '<' | '>' | '=' | '≥' | '≤' | '±' | '↑' | '↓' | '→' | '←' | '↔' => {
                true
            }
            // A sign in brackets, as in "HBsAg (-)"; elsewhere a hyphen or a dash.
            '-' => {
                before == Some('(')
                    || (next.is_some_and(|c| c.is_ascii_digit())
                        && !before.is_some_and(char::is_alphanumeric))
            }
            '.' => {
                before.is_some_and(char::is_alphanumeric)
                    && next.is_some_and(|c| c.is_ascii_digit())
            }
            _ => false,
        };
        if c.is_alphanumeric() || sign {
            folded.push(c);
            last = Some(c);
        } else if last.is_some_and(|last| last != ' ') {
            folded.push(' ');
            last = Some(' ');
        }
        before = Some(c);
    }
    folded.truncate(folded.trim_end().len());
    folded
}

/// The characters of one that case does not tell apart.
enum Caseless {
    /// Nearly always one.
    One(Option<char>),
    Several(FlatMap<ToUppercase, ToLowercase, fn(char) -> ToLowercase>),
}

impl Caseless {
    fn of(c: char) -> Self {
        match c {
            _ if c.is_ascii() => Self::One(Some(c.to_ascii_lowercase())),
            '‐' | '‑' | '–' | '—' | '−' => Self::One(Some('-')),
            _ if is_han(c) => Self::One(Some(c)),
            _ => {
                let lowercase: fn(char) -> ToLowercase = char::to_lowercase;
                Self::Several(c.to_uppercase().flat_map(lowercase))
            }
        }
    }
}

impl Iterator for Caseless {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        match self {
            Self::One(c) => c.take(),
            Self::Several(chars) => chars.next(),
        }
    }
}

/// [`fold`] without a leading article and without spaces beside Han characters, for equality.
pub(super) fn fold_whole(text: &str) -> String {
    let text = plain(text);
    // "A. Metformin" begins with a letter, "A thiazide" with an article.
    let bare = match text.trim_start().split_once(char::is_whitespace) {
        Some((first, rest))
            if ["a", "an", "the"]
                .iter()
                .any(|a| first.eq_ignore_ascii_case(a)) =>
        {
            rest
        }
        _ => &text,
    };
    if bare.is_ascii() {
        return fold_ascii(bare.as_bytes());
    }
    let folded = fold(bare);
    if folded.is_ascii() {
        return folded;
    }
    let mut before = None;
    let mut whole = String::with_capacity(folded.len());
    let mut chars = folded.chars().peekable();
    while let Some(c) = chars.next() {
        let beside_han = before.is_some_and(is_han) || chars.peek().is_some_and(|c| is_han(*c));
        if c != ' ' || !beside_han {
            whole.push(c);
        }
        before = Some(c);
    }
    whole
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equal_texts_fold_alike() {
        for (left, right) in [
            ("The  Iron-Deficiency anemia.", "iron deficiency ANEMIA"),
            ("Ｍｅｔｆｏｒｍｉｎ", "**metformin**"),
            ("气滞、血瘀", "气滞血瘀"),
            ("2.5 mg", "2.5 MG."),
            ("Straße", "STRASSE"),
        ] {
            assert_eq!(fold_whole(left), fold_whole(right));
        }
    }

    #[test]
    fn signs_and_decimals_keep_texts_apart() {
        for (left, right) in [
            ("HBsAg (+)", "HBsAg (-)"),
            ("2.5 mg", "25 mg"),
            ("<5%", "5%"),
        ] {
            assert_ne!(fold_whole(left), fold_whole(right));
        }
        assert_eq!(fold("脾肾阳虚、肾阳虚"), "脾肾阳虚 肾阳虚");
        assert_ne!(fold_whole("A. Metformin"), fold_whole("Metformin"));
    }

    /// What [`fold`] is defined as, character by character.
    fn folded_by_definition(text: &str) -> String {
        let chars: Vec<char> = (text.nfkc())
            .filter(|c| !matches!(c, '*' | '`' | '$' | '\u{200b}' | '\u{feff}'))
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
            .map(|c| {
                if matches!(c, '‐' | '‑' | '–' | '—' | '−') {
                    '-'
                } else {
                    c
                }
            })
            .collect();
        let at = |at: Option<usize>| at.and_then(|at| chars.get(at)).copied();
        let mut folded = String::new();
        for (index, &c) in chars.iter().enumerate() {
            let (before, after) = (at(index.checked_sub(1)), at(Some(index + 1)));
            let digit_follows = after.is_some_and(|c| c.is_ascii_digit());
            let joined = before.is_some_and(char::is_alphanumeric);
            let kept = c.is_alphanumeric()
                || "+%<>=≥≤±↑↓→←↔".contains(c)
                || (c == '-' && (before == Some('(') || (digit_follows && !joined)))
                || (c == '.' && joined && digit_follows);
            if kept {
                folded.push(c);
            } else if !folded.is_empty() && !folded.ends_with(' ') {
                folded.push(' ');
            }
        }
        folded.trim_end().to_owned()
    }

    fn any_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-eA-E0-9 .,(*+%<=-]{0,8}",
            "[脾肾阳虚。、，：（）Ａｂ．１ﬁß İσςΣ…½é\u{301}\u{327}\u{3099}カ\u{ff76}\u{200b}\u{1161}\u{1100}–−]{0,6}",
            any::<String>(),
        ];
        prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn short_ways_lead_to_the_same_text(text in any_text()) {
            let kept = |c: &char| !matches!(c, '*' | '`' | '$' | '\u{200b}' | '\u{feff}');
            prop_assert_eq!(plain(&text), text.nfkc().filter(kept).collect::<String>());
            prop_assert_eq!(fold(&text), folded_by_definition(&text));
        }

        #[test]
        fn the_start_of_a_text_tells_it_from_short_ones(text in any_text(), bytes in 0_usize..40) {
            let (folded, start) = (fold(&text), fold(start_of(&text, bytes)));
            if start_of(&text, bytes).len() < text.len() {
                prop_assert!(folded.len() > bytes && start.len() > bytes);
                prop_assert_eq!(&folded.as_bytes()[..bytes], &start.as_bytes()[..bytes]);
                // No article is longer than three letters.
                prop_assert!(fold_whole(&text).len() + 4 > bytes);
            } else {
                prop_assert_eq!(folded, start);
            }
        }
    }
}
