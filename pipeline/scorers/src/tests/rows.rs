//! Score rows by outcome.

use std::path::Path;

use consilium_core::study::{ScorerKind, ScorerSpec};
use consilium_core::{AnswerForm, Case, Outcome, SampleRow, ScoreRow};

use super::{case, sample};
use crate::{ChoiceScorer, LabelScorer, Scorer, ScorerError, build};

/// The one row of a scorer that decides between right and wrong.
fn only(scorer: &dyn Scorer, sample: &SampleRow, case: &Case) -> ScoreRow {
    let mut rows = scorer.score(sample, case);
    assert_eq!(rows.len(), 1);
    rows.remove(0)
}

#[test]
fn a_read_answer_is_right_or_wrong() {
    let scorer = ChoiceScorer::new("letters");
    let case = case(AnswerForm::Choice, "A=x|B=y|C=z", &["b", "C"]);
    let right = only(&scorer, &sample(Outcome::Ok, Some("Answer: C")), &case);
    assert_eq!(
        (right.value, right.truth.as_deref()),
        (Some(1.0), Some("C"))
    );
    assert_eq!(
        (right.scorer.as_str(), right.metric.as_str()),
        ("letters", "correct")
    );
    assert_eq!(right.signature, "choice|rev:2");
    let wrong = only(&scorer, &sample(Outcome::Ok, Some("Answer: A")), &case);
    assert_eq!(
        (wrong.value, wrong.truth.as_deref()),
        (Some(0.0), Some("B"))
    );
    assert_eq!(
        (wrong.predicted.as_deref(), wrong.reason),
        (Some("A"), None)
    );
}

#[test]
fn outcomes_decide_between_wrong_and_missing() {
    let scorer = ChoiceScorer::new("choice");
    let case = case(AnswerForm::Choice, "A=x|B=y|C=z", &["B"]);
    for outcome in Outcome::ALL {
        let row = only(&scorer, &sample(outcome, Some("Answer: B")), &case);
        let expected = match outcome {
            Outcome::Ok | Outcome::Truncated => (Some(1.0), None),
            _ if outcome.is_infrastructure() => (None, Some(outcome.as_str())),
            _ => (Some(0.0), Some(outcome.as_str())),
        };
        assert_eq!((row.value, row.reason.as_deref()), expected, "{outcome:?}");
    }
    for (outcome, answer, reason) in [
        (Outcome::Ok, Some("A or B"), "ambiguous"),
        (Outcome::Ok, Some("who knows"), "unextractable"),
        (Outcome::Ok, None, "unextractable"),
        (Outcome::Truncated, Some("The patient"), "truncated"),
    ] {
        let row = only(&scorer, &sample(outcome, answer), &case);
        assert_eq!(
            (row.value, row.reason.as_deref()),
            (Some(0.0), Some(reason))
        );
        assert_eq!(row.predicted, None);
    }
}

#[test]
fn a_case_without_gold_has_no_value() {
    let case = case(AnswerForm::Label, "yes|no", &[]);
    let row = only(
        &LabelScorer::new("label", None, &[]),
        &sample(Outcome::Ok, Some("yes")),
        &case,
    );
    assert_eq!((row.value, row.reason.as_deref()), (None, Some("no_gold")));
}

#[test]
fn keys_of_other_kinds_are_refused() {
    assert!(
        build(&ScorerSpec::of_kind(ScorerKind::Choice), Path::new("."))
            .unwrap()
            .applies(AnswerForm::Choice)
    );
    let policy = ScorerSpec {
        policy: Some("p".to_owned()),
        ..ScorerSpec::of_kind(ScorerKind::Choice)
    };
    assert!(matches!(
        build(&policy, Path::new(".")),
        Err(ScorerError::UnusedKey { key: "policy", .. })
    ));
    let missing = ScorerSpec {
        aliases: Some("none.tsv".into()),
        ..ScorerSpec::of_kind(ScorerKind::Label)
    };
    assert!(matches!(
        build(&missing, Path::new("/nowhere")),
        Err(ScorerError::Aliases { .. })
    ));
}
