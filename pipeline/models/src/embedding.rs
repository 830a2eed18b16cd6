//! Sentence embeddings.

use std::sync::Arc;

use crate::encoder::{Derived, Encoder};
use crate::error::ModelError;
use crate::reading::Reading;

/// How the states of tokens become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pooling {
    /// The mean over all tokens, special ones included.
    Mean,
    /// The state of the first, special token.
    Cls,
}

impl Pooling {
    /// The name used in signatures.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
        }
    }
}

/// How sentences are embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EmbeddingOptions {
    /// From tokens to a sentence.
    pub pooling: Pooling,
    /// Whether vectors have length 1.
    pub normalize: bool,
    /// Most tokens of a sentence, special ones included, if fewer than the encoder takes.
    pub most_tokens: Option<usize>,
}

impl EmbeddingOptions {
    /// The settings as `key:value|…`.
    pub fn signature(&self) -> String {
        let most = self
            .most_tokens
            .map_or_else(|| "all".to_owned(), |most| most.to_string());
        format!(
            "pool:{}|norm:{}|tokens:{most}",
            self.pooling.as_str(),
            if self.normalize { "yes" } else { "no" },
        )
    }
}

/// Vectors of sentences, in the order of the sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct Embeddings {
    /// One vector for each sentence.
    pub vectors: Vec<Arc<[f32]>>,
    /// How well the vocabulary reads the sentences.
    pub reading: Reading,
}

impl Encoder {
    /// Embeds sentences; each distinct one is computed once.
    ///
    /// With [`Encoder::embedding_options`] a vector is what sentence-transformers' `encode` gives
    /// for the same folder, up to rounding.
    ///
    /// # Errors
    /// When a text cannot be split into tokens.
    pub fn embed(
        &self,
        sentences: &[&str],
        options: &EmbeddingOptions,
    ) -> Result<Embeddings, ModelError> {
        let most = options.most_tokens.unwrap_or(usize::MAX);
        let tokenized = self.tokenize_all(sentences, most)?;
        let mut reading = Reading::default();
        for text in &tokenized {
            reading.add(text);
        }
        let texts: Vec<&Arc<[u32]>> = tokenized
            .iter()
            .map(super::tokens::TokenizedText::shared_ids)
            .collect();
        let pooled = Derived::Pooled {
            pooling: options.pooling,
            normalize: options.normalize,
        };
        let vectors = self
            .derive(&texts, &[pooled])
            .into_iter()
            .flatten()
            .collect();
        Ok(Embeddings { vectors, reading })
    }
}

/// Cosine of the angle between two vectors.
///
/// `None` when they have different lengths, or one has no direction because all of it is 0 or some
/// of it is no number.
pub fn cosine(one: &[f32], other: &[f32]) -> Option<f64> {
    if one.len() != other.len() {
        return None;
    }
    let product = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    let lengths = (product(one, one) * product(other, other)).sqrt();
    let cosine = product(one, other) / lengths;
    cosine.is_finite().then(|| cosine.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosines_are_defined_where_directions_are() {
        assert_eq!(cosine(&[3.0, 4.0], &[3.0, 4.0]), Some(1.0));
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 2.0]), Some(0.0));
        assert_eq!(cosine(&[1.0, 0.0], &[-5.0, 0.0]), Some(-1.0));
        assert_eq!(cosine(&[0.0, 0.0], &[1.0, 0.0]), None);
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), None);
        assert_eq!(cosine(&[f32::NAN], &[1.0]), None);
    }
}
