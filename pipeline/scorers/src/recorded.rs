//! Scores that came with an imported log.

use consilium_core::{AnswerForm, Case, RecordedScores, SampleRow, ScoreRow, Signature};

use super::row::empty_row;
use consilium_runner::Scorer;

/// Gives back the scores that a log brought along, from the payload of its samples.
///
/// The policy says who scored by what rules: it is all that is known of how the values came about,
/// and stands in the signature, so that they are not compared with values of another origin.
#[derive(Debug)]
pub struct RecordedScorer {
    name: String,
    policy: String,
}

impl RecordedScorer {
    /// A scorer for the values of one policy.
    pub fn new(name: &str, policy: &str) -> Self {
        Self {
            name: name.to_owned(),
            policy: policy.to_owned(),
        }
    }
}

impl Scorer for RecordedScorer {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "recorded"
    }

    fn signature(&self) -> Signature {
        Signature::new("recorded", 1).with("policy", &self.policy)
    }

    /// Never by itself: only an imported log brings scores along.
    fn applies(&self, _answer_form: AnswerForm) -> bool {
        false
    }

    fn score(&self, sample: &SampleRow, case: &Case) -> Vec<ScoreRow> {
        let recorded = sample
            .payload
            .as_deref()
            .and_then(|payload| serde_json::from_str::<RecordedScores>(payload).ok());
        let Some(recorded) = recorded else {
            let mut row = empty_row(self, sample, "correct");
            row.reason = Some("not_recorded".to_owned());
            return vec![row];
        };
        recorded
            .scores
            .into_iter()
            .map(|(metric, score)| {
                let mut row = empty_row(self, sample, &metric);
                row.truth = case.gold.first().cloned();
                if sample.outcome.is_infrastructure() {
                    row.reason = Some(sample.outcome.as_str().to_owned());
                    return row;
                }
                row.value = Some(score.value);
                row.reason = score.reason;
                row.explanation = Some(format!("recorded as {}", score.recorded));
                row
            })
            .collect()
    }
}
