//! Backends: one wire client per model, behind one trait.
//!
//! A [`Backend`] sends one request once. Limits, retries and giving up belong to
//! [`LimitedBackend`], which is what solvers and scorers reach through their context.

mod cache;
mod embedding;
pub mod limit;
mod limited;
mod openai;
mod recorded_only;
mod replay;
mod reply;
mod request;
pub mod retry;
pub mod simulated;
pub mod testing;
mod vector_cache;

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use consilium_core::study::{BackendKind, BackendSpec, StructuredOutput};
use consilium_core::{AnswerForm, ChoiceOption};
use futures::future::BoxFuture;

pub use cache::{CacheKey, ResponseCache};
pub use embedding::EmbeddingBackend;
pub use limited::{LimitedBackend, SentCall, text_tokens};
pub use reply::{Adaptation, CallFailure, Reply, ResponseFormat, Usage};
pub use request::{CallIdentity, ChatRequest, Message, OutputSchema, Role, wire_seed};

/// A client of one model.
pub trait Backend: Debug + Send + Sync {
    /// Name in the study.
    fn name(&self) -> &str;

    /// Model that is asked for.
    fn model(&self) -> &str;

    /// Where it is asked; part of a cache key, free of secrets.
    fn endpoint(&self) -> &str;

    /// The study's entry.
    fn spec(&self) -> &BackendSpec;

    /// Sends a request once.
    fn send<'a>(
        &'a self,
        call: &'a CallIdentity,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<Reply, CallFailure>>;

    /// Checks cheaply that the backend is reachable and accepts the key.
    fn probe(&self) -> BoxFuture<'_, Result<(), CallFailure>>;

    /// How structured replies are asked for at first; the same for as long as the backend lives, so
    /// that the messages of a call, and with them its hash, do not depend on what was called before.
    ///
    /// Where it is [`ResponseFormat::Text`] the caller may append [`OutputSchema::instruction`] to
    /// the last message, so that it is recorded. Whenever a server does not enforce the schema, the
    /// backend says it in words on the wire, unless the message ends with it already;
    /// [`Reply::format`] tells what was really used.
    fn effective_format(&self) -> ResponseFormat {
        ResponseFormat::Text
    }

    /// Counts what the backend has learnt about its server from refusals; when a call fails and
    /// the number has moved since it was sent, the same call is worth sending once more.
    fn dialect_revision(&self) -> u32 {
        0
    }
}

/// Gold for the simulated backend, and for nothing else; implemented by the binary.
pub trait AnswerKey: Debug + Send + Sync {
    /// What is right for a case.
    fn answer(&self, dataset: &str, case_id: &str) -> Option<SimulatedCase>;
}

/// What the simulated backend knows of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulatedCase {
    /// Accepted answers, the preferred one first.
    pub gold: Vec<String>,
    /// Options in presentation order.
    pub options: Vec<ChoiceOption>,
    /// What kind of answer is asked for.
    pub answer_form: AnswerForm,
    /// Medical specialty, when known.
    pub specialty: Option<String>,
    /// Prevalence class, when known.
    pub prevalence: Option<String>,
    /// A reference answer in prose.
    pub reference: Option<String>,
}

/// A backend that cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum BackendError {
    /// A key that its kind needs is not given.
    #[error("set up backend '{backend}': a backend of kind {kind} needs `{key}`")]
    MissingField {
        /// Name of the backend.
        backend: String,
        /// Its kind as written in the study.
        kind: &'static str,
        /// The missing key.
        key: &'static str,
    },
    /// The environment variable with the key is not set.
    #[error(
        "set up backend '{backend}': environment variable {variable} (api_key_env) is not set; \
         hint: export {variable}=…"
    )]
    MissingKey {
        /// Name of the backend.
        backend: String,
        /// The variable.
        variable: String,
    },
    /// The key cannot be sent in a header.
    #[error("set up backend '{backend}': the value of {variable} holds characters no key can have")]
    InvalidKey {
        /// Name of the backend.
        backend: String,
        /// The variable.
        variable: String,
    },
    /// The address is not one.
    #[error("set up backend '{backend}': base_url {reason}")]
    Address {
        /// Name of the backend.
        backend: String,
        /// What is wrong, and a hint.
        reason: String,
    },
    /// The HTTP client cannot be built.
    #[error("set up backend '{backend}': the HTTP client")]
    Client {
        /// Name of the backend.
        backend: String,
        /// Why.
        #[source]
        source: reqwest::Error,
    },
    /// Its kind embeds no texts.
    #[error(
        "set up backend '{backend}': a backend of kind {kind} embeds no texts; hint: openai does"
    )]
    NoEmbeddings {
        /// Name of the backend.
        backend: String,
        /// Its kind as written in the study.
        kind: &'static str,
    },
    /// A recording cannot be read.
    #[error("set up backend '{backend}': read recorded calls from {}", path.display())]
    Recording {
        /// Name of the backend.
        backend: String,
        /// File or folder.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Sets up the backend of a study entry.
///
/// `study_folder` is what relative paths start from. `answers` is for the simulated backend only.
///
/// # Errors
/// When the entry lacks something its kind needs, or names a key, address or recording that
/// cannot be used.
pub fn build(
    spec: &BackendSpec,
    study_folder: &Path,
    seed: u64,
    answers: Option<Arc<dyn AnswerKey>>,
) -> Result<Arc<dyn Backend>, BackendError> {
    Ok(match spec.kind {
        BackendKind::Openai => Arc::new(openai::OpenAi::new(spec)?),
        BackendKind::Simulated => Arc::new(simulated::Simulated::new(spec, seed, answers)),
        BackendKind::Replay => Arc::new(replay::Replay::new(spec, study_folder)?),
    })
}

/// The same backend as far as requests are made for it, which sends none of them: a stand-in where
/// recorded calls are all that may be used. It needs neither a key nor a server.
///
/// # Errors
/// When a recording, which is read as ever, cannot be.
pub fn recorded_only(
    spec: &BackendSpec,
    study_folder: &Path,
) -> Result<Arc<dyn Backend>, BackendError> {
    Ok(match spec.kind {
        BackendKind::Replay => Arc::new(replay::Replay::new(spec, study_folder)?),
        BackendKind::Openai | BackendKind::Simulated => {
            Arc::new(recorded_only::RecordedOnly::new(spec))
        }
    })
}

/// The strongest form a backend may ask for, as the study sets it.
const fn configured_format(structured_output: StructuredOutput) -> ResponseFormat {
    match structured_output {
        StructuredOutput::Auto | StructuredOutput::JsonSchema => ResponseFormat::JsonSchema,
        StructuredOutput::JsonObject => ResponseFormat::JsonObject,
        StructuredOutput::Text => ResponseFormat::Text,
    }
}

#[cfg(test)]
mod embedding_tests;
#[cfg(test)]
mod wire_tests;
