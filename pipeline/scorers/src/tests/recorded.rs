use consilium_core::{AnswerForm, Outcome, SampleRow};

use super::{case, sample};
use crate::{RecordedScorer, Scorer as _};

fn recorded(outcome: Outcome, payload: Option<&str>) -> (Option<f64>, Option<String>) {
    let sample = SampleRow {
        payload: payload.map(str::to_owned),
        ..sample(outcome, None)
    };
    let case = case(AnswerForm::Diagnosis, "", &["Gout"]);
    let rows = RecordedScorer::new("r", "p").score(&sample, &case);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].signature, "recorded|rev:1|policy:p");
    (rows[0].value, rows[0].reason.clone())
}

#[test]
fn a_recorded_score_is_given_back_with_its_reason() {
    let right = r#"{"scores":{"correct":{"value":1.0,"recorded":"1"}}}"#;
    let silent = r#"{"scores":{"correct":{"value":0.0,"reason":"no_answer","recorded":"-1"}}}"#;
    assert_eq!(recorded(Outcome::Ok, Some(right)), (Some(1.0), None));
    assert_eq!(
        recorded(Outcome::Empty, Some(silent)),
        (Some(0.0), Some("no_answer".to_owned()))
    );
}

#[test]
fn what_was_not_recorded_has_no_value() {
    for payload in [None, Some("{}"), Some(r#"{"rounds":3}"#)] {
        assert_eq!(
            recorded(Outcome::Ok, payload),
            (None, Some("not_recorded".to_owned()))
        );
    }
    let right = r#"{"scores":{"correct":{"value":1.0,"recorded":"1"}}}"#;
    assert_eq!(
        recorded(Outcome::Timeout, Some(right)),
        (None, Some("timeout".to_owned()))
    );
}
