//! The configuration of a model, as its folder gives it.

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::arithmetic::Activation;
use crate::embedding::{EmbeddingOptions, Pooling};
use crate::error::ModelError;

/// Sizes and settings of a network.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) width: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) inner: usize,
    pub(crate) vocabulary: usize,
    pub(crate) positions: usize,
    /// Position of the first token: `RoBERTa` counts from behind its padding id.
    pub(crate) first_position: usize,
    pub(crate) token_types: usize,
    pub(crate) norm_epsilon: f32,
    pub(crate) activation: Activation,
}

#[derive(Deserialize)]
struct ConfigFile {
    model_type: Option<String>,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    #[serde(default = "one")]
    type_vocab_size: usize,
    #[serde(default = "usual_epsilon")]
    layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default)]
    pad_token_id: Option<usize>,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

const fn one() -> usize {
    1
}

const fn usual_epsilon() -> f32 {
    1e-12
}

impl Config {
    /// Reads `config.json`.
    pub(crate) fn read(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join("config.json");
        let file: ConfigFile = read_json(&path)?;
        Self::of(&file).map_err(|reason| ModelError::Unsupported { path, reason })
    }

    fn of(file: &ConfigFile) -> Result<Self, String> {
        let kind = file.model_type.as_deref().unwrap_or("bert");
        let first_position = match kind {
            "bert" => 0,
            "roberta" | "xlm-roberta" | "camembert" => file.pad_token_id.unwrap_or(1) + 1,
            _ => {
                return Err(format!(
                    "models of type '{kind}' are not computed; hint: bert, roberta and \
                     xlm-roberta are"
                ));
            }
        };
        let activation = match file.hidden_act.as_str() {
            "gelu" => Activation::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" => Activation::GeluTanh,
            "relu" => Activation::Relu,
            other => return Err(format!("hidden_act is '{other}'")),
        };
        if let Some(kind) = &file.position_embedding_type
            && kind != "absolute"
        {
            return Err(format!("position_embedding_type is '{kind}'"));
        }
        let sizes = [
            file.hidden_size,
            file.num_attention_heads,
            file.intermediate_size,
            file.vocab_size,
        ];
        if sizes.contains(&0) || !file.hidden_size.is_multiple_of(file.num_attention_heads) {
            return Err("hidden_size is no multiple of num_attention_heads".to_owned());
        }
        // Two special tokens and at least one of the text.
        if file.max_position_embeddings < first_position + 3 {
            return Err("max_position_embeddings leaves no room for text".to_owned());
        }
        Ok(Self {
            width: file.hidden_size,
            layers: file.num_hidden_layers,
            heads: file.num_attention_heads,
            inner: file.intermediate_size,
            vocabulary: file.vocab_size,
            positions: file.max_position_embeddings,
            first_position,
            token_types: file.type_vocab_size,
            norm_epsilon: file.layer_norm_eps,
            activation,
        })
    }

    /// Most tokens of a text, the special ones included.
    pub(crate) fn most_tokens(&self) -> usize {
        self.positions - self.first_position
    }
}

#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct PoolingFile {
    #[serde(default)]
    pooling_mode_cls_token: bool,
}

#[derive(Deserialize)]
struct SentenceFile {
    max_seq_length: Option<usize>,
}

/// How the folder wants sentences to be embedded, as sentence-transformers reads it; by default
/// the mean over all tokens, as it is.
pub(crate) fn embedding_options(folder: &Path) -> Result<EmbeddingOptions, ModelError> {
    let modules: Vec<Module> =
        read_json_if_present(&folder.join("modules.json"))?.unwrap_or_default();
    let pooling: Option<PoolingFile> = read_json_if_present(&folder.join("1_Pooling/config.json"))?;
    let sentence: Option<SentenceFile> =
        read_json_if_present(&folder.join("sentence_bert_config.json"))?;
    Ok(EmbeddingOptions {
        pooling: match pooling {
            Some(file) if file.pooling_mode_cls_token => Pooling::Cls,
            _ => Pooling::Mean,
        },
        normalize: modules
            .iter()
            .any(|module| module.kind.ends_with("Normalize")),
        most_tokens: sentence.and_then(|file| file.max_seq_length),
    })
}

pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, ModelError> {
    std::fs::read(path).map_err(|source| ModelError::File {
        path: path.to_owned(),
        source,
    })
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, ModelError> {
    serde_json::from_slice(&read_file(path)?).map_err(|source| ModelError::Json {
        path: path.to_owned(),
        source,
    })
}

pub(crate) fn read_json_if_present<T: DeserializeOwned>(
    path: &Path,
) -> Result<Option<T>, ModelError> {
    if path.is_file() {
        read_json(path).map(Some)
    } else {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn config(changes: &Value) -> Result<Config, String> {
        let mut file = json!({"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 2,
            "num_attention_heads": 2, "intermediate_size": 16, "vocab_size": 30,
            "max_position_embeddings": 16, "hidden_act": "gelu"});
        for (key, value) in changes.as_object().unwrap() {
            file[key] = value.clone();
        }
        Config::of(&serde_json::from_value(file).unwrap())
    }

    #[test]
    fn roberta_counts_positions_from_behind_its_padding() {
        assert_eq!(config(&json!({})).unwrap().most_tokens(), 16);
        let roberta = config(&json!({"model_type": "xlm-roberta", "pad_token_id": 1})).unwrap();
        assert_eq!((roberta.first_position, roberta.most_tokens()), (2, 14));
    }

    #[test]
    fn what_is_not_computed_is_refused() {
        for (changes, word) in [
            (json!({"model_type": "t5"}), "t5"),
            (json!({"hidden_act": "silu"}), "silu"),
            (
                json!({"position_embedding_type": "relative_key"}),
                "relative_key",
            ),
            (json!({"num_attention_heads": 3}), "multiple"),
            (json!({"num_attention_heads": 0}), "multiple"),
            (json!({"max_position_embeddings": 2}), "room"),
        ] {
            let reason = config(&changes).unwrap_err();
            assert!(reason.contains(word), "{reason}");
        }
    }
}
