//! Whitespace as Python's `str` methods see it.
//!
//! Python counts the separators U+001C to U+001F as whitespace, Unicode's `White_Space` and Rust
//! do not. Zero-width space, byte order mark and U+180E are whitespace in neither.

use super::runs::{Class, Runs};

/// Whether Python's `str.isspace` holds for the character.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\u{1c}'..='\u{1f}')
}

/// Splits at runs of whitespace, as Python's `str.split()`: never yields an empty string.
pub fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut runs = text
        .is_ascii()
        .then(|| Runs::new(text.as_bytes(), Class::Visible));
    let mut rest = text;
    std::iter::from_fn(move || {
        if let Some(runs) = &mut runs {
            return runs.next().map(|(start, end)| &text[start..end]);
        }
        rest = &rest[run_length(rest, true)..];
        let (token, behind) = rest.split_at(run_length(rest, false));
        rest = behind;
        (!token.is_empty()).then_some(token)
    })
}

/// Length of the run of whitespace (or of anything else) at the start, in bytes.
fn run_length(text: &str, space: bool) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    // Bytes of ASCII are decided by themselves, which most text consists of.
    while let Some(&byte) = bytes.get(end) {
        if byte.is_ascii() {
            if matches!(byte, b'\t'..=b'\r' | 0x1c..=b' ') != space {
                break;
            }
            end += 1;
        } else {
            match text[end..].chars().next() {
                Some(character) if is_space(character) == space => end += character.len_utf8(),
                _ => break,
            }
        }
    }
    end
}

/// Removes whitespace at both ends, as Python's `str.strip()`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Removes whitespace at the end, as Python's `str.rstrip()`.
pub fn strip_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// Replaces every run of whitespace by one space and removes it at both ends.
pub fn collapse(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for token in split(text) {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(token);
    }
    collapsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_whitespace_and_zero_width_space_is_not() {
        let text = "\u{1c}a\u{1f}b\u{200b}c\u{a0}d\u{3000}";
        assert_eq!(split(text).collect::<Vec<_>>(), ["a", "b\u{200b}c", "d"]);
        assert_eq!(strip(text), "a\u{1f}b\u{200b}c\u{a0}d");
        assert_eq!(strip_end(text), "\u{1c}a\u{1f}b\u{200b}c\u{a0}d");
        assert_eq!(collapse(text), "a b\u{200b}c d");
        assert_eq!(split("").count(), 0);
    }
}
