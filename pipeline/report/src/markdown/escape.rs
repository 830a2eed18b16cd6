//! Escaping for Markdown: nothing in a text may become markup.

/// Inline text, safe in a table cell, a heading, a list item and a quotation.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let after = characters.peek().copied();
        match character {
            '\n' => out.push_str("<br>"),
            '\t' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\\' | '|' | '`' | '*' | '[' | ']' | '#' | '~' | '$' | '!' => {
                out.push('\\');
                out.push(character);
            }
            // Within a word an underscore is only an underscore.
            '_' if is_word(before) && is_word(after) => out.push('_'),
            '_' => out.push_str("\\_"),
            // A bare address would become a link.
            ':' if after == Some('/') => out.push_str("\\:"),
            '.' if ends_with_www(&out) => out.push_str("\\."),
            '-' | '+' | '=' if starts_line(before) => {
                out.push('\\');
                out.push(character);
            }
            '.' | ')' if numbers_line(&out) && after.is_none_or(char::is_whitespace) => {
                out.push('\\');
                out.push(character);
            }
            _ => out.push(character),
        }
        before = Some(character);
    }
    out
}

fn is_word(character: Option<char>) -> bool {
    character.is_some_and(char::is_alphanumeric)
}

fn starts_line(before: Option<char>) -> bool {
    before.is_none_or(|character| character == '\n')
}

fn ends_with_www(out: &str) -> bool {
    out.as_bytes()
        .last_chunk::<3>()
        .is_some_and(|end| end.eq_ignore_ascii_case(b"www"))
}

/// Whether all that is written so far is a number, which a point would make a list.
fn numbers_line(out: &str) -> bool {
    !out.is_empty() && out.len() < 10 && out.bytes().all(|byte| byte.is_ascii_digit())
}

/// Text in backticks, with more of them than any run inside.
pub(super) fn code_span(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(text) + 1);
    if fence.len() == 1 {
        format!("`{text}`")
    } else {
        format!("{fence} {text} {fence}")
    }
}

/// A fenced block, with a fence longer than any run inside.
pub(super) fn code_block(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    format!("{fence}{language}\n{text}\n{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_text() {
        assert_eq!(escape("a | b"), "a \\| b");
        assert_eq!(escape("# head\n> quote"), "\\# head<br>&gt; quote");
        assert_eq!(
            escape("<script>`x`</script>"),
            "&lt;script&gt;\\`x\\`&lt;/script&gt;"
        );
        assert_eq!(escape("![i](http://x)"), "\\!\\[i\\](http\\://x)");
        assert_eq!(escape("- item"), "\\- item");
        assert_eq!(escape("1. item"), "1\\. item");
        assert_eq!(escape("0.552"), "0.552");
        assert_eq!(escape("gpt_4 _x_ www.x"), "gpt_4 \\_x\\_ www\\.x");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(code_block("sql", "a```b"), "````sql\na```b\n````");
        assert_eq!(code_span("a``b"), "``` a``b ```");
        assert_eq!(code_span("choice|rev:1"), "`choice|rev:1`");
    }
}
