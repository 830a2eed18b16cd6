//! Texts of cases and models: hostile until escaped, and sometimes very long.

use std::borrow::Cow;

use super::number::count;

/// Most characters of a name on a page.
const NAME_CHARACTERS: usize = 160;

/// A text fit for a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    /// What is shown; escaped by the template.
    pub body: String,
    /// BCP 47 language, when it is known.
    pub lang: Option<String>,
    /// Where it was cut.
    pub cut: Option<Cut>,
    /// Characters shown by their code, since they would be invisible or turn the text around.
    pub codes: usize,
    /// Address of the text in full.
    pub download: String,
}

/// Where a text was cut.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// Characters shown.
    pub shown: String,
    /// Characters of the whole text.
    pub whole: String,
}

impl Text {
    /// The first `limit` characters of a text.
    pub(crate) fn new(text: &str, limit: usize, lang: Option<&str>, download: String) -> Self {
        let (kept, rest) = split(text, limit);
        let (shown, codes) = visible(kept);
        Self {
            body: shown.into_owned(),
            lang: lang.and_then(language),
            cut: (!rest.is_empty()).then(|| Cut {
                shown: count(limit as u64),
                whole: count((limit + rest.chars().count()) as u64),
            }),
            codes,
            download,
        }
    }

    /// Bytes it takes on a page.
    pub(crate) fn cost(&self) -> usize {
        cost(&self.body)
    }
}

/// Bytes that texts may still take on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget(usize);

impl Budget {
    /// A budget of so many bytes.
    pub(crate) const fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Whether so many bytes still fit; if they do, they are taken.
    pub(crate) fn take(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.0;
        if fits {
            self.0 -= bytes;
        }
        fits
    }
}

/// A name or another short text: one line, cut where it is absurdly long.
pub(crate) fn short(text: &str) -> String {
    beginning(text, NAME_CHARACTERS)
}

/// The beginning of a text on one line, with an ellipsis where it was cut.
pub(crate) fn beginning(text: &str, limit: usize) -> String {
    let (kept, rest) = split(text.trim(), limit);
    let (shown, _) = visible(kept);
    let mut line = String::with_capacity(shown.len() + 3);
    for word in shown.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !rest.is_empty() {
        line.push('…');
    }
    line
}

/// A language tag that is one; other texts would be noise in an attribute.
pub(crate) fn language(tag: &str) -> Option<String> {
    let fits = (2..=20).contains(&tag.len())
        && tag.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && tag.as_bytes()[0].is_ascii_alphabetic();
    fits.then(|| tag.to_owned())
}

/// Bytes of a text once it is escaped.
pub(crate) fn cost(text: &str) -> usize {
    let escaped = text
        .bytes()
        .filter(|b| matches!(b, b'"' | b'\'' | b'<' | b'>' | b'&'))
        .count();
    text.len() + 4 * escaped
}

/// A text with nothing in it that a reader cannot see, and how many characters that took.
///
/// An HTML parser drops NUL, and bidirectional controls would show a text in another order than it
/// has: both are written as their code.
pub(crate) fn visible(text: &str) -> (Cow<'_, str>, usize) {
    let codes = text.chars().filter(|c| is_unseen(*c)).count();
    if codes == 0 {
        return (Cow::Borrowed(text), 0);
    }
    let mut shown = String::with_capacity(text.len() + 8 * codes);
    for character in text.chars() {
        if is_unseen(character) {
            shown.push_str("[U+");
            shown.push_str(&code(character));
            shown.push(']');
        } else {
            shown.push(character);
        }
    }
    (Cow::Owned(shown), codes)
}

/// The code point in hexadecimal digits, at least four.
fn code(character: char) -> String {
    format!("{:04X}", u32::from(character))
}

/// Controls but for tab and line ends, bidirectional marks, zero-width spaces, tags.
fn is_unseen(character: char) -> bool {
    !matches!(character, '\t' | '\n' | '\r')
        && matches!(
            character,
            '\u{0}'..='\u{1f}'
                | '\u{7f}'..='\u{9f}'
                | '\u{61c}'
                | '\u{200b}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{fffe}'
                | '\u{ffff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

fn split(text: &str, limit: usize) -> (&str, &str) {
    let end = text
        .char_indices()
        .nth(limit)
        .map_or(text.len(), |(index, _)| index);
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown_by_its_code_and_the_rest_stays() {
        let plain = "TnI<ULN and BP>140\n\t血钾<a且>5 <think>";
        assert_eq!(visible(plain), (Cow::Borrowed(plain), 0));
        let (shown, codes) = visible("a\0b\u{202e}c");
        assert_eq!((&*shown, codes), ("a[U+0000]b[U+202E]c", 2));
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        let text = Text::new(&"热".repeat(12_345), 10, Some("zh"), String::new());
        assert_eq!(text.body, "热".repeat(10));
        let cut = text.cut.unwrap();
        assert_eq!((cut.shown.as_str(), cut.whole.as_str()), ("10", "12,345"));
        assert!(Text::new("热热", 2, None, String::new()).cut.is_none());
    }

    #[test]
    fn a_name_is_one_line() {
        assert_eq!(short(" a \n b\t\tc "), "a b c");
        assert_eq!(beginning("abcdef", 3), "abc…");
    }

    #[test]
    fn only_language_tags_become_attributes() {
        assert_eq!(language("zh-Hans").as_deref(), Some("zh-Hans"));
        for tag in ["", "e", "en\" x=\"", "1a", "a-very-long-language-tag"] {
            assert_eq!(language(tag), None, "{tag}");
        }
    }

    #[test]
    fn a_budget_gives_what_fits_and_no_more() {
        let mut budget = Budget::new(10);
        assert!(budget.take(6));
        assert!(!budget.take(5));
        assert!(budget.take(4));
        assert_eq!(cost("<a>"), 11);
    }
}
