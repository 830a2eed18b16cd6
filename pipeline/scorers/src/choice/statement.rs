//! Explicit statements of an answer: "the answer is (B)", `\boxed{B}`, 答案:B, 选B.

use std::ops::Range;

use super::cue::{BOXED, CORRECTION, Cues, NOT_BUT, RETRACTION, REVERSAL, Then};
use super::letter::{is_denied, joined_letters, letter_at};
use super::listing;
use super::options::Options;
use crate::extraction::Extraction;
use crate::stance::{Discourse, Stance, last_part};

#[derive(Clone, Debug)]
struct Statement {
    /// Where the letter or text begins, in the answer.
    at: usize,
    rule: &'static str,
    span: Range<usize>,
    /// Option, or `None` where several are stated at once.
    option: Option<usize>,
}

/// The last explicit statement of an answer, `None` when there is none that is meant.
///
/// A later statement replaces an earlier one, as a correction does. Two statements in one sentence
/// that disagree are ambiguous, unless a word of retraction stands between them; so is a statement
/// that is doubted further on.
pub(super) fn last_statement(text: &str, options: &Options<'_>) -> Option<Extraction> {
    let cues = Cues::of(text);
    let mut statements = after_cues(text, &cues, options);
    statements.extend(subject_first(text, &cues, options));
    statements.extend(boxed(text, options));
    if statements.is_empty() {
        return None;
    }
    statements.sort_by_key(|statement| statement.at);
    let discourse = Discourse::new(text);
    let mut doubted: Vec<Statement> = Vec::new();
    statements.retain(|statement| {
        let own = statement
            .option
            .map_or("", |option| options.folded_text(option));
        let stated = statement.at..statement.span.end.max(statement.at);
        let stance = discourse.stance(statement.span.start, stated, own);
        if stance == Stance::Doubted {
            doubted.push(statement.clone());
        }
        stance == Stance::Asserted
    });
    let last = statements.last()?;
    let span = &text[last.span.clone()];
    let Some(option) = last.option else {
        return Some(Extraction::ambiguous(span));
    };
    if let Some(later) = doubted
        .iter()
        .find(|doubt| doubt.at >= last.at && doubt.option == Some(option))
    {
        return Some(Extraction::ambiguous(
            &text[last.span.start..later.span.end.max(last.span.end)],
        ));
    }
    let sentence = discourse.sentence_at(last.at);
    let disagreement = statements.iter().rev().find(|earlier| {
        earlier.option != Some(option)
            && sentence
                .as_ref()
                .is_some_and(|range| range.contains(&earlier.at))
            && !RETRACTION.is_match(&text[earlier.at..last.at])
    });
    Some(match disagreement {
        Some(earlier) => Extraction::ambiguous(&text[earlier.span.start..last.span.end]),
        None => Extraction::found(options.label(option), last.rule, span),
    })
}

fn after_cues(text: &str, cues: &Cues<'_>, options: &Options<'_>) -> Vec<Statement> {
    cues.all()
        .filter(|(_, range)| !is_reversed(text, range.start))
        .filter_map(|(cue, range)| statement_at(text, range, cue.then, options))
        .collect()
}

fn is_reversed(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    REVERSAL.is_match(last_part(&text[line..at]))
}

/// Reads what stands after a cue.
fn statement_at(
    text: &str,
    cue: Range<usize>,
    then: Then,
    options: &Options<'_>,
) -> Option<Statement> {
    let mut at = cue.end;
    if let Some(not) = NOT_BUT[0].find(&text[at..]) {
        let denied = letter_at(&text[at + not.end()..], options)?;
        let after = at + not.end() + denied.end;
        at = after + NOT_BUT[1].find(&text[after..])?.end();
    }
    let rest = &text[at..];
    let line_end = rest.trim_start().find('\n').map_or(text.len(), |end| {
        at + (rest.len() - rest.trim_start().len()) + end
    });
    if then == Then::LetterOrText
        && let Some(statement) = option_text(text, cue.start, at..line_end, options)
    {
        return Some(statement);
    }
    let letter = letter_at(rest, options)?;
    let after = &rest[letter.end..];
    if then == Then::LoneLetter && !ends_clause(after, letter.index, options) {
        return None;
    }
    let alternative = listing::has_alternative(
        text.get(at + letter.end..line_end).unwrap_or_default(),
        letter.index,
        options,
    );
    if is_denied(after, letter.index, options)
        || (!alternative && listing::continues(text, at, letter.index, options))
    {
        return None;
    }
    let joined = joined_letters(after, options);
    if joined.len() + 1 >= options.len() && options.len() > 2 {
        // "Choose A, B, C or D" repeats the instruction.
        return None;
    }
    let several = alternative || joined.iter().any(|&other| other != letter.index);
    let stated = at + letter.end;
    if !several && let Some((corrected, range)) = correction(&text[stated..], options) {
        return Some(Statement {
            at: stated + range.start,
            rule: "letter.cue",
            span: cue.start..stated + range.end,
            option: Some(corrected),
        });
    }
    Some(Statement {
        at,
        rule: "letter.cue",
        span: cue.start..stated,
        option: (!several).then_some(letter.index),
    })
}

/// The letter that a statement is corrected to at once, and where it stands: "B, no wait, C".
fn correction(after: &str, options: &Options<'_>) -> Option<(usize, Range<usize>)> {
    let found = CORRECTION.find(after)?;
    let rest = &after[found.end()..];
    let letter = letter_at(rest, options)?;
    let tail = &rest[letter.end..];
    let meant = !is_denied(tail, letter.index, options)
        && joined_letters(tail, options).is_empty()
        && ends_clause(tail, letter.index, options);
    meant.then(|| (letter.index, found.end()..found.end() + letter.end))
}

/// Whether nothing, or only the option's text, stands between a letter and the end of its clause.
fn ends_clause(after: &str, index: usize, options: &Options<'_>) -> bool {
    let rest = after.trim_start_matches([')', ']', '"', '\'', '”', '】', '」', ':', ' ', '\t']);
    let rest = rest.strip_prefix('项').unwrap_or(rest);
    let end = rest
        .chars()
        .next()
        .is_none_or(|c| matches!(c, '\n' | '。' | '.' | ';' | '!' | '('));
    end || options.is_followed_by_text(index, rest)
}

/// An option's whole text after a cue, up to the end of the line or of its first clause.
fn option_text(
    text: &str,
    start: usize,
    line: Range<usize>,
    options: &Options<'_>,
) -> Option<Statement> {
    let rest = &text[line.clone()];
    let clause = rest
        .find(['.', ',', ';', '(', '。', '!'])
        .filter(|end| *end > 0);
    let ends = [Some(rest.len()), clause];
    for end in ends.into_iter().flatten() {
        let candidate = &rest[..end];
        if options.is_lone_letter(candidate) {
            continue;
        }
        let option = match options.equal_to(candidate) {
            Ok(None) => continue,
            Ok(Some(index)) => Some(index),
            Err(()) => None,
        };
        return Some(Statement {
            at: line.start,
            rule: "text.cue",
            span: start..line.start + end,
            option,
        });
    }
    None
}

fn subject_first(text: &str, cues: &Cues<'_>, options: &Options<'_>) -> Vec<Statement> {
    cues.subject_first()
        .filter_map(|captures| {
            let (whole, letter) = (captures.get(0)?, captures.name("letter")?);
            let name = letter
                .as_str()
                .trim_start_matches(|c: char| !c.is_alphanumeric());
            let (index, length) = options.letter_at(name)?;
            // "a is correct" has no subject.
            let lower = name.chars().all(|c| c.is_ascii_lowercase());
            (length == name.len() && !lower && !is_reversed(text, whole.start())).then(|| {
                Statement {
                    at: letter.start(),
                    rule: "letter.subject",
                    span: whole.range(),
                    option: Some(index),
                }
            })
        })
        .collect()
}

fn boxed(text: &str, options: &Options<'_>) -> Vec<Statement> {
    BOXED
        .captures_iter(text)
        .filter_map(|captures| {
            let (whole, content) = (captures.get(0)?, captures.get(1)?.as_str());
            let statement = |rule, option| Statement {
                at: whole.start(),
                rule,
                span: whole.range(),
                option,
            };
            if let Some(letter) = letter_at(content, options) {
                let several = !joined_letters(&content[letter.end..], options).is_empty();
                return Some(statement(
                    "letter.boxed",
                    (!several).then_some(letter.index),
                ));
            }
            match options.equal_to(content) {
                Ok(None) => None,
                Ok(found) => Some(statement("text.boxed", found)),
                Err(()) => Some(statement("text.boxed", None)),
            }
        })
        .collect()
}
