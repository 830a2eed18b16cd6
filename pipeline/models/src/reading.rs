//! How well a vocabulary reads texts.

use crate::tokens::TokenizedText;

/// Above this share of unknown tokens a text says little to the encoder.
///
/// English clinical texts have well under one unknown token in a hundred on English vocabularies;
/// Chinese ones have most of theirs.
pub const UNKNOWN_SHARE_LIMIT: f64 = 0.1;

/// Counts over texts, each distinct text counted as often as it was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Texts.
    pub texts: usize,
    /// Their tokens, without special ones, before truncation.
    pub tokens: usize,
    /// Tokens that the vocabulary does not have.
    pub unknown_tokens: usize,
    /// Texts in which the share of unknown tokens is above [`UNKNOWN_SHARE_LIMIT`].
    pub unreadable_texts: usize,
    /// Texts that were too long.
    pub truncated_texts: usize,
    /// Tokens cut off from them.
    pub truncated_tokens: usize,
}

impl Reading {
    /// Counts one text.
    pub fn add(&mut self, text: &TokenizedText) {
        self.texts += 1;
        self.tokens += text.tokens();
        self.unknown_tokens += text.unknown_tokens();
        self.unreadable_texts += usize::from(text.unknown_share() > UNKNOWN_SHARE_LIMIT);
        self.truncated_texts += usize::from(text.truncated_tokens() > 0);
        self.truncated_tokens += text.truncated_tokens();
    }

    /// Adds the counts of other texts.
    pub fn merge(&mut self, other: &Self) {
        self.texts += other.texts;
        self.tokens += other.tokens;
        self.unknown_tokens += other.unknown_tokens;
        self.unreadable_texts += other.unreadable_texts;
        self.truncated_texts += other.truncated_texts;
        self.truncated_tokens += other.truncated_tokens;
    }

    /// Share of tokens that the vocabulary does not have; 0 without tokens.
    pub fn unknown_share(&self) -> f64 {
        share(self.unknown_tokens, self.tokens)
    }

    /// Why values of these texts must not be headline numbers, if so.
    ///
    /// Different texts become the same row of unknown tokens: such values can be reproduced, but
    /// they mean nothing. Refuse them as headline numbers and print this beside them.
    pub fn refusal(&self) -> Option<String> {
        let is_unreadable = self.unknown_share() > UNKNOWN_SHARE_LIMIT
            || share(self.unreadable_texts, self.texts) > UNKNOWN_SHARE_LIMIT;
        is_unreadable.then(|| {
            format!(
                "of {} texts {} have more than {:.0} % of tokens that the encoder does not know, and of all \
                 tokens it does not know {:.0} %; hint: take an encoder for the language of the texts",
                self.texts,
                self.unreadable_texts,
                100.0 * UNKNOWN_SHARE_LIMIT,
                100.0 * self.unknown_share(),
            )
        })
    }
}

pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_unreadable_texts_among_long_ones_are_refused_too() {
        let readable = Reading {
            texts: 8,
            tokens: 8000,
            unknown_tokens: 8,
            ..Reading::default()
        };
        assert_eq!(readable.refusal(), None);
        let mut mixed = readable;
        mixed.merge(&Reading {
            texts: 2,
            tokens: 20,
            unknown_tokens: 20,
            unreadable_texts: 2,
            ..Reading::default()
        });
        assert!(mixed.unknown_share() < UNKNOWN_SHARE_LIMIT);
        assert!(
            mixed
                .refusal()
                .unwrap()
                .contains("of 10 texts 2 have more than 10 %")
        );
        assert_eq!(Reading::default().refusal(), None);
    }
}
