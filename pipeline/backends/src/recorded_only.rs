//! A backend that asks nobody: for scores that must follow from recorded calls alone.

use consilium_core::ErrorKind;
use consilium_core::study::BackendSpec;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::{Backend, CallFailure, CallIdentity, ChatRequest, Reply};

/// Stands in for a backend where nothing may be sent, and needs neither its key nor its server.
#[derive(Debug)]
pub(super) struct RecordedOnly {
    spec: BackendSpec,
    model: String,
}

impl RecordedOnly {
    pub(super) fn new(spec: &BackendSpec) -> Self {
        Self {
            model: spec.model.clone().unwrap_or_else(|| spec.name.clone()),
            spec: spec.clone(),
        }
    }
}

impl Backend for RecordedOnly {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn endpoint(&self) -> &'static str {
        "recorded:"
    }

    fn spec(&self) -> &BackendSpec {
        &self.spec
    }

    fn send<'a>(
        &'a self,
        _call: &'a CallIdentity,
        _request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<Reply, CallFailure>> {
        async {
            let message = "the run holds no record of this call";
            Err(CallFailure::new(ErrorKind::NotRecorded, message))
        }
        .boxed()
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), CallFailure>> {
        async { Ok(()) }.boxed()
    }
}
