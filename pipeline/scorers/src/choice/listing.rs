//! Echoes of the question's option list, which state no answer.

use std::sync::LazyLock;

use regex::Regex;

use super::options::Options;

/// A letter that opens an item: `A.`, `(B)`, `C)`, `D:`, `E、`, followed by text.
static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s,;。(])(?P<letter>[A-Za-z0-9]{1,2})(?:[.):、]|\s-)\s*\S")
        .expect("a valid pattern")
});

static ALTERNATIVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:(?-u:\b)or|或者?|还是)\s*(?:option\s+|选项)?\(?(?P<letter>[A-Z0-9]{1,2})[.):]")
        .expect("a valid pattern")
});

/// The option whose letter opens a line: `A.`, `(B)`, `> C:`, or all of the line.
pub(super) fn line_item(line: &str, options: &Options<'_>) -> Option<usize> {
    let name = line_letter(line)?;
    let (index, length) = options.letter_at(name)?;
    (length == name.len()).then_some(index)
}

/// One or two ASCII letters or digits that open a line, past marks of lists and quotations.
fn line_letter(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '#' | '-'));
    let rest = rest.strip_prefix('(').unwrap_or(rest);
    let named = rest
        .bytes()
        .take(2)
        .take_while(u8::is_ascii_alphanumeric)
        .count();
    (1..=named).rev().find_map(|length| {
        let (name, after) = rest.split_at(length);
        let mut chars = after.chars();
        let ends = match chars.next() {
            None | Some('.' | ')' | ':' | '、') => true,
            Some(c) => c.is_whitespace() && chars.next() == Some('-'),
        };
        ends.then_some(name)
    })
}

/// Whether a letter is the first of a list: its successor opens the next line, or an item further
/// on in the same line.
pub(super) fn continues(text: &str, at: usize, index: usize, options: &Options<'_>) -> bool {
    let rest = text[at..].trim_start();
    let mut lines = rest.lines().filter(|line| !line.trim().is_empty());
    let line = lines.next().unwrap_or_default();
    let on_new_line = text[at..].len() - rest.len() > 0
        && text[at..text.len() - rest.len()].contains('\n')
        || text[..at].ends_with('\n');
    let next_line = lines.next().and_then(|line| line_item(line, options));
    is_list(line, index, options)
        || (next_line == Some(index + 1) && line_item(line, options) == Some(index))
        || (on_new_line && next_line.is_some_and(|next| next != index))
}

/// Whether a line that begins with an option's item holds its successor's item too.
pub(super) fn is_list(line: &str, index: usize, options: &Options<'_>) -> bool {
    ITEM.captures_iter(&options.without_text(index, line))
        .any(|captures| {
            captures.name("letter").is_some_and(|name| {
                options.letter_at(name.as_str()) == Some((index + 1, name.len()))
            })
        })
}

/// Whether another option's item follows after "or".
pub(super) fn has_alternative(line: &str, index: usize, options: &Options<'_>) -> bool {
    ALTERNATIVE.captures_iter(line).any(|captures| {
        captures.name("letter").is_some_and(|name| {
            options
                .letter_at(name.as_str())
                .is_some_and(|(other, length)| other != index && length == name.len())
        })
    })
}

/// Whether the last line is part of an option list: it holds items of two options, or is one item
/// of a list over several lines.
pub(super) fn is_echo(text: &str, last_line: &str, options: &Options<'_>) -> bool {
    let mut inline: Vec<usize> = ITEM
        .captures_iter(last_line)
        .filter_map(|captures| {
            let name = captures.name("letter")?;
            let (index, length) = options.letter_at(name.as_str())?;
            (length == name.len()).then_some(index)
        })
        .collect();
    inline.dedup();
    let own = line_item(last_line, options);
    inline.len() > 1
        || (own.is_some()
            && text
                .lines()
                .filter_map(|line| line_item(line, options))
                .any(|other| Some(other) != own))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_line_letter_is_what_the_pattern_finds(line in "[ >#(-]{0,3}[A1b]{0,3}[.):、 -]{0,3}x{0,1}") {
            let pattern =
                Regex::new(r"^[\s>#-]*\(?(?P<letter>[A-Za-z0-9]{1,2})(?:[.):、]|\s-|$)").unwrap();
            let found = pattern.captures(&line).and_then(|it| it.name("letter"));
            prop_assert_eq!(line_letter(&line), found.map(|it| it.as_str()));
        }
    }
}
