//! Answers that are a line of their own: `B`, `(B)`, `B) text of the option`, the text alone.

use std::sync::LazyLock;

use regex::Regex;

use super::letter::{is_denied, joined_letters, letter_at};
use super::listing;
use super::options::Options;
use crate::extraction::Extraction;
use crate::fold::{fold, has_content};
use crate::stance::{Stance, is_question, is_taken_back, stance};

/// What may surround a letter that is all of a line.
static BARE_END: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^[)\]}"'”’】」』》>.,:;!。、\s]*(?:选项|项)?[)\]}"'”’】」』》>.,:;!。、\s]*$"#)
        .expect("a valid pattern")
});

/// What separates a letter from the text of its option.
static SEPARATOR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[)\]】」]?[.):、,\s]*(?:[-–—][ \t])?").expect("a valid pattern")
});

/// Lines with something in them, without list and quotation marks.
fn lines(text: &str) -> Vec<&str> {
    text.lines()
        .map(|line| {
            line.trim()
                .trim_start_matches(['#', '>', '•', '-', ' '])
                .trim_end()
        })
        .filter(|line| has_content(line))
        .collect()
}

/// Reads the last line, then the first one.
pub(super) fn letter_line(text: &str, options: &Options<'_>) -> Option<Extraction> {
    let lines = lines(text);
    let items = || {
        lines
            .iter()
            .filter_map(|line| listing::line_item(line, options))
    };
    let (first, last) = (lines.first()?, lines.last()?);
    // Several items with different letters are the option list or a discussion of it.
    let mut seen = items();
    let item = seen.next();
    let one_item = seen.all(|other| Some(other) == item);
    if lines.len() == 1 {
        return whole(last, options, ["letter.whole", "letter.option"]);
    }
    if one_item {
        return whole(
            last,
            options,
            ["letter.last_line", "letter.option_last_line"],
        )
        .or_else(|| {
            if is_taken_back(lines[1]) {
                return None;
            }
            whole(
                first,
                options,
                ["letter.first_line", "letter.option_first_line"],
            )
        });
    }
    // A lone letter at the end still is one, unless the list is of lone letters.
    let before_last = lines.len() - 2;
    if bare(lines[before_last], options).is_none()
        && let Some(index) = bare(last, options)
    {
        return Some(Extraction::found(
            options.label(index),
            "letter.last_line",
            last,
        ));
    }
    None
}

/// The option whose letter is all of a line.
fn bare(line: &str, options: &Options<'_>) -> Option<usize> {
    let letter = letter_at(line, options)?;
    BARE_END
        .is_match(&line[letter.end..])
        .then_some(letter.index)
}

/// Reads one line: a lone letter, or a letter with the text of its option.
fn whole(line: &str, options: &Options<'_>, rules: [&'static str; 2]) -> Option<Extraction> {
    // "E. coli" is a text, even where there is an option E.
    if !options.is_lone_letter(line) && options.equal_to(line) != Ok(None) {
        return None;
    }
    let letter = letter_at(line, options)?;
    let after = &line[letter.end..];
    if BARE_END.is_match(after) {
        return Some(Extraction::found(
            options.label(letter.index),
            rules[0],
            line,
        ));
    }
    if is_denied(after, letter.index, options) || listing::is_list(line, letter.index, options) {
        return None;
    }
    let joined = joined_letters(after, options);
    if joined.iter().any(|&other| other != letter.index) {
        let all = joined.len() + 1 >= options.len() && options.len() > 2;
        return (!all).then(|| Extraction::ambiguous(line));
    }
    let separator = SEPARATOR.find(after).map_or(0, |found| found.end());
    let rest = &after[separator..];
    let named = options.is_followed_by_text(letter.index, rest);
    let commented = fold(rest);
    let comment = match commented.strip_prefix(options.folded_text(letter.index)) {
        Some(comment) => comment,
        None if named => "",
        None => &commented,
    };
    if is_question(line) || stance("", comment) != Stance::Asserted {
        return None;
    }
    (named || is_reason(&after[..separator], rest))
        .then(|| Extraction::found(options.label(letter.index), rules[1], line))
}

/// Whether what follows a letter gives the reason for it: "B, because …", "B) It lowers …".
fn is_reason(separator: &str, rest: &str) -> bool {
    static REASON: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^(?:because|since|as|due|given\s+that|which|for(?-u:\b)|因为|因|理由|原因|解析)",
        )
        .expect("a valid pattern")
    });
    REASON.is_match(rest) || separator.contains(')')
}
