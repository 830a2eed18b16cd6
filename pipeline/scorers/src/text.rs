//! Text metrics of answers against references.

use consilium_core::study::TextTarget;
use consilium_core::{AnswerForm, Case, SampleRow, ScoreRow, Signature};
use consilium_metrics::catalog::NAMES;
use consilium_metrics::{MetricSet, NamedMetric};

use super::comparison::Comparison;
use super::row::empty_row;
use consilium_core::most_similar;
use consilium_runner::Scorer;

/// A name that is none of a scorer's metrics.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("find the {kind} metric '{name}'; the nearest name is '{nearest}'")]
pub struct UnknownMetric {
    /// What kind of metric was asked for.
    pub kind: &'static str,
    /// The name given.
    pub name: String,
    /// The known name that is most like it.
    pub nearest: String,
}

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
    metrics: MetricSet,
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
        let find = |name: &str| {
            NamedMetric::find(name).ok_or_else(|| UnknownMetric {
                kind: "text",
                name: name.to_owned(),
                nearest: most_similar(name, NAMES),
            })
        };
        let metrics = if metrics.is_empty() {
            STANDARD.into_iter().map(find).collect::<Result<_, _>>()?
        } else {
            let mut found: Vec<NamedMetric> = Vec::new();
            for name in metrics {
                let metric = find(name)?;
                if !found.contains(&metric) {
                    found.push(metric);
                }
            }
            found
        };
        Ok(Self {
            name: name.to_owned(),
            metrics: MetricSet::of(metrics),
            against,
        })
    }
}

impl TextScorer {
    /// Its metrics whose value does not depend on what a Chinese text says.
    pub fn metrics_blind_to_chinese(&self) -> Vec<&'static str> {
        let metrics = self.metrics.metrics().iter();
        metrics
            .filter(|metric| !metric.reads_chinese())
            .map(NamedMetric::name)
            .collect()
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
        let names: Vec<&str> = self
            .metrics
            .metrics()
            .iter()
            .map(NamedMetric::name)
            .collect();
        Signature::new("text", 1)
            .with("metrics", names.join(","))
            .with("against", self.against.map_or("auto", TextTarget::as_str))
    }

    fn applies(&self, answer_form: AnswerForm) -> bool {
        answer_form == AnswerForm::Text
    }

    fn score(&self, sample: &SampleRow, case: &Case) -> Vec<ScoreRow> {
        let compared = Comparison::of(self.against, sample, case);
        let statistics = if compared.missing.is_none() {
            self.metrics
                .statistics(&compared.answer, &compared.references)
        } else {
            Vec::new()
        };
        let mut statistics = statistics.into_iter();
        self.metrics
            .metrics()
            .iter()
            .map(|named| {
                let mut row = empty_row(self, sample, named.name());
                row.signature =
                    format!("{}|against:{}", named.signature(), compared.target.as_str());
                let Some(statistics) = statistics.next() else {
                    row.reason.clone_from(&compared.missing);
                    return row;
                };
                compared.fill(&mut row, named.metric().score(&statistics));
                row.stats = Some(statistics);
                row
            })
            .collect()
    }
}
