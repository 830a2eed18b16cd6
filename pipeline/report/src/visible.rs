//! Text of models and datasets made fit for a page: what cannot be seen is dropped.

/// Drops control characters, bidirectional overrides and non-characters; line ends become `\n`.
///
/// An override would let a cell rearrange the numbers beside it.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' => {
                if characters.peek() != Some(&'\n') {
                    out.push('\n');
                }
            }
            '\n' | '\t' => out.push(character),
            '\u{85}' | '\u{2028}' | '\u{2029}' => out.push('\n'),
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {}
            _ if character.is_control() || is_no_character(character) => {}
            _ => out.push(character),
        }
    }
    out
}

fn is_no_character(character: char) -> bool {
    matches!(character, '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

/// The same on one line, with runs of white space as one blank.
pub(crate) fn one_line(text: &str) -> String {
    visible(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_go_and_line_ends_are_one_kind() {
        assert_eq!(
            visible("a\0\u{1b}[31m\u{202e}b\r\nc\rd\u{2028}e"),
            "a[31mb\nc\nd\ne"
        );
        assert_eq!(one_line("  a\n\n b\t c "), "a b c");
        assert_eq!(visible("患者：頭痛 👩‍⚕️"), "患者：頭痛 👩‍⚕️");
    }
}
