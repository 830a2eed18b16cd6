//! The suffix rules of each step.

use super::{measure, without_last};

/// When a suffix rule applies to what is left of the word.
#[derive(Clone, Copy)]
pub(super) enum Condition {
    Always,
    /// More than this many vowel-consonant sequences.
    MeasureAbove(usize),
    /// Of a word without its last character.
    MeasureAboveOfShorter(usize),
    /// `MeasureAbove(1)` and an ending in s or t.
    AfterSibilant,
    /// `logi` in nltk mode: the l belongs to the stem.
    MeasureWithL,
}

pub(super) type Rule = (&'static str, &'static str, Condition);

pub(super) const POSITIVE: Condition = Condition::MeasureAbove(0);
pub(super) const ABOVE_ONE: Condition = Condition::MeasureAbove(1);

pub(super) const STEP_1A: [Rule; 4] = [
    ("sses", "ss", Condition::Always),
    ("ies", "i", Condition::Always),
    ("ss", "ss", Condition::Always),
    ("s", "", Condition::Always),
];

pub(super) const STEP_2: [Rule; 20] = [
    ("ational", "ate", POSITIVE),
    ("tional", "tion", POSITIVE),
    ("enci", "ence", POSITIVE),
    ("anci", "ance", POSITIVE),
    ("izer", "ize", POSITIVE),
    ("bli", "ble", POSITIVE),
    ("alli", "al", POSITIVE),
    ("entli", "ent", POSITIVE),
    ("eli", "e", POSITIVE),
    ("ousli", "ous", POSITIVE),
    ("ization", "ize", POSITIVE),
    ("ation", "ate", POSITIVE),
    ("ator", "ate", POSITIVE),
    ("alism", "al", POSITIVE),
    ("iveness", "ive", POSITIVE),
    ("fulness", "ful", POSITIVE),
    ("ousness", "ous", POSITIVE),
    ("aliti", "al", POSITIVE),
    ("iviti", "ive", POSITIVE),
    ("biliti", "ble", POSITIVE),
];

pub(super) const STEP_3: [Rule; 7] = [
    ("icate", "ic", POSITIVE),
    ("ative", "", POSITIVE),
    ("alize", "al", POSITIVE),
    ("iciti", "ic", POSITIVE),
    ("ical", "ic", POSITIVE),
    ("ful", "", POSITIVE),
    ("ness", "", POSITIVE),
];

pub(super) const STEP_4: [Rule; 19] = [
    ("al", "", ABOVE_ONE),
    ("ance", "", ABOVE_ONE),
    ("ence", "", ABOVE_ONE),
    ("er", "", ABOVE_ONE),
    ("ic", "", ABOVE_ONE),
    ("able", "", ABOVE_ONE),
    ("ible", "", ABOVE_ONE),
    ("ant", "", ABOVE_ONE),
    ("ement", "", ABOVE_ONE),
    ("ment", "", ABOVE_ONE),
    ("ent", "", ABOVE_ONE),
    ("ion", "", Condition::AfterSibilant),
    ("ou", "", ABOVE_ONE),
    ("ism", "", ABOVE_ONE),
    ("ate", "", ABOVE_ONE),
    ("iti", "", ABOVE_ONE),
    ("ous", "", ABOVE_ONE),
    ("ive", "", ABOVE_ONE),
    ("ize", "", ABOVE_ONE),
];

pub(super) const STEP_5B: [Rule; 1] = [("ll", "l", Condition::MeasureAboveOfShorter(1))];

/// Applies the first rule whose suffix the word has; if its condition fails, none.
pub(super) fn apply(word: String, rules: &[Rule]) -> String {
    for &(suffix, replacement, condition) in rules {
        if let Some(stem) = word.strip_suffix(suffix) {
            let applies = match condition {
                Condition::Always => true,
                Condition::MeasureAbove(least) => measure(stem) > least,
                Condition::MeasureAboveOfShorter(least) => measure(without_last(&word)) > least,
                Condition::AfterSibilant => measure(stem) > 1 && stem.ends_with(['s', 't']),
                Condition::MeasureWithL => measure(&format!("{stem}l")) > 0,
            };
            return if applies {
                format!("{stem}{replacement}")
            } else {
                word
            };
        }
    }
    word
}

/// The stems that no rule gives.
pub(super) fn irregular(word: &str) -> Option<&'static str> {
    Some(match word {
        "sky" | "skies" => "sky",
        "dying" => "die",
        "lying" => "lie",
        "tying" => "tie",
        "news" => "news",
        "innings" | "inning" => "inning",
        "outings" | "outing" => "outing",
        "cannings" | "canning" => "canning",
        "howe" => "howe",
        "proceed" => "proceed",
        "exceed" => "exceed",
        "succeed" => "succeed",
        _ => return None,
    })
}
