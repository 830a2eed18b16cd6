//! Comparable forms of text.

use unicode_normalization::UnicodeNormalization;

/// Text in NFKC without Markdown emphasis, so that `Ｂ．`, `**B**` and `B.` read alike.
pub(super) fn plain(text: &str) -> String {
    text.nfkc()
        .filter(|c| !matches!(c, '*' | '`' | '$' | '\u{200b}' | '\u{feff}'))
        .collect()
}

/// Whether a character belongs to a script written without spaces.
pub(super) fn is_han(c: char) -> bool {
    matches!(u32::from(c), 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
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
    let chars: Vec<char> = plain(text)
        .chars()
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
    let mut folded = String::with_capacity(text.len());
    for (at, &c) in chars.iter().enumerate() {
        let joins = |offset: Option<usize>| {
            offset
                .and_then(|at| chars.get(at))
                .is_some_and(|c| c.is_alphanumeric())
        };
        let sign = match c {
            '+' | '%' | '<' | '>' | '=' | '≥' | '≤' | '±' | '↑' | '↓' | '→' | '←' | '↔' => {
                true
            }
            // A sign in brackets, as in "HBsAg (-)"; elsewhere a hyphen or a dash.
            '-' => {
                at.checked_sub(1).and_then(|at| chars.get(at)) == Some(&'(')
                    || (joins(Some(at + 1))
                        && !joins(at.checked_sub(1))
                        && chars.get(at + 1).is_some_and(char::is_ascii_digit))
            }
            '.' => joins(at.checked_sub(1)) && chars.get(at + 1).is_some_and(char::is_ascii_digit),
            _ => false,
        };
        if c.is_alphanumeric() || sign {
            folded.push(c);
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
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
    let chars: Vec<char> = fold(bare).chars().collect();
    let beside_han = |at: usize| {
        at.checked_sub(1)
            .is_some_and(|before| is_han(chars[before]))
            || chars.get(at + 1).is_some_and(|c| is_han(*c))
    };
    (0..chars.len())
        .filter(|&at| chars[at] != ' ' || !beside_han(at))
        .map(|at| chars[at])
        .collect()
}

#[cfg(test)]
mod tests {
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
}
