//! An encoder: a network with its vocabulary.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use crate::arithmetic::unit_length;
use crate::cache::{RowCache, row_cache};
use crate::config::{Config, embedding_options};
use crate::embedding::{EmbeddingOptions, Pooling};
use crate::error::ModelError;
use crate::locate::encoder_folder;
use crate::network::{Network, Workspace};
use crate::tokens::{TokenizedText, Vocabulary};
use crate::weights::Weights;

/// Bytes of results that an encoder keeps for texts that come again.
const CACHE_BYTES: u64 = 256 << 20;

/// Tokens computed in one go: enough that reading the weights is a small part of the work, few
/// enough that what lies between two layers stays in a core's cache.
const MOST_TOKENS_AT_ONCE: usize = 256;

/// With fewer tokens than this in one go the work is not worth sharing.
const LEAST_TOKENS_AT_ONCE: usize = 64;

/// A local encoder of texts.
///
/// Results do not depend on what is computed together, on the order or on the number of threads;
/// rayon's threads are used.
#[derive(Debug)]
pub struct Encoder {
    name: String,
    network: Network,
    vocabulary: Vocabulary,
    embedding: EmbeddingOptions,
    weights_sha256: String,
    cache: RowCache<CacheKey>,
}

/// Hidden states of one text.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenStates {
    /// The text as it was read.
    pub text: TokenizedText,
    /// States of its tokens one after the other, special tokens included.
    pub values: Vec<f32>,
    /// Numbers of one state.
    pub width: usize,
}

/// What is computed from hidden states, and kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Derived {
    /// The states of a layer, with length 1.
    Directions { layer: usize },
    /// The embedding of the text.
    Pooled { pooling: Pooling, normalize: bool },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CacheKey {
    derived: Derived,
    ids: Arc<[u32]>,
}

impl Encoder {
    /// Finds an encoder by name and reads it.
    ///
    /// # Errors
    /// When no folder of models holds it, or a file of it cannot be used.
    pub fn open(name: &str) -> Result<Self, ModelError> {
        Self::read(name, &encoder_folder(name)?)
    }

    /// Reads the encoder in a folder; `name` stands for it in signatures.
    ///
    /// # Errors
    /// When a file of it is absent or cannot be used.
    pub fn read(name: &str, folder: &Path) -> Result<Self, ModelError> {
        let config = Config::read(folder)?;
        let weights = Weights::read(folder)?;
        Ok(Self {
            name: name.to_owned(),
            network: Network::read(&weights, &config)?,
            vocabulary: Vocabulary::read(folder, config.most_tokens(), config.vocabulary)?,
            embedding: embedding_options(folder)?,
            weights_sha256: weights.sha256,
            cache: row_cache(CACHE_BYTES),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The last layer; layer 0 is the embeddings of tokens.
    pub fn last_layer(&self) -> usize {
        self.network.last_layer()
    }

    /// Numbers of a hidden state and of an embedding.
    pub fn width(&self) -> usize {
        self.network.width()
    }

    /// SHA-256 of `model.safetensors`, hexadecimal.
    pub fn weights_sha256(&self) -> &str {
        &self.weights_sha256
    }

    /// Name and files as `model:…|weights:…|vocabulary:…`, for signatures.
    pub fn signature(&self) -> String {
        format!(
            "model:{}|weights:{}|vocabulary:{}",
            self.name, self.weights_sha256, self.vocabulary.sha256
        )
    }

    /// How the folder wants sentences to be embedded.
    pub fn embedding_options(&self) -> EmbeddingOptions {
        self.embedding
    }

    /// Splits a text into tokens.
    ///
    /// # Errors
    /// When the vocabulary's rules fail on it.
    pub fn tokenize(&self, text: &str) -> Result<TokenizedText, ModelError> {
        self.vocabulary.tokenize(text, usize::MAX)
    }

    /// Splits texts into at most `most` tokens each.
    pub(crate) fn tokenize_all(
        &self,
        texts: &[&str],
        most: usize,
    ) -> Result<Vec<TokenizedText>, ModelError> {
        let tokenize = |text: &&str| self.vocabulary.tokenize(text, most);
        if texts.len() < 8 {
            return texts.iter().map(tokenize).collect();
        }
        texts.par_iter().map(tokenize).collect()
    }

    /// Ids of the tokens that stand around every text.
    pub(crate) fn special_ids(&self) -> [u32; 2] {
        self.vocabulary.special()
    }

    /// Hidden states of a layer; nothing of it is kept.
    ///
    /// # Errors
    /// When the encoder has no such layer, or a text cannot be split into tokens.
    pub fn hidden_states(
        &self,
        texts: &[&str],
        layer: usize,
    ) -> Result<Vec<HiddenStates>, ModelError> {
        self.check_layer(layer)?;
        let tokenized = self.tokenize_all(texts, usize::MAX)?;
        let ids: Vec<&[u32]> = tokenized.iter().map(TokenizedText::ids).collect();
        let states = self.compute(&ids, &[layer], |states| states[0].to_vec());
        Ok(tokenized
            .into_iter()
            .zip(states)
            .map(|(text, values)| HiddenStates {
                text,
                values,
                width: self.width(),
            })
            .collect())
    }

    /// Whether there is such a layer.
    ///
    /// # Errors
    /// When there is none.
    pub fn check_layer(&self, layer: usize) -> Result<(), ModelError> {
        let last = self.last_layer();
        if layer > last {
            return Err(ModelError::Layer { asked: layer, last });
        }
        Ok(())
    }

    /// All of `wanted` for each text, from the cache where it is there; each distinct text is
    /// computed once. Layers must exist.
    pub(crate) fn derive(&self, texts: &[&Arc<[u32]>], wanted: &[Derived]) -> Vec<Vec<Arc<[f32]>>> {
        let mut places: HashMap<&[u32], usize> = HashMap::new();
        let mut distinct: Vec<&Arc<[u32]>> = Vec::new();
        let place_of_text: Vec<usize> = texts
            .iter()
            .map(|text| {
                *places.entry(text).or_insert_with(|| {
                    distinct.push(text);
                    distinct.len() - 1
                })
            })
            .collect();
        let mut values: Vec<Option<Vec<Arc<[f32]>>>> = {
            let kept = |ids: &Arc<[u32]>| {
                let key = |derived: &Derived| CacheKey {
                    derived: *derived,
                    ids: Arc::clone(ids),
                };
                wanted
                    .iter()
                    .map(|derived| self.cache.get(&key(derived)))
                    .collect()
            };
            distinct.iter().copied().map(kept).collect()
        };
        let missing: Vec<usize> = (0..distinct.len())
            .filter(|&place| values[place].is_none())
            .collect();
        let ids: Vec<&[u32]> = missing.iter().map(|&place| &**distinct[place]).collect();
        let computed = self.compute_derived(&ids, wanted);
        for (place, computed) in missing.into_iter().zip(computed) {
            for (derived, value) in wanted.iter().zip(&computed) {
                let key = CacheKey {
                    derived: *derived,
                    ids: Arc::clone(distinct[place]),
                };
                self.cache.insert(key, Arc::clone(value));
            }
            values[place] = Some(computed);
        }
        place_of_text
            .into_iter()
            .map(|place| values[place].clone().unwrap_or_default())
            .collect()
    }

    fn compute_derived(&self, texts: &[&[u32]], wanted: &[Derived]) -> Vec<Vec<Arc<[f32]>>> {
        let layer_of = |derived: &Derived| match *derived {
            Derived::Directions { layer } => layer,
            Derived::Pooled { .. } => self.last_layer(),
        };
        let mut layers: Vec<usize> = wanted.iter().map(layer_of).collect();
        layers.sort_unstable();
        layers.dedup();
        self.compute(texts, &layers, |states| {
            wanted
                .iter()
                .map(|derived| {
                    let index = layers.partition_point(|layer| *layer < layer_of(derived));
                    derived.of_states(states[index], self.width())
                })
                .collect()
        })
    }

    /// Runs the network over texts and turns the states of each, once for every layer, into a
    /// result.
    fn compute<R: Send>(
        &self,
        texts: &[&[u32]],
        layers: &[usize],
        result: impl Fn(&[&[f32]]) -> R + Sync,
    ) -> Vec<R> {
        let run = |space: &mut Workspace, unit: &Vec<usize>| -> Vec<(usize, R)> {
            let together: Vec<&[u32]> = unit.iter().map(|&index| texts[index]).collect();
            let states = self.network.forward(&together, layers, space);
            let mut first = 0;
            unit.iter()
                .map(|&index| {
                    let end = first + texts[index].len() * self.width();
                    let of_text: Vec<&[f32]> =
                        states.iter().map(|states| &states[first..end]).collect();
                    first = end;
                    (index, result(&of_text))
                })
                .collect()
        };
        let units = units(texts, rayon::current_num_threads());
        let mut results: Vec<(usize, R)> = if let [unit] = units.as_slice() {
            run(&mut Workspace::default(), unit)
        } else {
            units
                .par_iter()
                .with_max_len(1)
                .map_init(Workspace::default, run)
                .flatten_iter()
                .collect()
        };
        results.sort_unstable_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

impl Derived {
    fn of_states(self, states: &[f32], width: usize) -> Arc<[f32]> {
        match self {
            Self::Directions { .. } => {
                let mut directions = states.to_vec();
                unit_length(&mut directions, width);
                directions.into()
            }
            Self::Pooled { pooling, normalize } => {
                let mut vector = match pooling {
                    Pooling::Cls => states[..width].to_vec(),
                    Pooling::Mean => mean(states, width),
                };
                if normalize {
                    unit_length(&mut vector, width);
                }
                vector.into()
            }
        }
    }
}

fn mean(states: &[f32], width: usize) -> Vec<f32> {
    let mut mean = vec![0.0; width];
    for state in states.chunks_exact(width) {
        for (sum, value) in mean.iter_mut().zip(state) {
            *sum += value;
        }
    }
    let count = (states.len() / width) as f32;
    for sum in &mut mean {
        *sum /= count;
    }
    mean
}

/// Texts that are computed together, the longest first, so that threads end at the same time.
fn units(texts: &[&[u32]], threads: usize) -> Vec<Vec<usize>> {
    let tokens: usize = texts.iter().map(|text| text.len()).sum();
    let most = (tokens / threads.max(1)).clamp(LEAST_TOKENS_AT_ONCE, MOST_TOKENS_AT_ONCE);
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(texts[index].len()));
    let mut units: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for index in order {
        let length = texts[index].len();
        match units.last_mut() {
            Some(unit) if length <= room => {
                unit.push(index);
                room -= length;
            }
            _ => {
                units.push(vec![index]);
                room = most.saturating_sub(length);
            }
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_hold_every_text_once_and_no_more_than_fits() {
        let lengths = [3, 300, 100, 120, 2, 90, 200];
        let texts: Vec<Vec<u32>> = lengths.iter().map(|length| vec![0; *length]).collect();
        let texts: Vec<&[u32]> = texts.iter().map(Vec::as_slice).collect();
        let units = units(&texts, 1);
        let mut all: Vec<usize> = units.iter().flatten().copied().collect();
        assert_eq!(units[0], [1]);
        for unit in &units {
            let tokens: usize = unit.iter().map(|&index| lengths[index]).sum();
            assert!(unit.len() == 1 || tokens <= MOST_TOKENS_AT_ONCE);
        }
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5, 6]);
        assert!(super::units(&[], 2).is_empty());
        // Little work is not shared, more is.
        assert_eq!(super::units(&texts[4..5], 2).len(), 1);
        assert_eq!(super::units(&texts[2..4], 2).len(), 2);
    }
}
