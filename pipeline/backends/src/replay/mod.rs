//! Recorded calls in place of a model.

mod recording;

use std::path::Path;

use consilium_core::ErrorKind;
use consilium_core::study::{BackendSpec, ReplayMatch};
use futures::future::BoxFuture;

use super::{
    Backend, BackendError, CallFailure, CallIdentity, ChatRequest, Reply, ResponseFormat,
    configured_format,
};
use recording::{Recorded, Recording};

/// A backend that repeats what another one said.
#[derive(Debug)]
pub(super) struct Replay {
    spec: BackendSpec,
    model: String,
    endpoint: String,
    recording: Recording,
}

impl Replay {
    /// Reads the recording: a run folder, a folder of Parquet files, or one file.
    pub(super) fn new(spec: &BackendSpec, study_folder: &Path) -> Result<Self, BackendError> {
        let Some(path) = &spec.recording else {
            return Err(BackendError::MissingField {
                backend: spec.name.clone(),
                kind: "replay",
                key: "recording",
            });
        };
        let path = study_folder.join(path);
        let recording = Recording::read(&path).map_err(|source| BackendError::Recording {
            backend: spec.name.clone(),
            path: path.clone(),
            source,
        })?;
        // Requests are matched by hash, and the model is part of it.
        let recorded_model = recording.only_model().map(str::to_owned);
        Ok(Self {
            model: spec
                .model
                .clone()
                .or(recorded_model)
                .unwrap_or_else(|| spec.name.clone()),
            endpoint: format!("replay:{}", path.display()),
            spec: spec.clone(),
            recording,
        })
    }

    fn find(&self, call: &CallIdentity, request: &ChatRequest) -> Result<Reply, CallFailure> {
        let sha256 = request.sha256();
        let (found, hint) = match self.spec.replay_match.unwrap_or_default() {
            ReplayMatch::Request => (
                self.recording.by_request(call, &sha256),
                "hint: model, prompts, settings and seed must be as recorded, or set \
                 match = \"position\"",
            ),
            ReplayMatch::Position => (
                self.recording.by_position(call),
                "hint: dataset, system and epochs must be as recorded",
            ),
        };
        let Some(recorded) = found else {
            let message = format!(
                "none of {} recorded calls answers call {} of {}; {hint}",
                self.recording.len(),
                call.seq,
                call.key
            );
            return Err(CallFailure::new(ErrorKind::NotRecorded, message));
        };
        replayed(recorded, &sha256)
    }
}

/// Turns a recorded call back into what it was.
fn replayed(recorded: &Recorded, sha256: &str) -> Result<Reply, CallFailure> {
    let mut reply = match &recorded.outcome {
        Ok(reply) => reply.clone(),
        Err(failure) => return Err(failure.clone()),
    };
    if recorded.request_sha256 != sha256 {
        reply
            .extra
            .insert("request_changed".to_owned(), true.into());
        reply.extra.insert(
            "recorded_request_sha256".to_owned(),
            recorded.request_sha256.as_str().into(),
        );
    }
    Ok(reply)
}

impl Backend for Replay {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn endpoint(&self) -> &str {
        &self.endpoint
    }

    fn spec(&self) -> &BackendSpec {
        &self.spec
    }

    fn send<'a>(
        &'a self,
        call: &'a CallIdentity,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<Reply, CallFailure>> {
        Box::pin(async move { self.find(call, request) })
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), CallFailure>> {
        Box::pin(async { Ok(()) })
    }

    fn effective_format(&self) -> ResponseFormat {
        configured_format(self.spec.structured_output)
    }
}

#[cfg(test)]
mod tests;
