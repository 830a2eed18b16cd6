//! Reads the diagnosis from an answer.
//!
//! Rules, first hit wins:
//!
//! 1. `json.field`: a JSON object with `answer`, `diagnosis`, …; of a list the first.
//! 2. `diagnosis.line`: the last line that begins with `Answer:`, `Final diagnosis:`, 诊断： ….
//! 3. `diagnosis.cue`: what follows the last "the diagnosis is", "the answer is" or 诊断为.
//! 4. `diagnosis.whole`: an answer of a single line.
//!
//! Anything else is not read: no judge is asked what a model may have meant.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::conclusion::conclusion;
use crate::extraction::Extraction;
use crate::fold::{fold, has_content, plain};
use crate::json_field::answer_field;
use crate::sentence::sentences;
use consilium_runner::reading::{final_answer, without_reasoning};

const FIELDS: [&str; 11] = [
    "answer",
    "final_answer",
    "diagnosis",
    "final_diagnosis",
    "disease",
    "prediction",
    "predictions",
    "诊断",
    "最终诊断",
    "答案",
    "病名",
];

/// Characters of a diagnosis at most; what is longer is a text about one.
const LONGEST: usize = 200;

static CUE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)(?:diagnosis (?:is|would be|remains|of)|answer is|最可能的?(?:诊断)?(?:为|是)|(?:诊断|答案)(?:为|是)|诊断(?:首先)?考虑)",
        r"[ :]*(?:most likely |probably |likely |(?:that )?of )?",
    ))
    .expect("a valid pattern")
});

/// Folded texts that name no disease.
static NONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:(?:there is )?no (?:\w+ )?diagnosis\b.*|none|nothing|unknown|unclear|uncertain|undetermined|n a",
        r"|(?:still )?(?:not|un)(?: yet)? (?:clear|known|certain|determined|possible|established)\b.*",
        r"|(?:the diagnosis |it |this )?(?:cannot|can not|could not) be (?:made|determined|diagnosed|established|given)\b.*",
        r"|i (?:do not|don t) know\b.*|(?:insufficient|not enough) (?:information|data)\b.*",
        r"|(?:i am |i m )?unable to\b.*|i (?:cannot|can t|can not|won t|will not)\b.*",
        r"|无法.*|不能.*|未能.*|不明确?|未知|不详|不知道|诊断不明.*|(?:没有|无|未)(?:明确)?诊断.*|(?:资料|信息)不足.*)$",
    ))
    .expect("a valid pattern")
});

/// The diagnosis that an answer states.
pub(super) fn read_diagnosis(answer: &str) -> Extraction {
    let answer = without_reasoning(answer);
    let text = plain(conclusion(&answer));
    if let Some(field) = answer_field(&text, &FIELDS) {
        return match named(&field.value).and_then(|name| tidy(&name)) {
            Some(name) => Extraction::found(&name, "json.field", &field.span()),
            None => Extraction::Unextractable,
        };
    }
    if let Some(found) = final_answer(&text)
        && let Some(name) = first_statement(&text[found.said..])
    {
        return Extraction::found(&name, "diagnosis.line", &name);
    }
    let cue = CUE.find_iter(&text).last();
    if let Some(cue) = cue
        && let Some(name) = first_statement(&text[cue.end()..])
    {
        return Extraction::found(&name, "diagnosis.cue", &name);
    }
    let mut lines = text.lines().map(str::trim).filter(|line| has_content(line));
    match (lines.next(), lines.next()) {
        (Some(line), None) if !line.ends_with('?') => match tidy(line) {
            Some(name) => Extraction::found(&name, "diagnosis.whole", line),
            None => Extraction::Unextractable,
        },
        _ => Extraction::Unextractable,
    }
}

/// Whether a statement says that there is no diagnosis, or that none will be given.
pub(super) fn is_no_diagnosis(statement: &str) -> bool {
    NONE.is_match(&fold(statement))
}

/// The name in a field: a text, the first of a list, or the field of an object that names one.
fn named(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.first().and_then(named),
        Value::Object(fields) => ["disease", "diagnosis", "name", "answer"]
            .iter()
            .find_map(|name| fields.get(*name))
            .and_then(named),
        _ => None,
    }
}

/// The first sentence of the first line that says something.
fn first_statement(text: &str) -> Option<String> {
    let line = text.lines().find(|line| has_content(line))?;
    let first = sentences(line).into_iter().next()?;
    tidy(&line[first])
}

/// A statement without quotes, brackets around it and full stops; `None` when nothing is left or
/// too much.
fn tidy(statement: &str) -> Option<String> {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '\'' | '“' | '”' | '「' | '」' | '_' | '#')
    };
    let mut text = statement
        .trim_matches(ends)
        .trim_end_matches(['.', '。', ';', ',', '!', ':'])
        .trim_matches(ends);
    if let Some(inner) = text.strip_prefix(['[', '<', '【'])
        && let Some(inner) = inner.strip_suffix([']', '>', '】'])
    {
        text = inner.trim();
    }
    (has_content(text) && text.chars().count() <= LONGEST).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnosis_is_read_from_every_usual_form() {
        for (answer, rule, diagnosis) in [
            ("Gout", "diagnosis.whole", "Gout"),
            ("\n**Gout.**\n", "diagnosis.whole", "Gout"),
            (
                "The joint is red.\n\nAnswer: Gout",
                "diagnosis.line",
                "Gout",
            ),
            (
                "Answer: Lupus\nNo.\nFinal answer: \"Gout\".",
                "diagnosis.line",
                "Gout",
            ),
            ("Final diagnosis:\n- Gout", "diagnosis.line", "- Gout"),
            (
                "Answer: St. Louis encephalitis. It is rare.",
                "diagnosis.line",
                "St. Louis encephalitis",
            ),
            (
                "Reasons follow.\nThe most likely diagnosis is acute gout. Rest.",
                "diagnosis.cue",
                "acute gout",
            ),
            ("考虑过假性痛风。\n答案：痛风", "diagnosis.line", "痛风"),
            (
                "The course fits.\nThe answer is Gout.",
                "diagnosis.cue",
                "Gout",
            ),
            ("关节红肿。\n因此诊断为痛风。", "diagnosis.cue", "痛风"),
            (
                r#"{"answer": "Gout", "rationale": "x"}"#,
                "json.field",
                "Gout",
            ),
            (
                r#"{"predictions": [{"disease": "Gout", "confidence": 90}, {"disease": "x"}]}"#,
                "json.field",
                "Gout",
            ),
            ("<think>Lupus?</think>Gout", "diagnosis.whole", "Gout"),
        ] {
            match read_diagnosis(answer) {
                Extraction::Found {
                    predicted,
                    rule: found,
                    ..
                } => {
                    assert_eq!((predicted.as_str(), found), (diagnosis, rule), "{answer}");
                }
                other => panic!("{answer}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_states_no_diagnosis_is_not_guessed() {
        let long = format!("Answer: {}", "and so on ".repeat(40));
        for answer in [
            "",
            "…",
            "The joint is red.\nIt may be gout or lupus.",
            "What is it?",
            r#"{"answer": null}"#,
            &long,
        ] {
            assert_eq!(
                read_diagnosis(answer),
                Extraction::Unextractable,
                "{answer}"
            );
        }
    }

    #[test]
    fn no_diagnosis_is_told_from_a_disease() {
        for statement in [
            "No diagnosis",
            "no definitive diagnosis can be made",
            "None.",
            "N/A",
            "It cannot be determined",
            "I don't know",
            "I cannot provide a diagnosis",
            "unable to determine",
            "not clear from the history",
            "无法判断",
            "诊断不明",
        ] {
            assert!(is_no_diagnosis(statement), "{statement}");
        }
        for statement in [
            "Noonan syndrome",
            "Fever of unknown origin",
            "Non-Hodgkin lymphoma",
            "Undetermined significance, monoclonal gammopathy of",
            "不宁腿综合征",
            "无症状心肌缺血",
        ] {
            assert!(!is_no_diagnosis(statement), "{statement}");
        }
    }
}
