//! `BERTScore`: every token finds the token of the other text that is most like it.
//!
//! P is the mean over the hypothesis' tokens of the greatest cosine with any token of the
//! reference, R the same with the sides changed, F their harmonic mean. Source: the package
//! `bert-score` 0.3.13. Special tokens have no weight in the means but can be found.

mod baseline;
mod greedy;
mod idf;

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use crate::encoder::{Derived, Encoder};
use crate::error::ModelError;
use crate::reading::Reading;
use crate::tokens::TokenizedText;

pub use baseline::Baseline;
use greedy::{Side, Similarities};
pub use idf::Idf;

/// Bytes of token vectors that are held at once.
const BYTES_AT_ONCE: usize = 64 << 20;

/// Precision, recall and F of one pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BertScore {
    /// P; NaN when no token of the hypothesis has a weight.
    pub precision: f64,
    /// R; NaN when no token of the reference has a weight.
    pub recall: f64,
    /// F; 0 when P or R is NaN, as the reference implementation has it.
    pub f1: f64,
}

/// Whether pairs are filled up to the longest of their batch.
///
/// The reference implementation gives filled-up places the similarity 0, so that a token whose
/// best similarity is negative scores 0 in a batch and less than 0 alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Padding {
    /// Every pair as if it were alone.
    #[default]
    None,
    /// As the reference implementation does in batches of this many pairs, in the order given.
    Batches(usize),
}

/// What a `BERTScore` is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct BertScoreOptions {
    /// The layer whose states are compared; 0 is the embeddings.
    pub layer: usize,
    /// Weights of tokens; all the same when absent.
    pub idf: Option<Arc<Idf>>,
    /// Rescales to `(x - b) / (1 - b)`.
    pub baseline: Option<Baseline>,
    /// Alone or in batches.
    pub padding: Padding,
}

/// `BERTScore`s in the order of the pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct BertScores {
    /// One for each pair; with many references the greatest P, R and F, each for itself.
    pub scores: Vec<BertScore>,
    /// How well the vocabulary reads the texts, each counted as often as it was given.
    pub reading: Reading,
}

/// `BERTScore`s of all layers in the order of the pairs.
#[derive(Clone, Debug, PartialEq)]
pub struct LayeredBertScores {
    /// For each pair one score for each layer, embeddings first.
    pub scores: Vec<Vec<BertScore>>,
    /// How well the vocabulary reads the texts.
    pub reading: Reading,
}

/// A hypothesis with its references; without any, one that is empty.
type Pair<'text> = (&'text str, &'text [&'text str]);

impl BertScoreOptions {
    /// The layer alone, without weights, rescaling and batches.
    pub fn of_layer(layer: usize) -> Self {
        Self {
            layer,
            idf: None,
            baseline: None,
            padding: Padding::None,
        }
    }

    /// Everything that must be equal before two values may be compared, the encoder included.
    pub fn signature(&self, encoder: &Encoder) -> String {
        let idf = self
            .idf
            .as_ref()
            .map_or_else(|| "no".to_owned(), |idf| idf.signature());
        let baseline = self
            .baseline
            .map_or_else(|| "no".to_owned(), Baseline::signature);
        let padding = match self.padding {
            Padding::None => "no".to_owned(),
            Padding::Batches(size) => size.to_string(),
        };
        format!(
            "bertscore|{}|layer:{}|idf:{idf}|rescale:{baseline}|pad:{padding}|rev:1",
            encoder.signature(),
            self.layer,
        )
    }
}

impl BertScore {
    fn greatest(self, other: Self) -> Self {
        // As torch has it: NaN is the greatest.
        let greatest = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
        Self {
            precision: greatest(self.precision, other.precision),
            recall: greatest(self.recall, other.recall),
            f1: greatest(self.f1, other.f1),
        }
    }
}

impl Encoder {
    /// The layer that `bert-score` takes for a model of this name; the last one for others.
    pub fn usual_layer(&self) -> usize {
        let name = self.name().rsplit('/').next().unwrap_or_default();
        let layer = match name {
            "bert-base-chinese" => 8,
            "bert-base-uncased" | "bert-base-multilingual-cased" | "xlm-roberta-base" => 9,
            "roberta-base" => 10,
            "roberta-large" | "xlm-roberta-large" => 17,
            "bert-large-uncased" => 18,
            "roberta-large-mnli" => 19,
            _ => usize::MAX,
        };
        layer.min(self.last_layer())
    }

    /// Scores pairs of a hypothesis and its references.
    ///
    /// # Errors
    /// When the encoder has no such layer, or a text cannot be split into tokens.
    pub fn bert_scores(
        &self,
        pairs: &[(&str, &[&str])],
        options: &BertScoreOptions,
    ) -> Result<BertScores, ModelError> {
        let idf = options.idf.as_deref();
        let (scores, reading) = self.score_layers(pairs, &[options.layer], idf, options.padding)?;
        let rescaled = |score: BertScore| {
            options
                .baseline
                .map_or(score, |baseline| baseline.rescale(score))
        };
        Ok(BertScores {
            scores: scores.into_iter().flatten().map(rescaled).collect(),
            reading,
        })
    }

    /// Scores pairs by every layer.
    ///
    /// # Errors
    /// When a text cannot be split into tokens.
    pub fn bert_scores_by_layer(
        &self,
        pairs: &[(&str, &[&str])],
        idf: Option<&Idf>,
        padding: Padding,
    ) -> Result<LayeredBertScores, ModelError> {
        let layers: Vec<usize> = (0..=self.last_layer()).collect();
        let (scores, reading) = self.score_layers(pairs, &layers, idf, padding)?;
        Ok(LayeredBertScores { scores, reading })
    }

    fn score_layers(
        &self,
        pairs: &[Pair<'_>],
        layers: &[usize],
        idf: Option<&Idf>,
        padding: Padding,
    ) -> Result<(Vec<Vec<BertScore>>, Reading), ModelError> {
        for layer in layers {
            self.check_layer(*layer)?;
        }
        let (texts, comparisons, reading) = self.lay_out(pairs, padding)?;
        let wanted: Vec<Derived> = layers
            .iter()
            .map(|&layer| Derived::Directions { layer })
            .collect();
        let weights: Vec<Vec<f32>> = texts
            .iter()
            .map(|text| idf::weights(text.ids(), self.special_ids(), idf))
            .collect();
        let mut scores: Vec<Vec<BertScore>> = vec![Vec::new(); pairs.len()];
        let bytes_per_token = layers.len() * self.width() * size_of::<f32>();
        let mut rest = comparisons.as_slice();
        while !rest.is_empty() {
            let (now, later) = rest.split_at(count_that_fits(rest, &texts, bytes_per_token));
            rest = later;
            let places = places(now);
            let ids: Vec<_> = places.iter().map(|&at| texts[at].shared_ids()).collect();
            let states = self.derive(&ids, &wanted);
            let side = |text: usize, layer: usize| Side {
                states: places
                    .binary_search(&text)
                    .map_or(&[][..], |place| &states[place][layer][..]),
                weights: &weights[text],
            };
            let compare = |space: &mut Similarities, comparison: &Comparison| {
                let score = |layer| {
                    space.score(
                        side(comparison.hypothesis, layer),
                        side(comparison.reference, layer),
                        self.width(),
                        comparison.padded,
                    )
                };
                (0..layers.len()).map(score).collect::<Vec<BertScore>>()
            };
            let of_now: Vec<Vec<BertScore>> = if now.len() < 8 {
                let mut space = Similarities::default();
                now.iter().map(|one| compare(&mut space, one)).collect()
            } else {
                now.par_iter()
                    .map_init(Similarities::default, compare)
                    .collect()
            };
            for (comparison, new) in now.iter().zip(of_now) {
                let known = &mut scores[comparison.pair];
                if known.is_empty() {
                    *known = new;
                } else {
                    for (known, new) in known.iter_mut().zip(new) {
                        *known = known.greatest(new);
                    }
                }
            }
        }
        Ok((scores, reading))
    }

    /// Distinct texts, and which of them are compared, by reference: those that are used again
    /// soon stay at hand.
    fn lay_out(
        &self,
        pairs: &[Pair<'_>],
        padding: Padding,
    ) -> Result<(Vec<TokenizedText>, Vec<Comparison>, Reading), ModelError> {
        let mut distinct: Vec<&str> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        let mut given: Vec<usize> = Vec::new();
        let mut place = |text| {
            let place = *places.entry(text).or_insert_with(|| {
                distinct.push(text);
                distinct.len() - 1
            });
            given.push(place);
            place
        };
        let mut comparisons = Vec::new();
        for (pair, (hypothesis, references)) in pairs.iter().enumerate() {
            let hypothesis = place(*hypothesis);
            let references: &[&str] = if references.is_empty() {
                &[""]
            } else {
                references
            };
            comparisons.extend(references.iter().map(|reference| Comparison {
                pair,
                hypothesis,
                reference: place(*reference),
                padded: [false; 2],
            }));
        }
        let texts = self.tokenize_all(&distinct, usize::MAX)?;
        let mut reading = Reading::default();
        for &place in &given {
            reading.add(&texts[place]);
        }
        if let Padding::Batches(size) = padding {
            for batch in comparisons.chunks_mut(size.max(1)) {
                pad(batch, &texts);
            }
        }
        comparisons.sort_by_key(|one| (one.reference, one.hypothesis, one.pair));
        Ok((texts, comparisons, reading))
    }
}

/// One hypothesis and one reference, as places in the list of texts.
#[derive(Clone, Copy, Debug)]
struct Comparison {
    pair: usize,
    hypothesis: usize,
    reference: usize,
    /// Whether the hypothesis and the reference are filled up.
    padded: [bool; 2],
}

fn pad(batch: &mut [Comparison], texts: &[TokenizedText]) {
    let length = |text: usize| texts[text].ids().len();
    let longest = batch.iter().fold([0, 0], |longest: [usize; 2], one| {
        [
            longest[0].max(length(one.hypothesis)),
            longest[1].max(length(one.reference)),
        ]
    });
    for one in batch {
        one.padded = [
            length(one.hypothesis) < longest[0],
            length(one.reference) < longest[1],
        ];
    }
}

/// How many comparisons, at least one, have texts that may be held at once.
fn count_that_fits(
    comparisons: &[Comparison],
    texts: &[TokenizedText],
    bytes_per_token: usize,
) -> usize {
    let mut bytes = 0;
    let mut last = [usize::MAX; 2];
    let fitting = comparisons.iter().take_while(|one| {
        // Sorted: a text that was just counted is often the next one too.
        for (text, last) in [one.reference, one.hypothesis].into_iter().zip(&mut last) {
            if *last != text {
                bytes += texts[text].ids().len() * bytes_per_token;
                *last = text;
            }
        }
        bytes <= BYTES_AT_ONCE
    });
    fitting.count().max(1)
}

/// The texts of comparisons, each once, ascending.
fn places(comparisons: &[Comparison]) -> Vec<usize> {
    let mut places: Vec<usize> = comparisons
        .iter()
        .flat_map(|one| [one.hypothesis, one.reference])
        .collect();
    places.sort_unstable();
    places.dedup();
    places
}
