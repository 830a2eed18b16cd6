//! Which parameters and inputs a metric has: a key that is passed over would be taken for heeded.

use serde_json::Value;

use super::MetricError;

/// Parameters that only say where a line comes from, with any metric.
const DOCUMENTING: [&str; 9] = [
    "note",
    "package",
    "reference",
    "rule",
    "sha256",
    "tokenisation",
    "tol_abs",
    "version",
    "wordnet",
];

/// Keys of one metric.
struct Keys {
    params: &'static [&'static str],
    inputs: &'static [&'static str],
}

const fn keys(params: &'static [&'static str], inputs: &'static [&'static str]) -> Keys {
    Keys { params, inputs }
}

const PAIR: &[&str] = &["hyp", "refs"];
const STREAMS: &[&str] = &["hyps", "ref_streams"];
const TOKENS: &[&str] = &["hyp_tokens", "refs_tokens"];
const TOKEN_LISTS: &[&str] = &["hyps_tokens", "list_of_refs_tokens"];
const TEXT: &[&str] = &["text"];
const LABELS: &[&str] = &["y_true", "y_pred", "a", "b", "sample_weight"];
const SCORES: &[&str] = &["y_true", "y_score"];
const INDICATORS: &[&str] = &["y_true_indicator", "y_pred_indicator"];
const BLEU: &[&str] = &[
    "smooth_method",
    "smooth_value",
    "tokenize",
    "lowercase",
    "max_ngram_order",
    "effective_order",
    "use_effective_order",
];
const CHRF: &[&str] = &[
    "char_order",
    "word_order",
    "beta",
    "lowercase",
    "whitespace",
    "eps_smoothing",
];
const TER: &[&str] = &["normalized", "no_punct", "asian_support", "case_sensitive"];
const NLTK_BLEU: &[&str] = &["weights", "smoothing", "epsilon", "auto_reweigh"];
const GLEU: &[&str] = &["min_len", "max_len"];
const ROUGE: &[&str] = &["rouge_types", "use_stemmer", "split_summaries"];

/// The keys that a metric reads, or accepts since they can say only what holds anyway.
fn known(metric: &str) -> Option<Keys> {
    Some(match metric {
        "sacrebleu.sentence_bleu" => keys(BLEU, PAIR),
        "sacrebleu.corpus_bleu" => keys(BLEU, STREAMS),
        "sacrebleu.sentence_chrf" => keys(CHRF, PAIR),
        "sacrebleu.corpus_chrf" => keys(CHRF, STREAMS),
        "sacrebleu.sentence_ter" => keys(TER, PAIR),
        "sacrebleu.corpus_ter" => keys(TER, STREAMS),
        "sacrebleu.ter_tokenize" => keys(TER, TEXT),
        "sacrebleu.tokenize"
        | "rouge_score.tokenize"
        | "python.str"
        | "nltk.tokenize"
        | "text_length" => keys(&[], TEXT),
        "nltk.PorterStemmer" => keys(&["mode", "to_lowercase"], &["words"]),
        "nltk.sentence_bleu" => keys(NLTK_BLEU, TOKENS),
        "nltk.corpus_bleu" => keys(NLTK_BLEU, TOKEN_LISTS),
        "nltk.sentence_gleu" => keys(GLEU, TOKENS),
        "nltk.corpus_gleu" => keys(GLEU, TOKEN_LISTS),
        "nltk.meteor_score" => keys(&["alpha", "beta", "gamma", "preprocess", "stemmer"], TOKENS),
        "nltk.wordnet_synonyms" => keys(&[], &["word"]),
        "jieba.cut" => keys(&["cut_all", "HMM"], TEXT),
        "rouge_score.score" => keys(ROUGE, &["prediction", "target"]),
        "rouge_score.score_multi" => keys(ROUGE, &["prediction", "targets"]),
        "rouge_pltrdy.get_scores" => keys(&[], &["hyp", "ref"]),
        "rouge_chinese.get_scores" => keys(&["segment"], &["hyp", "ref"]),
        "sklearn.precision_recall_fscore_support" => {
            keys(&["average", "zero_division", "beta", "labels"], LABELS)
        }
        "sklearn.classification_report" => {
            keys(&["zero_division", "labels", "output_dict"], LABELS)
        }
        "sklearn.accuracy_score" => keys(&["normalize"], LABELS),
        "sklearn.balanced_accuracy_score" => keys(&["adjusted"], LABELS),
        "sklearn.cohen_kappa_score" => keys(&["weights", "labels"], LABELS),
        "sklearn.matthews_corrcoef" => keys(&[], LABELS),
        "sklearn.confusion_matrix" => keys(&["normalize", "labels"], LABELS),
        "sklearn.jaccard_score" => keys(&["average", "zero_division", "labels"], LABELS),
        "sklearn.top_k_accuracy_score" => keys(&["k", "labels", "normalize", "binary"], SCORES),
        "sklearn.roc_auc_score"
        | "sklearn.average_precision_score"
        | "sklearn.brier_score_loss" => keys(&[], SCORES),
        "sklearn.log_loss" => keys(&["eps"], SCORES),
        "sklearn.multilabel_prf" => keys(&["average", "zero_division", "beta"], INDICATORS),
        "sklearn.multilabel_jaccard_samples" => keys(&["zero_division"], INDICATORS),
        "sklearn.multilabel_subset_accuracy" | "sklearn.multilabel_hamming_loss" => {
            keys(&[], INDICATORS)
        }
        "exact_match" => keys(&["form"], PAIR),
        "token_f1" => keys(&["form", "tokens"], PAIR),
        "distinct_n" => keys(&["n", "tokens"], &["hyps"]),
        "length_ratio" => keys(&["tokens"], PAIR),
        _ => return None,
    })
}

/// Refuses a parameter or input that the metric does not have.
pub(super) fn check(metric: &str, params: &Value, inputs: &Value) -> Result<(), MetricError> {
    let Some(keys) = known(metric) else {
        return Ok(());
    };
    refuse_others("params", params, |key| {
        keys.params.contains(&key) || DOCUMENTING.contains(&key)
    })
    .and_then(|()| refuse_others("inputs", inputs, |key| keys.inputs.contains(&key)))
    .map_err(|(part, name)| MetricError::UnknownKey {
        part,
        name,
        known: if part == "params" {
            keys.params
        } else {
            keys.inputs
        },
    })
}

fn refuse_others(
    part: &'static str,
    object: &Value,
    is_known: impl Fn(&str) -> bool,
) -> Result<(), (&'static str, String)> {
    match object
        .as_object()
        .and_then(|object| object.keys().find(|key| !is_known(key)))
    {
        Some(name) => Err((part, name.clone())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(metric: &str, params: &Value, inputs: &Value) -> String {
        check(metric, params, inputs).unwrap_err().to_string()
    }

    #[test]
    fn a_key_that_a_metric_does_not_have_is_refused() {
        assert_eq!(
            refused(
                "sacrebleu.sentence_bleu",
                &json!({"tokenise": "zh"}),
                &json!({})
            ),
            "read the params: there is no \"tokenise\""
        );
        assert_eq!(
            refused(
                "sklearn.accuracy_score",
                &json!({"normalize": true}),
                &json!({"y_true": [1], "y_pred": [1], "sample_weigth": [1]})
            ),
            "read the inputs: there is no \"sample_weigth\""
        );
        // Another metric's key is none of this one.
        assert!(check("token_f1", &json!({"n": 2}), &json!({})).is_err());
    }

    #[test]
    fn a_key_that_only_documents_is_accepted() {
        let params = json!({"note": "x", "mode": "NLTK_EXTENSIONS", "to_lowercase": true});
        assert!(check("nltk.PorterStemmer", &params, &json!({"words": []})).is_ok());
        assert!(check("python.str", &Value::Null, &json!({"text": ""})).is_ok());
    }
}
