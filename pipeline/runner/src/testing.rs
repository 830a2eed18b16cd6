//! Cases and stand-ins for tests of the executor, of solvers and of scorers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use consilium_backends::LimitedBackend;
use consilium_core::{
    AnswerForm, CallRow, CaseView, ChoiceOption, EventRow, RunStopped, SampleKey, SampleRow,
    SystemClock, WorkItem,
};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::context::{SampleLimits, SampleRecorder};
use crate::executor::{ExecutorParts, SystemParts};
use crate::prompt::PromptLibrary;

/// A small English case with two options.
pub fn case_view(answer_form: AnswerForm) -> CaseView {
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
pub fn work_item(system: &str, case: CaseView) -> WorkItem {
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

/// A recorder that keeps everything in memory.
#[derive(Debug, Default)]
pub struct MemoryRecorder {
    /// Calls in the order in which they were recorded.
    pub calls: Mutex<Vec<CallRow>>,
    /// Finished samples with their transcripts.
    pub samples: Mutex<Vec<(SampleRow, Vec<EventRow>)>>,
    /// Calls of an earlier process, handed out for every sample.
    pub recorded: Mutex<Vec<CallRow>>,
    /// Whether every attempt to record fails.
    pub full: bool,
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
        self.calls
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(call);
        Ok(())
    }

    fn finish_sample(&self, sample: SampleRow, events: Vec<EventRow>) -> Result<(), RunStopped> {
        self.check()?;
        self.samples
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((sample, events));
        Ok(())
    }

    fn recorded_calls(&self, _key: &SampleKey, _attempt: u32) -> Vec<CallRow> {
        self.recorded
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// The parts of an executor of these systems over one backend with the name `scripted`.
///
/// # Panics
/// When the built-in prompts cannot be read.
pub fn parts(
    systems: Vec<SystemParts>,
    backend: Arc<LimitedBackend>,
    recorder: &Arc<MemoryRecorder>,
) -> ExecutorParts {
    let recorder: Arc<dyn SampleRecorder> = Arc::<MemoryRecorder>::clone(recorder);
    ExecutorParts {
        systems,
        backends: BTreeMap::from([("scripted".to_owned(), backend)]),
        recorder,
        clock: Arc::new(SystemClock),
        prompts: Arc::new(PromptLibrary::load(None).expect("the built-in prompts")),
        study_seed: 7,
        cancel: CancellationToken::new(),
        sample_limits: SampleLimits::default(),
    }
}
