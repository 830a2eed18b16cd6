//! Tokenizers and sequence algorithms, equal to those of the reference implementations.

pub mod bleu_tokenizer;
pub(crate) mod common_ngrams;
mod embedded;
pub(crate) mod interner;
pub mod jieba;
pub(crate) mod lcs;
pub(crate) mod lexicon;
pub(crate) mod ngrams;
pub mod nltk_tokenizer;
pub mod porter;
pub mod rouge_tokenizer;
pub(crate) mod runs;
pub mod tercom;
pub mod tokens;
pub(crate) mod western;
pub mod whitespace;
pub mod wordnet;
