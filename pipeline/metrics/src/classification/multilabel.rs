//! Metrics of rows that may have several labels, from indicator matrices.

use super::counts::ClassCounts;

/// Counts of each label over rows; `truth[row][label]` says whether the row has the label.
///
/// Labels beyond the shorter of two rows are ignored.
pub fn label_counts(truth: &[Vec<bool>], predicted: &[Vec<bool>]) -> Vec<ClassCounts> {
    let labels = truth.iter().map(Vec::len).max().unwrap_or_default();
    let mut counts = vec![ClassCounts::default(); labels];
    for (truth, predicted) in truth.iter().zip(predicted) {
        for (counts, (&truth, &predicted)) in counts.iter_mut().zip(truth.iter().zip(predicted)) {
            add(counts, truth, predicted);
        }
    }
    counts
}

/// Counts of each row over labels, for averages by sample.
pub fn sample_counts(truth: &[Vec<bool>], predicted: &[Vec<bool>]) -> Vec<ClassCounts> {
    let rows = truth.iter().zip(predicted);
    rows.map(|(truth, predicted)| {
        let mut counts = ClassCounts::default();
        for (&truth, &predicted) in truth.iter().zip(predicted) {
            add(&mut counts, truth, predicted);
        }
        counts
    })
    .collect()
}

/// Share of rows whose labels are all right; `None` without rows.
///
/// Source: scikit-learn 1.9 `accuracy_score` for indicators.
pub fn subset_accuracy(truth: &[Vec<bool>], predicted: &[Vec<bool>]) -> Option<f64> {
    let right = truth
        .iter()
        .zip(predicted)
        .filter(|(truth, predicted)| truth == predicted);
    (!truth.is_empty()).then(|| right.count() as f64 / truth.len() as f64)
}

/// Share of wrong cells; `None` without cells.
///
/// Source: scikit-learn 1.9 `hamming_loss`.
pub fn hamming_loss(truth: &[Vec<bool>], predicted: &[Vec<bool>]) -> Option<f64> {
    let (mut wrong, mut cells) = (0_u64, 0_u64);
    for (truth, predicted) in truth.iter().flatten().zip(predicted.iter().flatten()) {
        wrong += u64::from(truth != predicted);
        cells += 1;
    }
    (cells > 0).then(|| wrong as f64 / cells as f64)
}

fn add(counts: &mut ClassCounts, truth: bool, predicted: bool) {
    counts.true_positive += u64::from(truth && predicted);
    counts.predicted += u64::from(predicted);
    counts.support += u64::from(truth);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let truth = [vec![true, false, true], vec![false, false, true]];
        let predicted = [vec![true, true, false], vec![false, false, true]];
        let labels = label_counts(&truth, &predicted);
        assert_eq!(
            labels[1],
            ClassCounts {
                true_positive: 0,
                predicted: 1,
                support: 0
            }
        );
        assert_eq!(
            labels[2],
            ClassCounts {
                true_positive: 1,
                predicted: 1,
                support: 2
            }
        );
        let samples = sample_counts(&truth, &predicted);
        assert_eq!(
            samples[0],
            ClassCounts {
                true_positive: 1,
                predicted: 2,
                support: 2
            }
        );
        assert_eq!(subset_accuracy(&truth, &predicted), Some(0.5));
        assert_eq!(hamming_loss(&truth, &predicted), Some(2.0 / 6.0));
        assert_eq!(hamming_loss(&[], &[]), None);
    }
}
