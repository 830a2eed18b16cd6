//! Classification metrics from mergeable integer confusion counts.

pub mod agreement;
pub mod counts;
pub mod multilabel;
pub mod ranking;

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use counts::{Averaging, ClassCounts, ClassWeights, Scores, ZeroDivision, average_scores};

use crate::text::interner::Interner;
use crate::text::ngrams::PairHasher;

/// One class's counts and values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassScore {
    /// The label.
    pub label: String,
    /// Rows whose truth is this label.
    pub support: u64,
    /// Rows for which this label was predicted.
    pub predicted: u64,
    /// Rows where both agree.
    pub true_positive: u64,
    /// True positives / predicted; 0 when never predicted.
    pub precision: f64,
    /// True positives / support; 0 without support.
    pub recall: f64,
    /// 2 · true positives / (support + predicted).
    pub f1: f64,
}

/// Precision, recall and F1 averaged in one way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Average {
    /// Averaged precision.
    pub precision: f64,
    /// Averaged recall.
    pub recall: f64,
    /// Averaged F1: the mean of the classes' F1, not the F1 of the mean precision and recall.
    pub f1: f64,
}

/// Everything the confusion counts say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassificationSummary {
    /// Rows, with those for which no label could be extracted.
    pub n: u64,
    /// Rows whose predicted label is the truth.
    pub correct: u64,
    /// `correct / n`.
    pub accuracy: f64,
    /// Mean recall over the classes that occur as truth.
    pub balanced_accuracy: Option<f64>,
    /// From counts summed over the classes.
    pub micro: Average,
    /// Mean over the classes, each weighing the same.
    pub macro_average: Average,
    /// Mean over the classes, weighted by support.
    pub weighted: Average,
    /// Per class, sorted by label.
    pub classes: Vec<ClassScore>,
}

/// Mergeable confusion counts over (truth, predicted).
///
/// A prediction of `None` means that no label could be extracted: the row lowers recall and
/// accuracy, but `None` is never a class of its own. Counts are integers, so neither the order of
/// rows nor the grouping of merges can change a value. Counts saturate at `u64::MAX`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confusion {
    rows: BTreeMap<String, TruthRow>,
}

/// Predictions for the rows of one true label.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct TruthRow {
    missing: u64,
    predicted: BTreeMap<String, u64>,
}

impl TruthRow {
    fn add(&mut self, predicted: Option<&str>, count: u64) {
        match predicted {
            None => self.missing = self.missing.saturating_add(count),
            Some(label) => {
                if let Some(cell) = self.predicted.get_mut(label) {
                    *cell = cell.saturating_add(count);
                } else {
                    self.predicted.insert(label.to_owned(), count);
                }
            }
        }
    }
}

impl Confusion {
    /// Creates empty counts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `count` rows with this truth and prediction.
    pub fn add(&mut self, truth: &str, predicted: Option<&str>, count: u64) {
        if count == 0 {
            return;
        }
        // Not the entry API: it would allocate a key for every row.
        if let Some(row) = self.rows.get_mut(truth) {
            row.add(predicted, count);
        } else {
            let mut row = TruthRow::default();
            row.add(predicted, count);
            self.rows.insert(truth.to_owned(), row);
        }
    }

    /// Counts rows of (truth, prediction), on all cores.
    ///
    /// The same counts as [`Self::add`] of every row, for a fraction of the time.
    pub fn of_rows(rows: &[(&str, Option<&str>)]) -> Self {
        /// Few enough that a thread's counts fit in its cache, many enough to pay for merging.
        const ROWS: usize = 1 << 16;
        rows.par_chunks(ROWS)
            .map(count_rows)
            .reduce(Self::new, |mut one, other| {
                one.merge(&other);
                one
            })
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Self) {
        for (truth, predicted, count) in other.cells() {
            self.add(truth, predicted, count);
        }
    }

    /// Number of rows added.
    pub fn total(&self) -> u64 {
        self.cells()
            .fold(0, |total, (_, _, count)| total.saturating_add(count))
    }

    /// Iterates over the cells that are not zero as (truth, predicted, count), sorted by truth,
    /// then by prediction with `None` first.
    pub fn cells(&self) -> impl Iterator<Item = (&str, Option<&str>, u64)> {
        self.rows.iter().flat_map(|(truth, row)| {
            let missing = (row.missing > 0).then_some((truth.as_str(), None, row.missing));
            let predicted = row
                .predicted
                .iter()
                .map(|(label, &count)| (truth.as_str(), Some(label.as_str()), count));
            missing.into_iter().chain(predicted)
        })
    }

    /// Computes all values; `None` when empty.
    ///
    /// Classes are the sorted union of true and predicted labels, so a stray predicted label
    /// lowers the macro average. An undefined ratio (0 / 0) counts as 0.
    ///
    /// Source: scikit-learn 1.9 `precision_recall_fscore_support` and `classification_report`
    /// with `zero_division=0`, `balanced_accuracy_score`.
    /// Known divergence: labels sort by Unicode code point; scikit-learn has no missing
    /// prediction. With none missing, micro precision, recall and F1 all equal the accuracy.
    pub fn summary(&self) -> Option<ClassificationSummary> {
        let n = self.total();
        if n == 0 {
            return None;
        }
        let (labels, counts): (Vec<&str>, Vec<ClassCounts>) = self.counts().into_iter().unzip();
        let correct = counts
            .iter()
            .fold(0_u64, |sum, class| sum.saturating_add(class.true_positive));
        let weights: Vec<ClassWeights> = counts.iter().copied().map(Into::into).collect();
        let average = |averaging| average_scores(&weights, averaging, 1.0, ZeroDivision::Zero);
        let recalls: Vec<f64> = weights
            .iter()
            .filter(|class| class.support > 0.0)
            .map(|class| class.scores(1.0, ZeroDivision::Zero).recall)
            .collect();
        let balanced_accuracy =
            (!recalls.is_empty()).then(|| recalls.iter().sum::<f64>() / recalls.len() as f64);
        Some(ClassificationSummary {
            n,
            correct,
            accuracy: correct as f64 / n as f64,
            balanced_accuracy,
            micro: average(Averaging::Micro).into(),
            macro_average: average(Averaging::Macro).into(),
            weighted: average(Averaging::Weighted).into(),
            classes: labels
                .into_iter()
                .zip(counts)
                .map(ClassScore::from)
                .collect(),
        })
    }

    /// Counts of every class, sorted by label.
    pub fn counts(&self) -> Vec<(&str, ClassCounts)> {
        let mut counts: BTreeMap<&str, ClassCounts> = BTreeMap::new();
        for (truth, predicted, count) in self.cells() {
            let class = counts.entry(truth).or_default();
            class.support = class.support.saturating_add(count);
            if let Some(predicted) = predicted {
                let class = counts.entry(predicted).or_default();
                class.predicted = class.predicted.saturating_add(count);
                if predicted == truth {
                    class.true_positive = class.true_positive.saturating_add(count);
                }
            }
        }
        counts.into_iter().collect()
    }

    /// The labels and the square matrix `matrix[truth][predicted]` over them.
    ///
    /// Rows without a predicted label have no cell.
    pub fn matrix(&self) -> (Vec<&str>, Vec<Vec<f64>>) {
        let labels: Vec<&str> = self.counts().into_iter().map(|(label, _)| label).collect();
        let mut matrix = vec![vec![0.0; labels.len()]; labels.len()];
        for (truth, predicted, count) in self.cells() {
            let predicted = predicted.and_then(|label| labels.binary_search(&label).ok());
            if let (Ok(truth), Some(predicted)) = (labels.binary_search(&truth), predicted) {
                matrix[truth][predicted] = count as f64;
            }
        }
        (labels, matrix)
    }
}

/// Counts rows of one chunk by the numbers of their labels.
fn count_rows(rows: &[(&str, Option<&str>)]) -> Confusion {
    let mut labels = Interner::for_bytes(1 << 10);
    let mut cells: HashMap<u64, u64, BuildHasherDefault<PairHasher>> = HashMap::default();
    for (truth, predicted) in rows {
        let truth = u64::from(labels.id(truth)) + 1;
        let predicted = predicted.map_or(0, |label| u64::from(labels.id(label)) + 1);
        *cells.entry(truth << 32 | predicted).or_default() += 1;
    }
    let labels: Vec<&str> = labels.texts().collect();
    let label = |id: u64| {
        usize::try_from(id.checked_sub(1)?)
            .ok()
            .map(|at| labels[at])
    };
    let mut confusion = Confusion::new();
    // Sums do not depend on the order of the cells.
    for (&cell, &count) in BTreeMap::from_iter(&cells) {
        if let Some(truth) = label(cell >> 32) {
            confusion.add(truth, label(cell & u64::from(u32::MAX)), count);
        }
    }
    confusion
}

impl From<Scores> for Average {
    fn from(scores: Scores) -> Self {
        Self {
            precision: scores.precision,
            recall: scores.recall,
            f1: scores.f,
        }
    }
}

impl From<(&str, ClassCounts)> for ClassScore {
    fn from((label, counts): (&str, ClassCounts)) -> Self {
        let scores = ClassWeights::from(counts).scores(1.0, ZeroDivision::Zero);
        Self {
            label: label.to_owned(),
            support: counts.support,
            predicted: counts.predicted,
            true_positive: counts.true_positive,
            precision: scores.precision,
            recall: scores.recall,
            f1: scores.f,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Row = (String, Option<String>, u64);

    fn confusion(rows: &[Row]) -> Confusion {
        let mut confusion = Confusion::new();
        for (truth, predicted, count) in rows {
            confusion.add(truth, predicted.as_deref(), *count);
        }
        confusion
    }

    fn assert_close(actual: f64, expected: f64) {
        assert!(
            (actual - expected).abs() < 1e-12,
            "{actual} is not {expected}"
        );
    }

    #[test]
    fn equals_scikit_learn_by_hand() {
        // y_true = 0 1 2 3 1 2, y_pred = 0 2 2 3 1 0
        let mut confusion = Confusion::new();
        for (truth, predicted) in [
            ("0", "0"),
            ("1", "2"),
            ("2", "2"),
            ("3", "3"),
            ("1", "1"),
            ("2", "0"),
        ] {
            confusion.add(truth, Some(predicted), 1);
        }
        let summary = confusion.summary().unwrap();
        assert_eq!((summary.n, summary.correct), (6, 4));
        assert_close(summary.accuracy, 4.0 / 6.0);
        assert_close(
            summary.balanced_accuracy.unwrap(),
            (1.0 + 0.5 + 0.5 + 1.0) / 4.0,
        );
        assert_close(summary.micro.f1, 4.0 / 6.0);
        assert_close(
            summary.macro_average.precision,
            (0.5 + 1.0 + 0.5 + 1.0) / 4.0,
        );
        assert_close(
            summary.macro_average.f1,
            (2.0 / 3.0 + 2.0 / 3.0 + 0.5 + 1.0) / 4.0,
        );
        assert_close(
            summary.weighted.recall,
            (1.0 + 2.0 * 0.5 + 2.0 * 0.5 + 1.0) / 6.0,
        );
        assert_eq!(summary.classes[0].predicted, 2);
    }

    #[test]
    fn a_missing_prediction_is_wrong_but_no_class() {
        let mut confusion = Confusion::new();
        confusion.add("yes", Some("yes"), 3);
        confusion.add("yes", None, 1);
        let summary = confusion.summary().unwrap();
        assert_eq!(summary.classes.len(), 1);
        assert_close(summary.accuracy, 0.75);
        assert_close(summary.classes[0].precision, 1.0);
        assert_close(summary.classes[0].recall, 0.75);
        assert_close(summary.micro.f1, 6.0 / 7.0);
        assert_eq!(
            confusion.cells().collect::<Vec<_>>(),
            [("yes", None, 1), ("yes", Some("yes"), 3)]
        );
    }

    #[test]
    fn a_stray_label_lowers_the_macro_average_only() {
        let mut confusion = Confusion::new();
        confusion.add("a", Some("a"), 9);
        confusion.add("a", Some("invalid"), 1);
        let summary = confusion.summary().unwrap();
        assert_close(summary.balanced_accuracy.unwrap(), 0.9);
        assert_close(summary.macro_average.recall, 0.45);
        assert_close(summary.weighted.recall, 0.9);
    }

    #[test]
    fn empty_has_no_summary_and_huge_counts_do_not_overflow() {
        assert_eq!(Confusion::new().summary(), None);
        let mut confusion = Confusion::new();
        confusion.add("a", Some("b"), 0);
        assert_eq!(confusion, Confusion::new());
        for _ in 0..3 {
            confusion.add("a", Some("a"), u64::MAX);
            confusion.add("b", None, u64::MAX);
        }
        assert_eq!(confusion.total(), u64::MAX);
        assert!(confusion.summary().unwrap().macro_average.f1 <= 1.0);
    }

    fn any_rows() -> impl Strategy<Value = Vec<Row>> {
        let label = prop::sample::select(vec!["", "a", "b", "是", "否"]).prop_map(str::to_owned);
        prop::collection::vec((label.clone(), prop::option::of(label), 0_u64..50), 0..40)
    }

    proptest! {
        #[test]
        fn values_are_in_range(rows in any_rows()) {
            let confusion = confusion(&rows);
            if let Some(summary) = confusion.summary() {
                let averages = [summary.micro, summary.macro_average, summary.weighted];
                let values = averages.iter().flat_map(|a| [a.precision, a.recall, a.f1]);
                for value in values.chain([summary.accuracy]).chain(summary.balanced_accuracy) {
                    prop_assert!((0.0..=1.0 + 1e-12).contains(&value), "{}", value);
                }
                prop_assert!(summary.classes.is_sorted_by(|a, b| a.label < b.label));
                let support: u64 = summary.classes.iter().map(|class| class.support).sum();
                prop_assert_eq!(support, summary.n);
            } else {
                prop_assert_eq!(confusion.total(), 0);
            }
        }

        #[test]
        fn rows_counted_together_are_rows_added(rows in any_rows()) {
            let flat: Vec<(&str, Option<&str>)> = rows
                .iter()
                .flat_map(|(truth, predicted, count)| {
                    let times = usize::try_from(*count).unwrap();
                    std::iter::repeat_n((truth.as_str(), predicted.as_deref()), times)
                })
                .collect();
            prop_assert_eq!(Confusion::of_rows(&flat), confusion(&rows));
        }

        #[test]
        fn order_does_not_matter(
            (rows, shuffled) in any_rows()
                .prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        ) {
            prop_assert_eq!(confusion(&rows).summary(), confusion(&shuffled).summary());
        }

        #[test]
        fn split_and_merge_is_the_whole(rows in any_rows(), at in any::<prop::sample::Index>()) {
            let (left, right) = rows.split_at(at.index(rows.len() + 1));
            let mut merged = confusion(left);
            merged.merge(&confusion(right));
            prop_assert_eq!(merged, confusion(&rows));
        }
    }
}
