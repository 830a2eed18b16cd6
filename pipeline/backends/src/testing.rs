//! A backend for tests that answers from a script.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use consilium_core::SystemClock;
use consilium_core::study::BackendSpec;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;

use crate::{Backend, CallFailure, CallIdentity, ChatRequest, LimitedBackend, Reply, Usage};

/// A reply with this content and ten tokens each way.
pub fn reply(content: &str, finish_reason: &str) -> Reply {
    Reply {
        content: Some(content.to_owned()),
        finish_reason: Some(finish_reason.to_owned()),
        usage: Usage {
            prompt_tokens: Some(10),
            cached_tokens: None,
            completion_tokens: Some(10),
        },
        ..Reply::default()
    }
}

type Script = VecDeque<Result<Reply, CallFailure>>;

/// A backend that answers from a list, the last entry for ever, and keeps what it was asked.
#[derive(Debug)]
pub struct ScriptedBackend {
    spec: BackendSpec,
    script: Mutex<Script>,
    requests: Mutex<Vec<(CallIdentity, ChatRequest)>>,
}

impl ScriptedBackend {
    /// A backend that answers from this list.
    ///
    /// # Panics
    /// Never: its own entry is valid.
    pub fn new(script: impl IntoIterator<Item = Result<Reply, CallFailure>>) -> Arc<Self> {
        let spec = json!({
            "name": "scripted",
            "kind": "openai",
            "limits": {"concurrency": 3, "retries": 0},
            "price": {"input": 1.0, "output": 1.0},
        });
        Arc::new(Self {
            spec: serde_json::from_value(spec).expect("a valid backend"),
            script: Mutex::new(script.into_iter().collect()),
            requests: Mutex::default(),
        })
    }

    /// What was asked so far.
    pub fn requests(&self) -> Vec<(CallIdentity, ChatRequest)> {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The backend with its limits and retries.
    pub fn limited(self: &Arc<Self>) -> Arc<LimitedBackend> {
        let backend: Arc<dyn Backend> = Arc::<Self>::clone(self);
        Arc::new(LimitedBackend::new(backend, Arc::new(SystemClock), 1))
    }
}

impl Backend for ScriptedBackend {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn model(&self) -> &'static str {
        "model"
    }

    fn endpoint(&self) -> &'static str {
        "nowhere"
    }

    fn spec(&self) -> &BackendSpec {
        &self.spec
    }

    fn send<'a>(
        &'a self,
        call: &'a CallIdentity,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<Reply, CallFailure>> {
        async move {
            self.requests
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((call.clone(), request.clone()));
            let next = {
                let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
                if script.len() > 1 {
                    script.pop_front()
                } else {
                    script.front().cloned()
                }
            };
            match next {
                Some(reply) => reply,
                None => std::future::pending().await,
            }
        }
        .boxed()
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), CallFailure>> {
        async { Ok(()) }.boxed()
    }
}
