//! ROUGE as rouge-score computes it.

use crate::metric::{TextMetric, ratio, statistic, value};
use crate::text::common_ngrams::common_ngrams;
use crate::text::lcs::{lcs_length, lcs_positions};
use crate::text::ngrams::{Sequences, intern};
use crate::text::porter::PorterStemmer;
use crate::text::rouge_tokenizer::{intern_rouge_tokens, rouge_tokens};

/// What ROUGE counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RougeKind {
    /// ROUGE-n: n-grams with multiplicity.
    Ngram(usize),
    /// ROUGE-L: longest common subsequence of the whole texts.
    Lcs,
    /// ROUGE-Lsum: union of subsequences over lines.
    LcsSummary,
}

impl RougeKind {
    /// Finds the kind by rouge-score's name: `rouge1` to `rouge9`, `rougeL`, `rougeLsum`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.strip_prefix("rouge")? {
            "L" => Some(Self::Lcs),
            "Lsum" => Some(Self::LcsSummary),
            order => match order.parse() {
                Ok(order @ 1..=9) if name.len() == 6 => Some(Self::Ngram(order)),
                _ => None,
            },
        }
    }

    fn name(self) -> String {
        match self {
            Self::Ngram(order) => format!("rouge{order}"),
            Self::Lcs => "rougeL".to_owned(),
            Self::LcsSummary => "rougeLsum".to_owned(),
        }
    }
}

/// Precision, recall and their F-score.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Share of the hypothesis that is matched.
    pub precision: f64,
    /// Share of the reference that is matched.
    pub recall: f64,
    /// Harmonic mean of the two.
    pub f_measure: f64,
}

/// ROUGE (Lin 2004) with rouge-score's tokens, 0 to 1. The value is the F-measure.
///
/// Precision = hits / hypothesis n-grams, recall = hits / reference n-grams, 0 where there are
/// none. With several references the one with the best F-measure counts (the first, if equal).
/// A corpus value is the mean over pairs.
///
/// Statistics: hits, n-grams (or tokens) of the reference, n-grams (or tokens) of the hypothesis.
/// Signature keys: `type`, `stem`, `split`.
///
/// Source: rouge-score 0.1.2. Known divergence: its bootstrap aggregator is random; lines, not
/// sentences found by punkt, split ROUGE-Lsum (`split_summaries=False`).
#[derive(Clone, Copy, Debug)]
pub struct Rouge {
    /// What is counted.
    pub kind: RougeKind,
    /// Stems tokens longer than three characters.
    pub use_stemmer: bool,
}

impl Rouge {
    /// Computes precision, recall and F-measure from statistics.
    pub fn overlap(self, statistics: &[i64]) -> Overlap {
        let hits = value(statistics, 0);
        let recall = ratio(hits, value(statistics, 1));
        let precision = ratio(hits, value(statistics, 2));
        let f_measure = ratio(2.0 * precision * recall, precision + recall);
        Overlap {
            precision,
            recall,
            f_measure,
        }
    }

    fn tokens(self, text: &str) -> Vec<String> {
        let stemmer = PorterStemmer::default();
        rouge_tokens(text, self.use_stemmer.then_some(&stemmer))
    }

    fn lines(self, text: &str) -> Vec<Vec<String>> {
        text.split('\n')
            .filter(|line| !line.is_empty())
            .map(|line| self.tokens(line))
            .collect()
    }

    fn pair(self, hypothesis: &str, reference: &str) -> [usize; 3] {
        if self.kind == RougeKind::LcsSummary {
            return summary_hits(&self.lines(hypothesis), &self.lines(reference));
        }
        self.hits(&intern_rouge_tokens(
            [hypothesis, reference],
            self.use_stemmer,
        ))
    }

    /// The pair's numbers from its tokens.
    fn hits(self, sequences: &Sequences) -> [usize; 3] {
        let [hypothesis, reference] = [0, 1].map(|index| sequences.ids[index].as_slice());
        match self.kind {
            RougeKind::Ngram(order) => {
                let hits = common_ngrams(sequences, [0, 1], order);
                let total = |ids: &[u32]| (ids.len() + 1).saturating_sub(order);
                let hits = hits.last().copied().unwrap_or_default();
                [hits, total(reference), total(hypothesis)]
            }
            RougeKind::Lcs | RougeKind::LcsSummary => {
                let hits = lcs_length(reference, hypothesis, sequences.distinct);
                [hits, reference.len(), hypothesis.len()]
            }
        }
    }

    /// Whether the metric reads a text as a whole, as all but ROUGE-Lsum do.
    pub(crate) fn shares_tokens(self) -> bool {
        self.kind != RougeKind::LcsSummary
    }

    /// Statistics by several metrics whose tokens are the same, for one reading of the texts.
    pub(crate) fn statistics_of_all(
        metrics: &[Self],
        hypothesis: &str,
        reference: &str,
    ) -> Vec<Vec<i64>> {
        let use_stemmer = metrics.first().is_some_and(|metric| metric.use_stemmer);
        let sequences = intern_rouge_tokens([hypothesis, reference], use_stemmer);
        let row = |metric: &Self| metric.hits(&sequences).map(statistic).to_vec();
        metrics.iter().map(row).collect()
    }
}

impl TextMetric for Rouge {
    fn signature(&self) -> String {
        format!(
            "rouge_score|type:{}|stem:{}|split:newline|rev:1",
            self.kind.name(),
            if self.use_stemmer {
                "nltk_porter"
            } else {
                "no"
            },
        )
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let references = if references.is_empty() {
            &[""]
        } else {
            references
        };
        let mut best: Option<(f64, Vec<i64>)> = None;
        for reference in references {
            let row = self.pair(hypothesis, reference).map(statistic).to_vec();
            let score = self.score(&row);
            if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                best = Some((score, row));
            }
        }
        best.map_or_else(Vec::new, |(_, row)| row)
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        self.overlap(statistics).f_measure
    }

    fn is_additive(&self) -> bool {
        false
    }
}

/// Union of the subsequences of each reference line with every hypothesis line; a token hits at
/// most as often as it occurs on either side.
fn summary_hits(hypothesis: &[Vec<String>], reference: &[Vec<String>]) -> [usize; 3] {
    let sequences = intern(
        hypothesis
            .iter()
            .chain(reference)
            .map(|line| line.iter().map(String::as_str)),
    );
    let (hypothesis, reference) = sequences.ids.split_at(hypothesis.len());
    let length = |lines: &[Vec<u32>]| lines.iter().map(Vec::len).sum::<usize>();
    let mut left = [
        vec![0_u32; sequences.distinct],
        vec![0_u32; sequences.distinct],
    ];
    for (counts, lines) in left.iter_mut().zip([hypothesis, reference]) {
        for &id in lines.iter().flatten() {
            counts[id as usize] += 1;
        }
    }
    let [left_in_hypothesis, left_in_reference] = &mut left;
    let mut hits = 0;
    for line in reference {
        let mut in_union = vec![false; line.len()];
        for other in hypothesis {
            for (position, _) in lcs_positions(line, other, sequences.distinct) {
                in_union[position] = true;
            }
        }
        for (&id, _) in line.iter().zip(in_union).filter(|(_, in_union)| *in_union) {
            let id = id as usize;
            if left_in_hypothesis[id] > 0 && left_in_reference[id] > 0 {
                hits += 1;
                left_in_hypothesis[id] -= 1;
                left_in_reference[id] -= 1;
            }
        }
    }
    [hits, length(reference), length(hypothesis)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        let rouge = |name| Rouge {
            kind: RougeKind::from_name(name).unwrap(),
            use_stemmer: false,
        };
        let (prediction, target) = ("the cat sat", "the black cat");
        assert_eq!(rouge("rouge1").statistics(prediction, &[target]), [2, 3, 3]);
        assert_eq!(rouge("rouge2").statistics(prediction, &[target]), [0, 2, 2]);
        assert_eq!(rouge("rougeL").statistics(prediction, &[target]), [2, 3, 3]);
        assert_eq!(rouge("rougeLsum").statistics("a b\nc", &["a c"]), [2, 2, 3]);
        assert_eq!(rouge("rouge1").statistics("脾虚", &["脾虚"]), [0, 0, 0]);
        assert_eq!(rouge("rouge1").statistics("a b", &["c", "a"]), [1, 1, 2]);
        for name in ["rouge0", "rouge10", "rouge+1", "rouge", "L"] {
            assert_eq!(RougeKind::from_name(name), None, "{name}");
        }
    }

    proptest! {
        #[test]
        fn swapping_swaps_precision_and_recall(one in "[abc \n]{0,15}", other in "[abc ]{0,15}") {
            for kind in [RougeKind::Ngram(1), RougeKind::Ngram(2), RougeKind::Lcs] {
                let rouge = Rouge { kind, use_stemmer: true };
                let forward = rouge.overlap(&rouge.statistics(&one, &[&other]));
                let backward = rouge.overlap(&rouge.statistics(&other, &[&one]));
                prop_assert_eq!(forward.precision.to_bits(), backward.recall.to_bits());
                prop_assert!((0.0..=1.0).contains(&forward.f_measure));
            }
        }
    }
}
