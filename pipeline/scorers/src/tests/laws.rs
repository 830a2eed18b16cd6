//! What holds for every text.

use consilium_core::AnswerForm;
use proptest::prelude::*;

use super::{case, options};
use crate::{Extraction, LabelScorer, read_choice};

/// Pieces that rules look for, so that random text meets them.
pub(crate) fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("The answer is ".to_owned()),
        Just("not ".to_owned()),
        Just("B or C".to_owned()),
        Just("(D)".to_owned()),
        Just("A. Anemia".to_owned()),
        Just("\\boxed{".to_owned()),
        Just("}".to_owned()),
        Just("\n".to_owned()),
        Just("Best answer ".to_owned()),
        Just("so, ".to_owned()),
        Just("B is the most appropriate answer".to_owned()),
        Just("I would go with ".to_owned()),
        Just("correct ".to_owned()),
        Just("is: ".to_owned()),
        Just("my answer c. ".to_owned()),
        Just("结论是".to_owned()),
        Just("故B项正确".to_owned()),
        Just("because ".to_owned()),
        Just("答案".to_owned()),
        Just("选".to_owned()),
        Just("排除".to_owned()),
        Just("证型：".to_owned()),
        Just("yes".to_owned()),
        Just(" no ".to_owned()),
        Just("I doubt ".to_owned()),
        Just(", no wait, ".to_owned()),
        Just("如果".to_owned()),
        Just("? ".to_owned()),
        Just("```".to_owned()),
        Just("{\"x\": ".to_owned()),
        "\\PC{0,12}",
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn only_options_are_read(text in prop_oneof![pieces(), any::<String>()]) {
        let list = options("A=Anemia|B=Beriberi|C=Cholera|D=脾肾阳虚");
        if let Extraction::Found { predicted, span, .. } = read_choice(&text, &list) {
            prop_assert!(list.iter().any(|option| option.label == predicted));
            prop_assert!(span.chars().count() <= 160);
        }
    }

    #[test]
    fn only_labels_are_read(text in prop_oneof![pieces(), any::<String>()]) {
        let labels = case(AnswerForm::Label, "yes|no|maybe|脾肾阳虚证|肾阳虚证", &["yes"]);
        let scorer = LabelScorer::new("label", None, &["证".to_owned()]);
        if let Extraction::Found { predicted, .. } = scorer.read(&text, &labels) {
            prop_assert!(labels.view.options.iter().any(|option| option.label == predicted));
        }
    }

    #[test]
    fn a_last_line_with_a_cue_is_found_after_any_text(before in pieces(), index in 0_usize..9) {
        let list = options("A=a|B=b|C=c|D=d|E=e|F=f|G=g|H=h|I=i");
        let letter = &list[index].label;
        let read = read_choice(&format!("{before}\nAnswer: {letter}"), &list);
        let Extraction::Found { predicted, .. } = read else { panic!("read {read:?}") };
        prop_assert_eq!(&predicted, letter);
    }

    #[test]
    fn a_doubted_statement_is_never_credited(
        doubt in prop::sample::select(vec![
            "I don't think ", "I doubt that ", "It is unlikely that ", "It's not clear whether ",
            "I am not sure that ", "Some would say that ", "If ", "Perhaps ", "Nobody says ",
        ]),
        statement in prop::sample::select(vec![
            "the answer is B", "the correct answer is: (B)", "B is correct", "option B is the best answer",
            "the best choice would be option B", "it is B", "the answer is Beriberi",
            "the most likely diagnosis is beriberi", "this is beriberi", "my answer is **B**",
        ]),
        before in prop::sample::select(vec!["", "She is ill. ", "患者乏力。\n", "Thiamine is low; "]),
    ) {
        let list = options("A=Anemia|B=Beriberi|C=Cholera|D=Dengue");
        let read = read_choice(&format!("{before}{doubt}{statement}."), &list);
        let found = matches!(read, Extraction::Found { .. });
        prop_assert!(!found, "read {:?}", read);
    }

    #[test]
    fn reading_its_own_label_is_the_identity(index in 0_usize..3) {
        let labels = case(AnswerForm::Label, "yes|no|maybe", &["yes"]);
        let label = labels.view.options[index].label.clone();
        let read = LabelScorer::new("label", None, &[]).read(&label, &labels);
        let Extraction::Found { predicted, .. } = read else { panic!("read {read:?}") };
        prop_assert_eq!(predicted, label);
    }
}
