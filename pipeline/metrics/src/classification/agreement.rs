//! Agreement of two labellings beyond chance, from a square confusion matrix.

/// How far apart two classes are for Cohen's kappa.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KappaWeights {
    /// Any two different classes are equally far apart.
    #[default]
    Unweighted,
    /// By the distance of their positions in the list of labels.
    Linear,
    /// By its square.
    Quadratic,
}

/// Cohen's kappa: 1 − Σ w · observed / Σ w · expected, at most 1.
///
/// `matrix[i][j]` counts (or weighs) rows with label i by the first and j by the second rater; weights go by
/// position, not by the value of a label. `None` where nothing can disagree: no rows, or a single
/// class.
///
/// Source: scikit-learn 1.9 `cohen_kappa_score`, which answers NaN there.
pub fn cohen_kappa(matrix: &[Vec<f64>], weights: KappaWeights) -> Option<f64> {
    let rows: Vec<f64> = matrix.iter().map(|row| row.iter().sum()).collect();
    let columns = column_sums(matrix);
    let total: f64 = rows.iter().sum();
    let (mut observed, mut expected) = (0.0, 0.0);
    for (i, row) in matrix.iter().enumerate() {
        for (j, &count) in row.iter().enumerate() {
            let distance = i.abs_diff(j) as f64;
            let weight = match weights {
                KappaWeights::Unweighted => distance.min(1.0),
                KappaWeights::Linear => distance,
                KappaWeights::Quadratic => distance * distance,
            };
            observed += weight * count;
            expected += weight * rows[i] * columns.get(j).copied().unwrap_or_default() / total;
        }
    }
    (total > 0.0 && expected > 0.0).then(|| 1.0 - observed / expected)
}

/// Matthews' correlation coefficient for any number of classes, −1 to 1.
///
/// 0 where it is undefined: when either side has a single class, even a perfect one.
///
/// Source: Gorodkin 2004; scikit-learn 1.9 `matthews_corrcoef`.
pub fn matthews_correlation(matrix: &[Vec<f64>]) -> f64 {
    let truths: Vec<f64> = matrix.iter().map(|row| row.iter().sum()).collect();
    let predictions = column_sums(matrix);
    let correct: f64 = matrix
        .iter()
        .enumerate()
        .filter_map(|(i, row)| row.get(i))
        .sum();
    let total: f64 = truths.iter().sum();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let covariance = correct * total - dot(&truths, &predictions);
    let predicted = total * total - dot(&predictions, &predictions);
    let actual = total * total - dot(&truths, &truths);
    let product = predicted * actual;
    if product > 0.0 {
        covariance / product.sqrt()
    } else {
        0.0
    }
}

/// Mean recall over the classes that occur as truth; `None` without rows.
///
/// With `adjusted`, 0 is the value of guessing and 1 stays 1; for a single class that is NaN when
/// all is right and negative infinity when not, as in the reference.
///
/// Source: scikit-learn 1.9 `balanced_accuracy_score`.
pub fn balanced_accuracy(matrix: &[Vec<f64>], adjusted: bool) -> Option<f64> {
    let recalls: Vec<f64> = matrix
        .iter()
        .enumerate()
        .filter_map(|(class, row)| {
            let support: f64 = row.iter().sum();
            let right = row.get(class).copied().unwrap_or_default();
            (support > 0.0).then(|| right / support)
        })
        .collect();
    if recalls.is_empty() {
        return None;
    }
    let mean = recalls.iter().sum::<f64>() / recalls.len() as f64;
    let chance = 1.0 / recalls.len() as f64;
    Some(if adjusted {
        (mean - chance) / (1.0 - chance)
    } else {
        mean
    })
}

fn column_sums(matrix: &[Vec<f64>]) -> Vec<f64> {
    let width = matrix.iter().map(Vec::len).max().unwrap_or_default();
    (0..width)
        .map(|column| matrix.iter().filter_map(|row| row.get(column)).sum())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let matrix = [vec![20.0, 5.0], vec![10.0, 15.0]];
        // Observed agreement 0.7, expected 0.5.
        let kappa = cohen_kappa(&matrix, KappaWeights::Unweighted).unwrap();
        assert!((kappa - 0.4).abs() < 1e-12);
        let mcc = matthews_correlation(&matrix);
        assert!(
            (mcc - (20.0 * 15.0 - 50.0) / (25.0_f64 * 25.0 * 30.0 * 20.0).sqrt()).abs() < 1e-12
        );
        assert!((balanced_accuracy(&matrix, false).unwrap() - 0.7).abs() < 1e-12);
        assert!((balanced_accuracy(&matrix, true).unwrap() - 0.4).abs() < 1e-12);
    }

    #[test]
    fn degenerate() {
        assert_eq!(cohen_kappa(&[], KappaWeights::Linear), None);
        assert_eq!(cohen_kappa(&[vec![3.0]], KappaWeights::Unweighted), None);
        assert!(matthews_correlation(&[vec![3.0]]).abs() < f64::EPSILON);
        assert_eq!(balanced_accuracy(&[], false), None);
        assert!(balanced_accuracy(&[vec![3.0]], true).unwrap().is_nan());
    }
}
