//! F1 over the tokens of short answers.

use crate::exact_match::AnswerForm;
use crate::metric::{TextMetric, ratio, statistic, value};
use crate::text::common_ngrams::common_ngrams;
use crate::text::tokens::Tokens;

/// Token F1: harmonic mean of the shares of tokens that both answers have, with multiplicity.
///
/// `F1 = 2 · common / (hypothesis + reference)`. Two answers without tokens are equal: 1. With
/// several references the best F1 counts; a corpus value is the mean over pairs.
///
/// Statistics: common tokens, tokens of the hypothesis, tokens of the reference, and whether both
/// have none.
/// Signature keys: `form`, `tok`.
///
/// Source: Rajpurkar et al. 2016 with the form `squad`, `SQuAD` 2.0 for empty answers; characters
/// as tokens for Chinese, as CMRC 2018 does (without its punctuation list).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenF1 {
    /// What is ignored.
    pub form: AnswerForm,
    /// What a token is; whitespace is none.
    pub tokens: Tokens,
}

impl TokenF1 {
    fn pair(self, hypothesis: &str, reference: &str) -> Vec<i64> {
        let texts = [hypothesis, reference].map(|text| self.form.normalize(text));
        let sequences = self
            .tokens
            .intern_visible(&texts.each_ref().map(String::as_str));
        let common = common_ngrams(&sequences, [0, 1], 1)[0];
        let (hypothesis, reference) = (sequences.ids[0].len(), sequences.ids[1].len());
        let both_empty = hypothesis == 0 && reference == 0;
        vec![
            statistic(common),
            statistic(hypothesis),
            statistic(reference),
            both_empty.into(),
        ]
    }
}

impl TextMetric for TokenF1 {
    fn signature(&self) -> String {
        format!(
            "token_f1|form:{}|tok:{}|rev:1",
            self.form.name(),
            self.tokens.name()
        )
    }

    fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<i64> {
        let mut best: Option<(f64, Vec<i64>)> = None;
        for reference in references {
            let row = self.pair(hypothesis, reference);
            let score = self.score(&row);
            if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                best = Some((score, row));
            }
        }
        best.map_or_else(|| vec![0; 4], |(_, row)| row)
    }

    fn score(&self, statistics: &[i64]) -> f64 {
        let tokens = value(statistics, 1) + value(statistics, 2);
        ratio(
            2.0 * value(statistics, 0) + value(statistics, 3),
            tokens + value(statistics, 3),
        )
    }

    fn is_additive(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn by_hand() {
        let words = TokenF1 {
            form: AnswerForm::Squad,
            tokens: Tokens::Words,
        };
        assert_eq!(
            words.statistics("the acute renal failure", &["Renal failure!"]),
            [2, 3, 2, 0]
        );
        assert!((words.sentence("the", &[""]) - 1.0).abs() < f64::EPSILON);
        assert!(words.sentence("a b", &[]).abs() < f64::EPSILON);
        let characters = TokenF1 {
            form: AnswerForm::Raw,
            tokens: Tokens::Characters,
        };
        assert_eq!(
            characters.statistics("脾肾 阳虚", &["脾虚", "阳虚证"]),
            [2, 4, 2, 0]
        );
    }

    proptest! {
        #[test]
        fn is_symmetric_and_in_range(one in "[ab .]{0,10}", other in "[ab .]{0,10}") {
            let metric = TokenF1 { form: AnswerForm::Squad, tokens: Tokens::Words };
            let value = metric.sentence(&one, &[&other]);
            prop_assert!((0.0..=1.0).contains(&value));
            prop_assert_eq!(value.to_bits(), metric.sentence(&other, &[&one]).to_bits());
            prop_assert!((metric.sentence(&one, &[&one]) - 1.0).abs() < f64::EPSILON);
        }
    }
}
