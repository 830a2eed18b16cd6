//! Bootstrap intervals of classification metrics that resample whole cases.

use std::collections::BTreeMap;

use crate::bootstrap::{bootstrap_mean_of_cases, percentile_interval};
use crate::classification::{Average, ClassificationSummary, Confusion};
use crate::interval::{Interval, is_level};
use crate::resample::{Kinds, replicates as drawn_replicates};

/// Confusion counts kept by case, so that cases can be resampled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusteredConfusion {
    cases: BTreeMap<String, Confusion>,
}

/// Interval of each averaged value and of each class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassificationIntervals {
    /// Of the accuracy.
    pub accuracy: Option<Interval>,
    /// Of the micro averages.
    pub micro: AverageIntervals,
    /// Of the macro averages.
    pub macro_average: AverageIntervals,
    /// Of the averages weighted by support.
    pub weighted: AverageIntervals,
    /// Per class in the order of [`ClassificationSummary::classes`].
    pub classes: Vec<AverageIntervals>,
}

/// Intervals of precision, recall and F1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AverageIntervals {
    /// Of the precision.
    pub precision: Option<Interval>,
    /// Of the recall.
    pub recall: Option<Interval>,
    /// Of the F1.
    pub f1: Option<Interval>,
}

impl ClusteredConfusion {
    /// Creates empty counts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `count` rows of a case.
    pub fn add(&mut self, case: &str, truth: &str, predicted: Option<&str>, count: u64) {
        if let Some(confusion) = self.cases.get_mut(case) {
            confusion.add(truth, predicted, count);
        } else {
            self.cases
                .entry(case.to_owned())
                .or_default()
                .add(truth, predicted, count);
        }
    }

    /// Iterates over (case, truth, predicted, count), sorted.
    pub fn cells(&self) -> impl Iterator<Item = (&str, &str, Option<&str>, u64)> {
        self.cases.iter().flat_map(|(case, confusion)| {
            confusion
                .cells()
                .map(move |(truth, predicted, count)| (case.as_str(), truth, predicted, count))
        })
    }

    /// Counts over all cases.
    pub fn total(&self) -> Confusion {
        self.cases
            .values()
            .fold(Confusion::new(), |mut total, confusion| {
                total.merge(confusion);
                total
            })
    }

    /// Percentile bootstrap intervals of everything in [`Confusion::summary`], resampling cases.
    ///
    /// A replicate draws as many cases as there are, with replacement, and computes the summary of
    /// the drawn rows; its classes are those that occur in the draw, as scikit-learn would see
    /// them. A class's precision takes part only in draws that answer it, its recall and F1 only in
    /// draws that ask it; a value that is defined in fewer than half of the draws has no interval.
    ///
    /// The value depends only on the set of cases, `seed`, `replicates` and `level`. `None` with
    /// fewer than two cases, no replicate, or a level outside (0, 1).
    pub fn bootstrap(
        &self,
        seed: u64,
        replicates: u32,
        level: f64,
    ) -> Option<ClassificationIntervals> {
        if self.cases.len() < 2 || replicates == 0 || !is_level(level) {
            return None;
        }
        let summary = self.total().summary()?;
        let total = self.total();
        let cells: Vec<(&str, Option<&str>)> = total
            .cells()
            .map(|(truth, predicted, _)| (truth, predicted))
            .collect();
        let cell_index: BTreeMap<(&str, Option<&str>), usize> = cells
            .iter()
            .enumerate()
            .map(|(index, cell)| (*cell, index))
            .collect();
        // Cases with the same rows are drawn together.
        let mut alike: BTreeMap<Vec<(usize, u64)>, u64> = BTreeMap::new();
        for confusion in self.cases.values() {
            let rows = confusion
                .cells()
                .filter_map(|(truth, predicted, count)| {
                    Some((*cell_index.get(&(truth, predicted))?, count))
                })
                .collect();
            *alike.entry(rows).or_default() += 1;
        }
        let kinds = Kinds::new(alike.values().copied());
        let rows: Vec<Vec<(usize, u64)>> = alike.into_keys().collect();
        let draws: Vec<Replicate> = drawn_replicates(seed, replicates, |generator| {
            let mut counts = vec![0; cells.len()];
            kinds.draw(generator, &mut |kind, times| {
                for &(cell, count) in &rows[kind] {
                    counts[cell] += times * count;
                }
            });
            let mut confusion = Confusion::new();
            for ((truth, predicted), count) in cells.iter().zip(counts) {
                confusion.add(truth, *predicted, count);
            }
            Some(Replicate::new(&confusion.summary()?, &summary))
        })
        .into_iter()
        .flatten()
        .collect();
        // The accuracy has one interval, wherever it stands.
        let accuracy = bootstrap_mean_of_cases(self.correct(), seed, replicates, level);
        Some(intervals(&draws, &summary, level, accuracy))
    }

    /// Correct rows and all rows of each case.
    fn correct(&self) -> impl Iterator<Item = (f64, u64)> {
        self.cases.values().map(|confusion| {
            confusion
                .cells()
                .fold((0.0, 0), |(correct, n), (truth, predicted, count)| {
                    let right = if predicted == Some(truth) { count } else { 0 };
                    (correct + right as f64, n + count)
                })
        })
    }
}

/// The values of one draw; a class that does not occur is `None`.
struct Replicate {
    averages: [Average; 3],
    classes: Vec<ClassDraw>,
}

/// Values of one class in a draw; each only where it is defined.
#[derive(Default)]
struct ClassDraw {
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
}

impl Replicate {
    fn new(draw: &ClassificationSummary, whole: &ClassificationSummary) -> Self {
        let mut drawn = draw.classes.iter().peekable();
        let classes = whole
            .classes
            .iter()
            .map(|class| {
                // Both lists are sorted and the drawn labels are among the whole's.
                drawn
                    .next_if(|score| score.label == class.label)
                    .map_or_else(ClassDraw::default, |score| ClassDraw {
                        precision: (score.predicted > 0).then_some(score.precision),
                        recall: (score.support > 0).then_some(score.recall),
                        f1: (score.support > 0).then_some(score.f1),
                    })
            })
            .collect();
        Self {
            averages: [draw.micro, draw.macro_average, draw.weighted],
            classes,
        }
    }
}

fn intervals(
    draws: &[Replicate],
    summary: &ClassificationSummary,
    level: f64,
    accuracy: Option<Interval>,
) -> ClassificationIntervals {
    let of = |value: &(dyn Fn(&Replicate) -> Option<f64> + Sync)| {
        let values: Vec<f64> = draws.iter().filter_map(value).collect();
        if values.is_empty() || values.len() * 2 < draws.len() {
            return None;
        }
        Some(percentile_interval(values, level))
    };
    let average = |index: usize| AverageIntervals {
        precision: of(&|replicate| Some(replicate.averages[index].precision)),
        recall: of(&|replicate| Some(replicate.averages[index].recall)),
        f1: of(&|replicate| Some(replicate.averages[index].f1)),
    };
    ClassificationIntervals {
        accuracy,
        micro: AverageIntervals {
            recall: accuracy,
            ..average(0)
        },
        macro_average: average(1),
        weighted: average(2),
        classes: (0..summary.classes.len())
            .map(|index| AverageIntervals {
                precision: of(&|replicate| replicate.classes[index].precision),
                recall: of(&|replicate| replicate.classes[index].recall),
                f1: of(&|replicate| replicate.classes[index].f1),
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::{CaseSum, clustered_bootstrap_mean};

    fn three_by_four() -> ClusteredConfusion {
        let mut counts = ClusteredConfusion::new();
        for case in 0..40 {
            let truth = ["a", "b", "c"][case % 3];
            let predicted = if case % 5 == 0 {
                None
            } else {
                Some(["a", "b"][case % 2])
            };
            counts.add(&format!("case-{case}"), truth, predicted, 2);
        }
        counts
    }

    #[test]
    fn accuracy_has_the_interval_of_the_mean_bootstrap() {
        let counts = three_by_four();
        let sums: Vec<CaseSum> = counts
            .cells()
            .map(|(case, truth, predicted, n)| CaseSum {
                case: case.to_owned(),
                sum: if predicted == Some(truth) {
                    n as f64
                } else {
                    0.0
                },
                n,
            })
            .collect();
        let whole = counts.bootstrap(7, 500, 0.95).unwrap();
        assert_eq!(
            whole.accuracy,
            clustered_bootstrap_mean(&sums, 7, 500, 0.95)
        );
        assert_eq!(whole.micro.recall, whole.accuracy);
    }

    #[test]
    fn every_interval_holds_its_value_and_is_reproducible() {
        let counts = three_by_four();
        let summary = counts.total().summary().unwrap();
        let whole = counts.bootstrap(7, 500, 0.95).unwrap();
        assert_eq!(whole, counts.bootstrap(7, 500, 0.95).unwrap());
        for (class, intervals) in summary.classes.iter().zip(&whole.classes) {
            let f1 = intervals.f1.unwrap();
            assert!(f1.low <= class.f1 && class.f1 <= f1.high, "{}", class.label);
        }
        let low_weighted = whole.weighted.f1.unwrap();
        assert!(
            low_weighted.low <= summary.weighted.f1 && summary.weighted.f1 <= low_weighted.high
        );
    }

    #[test]
    fn one_case_has_no_interval() {
        let mut counts = ClusteredConfusion::new();
        counts.add("only", "a", Some("a"), 5);
        assert_eq!(counts.bootstrap(1, 100, 0.95), None);
        counts.add("other", "a", Some("a"), 5);
        let interval = counts
            .bootstrap(1, 100, 0.95)
            .unwrap()
            .macro_average
            .f1
            .unwrap();
        assert!((interval.low - 1.0).abs() < 1e-12 && (interval.high - 1.0).abs() < 1e-12);
    }
}
