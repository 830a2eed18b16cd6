//! Calls of a judge that are recorded already.

use std::collections::HashMap;
use std::sync::Arc;

use consilium_core::{CallRow, EventRow, RunStopped, SampleKey, SampleRow};

use consilium_runner::context::SampleRecorder;

/// The recorder of a run with what the judge has paid for already.
#[derive(Debug)]
pub(super) struct JudgeRecorder {
    /// `None` where nothing may be recorded.
    recorder: Option<Arc<dyn SampleRecorder>>,
    recorded: HashMap<SampleKey, Vec<CallRow>>,
}

impl JudgeRecorder {
    /// With a recorder, failed calls are asked again; without one, they are what happened.
    pub(super) fn new(recorder: Option<Arc<dyn SampleRecorder>>, mut calls: Vec<CallRow>) -> Self {
        if recorder.is_some() {
            calls.retain(|call| call.error_kind.is_none());
        }
        // The last of equal calls counts, a reply before any failure.
        calls.sort_by_key(|call| (call.error_kind.is_none(), call.started_at));
        let mut recorded: HashMap<SampleKey, Vec<CallRow>> = HashMap::new();
        for call in calls {
            recorded.entry(call.key()).or_default().push(call);
        }
        Self { recorder, recorded }
    }
}

impl SampleRecorder for JudgeRecorder {
    fn append_call(&self, call: CallRow) -> Result<(), RunStopped> {
        match &self.recorder {
            Some(recorder) => recorder.append_call(call),
            None => Ok(()),
        }
    }

    fn finish_sample(&self, _sample: SampleRow, _events: Vec<EventRow>) -> Result<(), RunStopped> {
        Ok(())
    }

    fn recorded_calls(&self, key: &SampleKey, _attempt: u32) -> Vec<CallRow> {
        self.recorded.get(key).cloned().unwrap_or_default()
    }
}
