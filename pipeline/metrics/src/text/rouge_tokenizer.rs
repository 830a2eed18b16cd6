//! The tokenizer of rouge-score.

use super::porter::PorterStemmer;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
