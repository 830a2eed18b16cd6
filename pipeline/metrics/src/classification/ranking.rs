//! Metrics of predicted scores instead of predicted labels.

use std::cmp::Ordering;

/// Whether the true class is among the `k` classes with the highest scores.
///
/// Of equal scores the higher class index ranks first, as in scikit-learn's
/// `top_k_accuracy_score`.
pub fn is_in_top(scores: &[f64], truth: usize, k: usize) -> bool {
    let Some(own) = scores.get(truth) else {
        return false;
    };
    let is_ahead = |(class, score): (usize, &f64)| match score.partial_cmp(own) {
        Some(Ordering::Greater) => true,
        Some(Ordering::Equal) => class > truth,
        _ => false,
    };
    let ahead = scores
        .iter()
        .enumerate()
        .filter(|row| is_ahead(*row))
        .count();
    ahead < k
}

/// Area under the receiver operating characteristic: the chance that a positive row scores above a
/// negative one, ties counting half. `None` unless there are rows of both kinds.
///
/// Source: scikit-learn 1.9 `roc_auc_score`, which answers NaN there.
pub fn roc_auc(positive: &[bool], scores: &[f64]) -> Option<f64> {
    let mut twice_rank_sum = 0_u128;
    let mut rank = 0_u128;
    for group in tied_groups(positive, scores) {
        let size = (group.positives + group.negatives) as u128;
        // Ranks rank + 1 … rank + size have the mean rank + (size + 1) / 2.
        twice_rank_sum += group.positives as u128 * (2 * rank + size + 1);
        rank += size;
    }
    let positives = positive.iter().filter(|&&positive| positive).count() as u128;
    let negatives = positive.len() as u128 - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    let above = twice_rank_sum - positives * (positives + 1);
    Some(above as f64 / (2 * positives * negatives) as f64)
}

/// Average precision: Σ (Rₙ − Rₙ₋₁) Pₙ over the thresholds from the highest; 0 without positives.
///
/// Source: scikit-learn 1.9 `average_precision_score`.
pub fn average_precision(positive: &[bool], scores: &[f64]) -> f64 {
    let positives = positive.iter().filter(|&&positive| positive).count();
    let (mut found, mut seen, mut sum) = (0, 0, 0.0);
    for group in tied_groups(positive, scores).iter().rev() {
        found += group.positives;
        seen += group.positives + group.negatives;
        sum += group.positives as f64 * found as f64 / seen as f64;
    }
    if positives == 0 {
        0.0
    } else {
        sum / positives as f64
    }
}

/// Brier score: mean squared difference of probability and outcome; `None` without rows.
pub fn brier_score(positive: &[bool], probabilities: &[f64]) -> Option<f64> {
    mean(
        positive
            .iter()
            .zip(probabilities)
            .map(|(&positive, probability)| {
                let difference = probability - f64::from(u8::from(positive));
                difference * difference
            }),
    )
}

/// Log loss: −mean ln of the probability of what happened; `None` without rows.
///
/// Probabilities are cut to the range ε to 1 − ε of double precision.
///
/// Source: scikit-learn 1.9 `log_loss`.
pub fn log_loss(positive: &[bool], probabilities: &[f64]) -> Option<f64> {
    mean(
        positive
            .iter()
            .zip(probabilities)
            .map(|(&positive, probability)| {
                let happened = if positive {
                    *probability
                } else {
                    1.0 - probability
                };
                -happened.clamp(f64::EPSILON, 1.0 - f64::EPSILON).ln()
            }),
    )
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u64);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / count as f64)
}

/// Rows with the same score.
struct TiedGroup {
    positives: usize,
    negatives: usize,
}

/// Groups of equal scores, from the lowest.
fn tied_groups(positive: &[bool], scores: &[f64]) -> Vec<TiedGroup> {
    let mut rows: Vec<(f64, bool)> = scores
        .iter()
        .copied()
        .zip(positive.iter().copied())
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.chunk_by(|a, b| a.0.partial_cmp(&b.0).is_some_and(Ordering::is_eq))
        .map(|group| {
            let positives = group.iter().filter(|row| row.1).count();
            TiedGroup {
                positives,
                negatives: group.len() - positives,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_favour_the_higher_class() {
        assert!(is_in_top(&[0.5, 0.5], 1, 1));
        assert!(!is_in_top(&[0.5, 0.5], 0, 1));
        assert!(is_in_top(&[0.5, 0.5], 0, 2));
        assert!(!is_in_top(&[0.5], 3, 1));
    }

    #[test]
    fn areas_by_hand() {
        let positive = [false, false, true, true];
        let scores = [0.1, 0.4, 0.35, 0.8];
        assert!((roc_auc(&positive, &scores).unwrap() - 0.75).abs() < 1e-12);
        assert!((average_precision(&positive, &scores) - (0.5 + 0.5 * 2.0 / 3.0)).abs() < 1e-12);
        assert!((roc_auc(&positive, &[0.5; 4]).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(roc_auc(&[true], &[0.5]), None);
        assert!(average_precision(&[false], &[0.5]).abs() < 1e-12);
    }

    #[test]
    fn probabilities_by_hand() {
        let loss = log_loss(&[true, false], &[1.0, 1.0]).unwrap();
        assert!((loss - (-f64::EPSILON.ln()) / 2.0).abs() < 1e-9);
        assert!((brier_score(&[true, false], &[0.5, 1.0]).unwrap() - 0.625).abs() < 1e-12);
        assert_eq!(brier_score(&[], &[]), None);
    }
}
