//! Rows of text metrics.

use consilium_core::study::TextTarget;
use consilium_core::{AnswerForm, Case, Outcome};
use consilium_metrics::catalog::text_metric;

use super::{case, sample};
use crate::{Scorer, TextScorer};

const REFERENCE: &str = "Rest the knee and apply ice for twenty minutes.";
const ANSWER: &str = "<think>ice?</think>Rest and apply ice to the knee.";

fn scorer(metrics: &[&str], against: Option<TextTarget>) -> TextScorer {
    let metrics: Vec<String> = metrics.iter().map(|name| (*name).to_owned()).collect();
    TextScorer::new("text", &metrics, against).unwrap()
}

fn with_reference(reference: Option<&str>) -> Case {
    Case {
        reference: reference.map(str::to_owned),
        ..case(AnswerForm::Text, "", &["ice", "rest"])
    }
}

#[test]
fn every_metric_has_its_row_with_statistics() {
    let scorer = scorer(&["rougeL", "bleu", "rouge_l"], None);
    let rows = scorer.score(
        &sample(Outcome::Ok, Some(ANSWER)),
        &with_reference(Some(REFERENCE)),
    );
    let metrics: Vec<&str> = rows.iter().map(|row| row.metric.as_str()).collect();
    // The second spelling of one metric is that metric.
    assert_eq!(metrics, ["rougeL", "bleu"]);
    for row in &rows {
        let metric = text_metric(&row.metric).unwrap();
        let expected = metric.statistics("Rest and apply ice to the knee.", &[REFERENCE]);
        assert_eq!(row.value, Some(metric.score(&expected)));
        assert_eq!(row.stats.as_deref(), Some(expected.as_slice()));
        assert_eq!(
            row.signature,
            format!("{}|against:reference", metric.signature())
        );
        assert_eq!(row.reason, None);
    }
}

#[test]
fn an_answer_that_is_none_counts_as_an_empty_text() {
    let scorer = scorer(&["bleu"], None);
    let case = with_reference(Some(REFERENCE));
    let empty = text_metric("bleu").unwrap().statistics("", &[REFERENCE]);
    for outcome in Outcome::ALL {
        let row = &scorer.score(&sample(outcome, Some(ANSWER)), &case)[0];
        if outcome.is_infrastructure() {
            assert_eq!((row.value, &row.stats), (None, &None));
            assert_eq!(row.reason.as_deref(), Some(outcome.as_str()));
        } else if matches!(outcome, Outcome::Ok | Outcome::Truncated) {
            assert!(row.value > Some(0.0) && row.reason.is_none());
        } else {
            assert_eq!(row.value, Some(0.0));
            assert_eq!(row.stats.as_deref(), Some(empty.as_slice()));
            assert_eq!(row.reason.as_deref(), Some(outcome.as_str()));
        }
    }
}

#[test]
fn the_target_is_the_reference_or_each_accepted_answer() {
    let answer = sample(Outcome::Ok, Some("rest"));
    let value = |against, reference| {
        let row = scorer(&["exact_match"], against)
            .score(&answer, &with_reference(reference))
            .remove(0);
        (row.value, row.reason, row.signature)
    };
    let (right, _, signature) = value(None, None);
    assert_eq!(right, Some(1.0));
    assert!(signature.ends_with("|against:gold"));
    assert_eq!(value(None, Some(REFERENCE)).0, Some(0.0));
    assert_eq!(value(Some(TextTarget::Gold), Some(REFERENCE)).0, Some(1.0));
    let (none, reason, _) = value(Some(TextTarget::Reference), None);
    assert_eq!((none, reason.as_deref()), (None, Some("no_reference")));
}

#[test]
fn an_unknown_metric_is_told_with_the_nearest() {
    let error = TextScorer::new("text", &["rougL".to_owned()], None).unwrap_err();
    assert_eq!(
        (error.name.as_str(), error.nearest.as_str()),
        ("rougL", "rougeL")
    );
}
