//! The weights of a model by name, as 32-bit floats.

use std::path::{Path, PathBuf};

use candle_core::safetensors::BufferedSafetensors;
use candle_core::{DType, Device, Error};
use consilium_core::canonical::sha256_hex;

use crate::config::read_file;
use crate::error::ModelError;

/// Names that a whole model is saved under when it has a head.
const PREFIXES: [&str; 3] = ["", "bert.", "roberta."];

/// A file of weights.
pub(crate) struct Weights {
    path: PathBuf,
    tensors: BufferedSafetensors,
    prefix: &'static str,
    /// SHA-256 of the file, hexadecimal.
    pub(crate) sha256: String,
}

impl Weights {
    /// Reads `model.safetensors`.
    pub(crate) fn read(folder: &Path) -> Result<Self, ModelError> {
        let path = folder.join("model.safetensors");
        let bytes = read_file(&path)?;
        let sha256 = sha256_hex(&bytes);
        let failed = |name: &str, source| ModelError::Weight {
            path: path.clone(),
            name: name.to_owned(),
            source: Box::new(source),
        };
        let tensors = BufferedSafetensors::new(bytes).map_err(|source| failed("*", source))?;
        let first = "embeddings.word_embeddings.weight";
        let prefix = PREFIXES
            .into_iter()
            .find(|prefix| tensors.get(&format!("{prefix}{first}")).is_ok())
            .ok_or_else(|| {
                let absent = Error::CannotFindTensor {
                    path: first.to_owned(),
                };
                failed(first, absent)
            })?;
        Ok(Self {
            path,
            tensors,
            prefix,
            sha256,
        })
    }

    /// The tensor of this name, which must have this shape.
    pub(crate) fn get(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let whole = format!("{}{name}", self.prefix);
        let path = self.path.clone();
        match self.read_tensor(name, shape) {
            Ok(values) if values.iter().all(|value| value.is_finite()) => Ok(values),
            Ok(_) => Err(ModelError::NotFinite { path, name: whole }),
            Err(source) => Err(ModelError::Weight {
                path,
                name: whole,
                source: Box::new(source),
            }),
        }
    }

    fn read_tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let whole = format!("{}{name}", self.prefix);
        // The first checkpoints of BERT name the weights of their norms so.
        let old = whole
            .replace("LayerNorm.weight", "LayerNorm.gamma")
            .replace("LayerNorm.bias", "LayerNorm.beta");
        let known = if self.tensors.get(&whole).is_ok() {
            whole
        } else {
            old
        };
        let tensor = self.tensors.load(&known, &Device::Cpu)?;
        if tensor.dims() != shape {
            return Err(Error::UnexpectedShape {
                msg: "not as config.json says".to_owned(),
                expected: shape.into(),
                got: tensor.shape().clone(),
            });
        }
        tensor.to_dtype(DType::F32)?.flatten_all()?.to_vec1()
    }
}
