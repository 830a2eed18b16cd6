//! BLEU as nltk computes it.

use crate::bleu::clipped_statistics;
use crate::metric::{TextMetric, value};
use crate::text::ngrams::{MAX_ORDER, Sequences, intern};
use crate::text::tokens::Tokens;

/// Smoothing methods of Chen and Cherry 2014 as nltk implements them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum NltkSmoothing {
    /// `method0`: a zero precision becomes the smallest normal number, so the score is tiny, not 0.
    #[default]
    None,
    /// `method1`: this value (0.1 by default) replaces zero matches.
    Epsilon(f64),
    /// `method2`: adds one to matches and totals above unigrams.
    AddOne,
    /// `method3`: the k-th zero becomes 1 / 2ᵏ matches.
    Halving,
    /// `method4`: as `method3`, scaled by ln(hypothesis length) / 5. Zeros of a hypothesis of one
    /// token stay 0 and are left out of the mean.
    LengthHalving,
    /// `method5`: averages each order with its neighbours; can exceed 1.
    Neighbours,
    /// `method6`: interpolates with a prior from the lower orders.
    ///
    /// Undefined (NaN) when no trigram matches; the reference raises an error there.
    Interpolation,
    /// `method7`: `method4`, then `method5`.
    LengthHalvingNeighbours,
}

impl NltkSmoothing {
    /// Finds the method by nltk's name for it, with nltk's default parameters.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "method0" => Self::None,
            "method1" => Self::Epsilon(0.1),
            "method2" => Self::AddOne,
            "method3" => Self::Halving,
            "method4" => Self::LengthHalving,
            "method5" => Self::Neighbours,
            "method6" => Self::Interpolation,
            "method7" => Self::LengthHalvingNeighbours,
            _ => return None,
        })
    }

    fn name(self) -> String {
        match self {
            Self::None => "method0".to_owned(),
            Self::Epsilon(epsilon) => format!("method1[{epsilon}]"),
            Self::AddOne => "method2".to_owned(),
            Self::Halving => "method3".to_owned(),
            Self::LengthHalving => "method4".to_owned(),
            Self::Neighbours => "method5".to_owned(),
            Self::Interpolation => "method6".to_owned(),
            Self::LengthHalvingNeighbours => "method7".to_owned(),
        }
    }
}

/// BLEU (Papineni et al. 2002) with nltk's smoothing methods, 0 to 1.
///
/// `score = BP · exp(Σ wₙ ln pₙ)` with pₙ = matches / max(1, n-grams) and
/// BP = exp(1 − r / c) when c ≤ r. No matching unigram is exactly 0; any other zero precision goes
/// through the smoothing.
///
/// Statistics: hypothesis length, closest reference length, then matches and totals (at least 1
/// per pair) for each order up to the longest weights, and at least up to 5.
/// Signature keys: `weights`, `smooth`, `reweigh`, `tok`.
///
/// Source: nltk 3.10 `bleu_score`. Known divergence: methods 5, 6 and 7 look at texts, and nltk's
/// corpus score looks at the last one only; here a corpus uses sums there as everywhere else. For
/// nltk's value see [`NltkBleu::score_with_last`].
#[derive(Clone, Debug, PartialEq)]
pub struct NltkBleu {
    /// Weight of each order.
    pub weights: Vec<f64>,
    /// Smoothing of zero precisions.
    pub smoothing: NltkSmoothing,
    /// Replaces the default weights by equal ones over the hypothesis's length if that is below 4.
    pub auto_reweigh: bool,
    /// Tokenization of text.
    pub tokens: Tokens,
}

/// The order whose matches `method5` adds, whatever the weights.
const NEIGHBOUR_ORDER: usize = 5;

impl NltkBleu {
    /// BLEU-n: equal weights for orders 1 to n (from 1 to 64).
    pub fn uniform(order: usize, smoothing: NltkSmoothing, tokens: Tokens) -> Self {
        let order = order.clamp(1, MAX_ORDER);
        let weights = vec![1.0 / order as f64; order];
        Self {
            weights,
            smoothing,
            auto_reweigh: false,
            tokens,
        }
    }

    /// Statistics of a pair that is tokenized already.
    pub fn token_statistics(&self, hypothesis: &[&str], references: &[Vec<&str>]) -> Vec<i64> {
        let texts = std::iter::once(hypothesis).chain(references.iter().map(Vec::as_slice));
        self.id_statistics(&intern(texts.map(|tokens| tokens.iter().copied())))
    }

    fn id_statistics(&self, sequences: &Sequences) -> Vec<i64> {
        let orders = self.weights.len().max(NEIGHBOUR_ORDER);
        let mut statistics = clipped_statistics(sequences, orders);
        for total in statistics.iter_mut().skip(3).step_by(2) {
            *total = (*total).max(1);
        }
        statistics
    }

    /// Scores sums with the last pair's statistics where nltk's corpus score looks at texts.
    pub fn score_with_last(&self, statistics: &[i64], last: &[i64]) -> f64 {
        let hypothesis_length = value(statistics, 0);
        if value(statistics, 2) == 0.0 {
            return 0.0;
        }
        let penalty = brevity_penalty(hypothesis_length, value(statistics, 1));
        let precisions = self.precisions(statistics, last);
        let short = self.auto_reweigh && hypothesis_length < 4.0 && self.weights == [0.25; 4];
        let weight = |index: usize| {
            if !short {
                self.weights[index]
            } else if (index as f64) < hypothesis_length {
                1.0 / hypothesis_length
            } else {
                0.0
            }
        };
        let mut sum = 0.0;
        for (index, precision) in precisions.iter().enumerate() {
            if precision.is_nan() {
                return f64::NAN;
            }
            if *precision > 0.0 {
                sum += weight(index) * precision.ln();
            }
        }
        penalty * sum.exp()
    }

    /// Smoothed precisions for each weight.
    fn precisions(&self, statistics: &[i64], last: &[i64]) -> Vec<f64> {
        let orders = self.weights.len();
        let matches: Vec<f64> = (0..orders).map(|n| value(statistics, 2 + 2 * n)).collect();
        let totals: Vec<f64> = (0..orders)
            .map(|n| value(statistics, 3 + 2 * n).max(1.0))
            .collect();
        let mut precisions: Vec<f64> = matches
            .iter()
            .zip(&totals)
            .map(|(matches, total)| matches / total)
            .collect();
        let hypothesis_length = value(statistics, 0);
        match self.smoothing {
            NltkSmoothing::None => replace_zeros(&mut precisions, |_, _| f64::MIN_POSITIVE),
            NltkSmoothing::Epsilon(epsilon) => {
                replace_zeros(&mut precisions, |order, _| epsilon / totals[order]);
            }
            NltkSmoothing::AddOne => {
                for order in 1..orders {
                    precisions[order] = (matches[order] + 1.0) / (totals[order] + 1.0);
                }
            }
            NltkSmoothing::Halving => {
                replace_zeros(&mut precisions, |order, k| {
                    1.0 / (2.0_f64.powi(k) * totals[order])
                });
            }
            NltkSmoothing::LengthHalving => {
                halve_by_length(&mut precisions, &totals, hypothesis_length);
            }
            NltkSmoothing::Neighbours => average_neighbours(&mut precisions, last),
            NltkSmoothing::Interpolation => interpolate(&mut precisions, &matches, last),
            NltkSmoothing::LengthHalvingNeighbours => {
                halve_by_length(&mut precisions, &totals, hypothesis_length);
                average_neighbours(&mut precisions, last);
            }
        }
        precisions
    }
}

impl TextMetric for NltkBleu {
    fn signature(&self) -> String {
        let weights: Vec<String> = self.weights.iter().map(ToString::to_string).collect();
        format!(
            "nltk_bleu|weights:{}|smooth:{}|reweigh:{}|tok:{}|rev:1",
            weights.join(","),
            self.smoothing.name(),
            if self.auto_reweigh { "yes" } else { "no" },
            self.tokens.name(),
        )
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let mut texts = vec![hypothesis];
        texts.extend_from_slice(references);
        self.id_statistics(&self.tokens.intern(&texts))
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        self.score_with_last(statistics, statistics)
    }
}

fn brevity_penalty(hypothesis_length: f64, reference_length: f64) -> f64 {
    if hypothesis_length > reference_length {
        1.0
    } else if hypothesis_length == 0.0 {
        0.0
    } else {
        (1.0 - reference_length / hypothesis_length).exp()
    }
}

/// Replaces zero precisions; `replacement` gets the order from 0 and the how-manieth zero it is.
fn replace_zeros(precisions: &mut [f64], replacement: impl Fn(usize, i32) -> f64) {
    let mut zeros = 0;
    for (order, precision) in precisions.iter_mut().enumerate() {
        if *precision == 0.0 {
            zeros += 1;
            *precision = replacement(order, zeros);
        }
    }
}

/// `method4`, with nltk's k = 5.
fn halve_by_length(precisions: &mut [f64], totals: &[f64], hypothesis_length: f64) {
    if hypothesis_length > 1.0 {
        replace_zeros(precisions, |order, k| {
            1.0 / (2.0_f64.powi(k) * 5.0 / hypothesis_length.ln()) / totals[order]
        });
    }
}

/// `method5`: mean of the smoothed lower order, the order itself and the next one.
fn average_neighbours(precisions: &mut [f64], last: &[i64]) {
    let fifth = 2 * NEIGHBOUR_ORDER;
    let beyond = value(last, fifth) / value(last, fifth + 1).max(1.0);
    let mut lower = precisions.first().map_or(0.0, |first| first + 1.0);
    for order in 0..precisions.len() {
        let next = precisions.get(order + 1).copied().unwrap_or(beyond);
        precisions[order] = (lower + precisions[order] + next) / 3.0;
        lower = precisions[order];
    }
}

/// `method6`, with nltk's α = 5; NaN where the reference raises an error.
fn interpolate(precisions: &mut [f64], matches: &[f64], last: &[i64]) {
    if precisions.get(2).is_none_or(|&trigrams| trigrams == 0.0) {
        precisions.fill(f64::NAN);
        return;
    }
    for order in 2..precisions.len() {
        let (before, previous) = (precisions[order - 2], precisions[order - 1]);
        let prior = if before == 0.0 {
            0.0
        } else {
            previous * previous / before
        };
        let ngrams = (value(last, 0) - order as f64).max(0.0);
        precisions[order] = (matches[order] + 5.0 * prior) / (ngrams + 5.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_by_hand() {
        let score = |method, hypothesis, reference: &str| {
            let smoothing = NltkSmoothing::from_name(method).unwrap();
            NltkBleu::uniform(4, smoothing, Tokens::Words).sentence(hypothesis, &[reference])
        };
        assert!((score("method0", "a b c d", "a b c d") - 1.0).abs() < 1e-12);
        assert!(score("method0", "a b", "a c") > 0.0 && score("method0", "a b", "a c") < 1e-150);
        assert!((score("method4", "a", "a") - 1.0).abs() < 1e-12);
        // Precisions 1, 1, 1, 1, 0: (2+1+1)/3, (4/3+1+1)/3, (10/9+1+1)/3, (28/27+1+0)/3.
        let product: f64 = 4.0 / 3.0 * 10.0 / 9.0 * 28.0 / 27.0 * 55.0 / 81.0;
        assert!((score("method5", "a b c d", "a b c d") - product.powf(0.25)).abs() < 1e-12);
        assert!(score("method6", "a b", "a c").is_nan());
        assert!(score("method1", "a", "b").abs() < f64::EPSILON);
        assert!(NltkSmoothing::from_name("method8").is_none());
    }

    #[test]
    fn characters_and_signature() {
        let bleu = NltkBleu::uniform(2, NltkSmoothing::Halving, Tokens::Characters);
        assert!((bleu.sentence("脾虚", &["脾虚"]) - 1.0).abs() < 1e-12);
        assert_eq!(
            bleu.signature(),
            "nltk_bleu|weights:0.5,0.5|smooth:method3|reweigh:no|tok:chars|rev:1"
        );
    }
}
