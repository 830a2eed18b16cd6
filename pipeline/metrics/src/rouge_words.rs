//! ROUGE as the packages `rouge` and `rouge-chinese` compute it, over words between spaces.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::metric::{TextMetric, ratio, statistic, value};
use crate::rouge::Overlap;
use crate::text::jieba;
use crate::text::lcs::{lcs_length, lcs_positions};
use crate::text::ngrams::{NgramLadder, Sequences, intern};
use crate::text::tokens::Tokens;
use crate::text::whitespace::{collapse, strip_end};

/// Which package is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RougePackage {
    /// `rouge` 1.0.1: sentences end at every `.`, even in `3.5`; ROUGE-L counts different words.
    Pltrdy,
    /// `rouge-chinese` 1.0.3: sentences end at `。！？?` and ellipses; ROUGE-L is the longest
    /// common subsequence of all words.
    Chinese,
}

/// How text gets the spaces between its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Segmentation {
    /// It has them.
    #[default]
    Spaces,
    /// `' '.join(jieba.cut(text))`.
    Jieba,
    /// A space between any two code points.
    Characters,
}

impl Segmentation {
    fn name(self) -> &'static str {
        match self {
            Self::Spaces => "spaces",
            Self::Jieba => "jieba-0.42.1",
            Self::Characters => "chars",
        }
    }

    fn segment(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Spaces => Cow::Borrowed(text),
            Self::Jieba => Cow::Owned(jieba::cut(text, true).join(" ")),
            Self::Characters => Cow::Owned(Tokens::Characters.split(text).join(" ")),
        }
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WordRougeKind {
    /// Different n-grams: repetition does not count.
    Ngram(usize),
    /// Longest common subsequence.
    Lcs,
}

/// ROUGE over words between spaces, 0 to 1. The value is the F-measure.
///
/// Precision = hits / hypothesis, recall = hits / reference, F = 2 P R / (P + R + 10⁻⁸): identical
/// text scores 0.999999995. Case is kept.
/// A corpus value is the mean over pairs; with several references the best F-measure counts.
///
/// Statistics: hits, size of the reference, size of the hypothesis.
/// Signature keys: `package`, `type`, `seg`.
///
/// Source: `rouge` 1.0.1 and `rouge-chinese` 1.0.3 with their defaults. Known divergence: where
/// they raise an error (a text without any sentence) all statistics are 0 and so is the score;
/// see [`WordRouge::has_sentences`]. Long texts do not exhaust the stack here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordRouge {
    /// Package.
    pub package: RougePackage,
    /// What is counted.
    pub kind: WordRougeKind,
    /// How words are separated; Chinese text needs it.
    pub segmentation: Segmentation,
}

impl WordRouge {
    /// Computes precision, recall and F-measure from statistics.
    pub fn overlap(self, statistics: &[i64]) -> Overlap {
        let hits = value(statistics, 0);
        let recall = ratio(hits, value(statistics, 1));
        let precision = ratio(hits, value(statistics, 2));
        let f_measure = 2.0 * (precision * recall / (precision + recall + 1e-8));
        Overlap {
            precision,
            recall,
            f_measure,
        }
    }

    /// Whether the packages accept the text; if not they raise an error.
    pub fn has_sentences(self, text: &str) -> bool {
        !self.sentences(text).is_empty()
    }

    /// Words by sentence. A sentence of whitespace alone is one empty word, as in the reference.
    fn sentences(self, text: &str) -> Vec<Vec<String>> {
        let text = &self.segmentation.segment(text);
        let words = |sentence: &str| collapse(sentence).split(' ').map(str::to_owned).collect();
        match self.package {
            RougePackage::Pltrdy => text
                .split('.')
                .filter(|sentence| !sentence.is_empty())
                .map(words)
                .collect(),
            RougePackage::Chinese => strip_end(&break_chinese(text))
                .split('\n')
                .filter(|sentence| !sentence.is_empty())
                .map(words)
                .collect(),
        }
    }

    fn pair(self, hypothesis: &str, reference: &str) -> [usize; 3] {
        let (hypothesis, reference) = (self.sentences(hypothesis), self.sentences(reference));
        if hypothesis.is_empty() || reference.is_empty() {
            return [0; 3];
        }
        match (self.kind, self.package) {
            (WordRougeKind::Ngram(order), _) => {
                ngram_hits(&interned(&hypothesis, &reference), order)
            }
            (WordRougeKind::Lcs, RougePackage::Pltrdy) => union_hits(&hypothesis, &reference),
            (WordRougeKind::Lcs, RougePackage::Chinese) => {
                let sequences = interned(&hypothesis, &reference);
                let (hypothesis, reference) = (&sequences.ids[0], &sequences.ids[1]);
                let hits = lcs_length(reference, hypothesis, sequences.distinct);
                [hits, reference.len(), hypothesis.len()]
            }
        }
    }
}

impl TextMetric for WordRouge {
    fn signature(&self) -> String {
        let package = match self.package {
            RougePackage::Pltrdy => "rouge",
            RougePackage::Chinese => "rouge-chinese",
        };
        let kind = match self.kind {
            WordRougeKind::Ngram(order) => order.to_string(),
            WordRougeKind::Lcs => "l".to_owned(),
        };
        let segmentation = self.segmentation.name();
        format!("rouge_words|package:{package}|type:{kind}|seg:{segmentation}|rev:1")
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let mut best: Option<(f64, Vec<i64>)> = None;
        for reference in references {
            let row = self.pair(hypothesis, reference).map(statistic).to_vec();
            let score = self.score(&row);
            if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                best = Some((score, row));
            }
        }
        best.map_or_else(|| vec![0; 3], |(_, row)| row)
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        self.overlap(statistics).f_measure
    }

    fn is_additive(&self) -> bool {
        false
    }
}

/// The words of two texts as ids.
fn interned(hypothesis: &[Vec<String>], reference: &[Vec<String>]) -> Sequences {
    intern([hypothesis, reference].map(|text| text.iter().flatten().map(String::as_str)))
}

/// Different n-grams in both, in the reference, in the hypothesis.
fn ngram_hits(sequences: &Sequences, order: usize) -> [usize; 3] {
    let mut ladder = NgramLadder::new(sequences);
    for _ in 1..order {
        ladder.advance();
    }
    let (hypothesis, reference) = (ladder.counts(0), ladder.counts(1));
    let hits = hypothesis
        .iter()
        .zip(&reference)
        .filter(|(h, r)| **h > 0 && **r > 0)
        .count();
    [hits, ladder.distinct_in(1), ladder.distinct_in(0)]
}

/// Different words in any subsequence of a reference sentence with a hypothesis sentence.
fn union_hits(hypothesis: &[Vec<String>], reference: &[Vec<String>]) -> [usize; 3] {
    let sequences = intern(
        hypothesis
            .iter()
            .chain(reference)
            .map(|words| words.iter().map(String::as_str)),
    );
    let (hypothesis, reference) = sequences.ids.split_at(hypothesis.len());
    let different =
        |sentences: &[Vec<u32>]| sentences.iter().flatten().collect::<BTreeSet<_>>().len();
    let mut union = BTreeSet::new();
    for words in reference {
        for other in hypothesis {
            // The reference goes back in the hypothesis first when it is free to choose.
            for (position, _) in lcs_positions(other, words, sequences.distinct) {
                union.insert(other[position]);
            }
        }
    }
    [union.len(), different(reference), different(hypothesis)]
}

/// Puts a line break behind the end of every Chinese sentence.
fn break_chinese(text: &str) -> String {
    // The patterns are constants and cannot fail to compile.
    static RULES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        [
            r"([。！？?])([^”’])",
            r"(\.{6})([^”’])",
            r"(…{2})([^”’])",
            r"([。！？?][”’])([^，。！？?])",
        ]
        .into_iter()
        .filter_map(|pattern| Regex::new(pattern).ok())
        .collect()
    });
    let mut broken = text.to_owned();
    for pattern in RULES.iter() {
        broken = pattern.replace_all(&broken, "${1}\n${2}").into_owned();
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLTRDY: WordRouge = WordRouge {
        package: RougePackage::Pltrdy,
        kind: WordRougeKind::Ngram(1),
        segmentation: Segmentation::Spaces,
    };

    #[test]
    fn pltrdy_counts_different_words() {
        assert_eq!(
            PLTRDY.statistics("pain pain pain pain", &["pain"]),
            [1, 1, 1]
        );
        assert!((PLTRDY.sentence("a b", &["a b"]) - 0.999_999_995).abs() < 1e-12);
        assert_eq!(PLTRDY.statistics("", &["a"]), [0, 0, 0]);
        assert!(!PLTRDY.has_sentences("...") && PLTRDY.has_sentences(" "));
        let lcs = WordRouge {
            kind: WordRougeKind::Lcs,
            ..PLTRDY
        };
        assert_eq!(lcs.statistics("a b. c d", &["d c b a"]), [2, 4, 4]);
    }

    #[test]
    fn chinese_sentences_and_words() {
        assert_eq!(
            break_chinese("痛。“走！”好……\n吗？"),
            "痛。\n“走！”\n好……\n\n吗？"
        );
        let rouge = WordRouge {
            package: RougePackage::Chinese,
            kind: WordRougeKind::Lcs,
            segmentation: Segmentation::Spaces,
        };
        assert_eq!(rouge.statistics("脾 虚 脾", &["脾 脾"]), [2, 2, 3]);
        let characters = WordRouge {
            segmentation: Segmentation::Characters,
            ..rouge
        };
        assert_eq!(characters.statistics("脾虚脾", &["脾脾"]), [2, 2, 3]);
        let words = WordRouge {
            segmentation: Segmentation::Jieba,
            ..rouge
        };
        assert_eq!(
            words.statistics("来到清华大学", &["他来到清华大学"]),
            [2, 3, 2]
        );
        assert_eq!(
            words.signature(),
            "rouge_words|package:rouge-chinese|type:l|seg:jieba-0.42.1|rev:1"
        );
    }
}
