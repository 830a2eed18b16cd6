//! Local encoders for embeddings and `BERTScore`.
//!
//! An [`Encoder`] is any BERT-like folder in Hugging Face layout: `config.json`,
//! `model.safetensors` and `tokenizer.json` or `vocab.txt`. It gives hidden states of any layer,
//! sentence embeddings and `BERTScore`, all in 32-bit floats on the processor, and says how well
//! its vocabulary covers the texts.
//!
//! Texts are never padded: several are laid end to end, so that every value is the one that the
//! text has alone, whatever it is computed beside.

mod arithmetic;
mod bertscore;
mod cache;
mod config;
mod embedding;
mod encoder;
mod error;
mod locate;
mod network;
mod reading;
mod tokens;
mod weights;

#[cfg(test)]
mod small_model_tests;

pub use bertscore::{
    Baseline, BertScore, BertScoreOptions, BertScores, Idf, LayeredBertScores, Padding,
};
pub use embedding::{EmbeddingOptions, Embeddings, Pooling, cosine};
pub use encoder::{Encoder, HiddenStates};
pub use error::ModelError;
pub use locate::{MODELS_VARIABLE, encoder_folder, model_roots};
pub use reading::{Reading, UNKNOWN_SHARE_LIMIT};
pub use tokens::TokenizedText;
