//! Answers and the letters they state, written by hand.

use super::{DRUGS, MANY, ZH, check_choices, options};
use crate::{Extraction, read_choice};

const MICROBES: &str =
    "A=Escherichia coli|B=E. coli O157|C=C. difficile|D=B cell lymphoma|E=Staphylococcus aureus";
const BLOOD: &str = "A=A|B=B|C=AB|D=O";
const SIGNS: &str = "A=HBsAg (+)|B=HBsAg (-)|C=Both A and B|D=None of the above";
const TRAPS: &str = "A=5|B=Perform C. difficile toxin assay|C=↑ ↓|D=Cannot be calculated";

/// Answer, options, letter and rule; `?` for ambiguous, `-` for none.
const TABLE: &[(&str, &str, &str, &str)] = &[
    // JSON.
    (r#"{"answer": "B"}"#, DRUGS, "B", "json.field"),
    (
        "```json\n{\"Answer\": \"b\", \"rationale\": \"A and C are wrong\"}\n```",
        DRUGS,
        "B",
        "json.field",
    ),
    (
        r#"Here: {"choice": "C. Glipizide"} done"#,
        DRUGS,
        "C",
        "json.field",
    ),
    (r#"{"option": "(D)"}"#, DRUGS, "D", "json.field"),
    (
        r#"{"answer": "Insulin glargine"}"#,
        DRUGS,
        "B",
        "json.field",
    ),
    (r#"{"answer": ["A"]}"#, DRUGS, "A", "json.field"),
    (r#"{"answer": ["A", "B"]}"#, DRUGS, "?", ""),
    (r#"{"answer": "A or B"}"#, DRUGS, "?", ""),
    (
        r#"{"answer": "Z", "rationale": "the answer is B"}"#,
        DRUGS,
        "-",
        "",
    ),
    (r#"{"answer": null} The answer is B."#, DRUGS, "-", ""),
    (r#"{"答案": "Ｂ"}"#, ZH, "B", "json.field"),
    (r#"{"diagnosis": "x"} Answer: C"#, DRUGS, "C", "letter.cue"),
    // English cues.
    ("Answer: B.", DRUGS, "B", "letter.cue"),
    ("answer: b", DRUGS, "B", "letter.cue"),
    ("ANSWER : (B)", DRUGS, "B", "letter.cue"),
    ("The answer is (B)", DRUGS, "B", "letter.cue"),
    (
        "The answer is B because it lowers glucose.",
        DRUGS,
        "B",
        "letter.cue",
    ),
    (
        "The correct answer is: B. Insulin glargine",
        DRUGS,
        "B",
        "letter.cue",
    ),
    ("final answer: **B**", DRUGS, "B", "letter.cue"),
    ("**Final Answer:** B", DRUGS, "B", "letter.cue"),
    ("### Answer\nB", DRUGS, "B", "letter.cue"),
    (
        "Final answer:\n\nB. Insulin glargine",
        DRUGS,
        "B",
        "letter.cue",
    ),
    ("Final answer B", DRUGS, "B", "letter.cue"),
    (
        "The answer to this question is D.",
        DRUGS,
        "D",
        "letter.cue",
    ),
    ("Answer (one letter): C", DRUGS, "C", "letter.cue"),
    ("Answer - C", DRUGS, "C", "letter.cue"),
    ("Answer = C", DRUGS, "C", "letter.cue"),
    ("Answer: [C]", DRUGS, "C", "letter.cue"),
    ("Answer: 'C'", DRUGS, "C", "letter.cue"),
    ("Answer: option C", DRUGS, "C", "letter.cue"),
    (
        "The best choice would be option D, given the blood pressure.",
        DRUGS,
        "D",
        "letter.cue",
    ),
    (
        "The most appropriate next step is (C).",
        DRUGS,
        "C",
        "letter.cue",
    ),
    ("The correct option is D", DRUGS, "D", "letter.cue"),
    ("I would choose A.", DRUGS, "A", "letter.cue"),
    ("I'd go with option C", DRUGS, "C", "letter.cue"),
    (
        "I select D because of the pressure.",
        DRUGS,
        "D",
        "letter.cue",
    ),
    ("Therefore, B.", DRUGS, "B", "letter.cue"),
    (
        "The patient has diabetes. So the answer must be A",
        DRUGS,
        "A",
        "letter.cue",
    ),
    ("Answer: A", DRUGS, "A", "letter.cue"),
    ("Answer: I", MANY, "I", "letter.cue"),
    (
        "The answer is I, since fever and myalgia fit.",
        MANY,
        "I",
        "letter.cue",
    ),
    ("Option B is correct.", DRUGS, "B", "letter.subject"),
    (
        "Option B (insulin) is the correct answer because of ketosis.",
        DRUGS,
        "B",
        "letter.subject",
    ),
    ("B is the best answer.", DRUGS, "B", "letter.subject"),
    (
        "Reasoning done. (C) is correct",
        DRUGS,
        "C",
        "letter.subject",
    ),
    // Boxed.
    (r"\boxed{B}", DRUGS, "B", "letter.boxed"),
    (r"So we get $\boxed{\text{C}}$.", DRUGS, "C", "letter.boxed"),
    (r"The answer is \boxed{(D)}", DRUGS, "D", "letter.boxed"),
    (r"\boxed{Glipizide}", DRUGS, "C", "text.boxed"),
    (r"\boxed{B or C}", DRUGS, "?", ""),
    (r"\boxed{Z}", DRUGS, "-", ""),
    (r"\boxed{B", DRUGS, "-", ""),
    // Lone letters and lines.
    ("B", DRUGS, "B", "letter.whole"),
    ("b", DRUGS, "B", "letter.whole"),
    ("(B)", DRUGS, "B", "letter.whole"),
    ("**B**", DRUGS, "B", "letter.whole"),
    ("B.", DRUGS, "B", "letter.whole"),
    ("Ｂ．", DRUGS, "B", "letter.whole"),
    ("Ⓑ", DRUGS, "B", "letter.whole"),
    (" \n B) \n", DRUGS, "B", "letter.whole"),
    ("Option B", DRUGS, "B", "letter.whole"),
    ("B) Insulin glargine", DRUGS, "B", "letter.option"),
    ("B. Insulin glargine", DRUGS, "B", "letter.option"),
    ("B: insulin glargine.", DRUGS, "B", "letter.option"),
    ("B Insulin glargine", DRUGS, "B", "letter.option"),
    (
        "**B. Insulin glargine** is used in ketoacidosis.",
        DRUGS,
        "B",
        "letter.option",
    ),
    (
        "B, because she has ketoacidosis.",
        DRUGS,
        "B",
        "letter.option",
    ),
    (
        "The patient has ketoacidosis and needs a hormone.\n\nB",
        DRUGS,
        "B",
        "letter.last_line",
    ),
    (
        "Some reasoning about glucose.\n(D)",
        DRUGS,
        "D",
        "letter.last_line",
    ),
    (
        "Some reasoning about glucose.\nB) Insulin glargine",
        DRUGS,
        "B",
        "letter.option_last_line",
    ),
    (
        "C\n\nIt is a sulfonylurea and stimulates secretion.",
        DRUGS,
        "C",
        "letter.first_line",
    ),
    (
        "C. Glipizide\n\nIt is a sulfonylurea.",
        DRUGS,
        "C",
        "letter.option_first_line",
    ),
    (
        "A. Metformin is for type 2.\nB. Insulin is for type 1.\n\nB",
        DRUGS,
        "B",
        "letter.last_line",
    ),
    // Option text.
    ("Insulin glargine", DRUGS, "B", "text.whole"),
    ("insulin   GLARGINE.", DRUGS, "B", "text.whole"),
    ("The Glipizide.", DRUGS, "C", "text.whole"),
    ("Answer: Metformin", DRUGS, "A", "text.cue"),
    (
        "The answer is metformin, which lowers hepatic output.",
        DRUGS,
        "A",
        "text.cue",
    ),
    (
        "The most likely drug is lisinopril.",
        DRUGS,
        "D",
        "text.cue",
    ),
    (
        "It has to be a blocker of the enzyme.\nLisinopril",
        DRUGS,
        "D",
        "text.last_line",
    ),
    (
        "Given her ketosis, treat with insulin glargine now.",
        DRUGS,
        "B",
        "text.last_sentence",
    ),
    (
        "Metformin is not suitable. She should receive insulin glargine.",
        DRUGS,
        "B",
        "text.last_sentence",
    ),
    ("HBsAg (-)", SIGNS, "B", "text.whole"),
    ("Answer: Both A and B", SIGNS, "C", "text.cue"),
    ("Answer: C. Both A and B", SIGNS, "C", "letter.cue"),
    ("None of the above", SIGNS, "D", "text.whole"),
    ("E. coli O157", MICROBES, "B", "text.whole"),
    ("Answer: E. coli O157", MICROBES, "B", "text.cue"),
    ("Answer: C. difficile", MICROBES, "C", "text.cue"),
    ("Answer: B cell lymphoma", MICROBES, "D", "text.cue"),
    ("Answer: E", MICROBES, "E", "letter.cue"),
    ("Answer: B", BLOOD, "B", "letter.cue"),
    ("B", BLOOD, "B", "letter.whole"),
    ("Answer: AB", BLOOD, "C", "text.cue"),
    ("A 5-year-old girl is brought in", TRAPS, "-", ""),
    ("Answer: 5", TRAPS, "A", "text.cue"),
    (
        "The answer is B. Perform C. difficile toxin assay",
        TRAPS,
        "B",
        "letter.cue",
    ),
    (
        "B. Perform C. difficile toxin assay",
        TRAPS,
        "B",
        "letter.option",
    ),
    ("C. ↑ ↓", TRAPS, "C", "letter.option"),
    (
        "The answer is D) Cannot be calculated.",
        TRAPS,
        "D",
        "letter.cue",
    ),
    // Corrections and contradictions.
    (
        "Answer: B. Actually, the answer is C.",
        DRUGS,
        "C",
        "letter.cue",
    ),
    (
        "Answer: B\nOn reflection I made a mistake.\nAnswer: C",
        DRUGS,
        "C",
        "letter.cue",
    ),
    (
        "The answer is B, no wait, the answer is C",
        DRUGS,
        "C",
        "letter.cue",
    ),
    ("The answer is B or the answer is C", DRUGS, "?", ""),
    ("The answer is A or B", DRUGS, "?", ""),
    ("The answer is either B or C.", DRUGS, "?", ""),
    ("Answer: B and C", DRUGS, "?", ""),
    ("Answer: A, C and D", DRUGS, "?", ""),
    ("Answer: B/C", DRUGS, "?", ""),
    ("B or C", DRUGS, "?", ""),
    ("The answer is B. Metformin or C. Glipizide", DRUGS, "?", ""),
    ("Either metformin or glipizide would do.", DRUGS, "?", ""),
    ("The answer is not B but C.", DRUGS, "C", "letter.cue"),
    ("The answer is B, and C is wrong.", DRUGS, "B", "letter.cue"),
    ("The answer is <\nAnswer: E", MANY, "E", "letter.cue"),
    // Reasoning.
    (
        "<think>The answer is A. Hmm.</think>C",
        DRUGS,
        "C",
        "letter.whole",
    ),
    (
        "maybe the answer is A</think>\n\nAnswer: D",
        DRUGS,
        "D",
        "letter.cue",
    ),
    ("<think>The answer is A", DRUGS, "-", ""),
];

#[test]
fn answers_are_read_as_a_person_would() {
    check_choices(TABLE);
}

#[test]
fn spans_say_what_was_read() {
    let read = read_choice("Blood glucose is high. The answer is (B).", &options(DRUGS));
    assert_eq!(
        read,
        Extraction::Found {
            predicted: "B".to_owned(),
            rule: "letter.cue",
            span: "answer is (B".to_owned(),
        }
    );
}

#[test]
fn numbers_and_long_names_may_label_options() {
    let list = options("1=one|2=two|10=ten");
    for (answer, label) in [
        ("Answer: 10", "10"),
        ("Answer: 1", "1"),
        (r#"{"answer": 2}"#, "2"),
    ] {
        assert!(
            matches!(read_choice(answer, &list), Extraction::Found { predicted, .. } if predicted == label),
            "{answer}"
        );
    }
}
