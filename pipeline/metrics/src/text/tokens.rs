//! The choice of tokens for metrics whose reference leaves it to the caller.

use std::borrow::Cow;

use super::bleu_tokenizer::BleuTokenizer;
use super::interner::Interner;
use super::jieba;
use super::ngrams::{Sequences, intern};
use super::nltk_tokenizer::nltk_words;
use super::runs::Class;
use super::whitespace::split;

/// How text becomes tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tokens {
    /// Splits at whitespace, as Python's `str.split()`.
    #[default]
    Words,
    /// Every code point is a token, as Python's `list(text)`.
    Characters,
    /// nltk's `NLTKWordTokenizer`: `word_tokenize(text, preserve_line=True)`.
    NltkWords,
    /// sacrebleu's `13a`, as Hugging Face's `bleu` and `google_bleu` use it.
    ThirteenA,
    /// Chinese words of jieba with its hidden Markov model; whitespace is none.
    Jieba,
}

impl Tokens {
    /// Finds the choice by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Words,
            Self::Characters,
            Self::NltkWords,
            Self::ThirteenA,
            Self::Jieba,
        ]
        .into_iter()
        .find(|tokens| tokens.name() == name)
    }

    /// The name in signatures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "split",
            Self::Characters => "chars",
            Self::NltkWords => "nltk",
            Self::ThirteenA => "13a",
            Self::Jieba => "jieba-0.42.1",
        }
    }

    /// Splits the text.
    pub fn split(self, text: &str) -> Vec<Cow<'_, str>> {
        match self {
            Self::Words => split(text).map(Cow::Borrowed).collect(),
            Self::Characters => {
                let ends = text
                    .char_indices()
                    .map(|(at, character)| at + character.len_utf8());
                let starts = text.char_indices().map(|(at, _)| at);
                starts
                    .zip(ends)
                    .map(|(start, end)| Cow::Borrowed(&text[start..end]))
                    .collect()
            }
            Self::NltkWords => nltk_words(text).into_iter().map(Cow::Owned).collect(),
            Self::Jieba => jieba::words(text).map(Cow::Borrowed).collect(),
            Self::ThirteenA => split(&BleuTokenizer::ThirteenA.tokenize(text))
                .map(|token| Cow::Owned(token.to_owned()))
                .collect(),
        }
    }
}

impl Tokens {
    /// The tokens of several texts as ids, without those that are whitespace.
    pub(crate) fn intern_visible(self, texts: &[&str]) -> Sequences {
        if self == Self::Words {
            return self.intern(texts);
        }
        let tokens: Vec<_> = texts.iter().map(|text| self.split(text)).collect();
        let visible = |token: &&str| !token.trim().is_empty();
        intern(
            tokens
                .iter()
                .map(|tokens| tokens.iter().map(Cow::as_ref).filter(visible)),
        )
    }

    /// The tokens of several texts as ids.
    pub(crate) fn intern(self, texts: &[&str]) -> Sequences {
        if self != Self::Words {
            let tokens: Vec<_> = texts.iter().map(|text| self.split(text)).collect();
            return intern(tokens.iter().map(|tokens| tokens.iter().map(Cow::as_ref)));
        }
        let mut interner = Interner::for_bytes(texts.iter().map(|text| text.len()).sum());
        let ids = texts
            .iter()
            .map(|text| {
                if text.is_ascii() {
                    return interner.ids_of_runs(text, Class::Visible);
                }
                split(text).map(|token| interner.id(token)).collect()
            })
            .collect();
        Sequences {
            ids,
            distinct: interner.distinct(),
        }
    }
}

/// Tokens as plain strings.
pub(crate) fn borrowed<'tokens>(tokens: &'tokens [Cow<'_, str>]) -> Vec<&'tokens str> {
    tokens.iter().map(Cow::as_ref).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_and_texts_split() {
        let text = "It's 脾虚 e\u{301}.";
        for (name, expected) in [
            ("split", vec!["It's", "脾虚", "e\u{301}."]),
            ("nltk", vec!["It", "'s", "脾虚", "e\u{301}", "."]),
            ("13a", vec!["It's", "脾虚", "e\u{301}", "."]),
            (
                "jieba-0.42.1",
                vec!["It", "'", "s", "脾虚", "e", "\u{301}", "."],
            ),
        ] {
            let tokens = Tokens::from_name(name).unwrap();
            assert_eq!(tokens.name(), name);
            assert_eq!(tokens.split(text), expected);
        }
        assert_eq!(
            Tokens::Characters.split("脾 e\u{301}"),
            ["脾", " ", "e", "\u{301}"]
        );
        assert_eq!(Tokens::from_name(""), None);
    }
}
