//! The scores of a run in memory: of each scorer the one metric that lists show.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array as _, StringViewArray};
use consilium_core::SampleKey;
use consilium_core::study::Study;
use consilium_metrics::catalog::canonical_name;
use consilium_store::{PartRows, RunTable, TableParts};

use super::conclusion::Conclusion;
use super::index::{Counts, RunIndex, number_column, text_column};
use super::interner::Interner;
use super::open_run::BrowseError;
use super::texts::beginning;

/// The metric that says right or wrong.
pub(super) const CORRECT: &str = "correct";

/// What one scorer said of the samples.
#[derive(Debug)]
pub struct ScorerIndex {
    /// Name of the scorer.
    pub name: String,
    /// Its metric: `correct` where it has it, else its first.
    pub metric: String,
    texts: Vec<Arc<str>>,
    pub(super) scores: Vec<Option<IndexedScore>>,
}

/// A score; numbers are places among the texts of its scorer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexedScore {
    /// The value.
    pub value: Option<f64>,
    reason: Option<u32>,
    predicted: Option<u32>,
    truth: Option<u32>,
}

impl ScorerIndex {
    /// Whether its metric says right or wrong.
    pub fn concludes(&self) -> bool {
        self.metric == CORRECT
    }

    /// The reason of a score.
    pub fn reason(&self, score: &IndexedScore) -> Option<&str> {
        self.text(score.reason)
    }

    /// What was read from the answer, cut as texts of cards are.
    pub fn predicted(&self, score: &IndexedScore) -> Option<&str> {
        self.text(score.predicted)
    }

    /// What would be right, cut as texts of cards are.
    pub fn truth(&self, score: &IndexedScore) -> Option<&str> {
        self.text(score.truth)
    }

    /// What is concluded of a sample.
    pub fn conclusion(&self, row: usize) -> Conclusion {
        self.scores[row].map_or(Conclusion::Missing, |score| {
            Conclusion::of(score.value, score.reason.is_some())
        })
    }

    fn text(&self, number: Option<u32>) -> Option<&str> {
        number.map(|number| &*self.texts[number as usize])
    }
}

/// Rows of one metric: ranges inside parts.
type Ranges = Vec<(u32, Range<usize>)>;

/// Reads the scores of every scorer, in the order of the study, scorers it does not name last.
pub(super) fn read_scores(
    index: &RunIndex,
    study: &Study,
    table: &TableParts,
) -> Result<Vec<ScorerIndex>, BrowseError> {
    let found = find_metrics(table)?;
    let mut names: Vec<&str> = study
        .scorer
        .iter()
        .map(consilium_core::study::ScorerSpec::display_name)
        .filter(|name| found.contains_key(*name))
        .collect();
    let others: Vec<&str> = found
        .keys()
        .map(String::as_str)
        .filter(|name| !names.contains(name))
        .collect();
    names.extend(others);
    names
        .into_iter()
        .map(|name| {
            let metrics = &found[name];
            let known: Vec<String> = metrics.keys().cloned().collect();
            let metric = shown_metric(study, name, &known).unwrap_or_default();
            read_metric(index, table, name, metric, &metrics[metric])
        })
        .collect()
}

/// The metric of a scorer that lists and headlines show: `correct`, else the first that the study
/// names, else the first that there is.
pub(super) fn shown_metric<'a>(
    study: &Study,
    scorer: &str,
    metrics: &'a [String],
) -> Option<&'a str> {
    let named = study
        .scorer
        .iter()
        .find(|spec| spec.display_name() == scorer)
        .and_then(|spec| spec.metrics.first())
        .map(|name| canonical_name(name).unwrap_or(name));
    [Some(CORRECT), named]
        .into_iter()
        .flatten()
        .find_map(|wanted| metrics.iter().find(|metric| *metric == wanted))
        .or_else(|| metrics.first())
        .map(String::as_str)
}

/// Where the rows of every scorer and metric are; they are sorted by both.
fn find_metrics(
    table: &TableParts,
) -> Result<BTreeMap<String, BTreeMap<String, Ranges>>, BrowseError> {
    let mut found: BTreeMap<String, BTreeMap<String, Ranges>> = BTreeMap::new();
    let mut close = |scorer: &str, metric: &str, part: u32, range: Range<usize>| {
        if range.is_empty() {
            return;
        }
        let metrics = found.entry(scorer.to_owned()).or_default();
        let ranges = metrics.entry(metric.to_owned()).or_default();
        match ranges.last_mut() {
            Some((last, known)) if *last == part && known.end == range.start => {
                known.end = range.end;
            }
            _ => ranges.push((part, range)),
        }
    };
    for rows in table.scan(&["scorer", "metric"]) {
        let PartRows { part, first, batch } = rows?;
        let scorer = text_column(&batch, RunTable::Scores, "scorer")?;
        let metric = text_column(&batch, RunTable::Scores, "metric")?;
        let mut start = 0;
        for row in 1..=batch.num_rows() {
            let ends = row == batch.num_rows()
                || scorer.value(row) != scorer.value(start)
                || metric.value(row) != metric.value(start);
            if ends {
                let range = first + start..first + row;
                close(scorer.value(start), metric.value(start), part, range);
                start = row;
            }
        }
    }
    Ok(found)
}

fn read_metric(
    index: &RunIndex,
    table: &TableParts,
    name: &str,
    metric: &str,
    ranges: &Ranges,
) -> Result<ScorerIndex, BrowseError> {
    let columns = [
        "dataset",
        "case_id",
        "system",
        "epoch",
        "attempt",
        "value",
        "predicted",
        "truth",
        "reason",
    ];
    let mut texts = Interner::default();
    let mut scores = vec![None; index.len()];
    let mut next = 0;
    for rows in table.scan_ranges(ranges, &columns) {
        let PartRows { batch, .. } = rows?;
        let text = |name| text_column(&batch, RunTable::Scores, name);
        let (dataset, case_id, system) = (text("dataset")?, text("case_id")?, text("system")?);
        let (predicted, truth, reason) = (text("predicted")?, text("truth")?, text("reason")?);
        let epoch = Counts::of(&batch, RunTable::Scores, "epoch")?;
        let attempt = Counts::of(&batch, RunTable::Scores, "attempt")?;
        let value = number_column(&batch, RunTable::Scores, "value")?;
        for row in 0..batch.num_rows() {
            let epoch = u32::try_from(epoch.at(row)).unwrap_or_default();
            let key = (
                dataset.value(row),
                case_id.value(row),
                system.value(row),
                epoch,
            );
            // Scores are sorted as samples are: mostly the next sample is the one.
            let sample = if index.has_key(next, key) {
                Some(next)
            } else {
                index.find(&SampleKey::new(key.0, key.1, key.2, key.3))
            };
            let Some(sample) = sample else {
                continue;
            };
            next = sample + 1;
            if u64::from(index.sample(sample).attempt) != attempt.at(row) {
                continue;
            }
            let mut number = |array: &StringViewArray| {
                array
                    .is_valid(row)
                    .then(|| texts.number(beginning(array.value(row))))
            };
            scores[sample] = Some(IndexedScore {
                value: value.is_valid(row).then(|| value.value(row)),
                reason: number(reason),
                predicted: number(predicted),
                truth: number(truth),
            });
        }
    }
    Ok(ScorerIndex {
        name: name.to_owned(),
        metric: metric.to_owned(),
        texts: texts.into_texts(),
        scores,
    })
}
