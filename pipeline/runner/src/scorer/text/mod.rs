//! Text metrics of answers against references.

mod metrics;

use consilium_core::study::TextTarget;
use consilium_core::{AnswerForm, Case, Outcome, SampleRow, ScoreRow, Signature};

use super::Scorer;
use super::row::empty_row;
use crate::reading::without_reasoning;

use metrics::NamedMetric;
pub use metrics::UnknownMetric;

/// Computed when a study names none.
const STANDARD: [&str; 2] = ["bleu", "rougeL"];

/// Scores an answer by text metrics: one row for each metric, with the statistics that corpus values
/// and intervals are later made from.
///
/// An answer that was refused, filtered, empty and so on counts as an empty text, so that leaving out
/// hard cases does not pay; an infrastructure failure has no value.
#[derive(Debug)]
pub struct TextScorer {
    name: String,
    metrics: Vec<NamedMetric>,
    against: Option<TextTarget>,
}

impl TextScorer {
    /// A scorer of these metrics, `bleu` and `rougeL` if none is named.
    ///
    /// # Errors
    /// When a name is no text metric.
    pub fn new(
        name: &str,
        metrics: &[String],
        against: Option<TextTarget>,
    ) -> Result<Self, UnknownMetric> {
        let find = |name: &str| NamedMetric::find(name);
        let metrics = if metrics.is_empty() {
            STANDARD.into_iter().map(find).collect::<Result<_, _>>()?
        } else {
            let mut found: Vec<NamedMetric> = Vec::new();
            for name in metrics {
                let metric = find(name)?;
                if !found.iter().any(|known| known.name() == metric.name()) {
                    found.push(metric);
                }
            }
            found
        };
        Ok(Self {
            name: name.to_owned(),
            metrics,
            against,
        })
    }

    /// What a case's answer is compared with.
    fn references<'case>(&self, case: &'case Case) -> (TextTarget, Vec<&'case str>) {
        let reference = case.reference.as_deref();
        let target = self.against.unwrap_or(match reference {
            Some(_) => TextTarget::Reference,
            None => TextTarget::Gold,
        });
        let texts = match target {
            TextTarget::Reference => reference.into_iter().collect(),
            TextTarget::Gold => case.gold.iter().map(String::as_str).collect(),
        };
        (target, texts)
    }
}

impl Scorer for TextScorer {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "text"
    }

    fn signature(&self) -> Signature {
        let names: Vec<&str> = self.metrics.iter().map(NamedMetric::name).collect();
        Signature::new("text", 1)
            .with("metrics", names.join(","))
            .with("against", self.against.map_or("auto", TextTarget::as_str))
    }

    fn applies(&self, answer_form: AnswerForm) -> bool {
        answer_form == AnswerForm::Text
    }

    fn score(&self, sample: &SampleRow, case: &Case) -> Vec<ScoreRow> {
        let (target, references) = self.references(case);
        let read = matches!(sample.outcome, Outcome::Ok | Outcome::Truncated);
        let answer = match sample.answer.as_deref() {
            Some(answer) if read => without_reasoning(answer),
            _ => "".into(),
        };
        let missing = if references.is_empty() {
            Some(format!("no_{}", target.as_str()))
        } else if sample.outcome.is_infrastructure() {
            Some(sample.outcome.as_str().to_owned())
        } else {
            None
        };
        self.metrics
            .iter()
            .map(|metric| {
                let mut row = empty_row(self, sample, metric.name());
                row.signature = format!("{}|against:{}", metric.signature(), target.as_str());
                if missing.is_some() {
                    row.reason.clone_from(&missing);
                    return row;
                }
                let statistics = metric.metric().statistics(&answer, &references);
                let value = metric.metric().score(&statistics);
                if read {
                    row.value = Some(value).filter(|value| value.is_finite());
                    row.reason = row.value.is_none().then(|| "undefined".to_owned());
                } else {
                    row.value = Some(0.0);
                    row.reason = Some(sample.outcome.as_str().to_owned());
                }
                row.stats = Some(statistics);
                row
            })
            .collect()
    }
}
