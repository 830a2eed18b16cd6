//! From texts to token ids.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use consilium_core::canonical::sha256_hex;
use serde::Deserialize;
use tokenizers::Tokenizer;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;

use crate::config::{read_file, read_json_if_present};
use crate::error::ModelError;
use crate::reading::share;

/// A text as an encoder reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenizedText {
    ids: Arc<[u32]>,
    tokens: usize,
    unknown_tokens: usize,
    truncated_tokens: usize,
}

impl TokenizedText {
    /// Token ids, special tokens included, cut to what the encoder takes.
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    pub(crate) fn shared_ids(&self) -> &Arc<[u32]> {
        &self.ids
    }

    /// Tokens of the text, without special ones, before truncation.
    pub const fn tokens(&self) -> usize {
        self.tokens
    }

    /// Those of them that the vocabulary does not have.
    pub const fn unknown_tokens(&self) -> usize {
        self.unknown_tokens
    }

    /// Tokens that were cut off.
    pub const fn truncated_tokens(&self) -> usize {
        self.truncated_tokens
    }

    /// Share of tokens that the vocabulary does not have; 0 without tokens.
    pub fn unknown_share(&self) -> f64 {
        share(self.unknown_tokens, self.tokens)
    }

    /// Whether only special tokens are left.
    pub fn is_empty(&self) -> bool {
        self.ids.len() <= 2
    }
}

/// The vocabulary of an encoder with its rules.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    tokenizer: Tokenizer,
    first: u32,
    last: u32,
    unknown: Option<u32>,
    /// Most tokens of a text, special ones included.
    pub(crate) most_tokens: usize,
    /// SHA-256 of its file, hexadecimal.
    pub(crate) sha256: String,
}

#[derive(Default, Deserialize)]
struct TokenizerConfig {
    do_lower_case: Option<bool>,
    strip_accents: Option<bool>,
    tokenize_chinese_chars: Option<bool>,
    model_max_length: Option<f64>,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Vocabulary {
    /// Reads `tokenizer.json`, else `vocab.txt`; `positions` and `words` are what the network takes.
    pub(crate) fn read(folder: &Path, positions: usize, words: usize) -> Result<Self, ModelError> {
        let config: TokenizerConfig =
            read_json_if_present(&folder.join("tokenizer_config.json"))?.unwrap_or_default();
        let whole = folder.join("tokenizer.json");
        let (path, bytes) = if whole.is_file() {
            let bytes = read_file(&whole)?;
            (whole, bytes)
        } else {
            let words = folder.join("vocab.txt");
            let bytes = read_file(&words)?;
            (words, bytes)
        };
        let failed = |source| ModelError::Vocabulary {
            path: PathBuf::clone(&path),
            source,
        };
        let mut tokenizer = if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            Tokenizer::from_bytes(&bytes).map_err(failed)?
        } else {
            word_pieces(&bytes, &config).map_err(failed)?
        };
        // A network may have room for more words than there are, but not for fewer.
        let ids = tokenizer.get_vocab(true).into_values();
        let needed = ids.max().map_or(0, |largest| largest as usize + 1);
        if needed > words {
            let reason = format!("it has {needed} words, config.json says vocab_size {words}");
            return Err(failed(reason.into()));
        }
        // What the file says of length belongs to its first use; texts are cut here.
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(failed)?;
        let special = tokenizer.encode_fast("", true).map_err(failed)?;
        let &[first, last] = special.get_ids() else {
            return Err(failed(
                "a text must stand between two special tokens".into(),
            ));
        };
        let unknown = ["[UNK]", "<unk>"]
            .into_iter()
            .find_map(|token| tokenizer.token_to_id(token));
        Ok(Self {
            most_tokens: most_tokens(config.model_max_length, positions),
            sha256: sha256_hex(&bytes),
            first,
            last,
            unknown,
            tokenizer,
        })
    }

    /// Ids of the tokens that stand around every text.
    pub(crate) const fn special(&self) -> [u32; 2] {
        [self.first, self.last]
    }

    /// Splits a text, without the white space around it, into at most `most` tokens.
    pub(crate) fn tokenize(&self, text: &str, most: usize) -> Result<TokenizedText, ModelError> {
        let encoding = self
            .tokenizer
            .encode_fast(stripped(text), false)
            .map_err(|source| ModelError::Tokenize { source })?;
        let all = encoding.get_ids();
        let kept = &all[..all.len().min(most.min(self.most_tokens).saturating_sub(2))];
        let ids = [self.first]
            .into_iter()
            .chain(kept.iter().copied())
            .chain([self.last])
            .collect();
        Ok(TokenizedText {
            ids,
            tokens: all.len(),
            unknown_tokens: all.iter().filter(|&&id| Some(id) == self.unknown).count(),
            truncated_tokens: all.len() - kept.len(),
        })
    }
}

/// What Python's `str.strip` leaves.
fn stripped(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

/// Configurations without a limit write an enormous one.
fn most_tokens(configured: Option<f64>, positions: usize) -> usize {
    match configured {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the range is checked"
        )]
        Some(most) if most >= 3.0 && most < positions as f64 => most as usize,
        _ => positions,
    }
}

/// The rules of BERT over a list of word pieces.
fn word_pieces(bytes: &[u8], config: &TokenizerConfig) -> Result<Tokenizer, Failure> {
    let model = WordPiece::builder()
        .vocab(WordPiece::read_bytes(bytes)?)
        .build()?;
    let mut tokenizer = Tokenizer::new(model);
    let lowercase = config.do_lower_case.unwrap_or(true);
    tokenizer.with_normalizer(Some(BertNormalizer::new(
        true,
        config.tokenize_chinese_chars.unwrap_or(true),
        config.strip_accents,
        lowercase,
    )))?;
    tokenizer.with_pre_tokenizer(Some(BertPreTokenizer));
    let mut special = Vec::new();
    for token in ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"] {
        match tokenizer.token_to_id(token) {
            Some(id) => special.push((token.to_owned(), id)),
            None if token == "[MASK]" || token == "[PAD]" => {}
            None => return Err(format!("it has no {token}").into()),
        }
    }
    let id = |token: &str| {
        special
            .iter()
            .find(|(known, _)| known == token)
            .cloned()
            .ok_or_else(|| format!("it has no {token}"))
    };
    tokenizer.with_post_processor(Some(BertProcessing::new(id("[SEP]")?, id("[CLS]")?)));
    let special = special
        .into_iter()
        .map(|(token, _)| tokenizers::AddedToken::from(token, true));
    tokenizer.add_special_tokens(special)?;
    Ok(tokenizer)
}
