//! The tokenizer of rouge-score.

use std::borrow::Cow;

use super::interner::Interner;
use super::ngrams::Sequences;
use super::porter::PorterStemmer;
use super::runs::Class;

/// Splits text into runs of ASCII letters and digits, lowercased, optionally stemmed.
///
/// Only tokens longer than three characters are stemmed. Everything outside ASCII separates
/// tokens, so Chinese text has none.
///
/// Source: rouge-score 0.1.2 `tokenize`. Lowercasing comes first: U+212A (Kelvin) becomes `k`.
pub fn rouge_tokens(text: &str, stemmer: Option<&PorterStemmer>) -> Vec<String> {
    text.to_lowercase()
        .split(|character: char| !matches!(character, 'a'..='z' | '0'..='9'))
        .filter(|token| !token.is_empty())
        .map(|token| match stemmer {
            Some(stemmer) if token.len() > 3 => stemmer.stem(token),
            _ => token.to_owned(),
        })
        .filter(|token| !token.is_empty())
        .collect()
}

/// The tokens of two texts as ids; every different token is stemmed once.
pub(crate) fn intern_rouge_tokens(texts: [&str; 2], use_stemmer: bool) -> Sequences {
    let lowercased = texts.map(str::to_lowercase);
    let mut interner = Interner::for_bytes(lowercased.iter().map(String::len).sum());
    let mut ids: Vec<Vec<u32>> = lowercased
        .iter()
        .map(|text| interner.ids_of_runs(text, Class::LowerAlphanumeric))
        .collect();
    if !use_stemmer {
        let distinct = interner.distinct();
        return Sequences { ids, distinct };
    }
    let stemmer = PorterStemmer::default();
    let stems: Vec<Cow<'_, str>> = interner
        .texts()
        .map(|token| match token.len() {
            0..=3 => Cow::Borrowed(token),
            _ => Cow::Owned(stemmer.stem(token)),
        })
        .collect();
    let mut stem_interner = Interner::for_bytes(4 * stems.len());
    // A token may have an empty stem, which is no token.
    let stem_ids: Vec<Option<u32>> = stems
        .iter()
        .map(|stem| (!stem.is_empty()).then(|| stem_interner.id(stem)))
        .collect();
    for ids in &mut ids {
        *ids = ids.iter().filter_map(|&id| stem_ids[id as usize]).collect();
    }
    Sequences {
        ids,
        distinct: stem_interner.distinct(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::ngrams::intern;

    #[test]
    fn keeps_ascii_only() {
        assert_eq!(
            rouge_tokens("Café 1,000.5 \u{212a}g 脾虚", None),
            ["caf", "1", "000", "5", "kg"]
        );
        let stemmer = PorterStemmer::default();
        assert_eq!(
            rouge_tokens("Diseases was treated", Some(&stemmer)),
            ["diseas", "was", "treat"]
        );
    }

    proptest! {
        #[test]
        fn ids_follow_the_tokens(
            one in "[a-cA-Cé \u{212a}1]{0,30}|(disease|treated|ies|ing|,| |的){0,12}",
            other in "(diseases|treat|tied|ed|[.]| ){0,12}",
        ) {
            let stemmer = PorterStemmer::default();
            for use_stemmer in [false, true] {
                let sequences = intern_rouge_tokens([&one, &other], use_stemmer);
                let tokens = [&one, &other]
                    .map(|text| rouge_tokens(text, use_stemmer.then_some(&stemmer)));
                let expected = intern(
                    tokens.iter().map(|tokens| tokens.iter().map(String::as_str)),
                );
                prop_assert_eq!(&sequences.ids[0].len(), &expected.ids[0].len());
                for (id, expected_id) in
                    sequences.ids.iter().flatten().zip(expected.ids.iter().flatten())
                {
                    // Equal tokens have equal ids; their order does not matter.
                    for (other_id, other_expected) in
                        sequences.ids.iter().flatten().zip(expected.ids.iter().flatten())
                    {
                        prop_assert_eq!(id == other_id, expected_id == other_expected);
                    }
                }
            }
        }
    }
}
