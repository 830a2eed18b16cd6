//! Encoders of texts, for scorers and for `consilium metric`.
//!
//! A scorer takes an [`Encoder`]: a local one from an [`EncoderLibrary`], or the `/embeddings` of
//! a backend. Both embed; token by token comparison, `BERTScore`, needs a local one.
//!
//! ```no_run
//! # async fn scores() -> Result<(), Box<dyn std::error::Error>> {
//! use consilium_scorers::encoder::{BertScoreOptions, Encoder, EncoderLibrary, cosine};
//! use tokio_util::sync::CancellationToken;
//!
//! let library = EncoderLibrary::default();
//! let encoder = Encoder::Local(library.open("all-MiniLM-L6-v2")?);
//! let cancel = CancellationToken::new();
//! let embedded = encoder.embed(&["renal failure", "kidney failure"], &cancel).await?;
//! if let [Some(one), Some(other)] = embedded.vectors.as_slice() {
//!     let _similarity: Option<f64> = cosine(one, other);
//! }
//! // A high share of unknown tokens: the value may be shown, but not as a headline number.
//! let _refusal: Option<String> = embedded.reading.refusal();
//!
//! let options = BertScoreOptions::of_layer(6);
//! let pairs: &[(&str, &[&str])] = &[("renal failure", &["kidney failure"])];
//! let _f1 = encoder.bert_scores(pairs, &options).await?.scores[0].f1;
//! # Ok(())
//! # }
//! ```

mod library;
mod reference;

use std::sync::Arc;

use consilium_models::Encoder as LocalEncoder;
use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;

use consilium_backends::{CallFailure, EmbeddingBackend};

pub use consilium_models::{
    Baseline, BertScore, BertScoreOptions, BertScores, EmbeddingOptions, Idf, ModelError, Padding,
    Pooling, Reading, UNKNOWN_SHARE_LIMIT, cosine,
};
pub use library::EncoderLibrary;
pub use reference::{EncoderMetricError, is_encoder_metric};

/// Something that turns texts into vectors.
#[derive(Clone, Debug)]
pub enum Encoder {
    /// A model on this machine. Scorers without tasks may call it directly.
    Local(Arc<LocalEncoder>),
    /// A server's embeddings.
    Remote(Arc<EmbeddingBackend>),
}

/// Vectors of texts.
#[derive(Clone, Debug, PartialEq)]
pub struct TextVectors {
    /// One for each text, in order; a server has none for an empty text.
    pub vectors: Vec<Option<Arc<[f32]>>>,
    /// How well the vocabulary reads the texts; of a server's vocabulary nothing is known, so that
    /// all counts are 0.
    pub reading: Reading,
}

/// Why there are no vectors.
#[derive(Debug, thiserror::Error)]
pub enum EncoderError {
    /// The local encoder cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The server gave none.
    #[error("embed texts with backend '{backend}'")]
    Backend {
        /// Name in the study.
        backend: String,
        /// Why.
        #[source]
        source: CallFailure,
    },
    /// A server says nothing of single tokens.
    #[error(
        "compute BERTScore with backend '{backend}': a server gives no vectors of tokens; hint: \
         name a local encoder"
    )]
    TextsOnly {
        /// Name in the study.
        backend: String,
    },
    /// The work ended early.
    #[error("wait for the encoder")]
    Stopped {
        /// Why.
        #[source]
        source: JoinError,
    },
}

impl Encoder {
    /// What must be equal before embeddings may be compared, as `key:value|…`.
    pub fn signature(&self) -> String {
        match self {
            Self::Local(encoder) => format!(
                "{}|{}",
                encoder.signature(),
                encoder.embedding_options().signature()
            ),
            Self::Remote(backend) => backend.signature(),
        }
    }

    /// Embeds texts as the encoder's folder, or the server, has it; results are kept for texts that
    /// come again.
    ///
    /// # Errors
    /// When the encoder or the server fails.
    pub async fn embed(
        &self,
        texts: &[&str],
        cancel: &CancellationToken,
    ) -> Result<TextVectors, EncoderError> {
        match self {
            Self::Local(encoder) => {
                let encoder = Arc::clone(encoder);
                let texts = owned(texts);
                let embedded = off_thread(move || {
                    encoder.embed(&borrowed(&texts), &encoder.embedding_options())
                })
                .await?;
                Ok(TextVectors {
                    vectors: embedded.vectors.into_iter().map(Some).collect(),
                    reading: embedded.reading,
                })
            }
            Self::Remote(backend) => {
                let vectors = backend.embed(texts, cancel).await;
                vectors
                    .map(|vectors| TextVectors {
                        vectors,
                        reading: Reading::default(),
                    })
                    .map_err(|source| EncoderError::Backend {
                        backend: backend.name().to_owned(),
                        source,
                    })
            }
        }
    }

    /// Scores pairs of a hypothesis and its references.
    ///
    /// # Errors
    /// When the encoder is a server, has no such layer or fails.
    pub async fn bert_scores(
        &self,
        pairs: &[(&str, &[&str])],
        options: &BertScoreOptions,
    ) -> Result<BertScores, EncoderError> {
        match self {
            Self::Local(encoder) => {
                let encoder = Arc::clone(encoder);
                let options = options.clone();
                let pairs: Vec<(String, Vec<String>)> = pairs
                    .iter()
                    .map(|(hypothesis, references)| ((*hypothesis).to_owned(), owned(references)))
                    .collect();
                off_thread(move || {
                    let references: Vec<Vec<&str>> =
                        pairs.iter().map(|pair| borrowed(&pair.1)).collect();
                    let pairs: Vec<(&str, &[&str])> = pairs
                        .iter()
                        .zip(&references)
                        .map(|(pair, references)| (pair.0.as_str(), references.as_slice()))
                        .collect();
                    encoder.bert_scores(&pairs, &options)
                })
                .await
            }
            Self::Remote(backend) => Err(EncoderError::TextsOnly {
                backend: backend.name().to_owned(),
            }),
        }
    }
}

/// Computes where no other task waits for it.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ModelError> + Send + 'static,
) -> Result<T, EncoderError> {
    let done = spawn_blocking(work)
        .await
        .map_err(|source| EncoderError::Stopped { source })?;
    Ok(done?)
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
pub(crate) use tests::mini_lm;

#[cfg(test)]
mod tests;
