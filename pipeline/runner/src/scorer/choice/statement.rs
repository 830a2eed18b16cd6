//! Explicit statements of an answer: "the answer is (B)", `\boxed{B}`, 答案:B, 选B.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::letter::{is_denied, joined_letters, letter_at};
use super::listing;
use super::options::Options;
use crate::scorer::extraction::Extraction;
use crate::scorer::sentence::sentences;

/// A pattern after which an answer is stated, or the whole statement.
struct Cue {
    pattern: Regex,
    then: Then,
}

/// What a cue lets follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Then {
    /// A letter, or an option's whole text.
    LetterOrText,
    /// A letter.
    Letter,
    /// A letter and nothing more in the clause, since the cue is a word of everyday prose.
    LoneLetter,
}

fn cue(pattern: &str, then: Then) -> Cue {
    Cue {
        pattern: Regex::new(pattern).expect("a valid pattern"),
        then,
    }
}

/// Cues that come before the answer. Each pattern ends where the answer begins.
static CUES: LazyLock<Vec<Cue>> = LazyLock::new(|| {
    let copula = concat!(
        r"(?:(?:is|was|would\s+be|should\s+be|must\s+be|will\s+be|has\s+to\s+be)(?-u:\b)",
        r"(?:[ \t]*(?:therefore|thus|hence|most\s+likely|likely|probably|clearly|definitely|indeed",
        r"|simply|just|actually|either|both)(?-u:\b))*[ \t]*[:,]?|[:=→>]+|[ \t][-–—]+[ \t])\s*",
    );
    vec![
        cue(
            &format!(
                r"(?i)(?-u:\b)(?:answer|choice|selection|diagnosis|conclusion|verdict)(?-u:\b)[ \t]*(?:(?:to|for|in)\s+(?:the|this)\s+\w+[ \t]*)?(?:\([^)\n]{{0,30}}\)[ \t]*)?(?:{copula}|\n\s*)"
            ),
            Then::LetterOrText,
        ),
        // "The most appropriate next step is (C)".
        cue(
            &format!(
                r"(?i)(?-u:\b)(?:correct|best|right|most\s+(?:likely|appropriate|suitable|accurate|probable))(?:[ \t]+[\w'-]+){{0,5}}?[ \t]*{copula}"
            ),
            Then::LetterOrText,
        ),
        cue(
            r"(?i)(?-u:\b)(?:final|correct|best|right|my)[ \t]+answer[ \t]+",
            Then::Letter,
        ),
        cue(
            r"(?i)(?-u:\b)(?:choose|chose|choosing|select|selected|selecting|pick|picked|picking|go\s+with|going\s+with|went\s+with|opt\s+for|answering|answered)(?-u:\b)[ \t]*:?[ \t]*",
            Then::Letter,
        ),
        cue(
            r"(?i)(?-u:\b)(?:therefore|thus|hence|so|actually|correction|finally|ultimately|in\s+conclusion|it\s+must\s+be|it's|it\s+is|that's|that\s+is)(?-u:\b)[ \t]*[:,]?[ \t]*",
            Then::LoneLetter,
        ),
        cue(
            concat!(
                r"(?:答案|正确选项|最佳选项|合适的选项|恰当的选项|符合的选项|正确的选项|最可能的选项|正确的是|最恰当的是|最合适的是|结论|我的选择|最终选择|正确选择|选择|诊断)[】\]」]?",
                r"[ \t]*(?:应该|应当|应|就|只能|可能|最终|最有可能|最可能)?[ \t]*(?:(?:为|是|选择|选|:|=|→)\s*)*(?:选项)?\s*",
            ),
            Then::LetterOrText,
        ),
        cue(
            r"(?:选|选取|选定|应选|故选|选出)[ \t]*(?:为|:|答案)?[ \t]*",
            Then::Letter,
        ),
        cue(
            r"(?:综上(?:所述)?|因此|所以|故|更正|应该是|应当是|应为)[ \t]*[,:]?[ \t]*(?:为|是)?[ \t]*",
            Then::LoneLetter,
        ),
    ]
});

static SUBJECT_FIRST: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        concat!(
            r"(?im)(?:(?-u:\b)(?:option|choice|answer|letter)[ \t]+|^[ \t]*|[.!?;:,][ \t]+|(?-u:\b)(?:so|thus|therefore|hence|that|because|while|but|and|only)[ \t]+|[(])",
            r#"(?P<letter>["'(\[]?[A-Z0-9]{1,2})(?-u:\b)[)\]"'.:]*[ \t]*(?:\([^)\n]{0,80}\)|,[^,\n]{0,80},)?[ \t]*"#,
            r"(?:is|would\s+be|must\s+be|should\s+be)[ \t]+(?:therefore[ \t]+|thus[ \t]+|clearly[ \t]+|indeed[ \t]+|definitely[ \t]+|the[ \t]+|single[ \t]+|only[ \t]+|most[ \t]+|one[ \t]+)*",
            r"(?:correct|right|best|appropriate|answer)(?:[ \t]+(?:answer|choice|option|one|response))?",
            r"(?:[ \t]*(?:[.,;:!)\n]|$)|[ \t]+(?:because|since|as|for|here|in|given|to|and|while|but)(?-u:\b))",
        ),
        concat!(
            r"(?:^|[\s,.;:。!?、(]|选项|故|因此|所以|即|而|只有|仅|但|应为|认为)",
            r"(?P<letter>[A-Za-z0-9]{1,2})[)]?(?:选项|项)?(?:\([^)\n]{0,40}\))?(?:是|为|才是)?(?:唯一)?(?:的)?",
            r"(?:正确|最佳|最合适|最恰当|最符合|符合题意|对的|答案)",
        ),
    ]
    .map(|pattern| Regex::new(pattern).expect("a valid pattern"))
});

static BOXED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\\boxed\s*\{\s*(?:\\(?:text|mathrm|textbf|mathbf|rm)\s*\{\s*)?([^{}\n]{1,200})\}")
        .expect("a valid pattern")
});

/// What makes a cue the opposite of one, when it stands right before it on the same line.
static REVERSAL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:(?:(?-u:\b)not|n['’]t|(?-u:\b)never|(?-u:\b)cannot|(?-u:\b)incorrect|(?-u:\b)wrong|(?-u:\b)false)[ \t]+(?:be[ \t]+|is[ \t]+)?(?:the[ \t]+|an?[ \t]+|my[ \t]+)?(?:correct[ \t]+|right[ \t]+|best[ \t]+|final[ \t]+)*",
        r"|(?-u:\b)if[ \t]+(?:the[ \t]+)?(?:correct[ \t]+|right[ \t]+|best[ \t]+)?|(?-u:\b)avoid[ \t]+",
        r"|错误的?|不正确的?|不|不能|不可|不应|不宜|不该|不会|别|勿|未|没有|没|误|非|排除|若|如果|假如)$",
    ))
    .expect("a valid pattern")
});

/// "not B but C", read after a cue.
static NOT_BUT: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        r"^[ \t]*(?:definitely[ \t]+|clearly[ \t]+)?not[ \t]+",
        r#"^[)\]"'.]*,?[ \t]*but[ \t]+(?:rather[ \t]+|instead[ \t]+)?"#,
    ]
    .map(|pattern| Regex::new(&format!("(?i){pattern}")).expect("a valid pattern"))
});

static RETRACTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?-u:\b)(?:actually|wait|no|correction|rather|instead|sorry|mistake|revised?|change|but|however)(?-u:\b)|更正|不对|应改|改为|而是|但")
        .expect("a valid pattern")
});

#[derive(Clone, Debug)]
struct Statement {
    /// Where the letter or text begins, in the answer.
    at: usize,
    rule: &'static str,
    span: Range<usize>,
    /// Option, or `None` where several are stated at once.
    option: Option<usize>,
}

/// The last explicit statement of an answer, `None` when there is none.
///
/// A later statement replaces an earlier one, as a correction does. Two statements in one sentence
/// that disagree are ambiguous, unless a word of retraction stands between them.
pub(super) fn last_statement(text: &str, options: &Options<'_>) -> Option<Extraction> {
    let mut statements = after_cues(text, options);
    statements.extend(subject_first(text, options));
    statements.extend(boxed(text, options));
    statements.sort_by_key(|statement| statement.at);
    let last = statements.last()?;
    let span = &text[last.span.clone()];
    let Some(option) = last.option else {
        return Some(Extraction::ambiguous(span));
    };
    let sentence = sentences(text)
        .into_iter()
        .find(|range| range.contains(&last.at));
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

fn after_cues(text: &str, options: &Options<'_>) -> Vec<Statement> {
    let mut statements = Vec::new();
    for cue in CUES.iter() {
        for found in cue.pattern.find_iter(text) {
            if !is_reversed(text, found.start()) {
                statements.extend(statement_at(text, found.range(), cue.then, options));
            }
        }
    }
    statements
}

fn is_reversed(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    REVERSAL.is_match(&text[line..at])
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
    Some(Statement {
        at,
        rule: "letter.cue",
        span: cue.start..at + letter.end,
        option: (!several).then_some(letter.index),
    })
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

fn subject_first(text: &str, options: &Options<'_>) -> Vec<Statement> {
    SUBJECT_FIRST
        .iter()
        .flat_map(|pattern| pattern.captures_iter(text))
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
