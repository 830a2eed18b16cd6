//! The shape every text metric has.

use rayon::prelude::*;

/// A text metric in five steps: preprocess, integer statistics per pair, sum, score, signature.
///
/// Sentence, corpus, subgroup and bootstrap values are all `score` of a sum of `statistics`, and
/// integer sums do not depend on the order of the pairs.
pub trait TextMetric: Send + Sync {
    /// Everything that must be equal before two values may be compared, as `name|key:value|…`.
    fn signature(&self) -> String;

    /// Statistics of one hypothesis against its references; the length depends on `self` alone.
    ///
    /// Without references the statistics are those of one empty reference.
    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64>;

    /// Computes the value from statistics or from their sum.
    ///
    /// Entries that are absent count as 0, so that an empty slice is an empty corpus.
    fn score(&self, statistics: &[i64]) -> f64;

    /// Whether sums of statistics have a meaning; if not, a corpus value is a mean of sentences.
    fn is_additive(&self) -> bool {
        true
    }

    /// Scores one pair.
    fn sentence(&self, hypothesis: &str, references: &[&str]) -> f64 {
        self.score(&self.statistics(hypothesis, references))
    }
}

/// One hypothesis with its references.
pub type Pair<'text> = (&'text str, &'text [&'text str]);

/// Scores a corpus: from summed statistics if the metric is additive, else the mean over pairs.
///
/// `None` for a mean over no pairs.
pub fn corpus<M: TextMetric + ?Sized>(metric: &M, pairs: &[Pair<'_>]) -> Option<f64> {
    let rows: Vec<Vec<i64>> = pairs
        .par_iter()
        .map(|(hypothesis, references)| metric.statistics(hypothesis, references))
        .collect();
    if metric.is_additive() {
        return Some(metric.score(&sum(&rows)));
    }
    let values = rows.iter().map(|row| metric.score(row));
    (!rows.is_empty()).then(|| values.sum::<f64>() / rows.len() as f64)
}

/// Adds statistics element by element; saturates instead of overflowing.
pub fn sum<R: AsRef<[i64]>>(rows: &[R]) -> Vec<i64> {
    let mut total = Vec::new();
    for row in rows {
        add(&mut total, row.as_ref());
    }
    total
}

/// Adds `row` to `total`, which grows to the length of `row`.
pub fn add(total: &mut Vec<i64>, row: &[i64]) {
    if total.len() < row.len() {
        total.resize(row.len(), 0);
    }
    for (cell, value) in total.iter_mut().zip(row) {
        *cell = cell.saturating_add(*value);
    }
}

/// A count as a statistic.
pub(crate) fn statistic(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The statistic at `index`, 0 when absent or negative.
pub(crate) fn value(statistics: &[i64], index: usize) -> f64 {
    statistics
        .get(index)
        .map_or(0.0, |&value| value.max(0) as f64)
}

/// `numerator / denominator`, 0 when the denominator is 0.
pub(crate) fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator == 0.0 {
        0.0
    } else {
        numerator / denominator
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_grow_and_saturate() {
        assert_eq!(sum::<Vec<i64>>(&[]), Vec::<i64>::new());
        assert_eq!(
            sum(&[vec![1], vec![2, i64::MAX], vec![3, 5]]),
            [6, i64::MAX]
        );
        assert!((value(&[3], 0) - 3.0).abs() < f64::EPSILON);
        assert!(value(&[3], 1).abs() < f64::EPSILON);
    }
}
