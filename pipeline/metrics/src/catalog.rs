//! Text metrics by name, with the settings of common use.

use crate::bleu::Bleu;
use crate::chrf::Chrf;
use crate::exact_match::{AnswerForm, ExactMatch};
use crate::gleu::Gleu;
use crate::lengths::LengthRatio;
use crate::meteor::Meteor;
use crate::metric::TextMetric;
use crate::nltk_bleu::{NltkBleu, NltkSmoothing};
use crate::rouge::{Rouge, RougeKind};
use crate::rouge_words::{RougePackage, Segmentation, WordRouge, WordRougeKind};
use crate::ter::Ter;
use crate::text::bleu_tokenizer::BleuTokenizer;
use crate::text::tokens::Tokens;
use crate::token_f1::TokenF1;

/// Every name that [`text_metric`] knows.
///
/// `-zh` marks settings for Chinese, `-chars` characters and `-jieba` Chinese words as tokens.
/// `nltk_bleu-n` smooths by `method1`, `nltk_bleu-n-chars` by `method3` as the scripts around `ChatGLM` do.
pub const NAMES: [&str; 47] = [
    "bleu",
    "bleu-zh",
    "bleu-char",
    "bleu-intl",
    "chrf",
    "chrf++",
    "ter",
    "ter-zh",
    "rouge1",
    "rouge2",
    "rouge3",
    "rougeL",
    "rougeLsum",
    "rouge1-stem",
    "rouge2-stem",
    "rouge3-stem",
    "rougeL-stem",
    "rougeLsum-stem",
    "rouge-1",
    "rouge-2",
    "rouge-l",
    "rouge_chinese-1",
    "rouge_chinese-2",
    "rouge_chinese-l",
    "nltk_bleu-1",
    "nltk_bleu-2",
    "nltk_bleu-3",
    "nltk_bleu-4",
    "nltk_bleu-1-chars",
    "nltk_bleu-2-chars",
    "nltk_bleu-3-chars",
    "nltk_bleu-4-chars",
    "nltk_bleu-1-jieba",
    "nltk_bleu-2-jieba",
    "nltk_bleu-3-jieba",
    "nltk_bleu-4-jieba",
    "gleu",
    "gleu-chars",
    "gleu-jieba",
    "meteor",
    "meteor-split",
    "exact_match",
    "exact_match-squad",
    "token_f1",
    "token_f1-chars",
    "length_ratio",
    "length_ratio-chars",
];

/// The name of a metric as SQL functions and other identifiers spell it: `rougeL` is `rouge_l`.
///
/// ROUGE of the package `rouge`, whose names differ from those of rouge-score by a hyphen only, is
/// `rouge_pltrdy_…` after its author, as in the golden files.
pub fn sql_name(name: &str) -> String {
    if name == "chrf++" {
        return "chrf_plus_plus".to_owned();
    }
    if let Some(kind) = name.strip_prefix("rouge-") {
        return format!("rouge_pltrdy_{kind}");
    }
    let name = match name.strip_prefix("rouge") {
        Some(kind) if !kind.starts_with('_') => format!("rouge_{kind}"),
        _ => name.to_owned(),
    };
    name.replace('-', "_").to_ascii_lowercase()
}

/// The name of [`NAMES`] for a name in either spelling.
pub fn canonical_name(name: &str) -> Option<&'static str> {
    NAMES
        .into_iter()
        .find(|known| *known == name || sql_name(known) == name)
}

/// Finds a metric by name, ready for single sentences: BLEU uses its effective order.
///
/// ```
/// let metric = consilium_metrics::catalog::text_metric("bleu").unwrap();
/// assert_eq!(metric.signature(), "bleu|case:mixed|eff:yes|tok:13a|smooth:exp|order:4|rev:1");
/// ```
pub fn text_metric(name: &str) -> Option<Box<dyn TextMetric>> {
    let name = canonical_name(name)?;
    let bleu = |tokenizer| {
        Box::new(Bleu {
            tokenizer,
            effective_order: true,
            ..Bleu::default()
        })
    };
    Some(match name {
        "bleu" => bleu(BleuTokenizer::ThirteenA),
        "bleu-zh" => bleu(BleuTokenizer::Chinese),
        "bleu-char" => bleu(BleuTokenizer::Character),
        "bleu-intl" => bleu(BleuTokenizer::International),
        "chrf" => Box::new(Chrf::default()),
        "chrf++" => Box::new(Chrf {
            word_order: 2,
            ..Chrf::default()
        }),
        "ter" => Box::new(Ter::default()),
        "ter-zh" => {
            let mut ter = Ter::default();
            (ter.tokenizer.normalized, ter.tokenizer.asian_support) = (true, true);
            Box::new(ter)
        }
        "gleu" => Box::new(Gleu::default()),
        "gleu-chars" => Box::new(Gleu {
            tokens: Tokens::Characters,
            ..Gleu::default()
        }),
        "gleu-jieba" => Box::new(Gleu {
            tokens: Tokens::Jieba,
            ..Gleu::default()
        }),
        "meteor" => Box::new(Meteor::default()),
        "meteor-split" => Box::new(Meteor {
            tokens: Tokens::Words,
            ..Meteor::default()
        }),
        "exact_match" => Box::new(ExactMatch {
            form: AnswerForm::Raw,
        }),
        "exact_match-squad" => Box::new(ExactMatch {
            form: AnswerForm::Squad,
        }),
        "token_f1" => Box::new(TokenF1 {
            form: AnswerForm::Squad,
            tokens: Tokens::Words,
        }),
        "token_f1-chars" => Box::new(TokenF1 {
            form: AnswerForm::Squad,
            tokens: Tokens::Characters,
        }),
        "length_ratio" => Box::new(LengthRatio {
            tokens: Tokens::Words,
        }),
        "length_ratio-chars" => Box::new(LengthRatio {
            tokens: Tokens::Characters,
        }),
        _ => return family(name),
    })
}

/// Metrics whose name holds an order.
fn family(name: &str) -> Option<Box<dyn TextMetric>> {
    if let Some(rest) = name.strip_prefix("nltk_bleu-") {
        let (order, tokens, smoothing) = match rest.split_once('-') {
            None => (rest, Tokens::Words, NltkSmoothing::Epsilon(0.1)),
            Some((order, "jieba")) => (order, Tokens::Jieba, NltkSmoothing::Epsilon(0.1)),
            Some((order, "chars")) => (order, Tokens::Characters, NltkSmoothing::Halving),
            Some(_) => return None,
        };
        let order = ["1", "2", "3", "4"]
            .iter()
            .position(|known| *known == order)?
            + 1;
        return Some(Box::new(NltkBleu::uniform(order, smoothing, tokens)));
    }
    let words = |order: &str, package, segmentation| {
        let kind = match order {
            "1" => WordRougeKind::Ngram(1),
            "2" => WordRougeKind::Ngram(2),
            "l" => WordRougeKind::Lcs,
            _ => return None,
        };
        Some(Box::new(WordRouge {
            package,
            kind,
            segmentation,
        }))
    };
    if let Some(order) = name.strip_prefix("rouge_chinese-") {
        return Some(words(order, RougePackage::Chinese, Segmentation::Jieba)?);
    }
    if let Some(order) = name.strip_prefix("rouge-") {
        return Some(words(order, RougePackage::Pltrdy, Segmentation::Spaces)?);
    }
    Some(Box::new(rouge(name)?))
}

/// A metric of rouge-score by name.
pub(crate) fn rouge(name: &str) -> Option<Rouge> {
    let name = canonical_name(name)?;
    let (kind, use_stemmer) = match name.strip_suffix("-stem") {
        Some(kind) => (kind, true),
        None => (name, false),
    };
    Some(Rouge {
        kind: RougeKind::from_name(kind)?,
        use_stemmer,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::metric::corpus;

    #[test]
    fn spellings_for_sql_are_identifiers_and_lead_back() {
        let mut spellings = BTreeSet::new();
        for name in NAMES {
            let spelling = sql_name(name);
            assert!(
                spelling
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'),
                "{spelling}"
            );
            assert_eq!(canonical_name(&spelling), Some(name));
            assert_eq!(canonical_name(name), Some(name));
            spellings.insert(spelling);
        }
        assert_eq!(spellings.len(), NAMES.len());
        assert_eq!(sql_name("rougeLsum-stem"), "rouge_lsum_stem");
        assert_eq!(sql_name("nltk_bleu-4-chars"), "nltk_bleu_4_chars");
    }

    #[test]
    fn every_name_is_known_and_signatures_differ() {
        let signatures: BTreeSet<String> = NAMES
            .iter()
            .map(|name| text_metric(name).unwrap().signature())
            .collect();
        assert_eq!(signatures.len(), NAMES.len());
        for name in [
            "",
            "rouge-3",
            "nltk_bleu-5",
            "nltk_bleu-",
            "rouge_chinese-x",
            "bleu-stem",
        ] {
            assert!(text_metric(name).is_none(), "{name}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_metric_takes_any_text(
            hypothesis in any::<String>(),
            references in prop::collection::vec(any::<String>(), 0..3),
        ) {
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            for name in NAMES {
                let metric = text_metric(name).unwrap();
                let statistics = metric.statistics(&hypothesis, &references);
                prop_assert!(statistics.iter().all(|&value| value >= 0), "{}", name);
                let value = metric.score(&statistics);
                prop_assert!(value.is_finite() && value >= 0.0, "{} {}", name, value);
                prop_assert!(metric.score(&[]).is_finite(), "{}", name);
                let pair = [(hypothesis.as_str(), references.as_slice())];
                let whole = corpus(metric.as_ref(), &pair).unwrap();
                prop_assert_eq!(whole.to_bits(), value.to_bits(), "{}", name);
            }
        }

        #[test]
        fn order_of_pairs_does_not_matter(
            texts in prop::collection::vec(("[ab 脾虚。.]{0,20}", "[ab 脾虚。.]{0,20}"), 1..5),
        ) {
            let references: Vec<[&str; 1]> = texts.iter().map(|text| [text.1.as_str()]).collect();
            let pairs: Vec<(&str, &[&str])> = texts
                .iter()
                .zip(&references)
                .map(|(text, references)| (text.0.as_str(), references.as_slice()))
                .collect();
            let reversed: Vec<_> = pairs.iter().rev().copied().collect();
            for name in NAMES {
                let metric = text_metric(name).unwrap();
                let [one, other] = [&pairs, &reversed].map(|p| corpus(metric.as_ref(), p).unwrap());
                prop_assert!((one - other).abs() <= 1e-9, "{}", name);
            }
        }
    }
}
