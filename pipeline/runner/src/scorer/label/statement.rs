//! Explicit statements of a label: "the answer is yes", 证型:脾肾阳虚证, 辨证为….

use std::sync::LazyLock;

use regex::Regex;

use super::set::LabelSet;
use crate::scorer::extraction::Extraction;
use crate::scorer::fold::fold;
use crate::scorer::mention::{Mention, is_negated, mentions, stands_alone, unanimous};
use crate::scorer::sentence::sentences;

static CUES: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        concat!(
            r"(?i)(?-u:\b)(?:answer|diagnosis|label|classification|conclusion|decision|verdict|syndrome|pattern|category|prediction)(?-u:\b)",
            r"[ \t]*(?:(?:to|for|in)\s+(?:the|this)\s+\w+[ \t]*)?(?:\([^)\n]{0,40}\)[ \t]*)?",
            r"(?:(?:is|was|would\s+be|should\s+be|must\s+be|remains)(?-u:\b)[ \t]*:?|[:=→>]+|[ \t][-–—]+[ \t]|\n)\s*",
        ),
        concat!(
            r"(?:证型|证候|辨证|诊断|答案|结论|结果|类别|标签|判断|证属)(?:分型|名称|类型)?[ \t]*",
            r"(?:应该|应当|应|可|考虑|初步)*[ \t]*(?:(?:为|是|属于|属|考虑|:|=|→)\s*)+",
        ),
    ]
    .map(|pattern| Regex::new(pattern).expect("a valid pattern"))
});

/// Words between a cue and its label that change nothing.
static FILLER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:(?:likely|probably|most likely|clearly|definitely|therefore|thus|simply|a|an|the|that of) ",
        r"|(?:该|本)?(?:患者|病人|病例|例)?(?:考虑为|考虑|应为|属于|为|是|属) ?)",
    ))
    .expect("a valid pattern")
});

static JUNCTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^[证型候]? ?(?:or |and |and or |or maybe |或者?|和|与|及|还是|兼)? ?")
        .expect("a valid pattern")
});

static WRONG_BEFORE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:(?-u:\b)(?:incorrect|wrong|differential|previous|if\s+the)[ \t]+|错误|鉴别|排除|既往|如果|若)$")
        .expect("a valid pattern")
});

/// The label that the last readable cue states.
pub(super) fn last_statement(text: &str, labels: &LabelSet) -> Option<Extraction> {
    let mut cues: Vec<(usize, usize)> = CUES
        .iter()
        .flat_map(|pattern| pattern.find_iter(text))
        .map(|cue| (cue.end(), cue.start()))
        .collect();
    cues.sort_unstable();
    cues.iter().rev().find_map(|&(end, start)| {
        let line = text[..start].rfind('\n').map_or(0, |line| line + 1);
        if WRONG_BEFORE.is_match(&text[line..start]) {
            return None;
        }
        let phrase = text[end..].lines().next().unwrap_or_default();
        read_phrase(phrase, labels, "label.cue")
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
        let mut rest = &head[first.end..];
        let junction = JUNCTION.find(rest).map_or(0, |found| found.end());
        if junction > 0 {
            rest = &rest[junction..];
            if label_at(rest, labels).is_some_and(|other| other.index != first.index) {
                return Some(Extraction::ambiguous(sentence));
            }
        }
        return Some(Extraction::found(labels.label(first.index), rule, sentence));
    }
    mentioned(sentence, labels, rule)
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

/// The only label that a text mentions without denying it.
pub(super) fn mentioned(text: &str, labels: &LabelSet, rule: &'static str) -> Option<Extraction> {
    match unanimous(&mentions(&fold(text), labels.forms())) {
        Ok(index) => Some(Extraction::found(labels.label(index?), rule, text)),
        Err(()) => Some(Extraction::ambiguous(text)),
    }
}
