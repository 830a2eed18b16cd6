//! Labels that are mentioned without being meant, and labels that fold alike.

use consilium_core::{AnswerForm, Case, ChoiceOption};

use super::{case, reads_as, report};
use crate::LabelScorer;

const PUBMED: &str = "yes|no|maybe";
const LANGUAGES: &str = "C|C++|C#";
const SYNDROMES: &str = "脾肾阳虚证|肾阳虚证|肝郁气滞证";

/// Answer, labels, label and rule; `?` for ambiguous, `-` for none.
const TABLE: &[(&str, &str, &str, &str)] = &[
    ("I don't think the answer is yes", PUBMED, "-", ""),
    ("I doubt that the answer is yes.", PUBMED, "-", ""),
    ("It is unclear whether the answer is yes.", PUBMED, "-", ""),
    ("The answer is yes? I am not sure.", PUBMED, "-", ""),
    (
        "The answer would be yes if the sample were larger.",
        PUBMED,
        "-",
        "",
    ),
    ("Some would say the answer is yes.", PUBMED, "-", ""),
    ("Yes?", PUBMED, "-", ""),
    ("Yes, but I am not sure.", PUBMED, "-", ""),
    ("Yes, if the dose is high.", PUBMED, "-", ""),
    ("Answer: yes. I am not sure.", PUBMED, "-", ""),
    ("yes, but maybe", PUBMED, "?", ""),
    ("Yes, or maybe no.", PUBMED, "?", ""),
    ("Answer: yes, but maybe", PUBMED, "?", ""),
    ("Maybe the answer is yes.", PUBMED, "?", ""),
    (
        "Answer: yes\nStill, I doubt the answer is yes.",
        PUBMED,
        "?",
        "",
    ),
    (
        "No, I don't think the answer is yes.",
        PUBMED,
        "no",
        "label.first_word",
    ),
    (
        "Answer: no. Some would say the answer is yes.",
        PUBMED,
        "no",
        "label.cue",
    ),
    (
        "There is no doubt that the answer is yes.",
        PUBMED,
        "yes",
        "label.cue",
    ),
    (
        "Yes, because it may spread if untreated.",
        PUBMED,
        "yes",
        "label.first_word",
    ),
    ("我不认为证型是肾阳虚证", SYNDROMES, "-", ""),
    ("如果畏寒,证型为肾阳虚证", SYNDROMES, "-", ""),
    ("证型是肾阳虚证吗？", SYNDROMES, "-", ""),
    ("肾阳虚证,但也可能是肝郁气滞证", SYNDROMES, "?", ""),
    // Labels that fold alike.
    ("C#", LANGUAGES, "C#", "label.whole"),
    ("C", LANGUAGES, "C", "label.whole"),
    ("C++", LANGUAGES, "C++", "label.whole"),
    ("C#.", LANGUAGES, "C#", "label.whole"),
    ("Answer: C#", LANGUAGES, "C#", "label.cue"),
    ("Answer: C", LANGUAGES, "C", "label.cue"),
    (r#"{"answer": "C#"}"#, LANGUAGES, "C#", "json.field"),
    ("c", LANGUAGES, "-", ""),
    ("It is C, I would say.", LANGUAGES, "-", ""),
    (
        "It is C++, I would say.",
        LANGUAGES,
        "C++",
        "label.last_sentence",
    ),
];

#[test]
fn labels_count_where_they_are_meant() {
    let scorer = LabelScorer::new("label", None, &["证".to_owned()]);
    let misses: Vec<String> = TABLE
        .iter()
        .filter_map(|&(answer, list, label, rule)| {
            let read = scorer.read(answer, &case(AnswerForm::Label, list, &["yes"]));
            (!reads_as(&read, label, rule))
                .then(|| format!("{answer:?}: expected {label} {rule}, read {read:?}"))
        })
        .collect();
    report(&misses);
}

fn labelled(labels: &[&str]) -> Case {
    let mut labelled = case(AnswerForm::Label, "", labels);
    labelled.view.options = labels
        .iter()
        .map(|label| ChoiceOption {
            label: (*label).to_owned(),
            text: (*label).to_owned(),
        })
        .collect();
    labelled
}

#[test]
fn labels_that_differ_by_marks_alone_stay_apart() {
    let labels = ["a'b\"c", "a|b|c", "MS", "Ms"];
    let scorer = LabelScorer::new("label", None, &[]);
    let case = labelled(&labels);
    for label in labels {
        let read = scorer.read(label, &case);
        assert!(reads_as(&read, label, "label.whole"), "{label}: {read:?}");
    }
    for text in ["a b c", "ms"] {
        let read = scorer.read(text, &case);
        assert!(reads_as(&read, "-", ""), "{text}: {read:?}");
    }
}
