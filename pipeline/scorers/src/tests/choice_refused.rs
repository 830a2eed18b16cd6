//! Answers that state no option, or state it in Chinese, written by hand.

use super::{DRUGS, MANY, ZH, check_choices};

/// Answer, options, letter and rule; `?` for ambiguous, `-` for none.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    // Denials.
    ("The answer is not B.", DRUGS, "-", ""),
    ("B is incorrect.", DRUGS, "-", ""),
    ("Option B is not correct.", DRUGS, "-", ""),
    ("The wrong answer is B.", DRUGS, "-", ""),
    (
        "B is not the correct answer. Option D is correct.",
        DRUGS,
        "D",
        "letter.subject",
    ),
    ("I would not choose B.", DRUGS, "-", ""),
    ("If the answer is B, she would improve.", DRUGS, "-", ""),
    ("Not metformin.", DRUGS, "-", ""),
    // Letters that are none.
    (
        "A patient with diabetes came to the clinic.",
        DRUGS,
        "-",
        "",
    ),
    ("I think the patient is ill.", MANY, "-", ""),
    ("I", MANY, "I", "letter.whole"),
    ("Answer: A patient like this needs rest.", DRUGS, "-", ""),
    ("The answer is I think unclear.", MANY, "-", ""),
    ("The answer is I would say unclear.", MANY, "-", ""),
    ("The best treatment is a diet.", DRUGS, "-", ""),
    ("Vitamin D is the best studied one.", DRUGS, "-", ""),
    ("Hepatitis B is likely here.", DRUGS, "-", ""),
    (
        "The diagnosis is C-reactive protein elevation.",
        DRUGS,
        "-",
        "",
    ),
    ("Answer: D-dimer should be measured.", DRUGS, "-", ""),
    ("Answer: B12 deficiency", DRUGS, "-", ""),
    ("Answer: E. coli", DRUGS, "-", ""),
    ("So A is a risk factor for it.", DRUGS, "-", ""),
    ("Answer: F", DRUGS, "-", ""),
    ("The answer is unclear to me.", DRUGS, "-", ""),
    ("", DRUGS, "-", ""),
    ("…", DRUGS, "-", ""),
    // Echoes of the question.
    (
        "A. Metformin\nB. Insulin glargine\nC. Glipizide\nD. Lisinopril",
        DRUGS,
        "-",
        "",
    ),
    (
        "A. Metformin B. Insulin glargine C. Glipizide D. Lisinopril",
        DRUGS,
        "-",
        "",
    ),
    (
        "Choose the best answer:\nA. Metformin\nB. Insulin glargine",
        DRUGS,
        "-",
        "",
    ),
    (
        "Answer: A. Metformin B. Insulin glargine C. Glipizide",
        DRUGS,
        "-",
        "",
    ),
    ("Choose A, B, C or D.", DRUGS, "-", ""),
    ("A\nB\nC\nD", DRUGS, "-", ""),
    (
        "A. Metformin\nB. Insulin glargine\nC. Glipizide\nD. Lisinopril\nAnswer: C",
        DRUGS,
        "C",
        "letter.cue",
    ),
];

const CHINESE: &[(&str, &str, &str, &str)] = &[
    ("答案:B", ZH, "B", "letter.cue"),
    ("答案：B", ZH, "B", "letter.cue"),
    ("答案是B。", ZH, "B", "letter.cue"),
    ("正确答案是B", ZH, "B", "letter.cue"),
    ("正确答案为：Ｂ", ZH, "B", "letter.cue"),
    ("【答案】B", ZH, "B", "letter.cue"),
    ("本题选B,因为患者有酮症。", ZH, "B", "letter.cue"),
    ("选B", ZH, "B", "letter.cue"),
    ("选择Ｂ", ZH, "B", "letter.cue"),
    ("应选 B 项", ZH, "B", "letter.cue"),
    ("患者酮症酸中毒,故选B。", ZH, "B", "letter.cue"),
    ("综上所述,正确选项是（C）", ZH, "C", "letter.cue"),
    ("因此,B。", ZH, "B", "letter.cue"),
    ("B项正确,其余均错。", ZH, "B", "letter.subject"),
    ("选项C是正确答案", ZH, "C", "letter.subject"),
    ("B", ZH, "B", "letter.whole"),
    ("Ｂ。", ZH, "B", "letter.whole"),
    ("（B）", ZH, "B", "letter.whole"),
    ("B、胰岛素", ZH, "B", "letter.option"),
    ("患者需要降糖。\nB", ZH, "B", "letter.last_line"),
    ("胰岛素", ZH, "B", "text.whole"),
    ("答案：胰岛素", ZH, "B", "text.cue"),
    ("患者应使用胰岛素治疗。", ZH, "-", ""),
    ("本例首选的是胰岛素。", ZH, "B", "text.last_sentence"),
    ("维生素B", ZH, "D", "text.whole"),
    ("答案：A。更正,答案应为C。", ZH, "C", "letter.cue"),
    ("排除A、C,答案选B", ZH, "B", "letter.cue"),
    ("答案是A或B", ZH, "?", ""),
    ("选A、B", ZH, "?", ""),
    ("选B和C", ZH, "?", ""),
    ("不选B", ZH, "-", ""),
    ("排除B", ZH, "-", ""),
    ("答案不是B", ZH, "-", ""),
    ("B项错误。", ZH, "-", ""),
    ("B不正确", ZH, "-", ""),
    ("错误的答案是B", ZH, "-", ""),
    ("建议选择B超检查", ZH, "E", "text.cue"),
    ("建议选择B超复查", ZH, "-", ""),
    ("患者缺乏维生素B族。", ZH, "-", ""),
    ("A型血患者", ZH, "-", ""),
    ("C反应蛋白升高", ZH, "-", ""),
    ("选项：A.二甲双胍 B.胰岛素 C.格列吡嗪", ZH, "-", ""),
    ("以上都不对", ZH, "-", ""),
];

#[test]
fn denials_and_echoes_state_nothing() {
    check_choices(REFUSED);
}

#[test]
fn chinese_answers_are_read_as_a_person_would() {
    check_choices(CHINESE);
}
