//! Tokenizers and sequence algorithms, equal to those of the reference implementations.

pub mod bleu_tokenizer;
mod embedded;
pub mod jieba;
pub(crate) mod lcs;
pub(crate) mod ngrams;
pub mod nltk_tokenizer;
pub mod porter;
pub mod rouge_tokenizer;
pub mod tercom;
pub mod tokens;
pub mod whitespace;
pub mod wordnet;
