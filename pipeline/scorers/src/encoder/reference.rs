//! Metrics that need an encoder, by the names of the reference implementations, from JSON to JSON.

use std::path::PathBuf;
use std::sync::Arc;

use consilium_metrics::reference::number;
use consilium_models::{
    Baseline, BertScore, BertScoreOptions, Encoder, Idf, ModelError, Padding, Reading, cosine,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::EncoderLibrary;

/// Why there is no value.
#[derive(Debug, thiserror::Error)]
pub enum EncoderMetricError {
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
    /// Parameters or inputs do not have the form of the metric.
    #[error("read the {what}")]
    Arguments {
        /// Parameters or inputs.
        what: &'static str,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The encoder cannot be used.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The encoder of this name has other weights than were asked for.
    #[error("use the encoder '{name}': its weights have sha256 {found}, not {asked}")]
    OtherWeights {
        /// Name of the encoder.
        name: String,
        /// What was asked for.
        asked: String,
        /// What is there.
        found: String,
    },
}

/// Whether [`EncoderLibrary::evaluate`] knows a metric.
pub fn is_encoder_metric(name: &str) -> bool {
    matches!(
        name,
        "bert_score" | "bert_score.batch" | "sentence_transformers.encode" | "embedding_cosine"
    )
}

/// Parameters of every metric that has an encoder, of which the last few only document.
const ENCODER_KEYS: &[&str] = &[
    "model",
    "safetensors_sha256",
    "dtype",
    "use_fast_tokenizer",
    "note",
    "version",
];

/// Parameters of `BERTScore` beside those of its encoder.
const BERT_SCORE_KEYS: &[&str] = &[
    "num_layers",
    "idf",
    "rescale_with_baseline",
    "baseline_tsv_row",
    "baseline_path",
    "batch_size",
    "bert_score",
];

/// Refuses a parameter or input that the metric does not have: passed over, it would be taken for heeded.
fn check_keys(metric: &str, params: &Value, inputs: &Value) -> Result<(), EncoderMetricError> {
    let (more, known_inputs): (&'static [&'static str], &'static [&'static str]) = match metric {
        "bert_score" => (BERT_SCORE_KEYS, &["hyp", "refs", "idf_sents"]),
        "bert_score.batch" => (BERT_SCORE_KEYS, &["hyps", "refs", "idf_sents"]),
        "sentence_transformers.encode" => (&[], &["texts"]),
        _ => (&[], &["hyp", "refs"]),
    };
    let keys = |object: &Value| -> Vec<String> {
        object
            .as_object()
            .map_or_else(Vec::new, |object| object.keys().cloned().collect())
    };
    for name in keys(params) {
        if !ENCODER_KEYS.contains(&&*name) && !more.contains(&&*name) {
            return Err(EncoderMetricError::UnknownKey {
                part: "params",
                name,
                known: if more.is_empty() { ENCODER_KEYS } else { more },
            });
        }
    }
    match keys(inputs)
        .into_iter()
        .find(|name| !known_inputs.contains(&&**name))
    {
        None => Ok(()),
        Some(name) => Err(EncoderMetricError::UnknownKey {
            part: "inputs",
            name,
            known: known_inputs,
        }),
    }
}

#[derive(Deserialize)]
struct Parameters {
    model: String,
    safetensors_sha256: Option<String>,
    num_layers: Option<Layers>,
    #[serde(default)]
    idf: bool,
    #[serde(default)]
    rescale_with_baseline: bool,
    baseline_tsv_row: Option<BaselineRow>,
    baseline_path: Option<PathBuf>,
    batch_size: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Layers {
    One(usize),
    All(All),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum All {
    All,
}

#[derive(Clone, Copy, Deserialize)]
struct BaselineRow {
    #[serde(rename = "P")]
    precision: f64,
    #[serde(rename = "R")]
    recall: f64,
    #[serde(rename = "F")]
    f1: f64,
}

#[derive(Deserialize)]
struct PairInputs {
    hyp: String,
    refs: Vec<String>,
    idf_sents: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct BatchInputs {
    hyps: Vec<String>,
    refs: Vec<References>,
    idf_sents: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum References {
    One(String),
    Many(Vec<String>),
}

impl References {
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts.iter().map(String::as_str).collect(),
        }
    }
}

#[derive(Deserialize)]
struct TextInputs {
    texts: Vec<String>,
}

impl EncoderLibrary {
    /// Computes a metric by the name of its reference implementation.
    ///
    /// `bert_score` takes one hypothesis `hyp` with `refs`, `bert_score.batch` many `hyps` with
    /// one reference or a list of them each, filled up in batches of `batch_size`; both take the
    /// parameters of the golden files. `sentence_transformers.encode` takes `texts`,
    /// `embedding_cosine` `hyp` and `refs` and gives the greatest cosine. Where the encoder does
    /// not know much of the texts or texts were cut, `warning` says so.
    ///
    /// # Errors
    /// For an unknown metric, a missing or malformed argument, and an encoder that cannot be used.
    pub fn evaluate(
        &self,
        metric: &str,
        params: &Value,
        inputs: &Value,
    ) -> Result<Value, EncoderMetricError> {
        if !is_encoder_metric(metric) {
            return Err(EncoderMetricError::UnknownMetric {
                name: metric.to_owned(),
            });
        }
        check_keys(metric, params, inputs)?;
        let parameters: Parameters = read("parameters", params)?;
        let encoder = self.open(&parameters.model)?;
        if let Some(asked) = &parameters.safetensors_sha256
            && asked != encoder.weights_sha256()
        {
            return Err(EncoderMetricError::OtherWeights {
                name: parameters.model,
                asked: asked.clone(),
                found: encoder.weights_sha256().to_owned(),
            });
        }
        let task = Task {
            encoder: &encoder,
            parameters,
        };
        match metric {
            "bert_score" => task.pair(&read("inputs", inputs)?),
            "bert_score.batch" => task.batch(&read("inputs", inputs)?),
            "sentence_transformers.encode" => task.encode(&read("inputs", inputs)?),
            _ => task.cosine(&read("inputs", inputs)?),
        }
    }
}

struct Task<'library> {
    encoder: &'library Encoder,
    parameters: Parameters,
}

impl Task<'_> {
    fn pair(&self, inputs: &PairInputs) -> Result<Value, EncoderMetricError> {
        let references = texts(&inputs.refs);
        let pairs = [(inputs.hyp.as_str(), references.as_slice())];
        let idf = self.idf(inputs.idf_sents.as_deref(), &references)?;
        let (mut value, reading) = if let Some(Layers::All(All::All)) = self.parameters.num_layers {
            let layered =
                self.encoder
                    .bert_scores_by_layer(&pairs, idf.as_deref(), Padding::None)?;
            let scores: Vec<BertScore> = layered.scores.into_iter().flatten().collect();
            (lists(&scores), layered.reading)
        } else {
            let scored = self
                .encoder
                .bert_scores(&pairs, &self.options(idf, Padding::None)?)?;
            let score = scored.scores[0];
            let value = json!({
                "P": number(score.precision),
                "R": number(score.recall),
                "F": number(score.f1),
            });
            (value, scored.reading)
        };
        let hypothesis = self.encoder.tokenize(&inputs.hyp)?;
        let references = references
            .iter()
            .map(|text| self.encoder.tokenize(text))
            .collect::<Result<Vec<_>, _>>()?;
        value["hyp_len_ids"] = json!(hypothesis.ids().len());
        value["ref_len_ids"] = json!(references.first().map(|text| text.ids().len()));
        value["hyp_ids"] = json!(hypothesis.ids());
        value["refs_ids"] = references.iter().map(|text| json!(text.ids())).collect();
        Ok(with_warning(value, &reading))
    }

    fn batch(&self, inputs: &BatchInputs) -> Result<Value, EncoderMetricError> {
        if inputs.hyps.len() != inputs.refs.len() {
            let lengths = format!("{} hyps but {} refs", inputs.hyps.len(), inputs.refs.len());
            return Err(EncoderMetricError::Arguments {
                what: "inputs",
                source: serde::de::Error::custom(lengths),
            });
        }
        let references: Vec<Vec<&str>> = inputs.refs.iter().map(References::texts).collect();
        let pairs: Vec<(&str, &[&str])> = inputs
            .hyps
            .iter()
            .zip(&references)
            .map(|(hypothesis, references)| (hypothesis.as_str(), references.as_slice()))
            .collect();
        let idf = self.idf(inputs.idf_sents.as_deref(), &references.concat())?;
        let padding = Padding::Batches(self.parameters.batch_size.unwrap_or(64));
        let scored = self
            .encoder
            .bert_scores(&pairs, &self.options(idf, padding)?)?;
        Ok(with_warning(lists(&scored.scores), &scored.reading))
    }

    fn encode(&self, inputs: &TextInputs) -> Result<Value, EncoderMetricError> {
        let embedded = self
            .encoder
            .embed(&texts(&inputs.texts), &self.encoder.embedding_options())?;
        let vectors: Vec<Vec<Value>> = embedded
            .vectors
            .iter()
            .map(|vector| vector.iter().map(|value| number((*value).into())).collect())
            .collect();
        Ok(with_warning(
            json!({"embeddings": vectors}),
            &embedded.reading,
        ))
    }

    fn cosine(&self, inputs: &PairInputs) -> Result<Value, EncoderMetricError> {
        let mut all = vec![inputs.hyp.as_str()];
        all.extend(texts(&inputs.refs));
        let embedded = self
            .encoder
            .embed(&all, &self.encoder.embedding_options())?;
        let greatest = embedded.vectors[1..]
            .iter()
            .filter_map(|reference| cosine(&embedded.vectors[0], reference))
            .max_by(f64::total_cmp);
        Ok(with_warning(json!({"score": greatest}), &embedded.reading))
    }

    /// Weights over the texts given for them, else over the references.
    fn idf(
        &self,
        given: Option<&[String]>,
        references: &[&str],
    ) -> Result<Option<Arc<Idf>>, ModelError> {
        if !self.parameters.idf {
            return Ok(None);
        }
        let given = given.map(texts);
        let over = given.as_deref().unwrap_or(references);
        Ok(Some(Arc::new(Idf::of_texts(self.encoder, over)?)))
    }

    fn options(
        &self,
        idf: Option<Arc<Idf>>,
        padding: Padding,
    ) -> Result<BertScoreOptions, EncoderMetricError> {
        let layer = match self.parameters.num_layers {
            Some(Layers::One(layer)) => layer,
            _ => self.encoder.usual_layer(),
        };
        let baseline = match (
            self.parameters.rescale_with_baseline,
            self.parameters.baseline_tsv_row,
            &self.parameters.baseline_path,
        ) {
            (false, ..) => None,
            (true, Some(row), _) => Some(Baseline {
                precision: row.precision,
                recall: row.recall,
                f1: row.f1,
            }),
            (true, None, Some(path)) => Some(Baseline::read(path, layer)?),
            (true, None, None) => {
                let missing = "rescale_with_baseline needs baseline_path or baseline_tsv_row";
                return Err(EncoderMetricError::Arguments {
                    what: "parameters",
                    source: serde::de::Error::custom(missing),
                });
            }
        };
        Ok(BertScoreOptions {
            layer,
            idf,
            baseline,
            padding,
        })
    }
}

fn read<T: DeserializeOwned>(what: &'static str, value: &Value) -> Result<T, EncoderMetricError> {
    T::deserialize(value).map_err(|source| EncoderMetricError::Arguments { what, source })
}

fn texts(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

fn lists(scores: &[BertScore]) -> Value {
    let list = |part: fn(&BertScore) -> f64| -> Value {
        scores.iter().map(|score| number(part(score))).collect()
    };
    json!({
        "P": list(|score| score.precision),
        "R": list(|score| score.recall),
        "F": list(|score| score.f1),
    })
}

fn with_warning(mut value: Value, reading: &Reading) -> Value {
    let cut = (reading.truncated_tokens > 0).then(|| {
        format!(
            "{} tokens of {} texts were cut off",
            reading.truncated_tokens, reading.truncated_texts
        )
    });
    let warnings: Vec<String> = reading.refusal().into_iter().chain(cut).collect();
    if !warnings.is_empty() {
        value["warning"] = json!(warnings.join("; "));
    }
    value
}
