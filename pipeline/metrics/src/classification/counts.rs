//! Precision, recall, F and Jaccard from the counts of each class.

/// The three counts of one class from which its scores follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounts {
    /// Rows where truth and prediction are this class.
    pub true_positive: u64,
    /// Rows for which this class was predicted.
    pub predicted: u64,
    /// Rows whose truth is this class.
    pub support: u64,
}

/// The same for rows that have weights; plain counts are whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClassWeights {
    /// Weight of the rows where truth and prediction are this class.
    pub true_positive: f64,
    /// Weight of the rows for which this class was predicted.
    pub predicted: f64,
    /// Weight of the rows whose truth is this class.
    pub support: f64,
}

impl From<ClassCounts> for ClassWeights {
    fn from(counts: ClassCounts) -> Self {
        Self {
            true_positive: counts.true_positive as f64,
            predicted: counts.predicted as f64,
            support: counts.support as f64,
        }
    }
}

/// What an undefined ratio (0 / 0) becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ZeroDivision {
    /// 0, as scikit-learn's default.
    #[default]
    Zero,
    /// 1.
    One,
    /// NaN, which averages leave out, separately for precision, recall and F.
    Nan,
}

/// How classes are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Averaging {
    /// From the sum of the counts.
    Micro,
    /// Mean over classes.
    Macro,
    /// Mean over classes, weighted by support.
    Weighted,
}

/// Precision, recall and F of one class or one average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scores {
    /// True positives / predicted.
    pub precision: f64,
    /// True positives / support.
    pub recall: f64,
    /// (1 + β²) · true positives / (β² · support + predicted).
    pub f: f64,
}

impl ZeroDivision {
    fn divide(self, numerator: f64, denominator: f64) -> f64 {
        if denominator > 0.0 {
            return numerator / denominator;
        }
        match self {
            Self::Zero => 0.0,
            Self::One => 1.0,
            Self::Nan => f64::NAN,
        }
    }
}

impl ClassWeights {
    /// Precision, recall and F with recall weighing β times as much.
    pub fn scores(self, beta: f64, zero_division: ZeroDivision) -> Scores {
        let precision = zero_division.divide(self.true_positive, self.predicted);
        let recall = zero_division.divide(self.true_positive, self.support);
        let f = if beta.is_infinite() {
            recall
        } else if beta == 0.0 {
            precision
        } else {
            let factor = beta * beta;
            let denominator = factor * self.support + self.predicted;
            zero_division.divide((1.0 + factor) * self.true_positive, denominator)
        };
        Scores {
            precision,
            recall,
            f,
        }
    }

    /// Jaccard index: true positives / (support + predicted − true positives).
    pub fn jaccard(self, zero_division: ZeroDivision) -> f64 {
        let union = self.support + self.predicted - self.true_positive;
        zero_division.divide(self.true_positive, union)
    }

    /// Sums several classes.
    pub fn sum(classes: &[Self]) -> Self {
        classes.iter().fold(Self::default(), |sum, class| Self {
            true_positive: sum.true_positive + class.true_positive,
            predicted: sum.predicted + class.predicted,
            support: sum.support + class.support,
        })
    }
}

/// Averages precision, recall and F over classes.
///
/// Source: scikit-learn 1.9 `precision_recall_fscore_support`.
pub fn average_scores(
    classes: &[ClassWeights],
    averaging: Averaging,
    beta: f64,
    zero_division: ZeroDivision,
) -> Scores {
    if averaging == Averaging::Micro {
        return ClassWeights::sum(classes).scores(beta, zero_division);
    }
    let scores: Vec<Scores> = classes
        .iter()
        .map(|class| class.scores(beta, zero_division))
        .collect();
    let mean = |part: fn(&Scores) -> f64| {
        let values: Vec<f64> = scores.iter().map(part).collect();
        mean_over_classes(&values, classes, averaging)
    };
    Scores {
        precision: mean(|scores| scores.precision),
        recall: mean(|scores| scores.recall),
        f: mean(|scores| scores.f),
    }
}

/// Averages the Jaccard index over classes.
///
/// Source: scikit-learn 1.9 `jaccard_score`.
pub fn average_jaccard(
    classes: &[ClassWeights],
    averaging: Averaging,
    zero_division: ZeroDivision,
) -> f64 {
    if averaging == Averaging::Micro {
        return ClassWeights::sum(classes).jaccard(zero_division);
    }
    let values: Vec<f64> = classes
        .iter()
        .map(|class| class.jaccard(zero_division))
        .collect();
    mean_over_classes(&values, classes, averaging)
}

/// Mean without NaN; without any weight left the classes weigh the same, without values it is NaN.
fn mean_over_classes(values: &[f64], classes: &[ClassWeights], averaging: Averaging) -> f64 {
    let defined = || {
        values
            .iter()
            .zip(classes)
            .filter(|(value, _)| !value.is_nan())
    };
    let weighted_mean = |weight: fn(&ClassWeights) -> f64| {
        let total: f64 = defined().map(|(_, class)| weight(class)).sum();
        let sum: f64 = defined().map(|(value, class)| value * weight(class)).sum();
        (total > 0.0).then(|| sum / total)
    };
    let by_support = match averaging {
        Averaging::Weighted => weighted_mean(|class| class.support),
        Averaging::Micro | Averaging::Macro => None,
    };
    by_support
        .or_else(|| weighted_mean(|_| 1.0))
        .unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(true_positive: u64, predicted: u64, support: u64) -> ClassWeights {
        ClassCounts {
            true_positive,
            predicted,
            support,
        }
        .into()
    }

    #[test]
    fn beta_weighs_recall() {
        let counts = class(1, 2, 4);
        let f = |beta| counts.scores(beta, ZeroDivision::Zero).f;
        assert!((f(1.0) - 2.0 / 6.0).abs() < 1e-12);
        assert!((f(2.0) - 5.0 / 18.0).abs() < 1e-12);
        assert!((f(0.0) - 0.5).abs() < 1e-12);
        assert!((f(f64::INFINITY) - 0.25).abs() < 1e-12);
        assert!((counts.jaccard(ZeroDivision::Zero) - 0.2).abs() < 1e-12);
    }

    #[test]
    fn undefined_classes_are_left_out_of_averages() {
        let classes = [class(1, 1, 2), class(0, 0, 2)];
        let average = average_scores(&classes, Averaging::Macro, 1.0, ZeroDivision::Nan);
        assert!((average.precision - 1.0).abs() < 1e-12);
        assert!((average.recall - 0.25).abs() < 1e-12);
        let average = average_scores(&classes, Averaging::Weighted, 1.0, ZeroDivision::One);
        assert!((average.precision - 1.0).abs() < 1e-12);
        assert!(
            average_scores(&[], Averaging::Macro, 1.0, ZeroDivision::Zero)
                .f
                .is_nan()
        );
        let unsupported = [class(0, 3, 0)];
        let average = average_scores(&unsupported, Averaging::Weighted, 1.0, ZeroDivision::Zero);
        assert!(average.precision.abs() < 1e-12);
    }
}
