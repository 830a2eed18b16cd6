//! BLEU as sacrebleu computes it.

use std::borrow::Cow;

use crate::metric::{TextMetric, statistic, value};
use crate::text::bleu_tokenizer::{BleuTokenizer, Prepared};
use crate::text::common_ngrams::common_ngrams;
use crate::text::interner::Interner;
use crate::text::ngrams::{MAX_ORDER, NgramLadder, Sequences, overlap};

/// What is done with an n-gram precision of zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BleuSmoothing {
    /// Nothing: the score becomes 0.
    None,
    /// The matches become this value (sacrebleu's default is 0.1).
    Floor(f64),
    /// This value is added to matches and totals of orders above 1 (sacrebleu's default is 1).
    AddK(f64),
    /// The k-th zero becomes 100 / (2ᵏ · total), as NIST's mteval does.
    #[default]
    Exponential,
}

/// BLEU (Papineni et al. 2002) with sacrebleu's tokenizers and smoothing.
///
/// `score = BP · exp(mean ln pₙ)` from 0 to 100, with pₙ = 100 · clipped matches / n-grams and
/// BP = exp(1 − r / c) when the hypotheses are shorter (c) than their closest references (r; the
/// shorter one when two are equally close). No match of any order is 0 before smoothing.
///
/// Statistics: hypothesis length, reference length, then matches and totals for each order.
/// Signature keys: `case`, `eff` (effective order), `tok`, `smooth` (with its value), `order`.
///
/// Source: sacrebleu 2.6.0. Identical text scores 100.00000000000004, as there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bleu {
    /// Tokenizer.
    pub tokenizer: BleuTokenizer,
    /// Lowercases first.
    pub lowercase: bool,
    /// Smoothing of zero precisions.
    pub smoothing: BleuSmoothing,
    /// Longest n-gram, at most 64.
    pub max_order: usize,
    /// Averages only over orders for which the hypothesis has n-grams: for sentences.
    pub effective_order: bool,
}

impl Default for Bleu {
    /// sacrebleu's defaults for a corpus.
    fn default() -> Self {
        Self {
            tokenizer: BleuTokenizer::ThirteenA,
            lowercase: false,
            smoothing: BleuSmoothing::Exponential,
            max_order: 4,
            effective_order: false,
        }
    }
}

/// BLEU with its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct BleuScore {
    /// The score, 0 to 100.
    pub score: f64,
    /// Clipped matches per order; with add-k smoothing k is included, as in the reference.
    pub counts: Vec<f64>,
    /// N-grams of the hypothesis per order, likewise.
    pub totals: Vec<f64>,
    /// Precisions per order, 0 to 100.
    pub precisions: Vec<f64>,
    /// Brevity penalty.
    pub brevity_penalty: f64,
    /// Tokens in the hypotheses.
    pub hypothesis_length: f64,
    /// Tokens in the closest references.
    pub reference_length: f64,
}

impl Bleu {
    /// Computes the score and its parts from (summed) statistics.
    pub fn score_parts(&self, statistics: &[i64]) -> BleuScore {
        let hypothesis_length = value(statistics, 0);
        let reference_length = value(statistics, 1);
        let max_order = self.max_order.min(MAX_ORDER);
        let orders = 0..max_order;
        let mut score = BleuScore {
            score: 0.0,
            counts: orders
                .clone()
                .map(|order| value(statistics, 2 + 2 * order))
                .collect(),
            totals: orders
                .map(|order| value(statistics, 3 + 2 * order))
                .collect(),
            precisions: vec![0.0; max_order],
            brevity_penalty: brevity_penalty(hypothesis_length, reference_length),
            hypothesis_length,
            reference_length,
        };
        if score.counts.iter().any(|&count| count > 0.0) {
            let order = self.fill_precisions(&mut score);
            let logarithms = score.precisions[..order].iter().map(|&precision| {
                // The reference's stand-in for the logarithm of 0.
                if precision == 0.0 {
                    -9_999_999_999.0
                } else {
                    precision.ln()
                }
            });
            let mean = logarithms.sum::<f64>() / order as f64;
            score.score = score.brevity_penalty * mean.exp();
        }
        score
    }

    /// Sets smoothed precisions and returns the number of orders to average over.
    fn fill_precisions(&self, score: &mut BleuScore) -> usize {
        let mut effective = score.totals.len();
        let mut halvings = 1.0;
        for order in 0..score.totals.len() {
            let (mut count, mut total) = (score.counts[order], score.totals[order]);
            if let BleuSmoothing::AddK(k) = self.smoothing
                && order > 0
            {
                count += k;
                total += k;
                (score.counts[order], score.totals[order]) = (count, total);
            }
            if total == 0.0 {
                break;
            }
            if self.effective_order {
                effective = order + 1;
            }
            score.precisions[order] = if count > 0.0 {
                100.0 * count / total
            } else {
                match self.smoothing {
                    BleuSmoothing::Exponential => {
                        halvings *= 2.0;
                        100.0 / (halvings * total)
                    }
                    BleuSmoothing::Floor(floor) => 100.0 * floor / total,
                    BleuSmoothing::None | BleuSmoothing::AddK(_) => 0.0,
                }
            };
        }
        effective
    }
}

impl TextMetric for Bleu {
    fn signature(&self) -> String {
        let smoothing = match self.smoothing {
            BleuSmoothing::None => "none".to_owned(),
            BleuSmoothing::Floor(value) => format!("floor[{value}]"),
            BleuSmoothing::AddK(value) => format!("add-k[{value}]"),
            BleuSmoothing::Exponential => "exp".to_owned(),
        };
        format!(
            "bleu|case:{}|eff:{}|tok:{}|smooth:{smoothing}|order:{}|rev:1",
            if self.lowercase { "lc" } else { "mixed" },
            if self.effective_order { "yes" } else { "no" },
            self.tokenizer.name(),
            self.max_order,
        )
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let texts: Vec<Cow<'_, str>> = std::iter::once(&hypothesis)
            .chain(references)
            .map(|segment| {
                if self.lowercase {
                    Cow::Owned(segment.to_lowercase())
                } else {
                    Cow::Borrowed(*segment)
                }
            })
            .collect();
        let texts: Vec<Prepared<'_>> = texts
            .iter()
            .map(|segment| self.tokenizer.prepared(segment))
            .collect();
        let mut interner = Interner::for_bytes(texts.iter().map(Prepared::len).sum());
        let ids = texts
            .iter()
            .map(|text| {
                let mut ids = Vec::with_capacity(text.len() / 5);
                text.each_token(|token| ids.push(interner.id(token)));
                ids
            })
            .collect();
        let distinct = interner.distinct();
        clipped_statistics(&Sequences { ids, distinct }, self.max_order.min(MAX_ORDER))
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        self.score_parts(statistics).score
    }
}

/// Hypothesis length, closest reference length, then clipped matches and totals for each order.
///
/// The first of the sequences is the hypothesis, the others are its references.
pub(crate) fn clipped_statistics(sequences: &Sequences, max_order: usize) -> Vec<i64> {
    let length = sequences.ids.first().map_or(0, Vec::len);
    let references = sequences.ids.get(1..).unwrap_or_default();
    let closest = references
        .iter()
        .map(Vec::len)
        .min_by_key(|&reference| (reference.abs_diff(length), reference))
        .unwrap_or(0);
    let matches = match references {
        [] => vec![0; max_order],
        [_] => common_ngrams(sequences, [0, 1], max_order),
        _ => largest_matches(sequences, max_order),
    };
    let mut statistics = vec![statistic(length), statistic(closest)];
    for (order, matches) in matches.into_iter().enumerate() {
        let total = length.saturating_sub(order);
        statistics.extend([statistic(matches), statistic(total)]);
    }
    statistics
}

/// Matches by order, each n-gram at most as often as in the reference that has most of it.
fn largest_matches(sequences: &Sequences, max_order: usize) -> Vec<usize> {
    let mut ladder = NgramLadder::new(sequences);
    let mut matches = vec![0; max_order];
    for (order, matches) in matches.iter_mut().enumerate() {
        if order > 0 {
            ladder.advance();
        }
        if ladder.total(0) == 0 {
            break;
        }
        let counts = ladder.counts(0);
        let mut largest = vec![0; counts.len()];
        for reference in 1..sequences.ids.len() {
            for (cell, count) in largest.iter_mut().zip(ladder.counts(reference)) {
                *cell = count.max(*cell);
            }
        }
        *matches = overlap(&counts, &largest);
    }
    matches
}

fn brevity_penalty(hypothesis_length: f64, reference_length: f64) -> f64 {
    if hypothesis_length >= reference_length {
        1.0
    } else if hypothesis_length > 0.0 {
        (1.0 - reference_length / hypothesis_length).exp()
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::metric::{corpus, sum};

    const SENTENCE: Bleu = Bleu {
        tokenizer: BleuTokenizer::ThirteenA,
        lowercase: false,
        smoothing: BleuSmoothing::Exponential,
        max_order: 4,
        effective_order: true,
    };

    #[test]
    fn by_hand() {
        // "a b" against "a c": p₁ = 50, p₂ smoothed to 100 / 2: √(50 · 50).
        assert!((SENTENCE.sentence("a b", &["a c"]) - 50.0).abs() < 1e-9);
        assert_eq!(
            SENTENCE.statistics("a b", &["a c"]),
            [2, 2, 1, 2, 0, 1, 0, 0, 0, 0]
        );
        assert!(SENTENCE.sentence("yes", &["no"]).abs() < f64::EPSILON);
        assert!(SENTENCE.sentence("", &["a"]).abs() < f64::EPSILON);
        assert!(SENTENCE.sentence("a", &[]).abs() < f64::EPSILON);
    }

    #[test]
    fn signature_names_everything() {
        assert_eq!(
            Bleu {
                smoothing: BleuSmoothing::Floor(0.1),
                ..Bleu::default()
            }
            .signature(),
            "bleu|case:mixed|eff:no|tok:13a|smooth:floor[0.1]|order:4|rev:1"
        );
    }

    proptest! {
        #[test]
        fn range_identity_and_sums(
            pairs in prop::collection::vec(("[abc. 脾]{0,12}", "[abc. 脾]{0,12}"), 0..6),
        ) {
            let references: Vec<[&str; 1]> = pairs.iter().map(|pair| [pair.1.as_str()]).collect();
            let whole: Vec<(&str, &[&str])> = pairs
                .iter()
                .zip(&references)
                .map(|(pair, references)| (pair.0.as_str(), references.as_slice()))
                .collect();
            let bleu = Bleu::default();
            let rows: Vec<_> = whole.iter().map(|(h, r)| bleu.statistics(h, r)).collect();
            let value = corpus(&bleu, &whole).unwrap();
            prop_assert!((0.0..=100.0 + 1e-9).contains(&value));
            let (left, right) = rows.split_at(rows.len() / 2);
            let split = bleu.score(&sum(&[sum(right), sum(left)]));
            prop_assert_eq!(split.to_bits(), value.to_bits());
            for (hypothesis, _) in &whole {
                let identity = SENTENCE.sentence(hypothesis, &[hypothesis]);
                prop_assert!(identity == 0.0 || (identity - 100.0).abs() < 1e-9);
            }
        }
    }
}
