//! Answers and the labels they state, written by hand.

use std::path::Path;

use consilium_core::AnswerForm;

use super::{case, report};
use crate::{AliasTable, Extraction, LabelScorer};

const PUBMED: &str = "yes|no|maybe";
const SYNDROMES: &str = "脾肾阳虚证|肾阳虚证|肝郁气滞证|湿热下注、瘀血阻络证|气滞血瘀证";
const DISEASES: &str = "iron-deficiency anemia|anemia|beta thalassemia";

/// Answer, labels, label and rule; `?` for ambiguous, `-` for none.
const TABLE: &[(&str, &str, &str, &str)] = &[
    (r#"{"answer": "yes"}"#, PUBMED, "yes", "json.field"),
    (
        r#"{"label": "Yes, it does", "why": "no doubt"}"#,
        PUBMED,
        "yes",
        "json.field",
    ),
    (r#"{"answer": ["yes", "no"]}"#, PUBMED, "?", ""),
    (r#"{"answer": "perhaps"}"#, PUBMED, "-", ""),
    (
        r#"{"证型": "脾肾阳虚"}"#,
        SYNDROMES,
        "脾肾阳虚证",
        "json.field",
    ),
    ("Answer: yes", PUBMED, "yes", "label.cue"),
    ("The answer is **no**.", PUBMED, "no", "label.cue"),
    ("Answer: No, there is no effect.", PUBMED, "no", "label.cue"),
    ("Final decision: maybe", PUBMED, "maybe", "label.cue"),
    ("The final answer is \"yes\"", PUBMED, "yes", "label.cue"),
    (
        "Answer: yes\nOn second thought.\nAnswer: no",
        PUBMED,
        "no",
        "label.cue",
    ),
    ("Answer: yes or no", PUBMED, "?", ""),
    ("Answer: yes/no", PUBMED, "?", ""),
    ("The answer is not yes.", PUBMED, "-", ""),
    ("The answer is clearly yes", PUBMED, "yes", "label.cue"),
    ("yes", PUBMED, "yes", "label.whole"),
    ("YES.", PUBMED, "yes", "label.whole"),
    ("**No**", PUBMED, "no", "label.whole"),
    ("ｍａｙｂｅ", PUBMED, "maybe", "label.whole"),
    (
        "Some evidence was found.\nYes",
        PUBMED,
        "yes",
        "label.last_line",
    ),
    (
        "Yes, because mitochondria take part.",
        PUBMED,
        "yes",
        "label.first_word",
    ),
    (
        "No. The study found nothing.",
        PUBMED,
        "no",
        "label.first_word",
    ),
    (
        "Yes - the effect is large",
        PUBMED,
        "yes",
        "label.first_word",
    ),
    ("Yes the effect is large", PUBMED, "yes", "label.first_word"),
    (
        "Maybe; the sample was small.",
        PUBMED,
        "maybe",
        "label.first_word",
    ),
    ("No evidence was found.", PUBMED, "-", ""),
    (
        "There was no effect, so I would say no.",
        PUBMED,
        "no",
        "label.last_sentence",
    ),
    (
        "There is no evidence against it, so yes.",
        PUBMED,
        "yes",
        "label.last_sentence",
    ),
    ("not yes", PUBMED, "-", ""),
    ("I am not sure; it could be yes or no", PUBMED, "?", ""),
    ("Normal eyes do not know.", PUBMED, "-", ""),
    ("", PUBMED, "-", ""),
    ("<think>yes</think>no", PUBMED, "no", "label.whole"),
    ("<think>yes", PUBMED, "-", ""),
    ("证型：脾肾阳虚证", SYNDROMES, "脾肾阳虚证", "label.cue"),
    ("证型：肾阳虚", SYNDROMES, "肾阳虚证", "label.cue"),
    (
        "辨证为脾肾阳虚证,治以温补。",
        SYNDROMES,
        "脾肾阳虚证",
        "label.cue",
    ),
    ("中医诊断：肝郁气滞", SYNDROMES, "肝郁气滞证", "label.cue"),
    (
        "该患者辨证属于肾阳虚证。",
        SYNDROMES,
        "肾阳虚证",
        "label.cue",
    ),
    (
        "答案:湿热下注,瘀血阻络证",
        SYNDROMES,
        "湿热下注、瘀血阻络证",
        "label.cue",
    ),
    (
        "答案:湿热下注瘀血阻络",
        SYNDROMES,
        "湿热下注、瘀血阻络证",
        "label.cue",
    ),
    ("答案：肾阳虚证或脾肾阳虚证", SYNDROMES, "?", ""),
    ("答案：心肾阳虚证", SYNDROMES, "-", ""),
    ("脾肾阳虚证", SYNDROMES, "脾肾阳虚证", "label.whole"),
    ("脾肾阳虚", SYNDROMES, "脾肾阳虚证", "label.whole"),
    ("气滞、血瘀证", SYNDROMES, "气滞血瘀证", "label.whole"),
    (
        "患者腰膝酸软,考虑肾阳虚证。",
        SYNDROMES,
        "肾阳虚证",
        "label.last_sentence",
    ),
    (
        "可排除肝郁气滞证,应为肾阳虚证",
        SYNDROMES,
        "肾阳虚证",
        "label.last_sentence",
    ),
    ("不是肾阳虚证", SYNDROMES, "-", ""),
    ("肾阳虚衰,命门火衰", SYNDROMES, "-", ""),
    (
        "考虑肾阳虚证。舌淡苔白。",
        SYNDROMES,
        "肾阳虚证",
        "label.mention",
    ),
    (
        "Final diagnosis: Iron deficiency anaemia",
        DISEASES,
        "-",
        "",
    ),
    (
        "Final diagnosis: iron deficiency anemia",
        DISEASES,
        "iron-deficiency anemia",
        "label.cue",
    ),
    (
        "The diagnosis is most likely beta-thalassemia.",
        DISEASES,
        "beta thalassemia",
        "label.cue",
    ),
    (
        "It is anemia rather than beta thalassemia.",
        DISEASES,
        "anemia",
        "label.last_sentence",
    ),
    (
        "Differential diagnosis: anemia",
        DISEASES,
        "anemia",
        "label.last_sentence",
    ),
];

#[test]
fn answers_are_read_as_a_person_would() {
    let scorer = LabelScorer::new("label", None, &["证".to_owned()]);
    let misses: Vec<String> = TABLE
        .iter()
        .filter_map(|&(answer, list, label, rule)| {
            let read = scorer.read(answer, &case(AnswerForm::Label, list, &["yes"]));
            let hit = match &read {
                Extraction::Found {
                    predicted,
                    rule: by,
                    ..
                } => predicted == label && *by == rule,
                Extraction::Ambiguous { .. } => label == "?",
                Extraction::Unextractable => label == "-",
            };
            (!hit).then(|| format!("{answer:?}: expected {label} {rule}, read {read:?}"))
        })
        .collect();
    report(&misses);
}

#[test]
fn aliases_stand_for_their_label() {
    let table = AliasTable::parse(
        "alias\tcanonical\nIDA\tiron-deficiency anemia\n缺铁性贫血\tiron-deficiency anemia\n",
        Path::new("a.tsv"),
    )
    .unwrap();
    let digest = table.sha256()[..12].to_owned();
    let scorer = LabelScorer::new("label", Some(table), &[]);
    for (list, answer) in [(DISEASES, "Answer: IDA"), ("", "诊断：缺铁性贫血")] {
        let read = scorer.read(answer, &case(AnswerForm::Label, list, &["IDA"]));
        assert!(
            matches!(&read, Extraction::Found { predicted, .. } if predicted == "iron-deficiency anemia"),
            "{answer}: {read:?}"
        );
    }
    let signature = crate::Scorer::signature(&scorer).to_string();
    assert_eq!(
        signature,
        format!("label|rev:2|aliases:{digest}|suffixes:none")
    );
}
