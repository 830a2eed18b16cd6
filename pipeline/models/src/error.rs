//! Why an encoder cannot be used.

use std::error::Error;
use std::path::PathBuf;

/// An encoder that cannot be found, read or asked.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// No folder of models holds the name.
    #[error(
        "find the encoder '{name}' in {}; hint: put a folder of that name there with config.json, \
         model.safetensors and tokenizer.json or vocab.txt, or name its parent in \
         CONSILIUM_MODELS; .ci/fetch-encoder fetches all-MiniLM-L6-v2",
        places(roots)
    )]
    NotFound {
        /// The name asked for.
        name: String,
        /// Folders looked into.
        roots: Vec<PathBuf>,
    },
    /// The name could leave the folder of models.
    #[error("find the encoder '{name}': a name has letters, digits, '.', '-', '_' and single '/'")]
    Name {
        /// The name asked for.
        name: String,
    },
    /// A file of the encoder cannot be read.
    #[error(
        "read {}; hint: an encoder needs config.json, model.safetensors and tokenizer.json or vocab.txt",
        path.display()
    )]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file of the encoder is not the JSON it should be.
    #[error(
        "read {} as a BERT-like encoder has it; hint: bert, roberta and xlm-roberta are computed; if this is \
         one, fetch the file again",
        path.display()
    )]
    Json {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The model is of a kind that is not computed here.
    #[error("use the encoder of {}: {reason}", path.display())]
    Unsupported {
        /// Its `config.json`.
        path: PathBuf,
        /// What it asks for.
        reason: String,
    },
    /// A tensor is absent, or not as the configuration says.
    #[error(
        "read the weight '{name}' of {}; hint: if config.json belongs to it, fetch the file again",
        path.display()
    )]
    Weight {
        /// The file of weights.
        path: PathBuf,
        /// Name of the tensor.
        name: String,
        /// Why.
        #[source]
        source: Box<candle_core::Error>,
    },
    /// A tensor holds values that are no numbers: everything computed from them would be none either.
    #[error(
        "use the weight '{name}' of {}: it holds values that are not finite; hint: fetch the file again",
        path.display()
    )]
    NotFinite {
        /// The file of weights.
        path: PathBuf,
        /// Name of the tensor.
        name: String,
    },
    /// The vocabulary cannot be read.
    #[error("read the vocabulary {}", path.display())]
    Vocabulary {
        /// `tokenizer.json` or `vocab.txt`.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// A text cannot be split into tokens.
    #[error("split a text into tokens")]
    Tokenize {
        /// Why.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The model has no such layer.
    #[error("take layer {asked}: the encoder has layers 0 (embeddings) to {last}")]
    Layer {
        /// The layer asked for.
        asked: usize,
        /// The last one.
        last: usize,
    },
    /// A file of baselines has no usable row.
    #[error(
        "read a baseline for layer {layer} from {}: {reason}; hint: lines are LAYER,P,R,F",
        path.display()
    )]
    Baseline {
        /// The file.
        path: PathBuf,
        /// The layer whose row is needed.
        layer: usize,
        /// What is wrong.
        reason: String,
    },
}

fn places(roots: &[PathBuf]) -> String {
    let roots: Vec<String> = roots
        .iter()
        .map(|root| root.display().to_string())
        .collect();
    if roots.is_empty() {
        return "any folder (neither CONSILIUM_MODELS nor a home is set)".to_owned();
    }
    roots.join(" or ")
}
