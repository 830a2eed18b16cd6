//! Local encoders by name, each read once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use consilium_models::{Encoder, ModelError};

/// The local encoders that have been asked for.
#[derive(Debug, Default)]
pub struct EncoderLibrary {
    read: Mutex<HashMap<String, Arc<Encoder>>>,
}

impl EncoderLibrary {
    /// Finds an encoder in `$CONSILIUM_MODELS` or the user's cache and reads it, the first time.
    ///
    /// # Errors
    /// When no folder of models holds it, or a file of it cannot be used.
    pub fn open(&self, name: &str) -> Result<Arc<Encoder>, ModelError> {
        // Held while reading, so that those who ask meanwhile wait and do not read it again.
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoder) = read.get(name) {
            return Ok(Arc::clone(encoder));
        }
        let encoder = Arc::new(Encoder::open(name)?);
        read.insert(name.to_owned(), Arc::clone(&encoder));
        Ok(encoder)
    }
}
