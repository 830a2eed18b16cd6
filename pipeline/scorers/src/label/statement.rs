//! Explicit statements of a label: "the answer is yes", 证型:脾肾阳虚证, 辨证为….

use std::sync::LazyLock;

use regex::Regex;

use super::set::LabelSet;
use crate::extraction::Extraction;
use crate::fold::fold;
use crate::keyword::{Keywords, matches_at};
use crate::mention::{Mention, is_negated, mentions, stands_alone, unanimous};
use crate::sentence::sentences;
use crate::stance::{Discourse, Stance, is_question, is_taken_back, stance};

/// Words that an English cue begins with.
const CUE_WORDS: [&str; 11] = [
    "answer",
    "diagnosis",
    "label",
    "classification",
    "conclusion",
    "decision",
    "verdict",
    "syndrome",
    "pattern",
    "category",
    "prediction",
];

static KEYWORDS: LazyLock<Keywords> =
    LazyLock::new(|| Keywords::new(CUE_WORDS.map(|word| (word, 1))));

/// What follows a cue word up to where the label begins.
const AFTER_CUE: &str = concat!(
    r"(?-u:\b)[ \t]*(?:(?:to|for|in)\s+(?:the|this)\s+\w+[ \t]*)?(?:\([^)\n]{0,40}\)[ \t]*)?",
    r"(?:(?:is|was|would\s+be|should\s+be|must\s+be|remains)(?-u:\b)[ \t]*:?|[:=→>]+|[ \t][-–—]+[ \t]|\n)\s*",
);

static CUE_AT: LazyLock<Regex> = LazyLock::new(|| {
    let words = CUE_WORDS.join("|");
    Regex::new(&format!("^(?i)(?:{words}){AFTER_CUE}")).expect("a valid pattern")
});

static HAN_CUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:证型|证候|辨证|诊断|答案|结论|结果|类别|标签|判断|证属)(?:分型|名称|类型)?[ \t]*",
        r"(?:应该|应当|应|可|考虑|初步)*[ \t]*(?:(?:为|是|属于|属|考虑|:|=|→)\s*)+",
    ))
    .expect("a valid pattern")
});

/// Where every cue ends and begins, by where it ends.
fn cues(text: &str) -> Vec<(usize, usize)> {
    let hits = KEYWORDS.hits(text);
    let mut cues: Vec<(usize, usize)> = matches_at(&CUE_AT, text, &hits, 1)
        .map(|cue| (cue.end, cue.start))
        .collect();
    if !text.is_ascii() {
        cues.extend(HAN_CUE.find_iter(text).map(|cue| (cue.end(), cue.start())));
    }
    cues.sort_unstable();
    cues
}

/// Words between a cue and its label that change nothing.
static FILLER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:(?:likely|probably|most likely|clearly|definitely|therefore|thus|simply|a|an|the|that of) ",
        r"|(?:该|本)?(?:患者|病人|病例|例)?(?:考虑为|考虑|应为|属于|为|是|属) ?)",
    ))
    .expect("a valid pattern")
});

/// What joins a label to another that takes something away from it.
static JUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^[证型候]? ?(?:(?:or|and|but|yet|though|although|however|maybe|perhaps|possibly|probably|also|rather|more|it|is|could|might|may|be|even|then|again|with|to|the|answer) )*",
        r"(?:或者?|和|与|及|还是|兼|但是?|不过|也许|也|可能|是)* ?",
    ))
    .expect("a valid pattern")
});

static WRONG_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:(?-u:\b)(?:incorrect|wrong|differential|previous|if\s+the)[ \t]+|错误|鉴别|排除|既往|如果|若)$")
        .expect("a valid pattern")
});

/// The label that the last readable cue states.
pub(super) fn last_statement(text: &str, labels: &LabelSet) -> Option<Extraction> {
    let cues = cues(text);
    if cues.is_empty() {
        return None;
    }
    let discourse = Discourse::new(text);
    let mut doubted: Vec<String> = Vec::new();
    cues.iter().rev().find_map(|&(end, start)| {
        let line = text[..start].rfind('\n').map_or(0, |line| line + 1);
        if WRONG_BEFORE.is_match(&text[line..start]) {
            return None;
        }
        let phrase = text[end..].lines().next().unwrap_or_default();
        let read = read_phrase(phrase, labels, "label.cue")?;
        let Extraction::Found { predicted, .. } = &read else {
            return Some(read);
        };
        match discourse.stance(start, end..end, labels.form_at(&fold(phrase))) {
            Stance::Asserted if doubted.contains(predicted) => Some(Extraction::ambiguous(phrase)),
            Stance::Asserted => Some(read),
            Stance::Supposed => None,
            Stance::Doubted => {
                doubted.push(predicted.clone());
                None
            }
        }
    })
}

/// Reads what stands after a cue: a label at once, or the only one in its first sentence.
pub(super) fn read_phrase(
    phrase: &str,
    labels: &LabelSet,
    rule: &'static str,
) -> Option<Extraction> {
    if let Some(index) = labels.index_of(phrase) {
        return Some(Extraction::found(labels.label(index), rule, phrase));
    }
    let sentence = &phrase[sentences(phrase).into_iter().next()?];
    let folded = fold(sentence);
    let mut head = folded.as_str();
    while let Some(filler) = FILLER.find(head) {
        head = &head[filler.end()..];
    }
    if let Some(first) = label_at(head, labels) {
        if is_qualified(&head[first.end..], first.index, labels) {
            return Some(Extraction::ambiguous(sentence));
        }
        return Some(Extraction::found(labels.label(first.index), rule, sentence));
    }
    mentioned(sentence, labels, rule)
}

/// Whether a folded text joins another label to the one before it: "yes, but maybe".
pub(super) fn is_qualified(rest: &str, index: usize, labels: &LabelSet) -> bool {
    let joined = |end: usize| label_at(&rest[end..], labels).is_some_and(|it| it.index != index);
    let junction = JUNCTION.find(rest).map_or(0, |found| found.end());
    // A word of the junction may itself be a label: "yes, but maybe".
    let words = rest[..junction]
        .match_indices(' ')
        .map(|(at, _)| at + 1)
        .any(joined);
    words || joined(junction)
}

/// The longest label at the start of a folded text, if it is not denied.
fn label_at(folded: &str, labels: &LabelSet) -> Option<Mention> {
    labels
        .forms()
        .iter()
        .filter(|form| folded.starts_with(&form.text))
        .map(|form| Mention {
            index: form.index,
            start: 0,
            end: form.text.len(),
        })
        .find(|mention| stands_alone(folded, *mention))
        .filter(|mention| !is_negated(folded, *mention))
}

/// The only label that a text mentions and means.
///
/// A label that is doubted is no rival in another sentence, and is one in its own.
pub(super) fn mentioned(text: &str, labels: &LabelSet, rule: &'static str) -> Option<Extraction> {
    let mut meant: Vec<Mention> = Vec::new();
    let mut rivals: Vec<Mention> = Vec::new();
    let mut doubted: Vec<Mention> = Vec::new();
    let ranges = sentences(text);
    for (at, range) in ranges.iter().enumerate() {
        let sentence = &text[range.clone()];
        let folded = fold(sentence);
        let mentions = mentions(&folded, labels.forms());
        if mentions.is_empty() {
            continue;
        }
        let next = ranges.get(at + 1).map_or("", |next| &text[next.clone()]);
        let open = is_question(sentence) || is_taken_back(next);
        let (asserted, other): (Vec<Mention>, Vec<Mention>) =
            mentions.into_iter().partition(|mention| {
                let (before, after) = (&folded[..mention.start], &folded[mention.end..]);
                !open && stance(before, after) == Stance::Asserted
            });
        if !asserted.is_empty() {
            rivals.extend(&other);
        }
        meant.extend(asserted);
        doubted.extend(other);
    }
    let index = match unanimous(&meant) {
        Ok(index) => index?,
        Err(()) => return Some(Extraction::ambiguous(text)),
    };
    let contested = rivals.iter().any(|mention| mention.index != index)
        || doubted.iter().any(|mention| mention.index == index);
    Some(if contested {
        Extraction::ambiguous(text)
    } else {
        Extraction::found(labels.label(index), rule, text)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fold::plain;
    use crate::tests::pieces;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn cues_are_those_of_a_search_of_the_whole_text(text in pieces()) {
            let text = plain(&text);
            let pattern =
                Regex::new(&format!(r"(?i)(?-u:\b)(?:{}){AFTER_CUE}", CUE_WORDS.join("|"))).unwrap();
            let mut searched: Vec<_> = [&pattern, &*HAN_CUE]
                .into_iter()
                .flat_map(|pattern| pattern.find_iter(&text))
                .map(|cue| (cue.end(), cue.start()))
                .collect();
            searched.sort_unstable();
            prop_assert_eq!(cues(&text), searched);
        }
    }
}
