//! Metrics by the names of the reference implementations, from JSON to JSON.
//!
//! This is what `consilium metric` and the golden tests call.

mod answers;
mod arguments;
mod classification;
mod keys;
mod labels;
mod meteor;
mod ranking;
mod rouge;
mod sacrebleu;
mod tokens;
mod translation;

use serde_json::Value;
use thiserror::Error;

use arguments::Arguments;
pub use arguments::number;

/// Why there is no value.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum MetricError {
    /// No metric has this name.
    #[error("find the metric {name:?}")]
    UnknownMetric {
        /// The name asked for.
        name: String,
    },
    /// The metric has no such parameter or input.
    #[error("read the {part}: there is no {name:?}")]
    UnknownKey {
        /// `params` or `inputs`.
        part: &'static str,
        /// The key.
        name: String,
        /// The keys that there are.
        known: &'static [&'static str],
    },
    /// An input or parameter is absent or has the wrong form.
    #[error("read {name:?}: expected {expected}")]
    Argument {
        /// Name of the argument.
        name: String,
        /// What it should be.
        expected: &'static str,
    },
    /// The reference implementation raises an error for these inputs.
    #[error("compute a value: {reason}")]
    Undefined {
        /// Why.
        reason: &'static str,
    },
}

/// Computes a metric by the name of its reference implementation.
///
/// Names, parameters and inputs are those of the golden files, for instance
/// `sacrebleu.sentence_bleu` with parameters `{"tokenize": "13a", "smooth_method": "exp"}` and
/// inputs `{"hyp": "…", "refs": ["…"]}`. NaN and infinities are the strings `NaN`, `Infinity` and
/// `-Infinity`.
///
/// # Errors
///
/// For an unknown metric, a missing, malformed or unknown argument, and wherever the reference
/// implementation raises an error.
///
/// ```
/// use serde_json::json;
///
/// let value = consilium_metrics::reference::evaluate(
///     "nltk.sentence_gleu",
///     &json!({"min_len": 1, "max_len": 4}),
///     &json!({"hyp_tokens": ["a", "b", "c"], "refs_tokens": [["a", "b"]]}),
/// );
/// assert_eq!(value.unwrap(), json!({"score": 0.5}));
/// ```
pub fn evaluate(metric: &str, params: &Value, inputs: &Value) -> Result<Value, MetricError> {
    keys::check(metric, params, inputs)?;
    let (params, inputs) = (Arguments::new(params), Arguments::new(inputs));
    match metric {
        "sacrebleu.sentence_bleu" => sacrebleu::sentence_bleu(params, inputs),
        "sacrebleu.corpus_bleu" => sacrebleu::corpus_bleu(params, inputs),
        "sacrebleu.sentence_chrf" => sacrebleu::sentence_chrf(params, inputs),
        "sacrebleu.corpus_chrf" => sacrebleu::corpus_chrf(params, inputs),
        "sacrebleu.sentence_ter" => sacrebleu::sentence_ter(params, inputs),
        "sacrebleu.corpus_ter" => sacrebleu::corpus_ter(params, inputs),
        "sacrebleu.tokenize" => tokens::sacrebleu(inputs),
        "sacrebleu.ter_tokenize" => tokens::tercom(params, inputs),
        "rouge_score.tokenize" => tokens::rouge(inputs),
        "python.str" => tokens::python(inputs),
        "nltk.PorterStemmer" => tokens::porter(params, inputs),
        "nltk.sentence_bleu" => translation::sentence_bleu(params, inputs),
        "nltk.corpus_bleu" => translation::corpus_bleu(params, inputs),
        "nltk.sentence_gleu" => translation::sentence_gleu(params, inputs),
        "nltk.corpus_gleu" => translation::corpus_gleu(params, inputs),
        "nltk.meteor_score" => meteor::score(params, inputs),
        "nltk.wordnet_synonyms" => meteor::synonyms(inputs),
        "jieba.cut" => tokens::jieba(params, inputs),
        "nltk.tokenize" => tokens::nltk(inputs),
        "rouge_score.score" => rouge::score(params, inputs),
        "rouge_score.score_multi" => rouge::score_multi(params, inputs),
        "rouge_pltrdy.get_scores" => rouge::pltrdy(inputs),
        "sklearn.precision_recall_fscore_support" => {
            classification::precision_recall(params, inputs)
        }
        "sklearn.classification_report" => classification::report(params, inputs),
        "sklearn.accuracy_score" => classification::accuracy(params, inputs),
        "sklearn.balanced_accuracy_score" => classification::balanced(params, inputs),
        "sklearn.cohen_kappa_score" => classification::kappa(params, inputs),
        "sklearn.matthews_corrcoef" => classification::matthews(params, inputs),
        "sklearn.confusion_matrix" => classification::confusion_matrix(params, inputs),
        "sklearn.jaccard_score" => classification::jaccard(params, inputs),
        "sklearn.top_k_accuracy_score" => ranking::top_k(params, inputs),
        "sklearn.roc_auc_score" => ranking::roc(inputs),
        "sklearn.average_precision_score" => ranking::average_precision_score(inputs),
        "sklearn.brier_score_loss" => ranking::brier(inputs),
        "sklearn.log_loss" => ranking::logarithmic_loss(inputs),
        "sklearn.multilabel_prf" => ranking::multilabel_scores(params, inputs),
        "sklearn.multilabel_subset_accuracy" => ranking::multilabel_subset_accuracy(inputs),
        "sklearn.multilabel_hamming_loss" => ranking::multilabel_hamming_loss(inputs),
        "sklearn.multilabel_jaccard_samples" => ranking::multilabel_jaccard(params, inputs),
        "rouge_chinese.get_scores" => rouge::chinese(inputs),
        "exact_match" => answers::exact_match(params, inputs),
        "token_f1" => answers::token_f1(params, inputs),
        "distinct_n" => answers::distinct(params, inputs),
        "text_length" => answers::length(inputs),
        "length_ratio" => answers::length_ratio(params, inputs),
        _ => Err(MetricError::UnknownMetric {
            name: metric.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn own_metrics_answer() {
        let value = |metric, params: Value| {
            let inputs = match metric {
                "distinct_n" => json!({"hyps": ["a a"]}),
                "text_length" => json!({"text": "a b"}),
                _ => json!({"hyp": "the scan", "refs": ["Scan."]}),
            };
            evaluate(metric, &params, &inputs).unwrap()
        };
        assert_eq!(
            value("exact_match", json!({"form": "squad"})),
            json!({"score": 1.0})
        );
        assert_eq!(value("token_f1", json!({})), json!({"score": 0.0}));
        assert_eq!(value("distinct_n", json!({"n": 1}))["score"], json!(0.5));
        assert_eq!(value("text_length", json!({}))["words"], json!(2));
        assert_eq!(
            value("length_ratio", json!({"tokens": "chars"})),
            json!({"score": 1.6})
        );
    }

    #[test]
    fn errors_name_the_argument() {
        let error = evaluate(
            "sacrebleu.sentence_bleu",
            &json!({"tokenize": "x"}),
            &json!({}),
        );
        let message = "read \"tokenize\": expected 13a, zh, char, intl or none";
        assert_eq!(error.unwrap_err().to_string(), message);
        let error = evaluate("none", &Value::Null, &Value::Null);
        assert_eq!(error.unwrap_err().to_string(), "find the metric \"none\"");
        for metric in [
            "nltk.corpus_bleu",
            "sklearn.accuracy_score",
            "rouge_score.score_multi",
        ] {
            assert!(evaluate(metric, &json!([1]), &json!("text")).is_err());
        }
    }
}
