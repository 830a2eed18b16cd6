//! Echoes of the question's option list, which state no answer.

use std::sync::LazyLock;

use regex::Regex;

use super::options::Options;

/// A letter that opens an item: `A.`, `(B)`, `C)`, `D:`, `E、`, followed by text.
static ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|[\s,;。(])(?P<letter>[A-Za-z0-9]{1,2})(?:[.):、]|\s-)\s*\S")
        .expect("a valid pattern")
});

/// A letter that opens a line.
static LINE_ITEM: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[\s>#-]*\(?(?P<letter>[A-Za-z0-9]{1,2})(?:[.):、]|\s-|$)")
        .expect("a valid pattern")
});

static ALTERNATIVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:(?-u:\b)or|或者?|还是)\s*(?:option\s+|选项)?\(?(?P<letter>[A-Z0-9]{1,2})[.):]")
        .expect("a valid pattern")
});

/// The option whose letter opens a line.
pub(super) fn line_item(line: &str, options: &Options<'_>) -> Option<usize> {
    let name = LINE_ITEM.captures(line)?.name("letter")?;
    let (index, length) = options.letter_at(name.as_str())?;
    (length == name.len()).then_some(index)
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
