//! Weights of tokens by how rare they are.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::encoder::Encoder;
use crate::error::ModelError;

/// Inverse document frequencies over a set of texts: `ln((N + 1) / (df + 1))`, for tokens that no
/// text has `ln(N + 1)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Idf {
    weights: BTreeMap<u32, f32>,
    unseen: f32,
    texts: usize,
}

impl Idf {
    /// Counts in how many of the texts each token is; usually all references of a study.
    ///
    /// # Errors
    /// When a text cannot be split into tokens.
    pub fn of_texts(encoder: &Encoder, texts: &[&str]) -> Result<Self, ModelError> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for text in encoder.tokenize_all(texts, usize::MAX)? {
            let distinct: BTreeSet<u32> = text.ids().iter().copied().collect();
            for id in distinct {
                *counts.entry(id).or_default() += 1;
            }
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "weights are 32-bit floats in the reference implementation too"
        )]
        let weight = |count: usize| ((texts.len() + 1) as f64 / (count + 1) as f64).ln() as f32;
        Ok(Self {
            unseen: weight(0),
            weights: counts
                .into_iter()
                .map(|(id, count)| (id, weight(count)))
                .collect(),
            texts: texts.len(),
        })
    }

    /// Number of texts and a hash of the weights.
    pub(super) fn signature(&self) -> String {
        let mut hash = Sha256::new();
        for (id, weight) in &self.weights {
            hash.update(id.to_le_bytes());
            hash.update(weight.to_le_bytes());
        }
        let digest = hash.finalize();
        let short = digest
            .iter()
            .take(8)
            .fold(0_u64, |short, byte| (short << 8) | u64::from(*byte));
        format!("{}-{short:016x}", self.texts)
    }
}

/// One weight for each token; without frequencies 1, and 0 for the special tokens.
pub(super) fn weights(ids: &[u32], special: [u32; 2], idf: Option<&Idf>) -> Vec<f32> {
    ids.iter()
        .map(|id| match idf {
            Some(idf) => idf.weights.get(id).copied().unwrap_or(idf.unseen),
            None if special.contains(id) => 0.0,
            None => 1.0,
        })
        .collect()
}
