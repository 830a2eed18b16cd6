//! Cases and stand-ins for tests of this crate.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use consilium_core::study::{BackendSpec, SystemSpec};
use consilium_core::{
    AnswerForm, CallRow, CaseView, ChoiceOption, EventRow, RunStopped, SampleKey, SampleRow,
    SystemClock, WorkItem,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::backend::{
    Backend, CallFailure, CallIdentity, ChatRequest, LimitedBackend, Reply, Usage,
};
use crate::context::{SampleLimits, SampleRecorder};
use crate::executor::{ExecutorParts, RunExecutor};
use crate::prompt::PromptLibrary;

/// A small English case with two options.
pub(crate) fn case_view(answer_form: AnswerForm) -> CaseView {
    let option = |label: &str, text: &str| ChoiceOption {
        label: label.to_owned(),
        text: text.to_owned(),
    };
    CaseView {
        dataset: "drugs".into(),
        case_id: "1".into(),
        source: "hand".to_owned(),
        language: "en".to_owned(),
        answer_form,
        specialty: None,
        prevalence: None,
        labels: BTreeMap::new(),
        input: Map::from_iter([("question".to_owned(), Value::from("Which drug?"))]),
        options: vec![option("A", "Metformin"), option("B", "Insulin")],
    }
}

/// The first attempt at a case by a system.
pub(crate) fn work_item(system: &str, case: CaseView) -> WorkItem {
    WorkItem {
        key: SampleKey::new(
            Arc::clone(&case.dataset),
            Arc::clone(&case.case_id),
            system,
            1,
        ),
        attempt: 1,
        case: Arc::new(case),
    }
}

/// A reply with this content and ten tokens each way.
pub(crate) fn reply(content: &str, finish_reason: &str) -> Reply {
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
pub(crate) struct ScriptedBackend {
    spec: BackendSpec,
    script: Mutex<Script>,
    requests: Mutex<Vec<(CallIdentity, ChatRequest)>>,
}

impl ScriptedBackend {
    pub(crate) fn new(script: impl IntoIterator<Item = Result<Reply, CallFailure>>) -> Arc<Self> {
        let spec = json!({
            "name": "scripted",
            "kind": "openai",
            "limits": {"concurrency": 3, "retries": 0},
            "price": {"input": 1.0, "output": 1.0},
        });
        Arc::new(Self {
            spec: serde_json::from_value(spec).unwrap(),
            script: Mutex::new(script.into_iter().collect()),
            requests: Mutex::default(),
        })
    }

    pub(crate) fn requests(&self) -> Vec<(CallIdentity, ChatRequest)> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn limited(self: &Arc<Self>) -> Arc<LimitedBackend> {
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
                .unwrap()
                .push((call.clone(), request.clone()));
            let next = {
                let mut script = self.script.lock().unwrap();
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

/// A recorder that keeps everything in memory.
#[derive(Debug, Default)]
pub(crate) struct MemoryRecorder {
    pub(crate) calls: Mutex<Vec<CallRow>>,
    pub(crate) samples: Mutex<Vec<(SampleRow, Vec<EventRow>)>>,
    pub(crate) recorded: Mutex<Vec<CallRow>>,
    pub(crate) full: bool,
}

impl MemoryRecorder {
    fn check(&self) -> Result<(), RunStopped> {
        if self.full {
            return Err(RunStopped::Recording {
                message: "the disk is full".to_owned(),
            });
        }
        Ok(())
    }
}

impl SampleRecorder for MemoryRecorder {
    fn append_call(&self, call: CallRow) -> Result<(), RunStopped> {
        self.check()?;
        self.calls.lock().unwrap().push(call);
        Ok(())
    }

    fn finish_sample(&self, sample: SampleRow, events: Vec<EventRow>) -> Result<(), RunStopped> {
        self.check()?;
        self.samples.lock().unwrap().push((sample, events));
        Ok(())
    }

    fn recorded_calls(&self, _key: &SampleKey, _attempt: u32) -> Vec<CallRow> {
        self.recorded.lock().unwrap().clone()
    }
}

/// An executor of these systems over one backend called `scripted`.
pub(crate) fn executor(
    systems: &Value,
    backend: &Arc<ScriptedBackend>,
    recorder: &Arc<MemoryRecorder>,
    cancel: &CancellationToken,
) -> Arc<RunExecutor> {
    executor_over(systems, backend.limited(), recorder, cancel)
}

/// The same over a backend with limits of its own.
pub(crate) fn executor_over(
    systems: &Value,
    backend: Arc<LimitedBackend>,
    recorder: &Arc<MemoryRecorder>,
    cancel: &CancellationToken,
) -> Arc<RunExecutor> {
    let systems: Vec<SystemSpec> = serde_json::from_value(systems.clone()).unwrap();
    let recorder: Arc<dyn SampleRecorder> = Arc::<MemoryRecorder>::clone(recorder);
    let parts = ExecutorParts {
        systems,
        backends: BTreeMap::from([("scripted".to_owned(), backend)]),
        recorder,
        clock: Arc::new(SystemClock),
        prompts: Arc::new(PromptLibrary::load(None).unwrap()),
        study_seed: 7,
        cancel: cancel.clone(),
        sample_limits: SampleLimits::default(),
        training: BTreeMap::new(),
    };
    Arc::new(RunExecutor::new(parts).unwrap())
}
