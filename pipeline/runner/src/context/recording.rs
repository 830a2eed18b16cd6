//! Where calls and samples are recorded.

use std::fmt::Debug;

use consilium_core::{CallRow, EventRow, RunStopped, SampleKey, SampleRow};
use consilium_store::Recorder;

/// The part of a run's recorder that executing samples needs.
pub trait SampleRecorder: Debug + Send + Sync {
    /// Records a finished call at once.
    ///
    /// # Errors
    /// When nothing more can be recorded.
    fn append_call(&self, call: CallRow) -> Result<(), RunStopped>;

    /// Records the end of a sample with its transcript; may wait for the disk.
    ///
    /// # Errors
    /// When nothing more can be recorded.
    fn finish_sample(&self, sample: SampleRow, events: Vec<EventRow>) -> Result<(), RunStopped>;

    /// As [`Self::finish_sample`], but never waits: gives back what it cannot take at once.
    ///
    /// # Errors
    /// As [`Self::finish_sample`].
    fn try_finish_sample(
        &self,
        sample: SampleRow,
        events: Vec<EventRow>,
    ) -> Result<Option<(SampleRow, Vec<EventRow>)>, RunStopped> {
        Ok(Some((sample, events)))
    }

    /// Calls recorded for an attempt that has not ended.
    fn recorded_calls(&self, key: &SampleKey, attempt: u32) -> Vec<CallRow>;
}

impl SampleRecorder for Recorder {
    fn append_call(&self, call: CallRow) -> Result<(), RunStopped> {
        Self::append_call(self, call).map_err(stopped)
    }

    fn finish_sample(&self, sample: SampleRow, events: Vec<EventRow>) -> Result<(), RunStopped> {
        Self::finish_sample(self, sample, events).map_err(stopped)
    }

    fn try_finish_sample(
        &self,
        sample: SampleRow,
        events: Vec<EventRow>,
    ) -> Result<Option<(SampleRow, Vec<EventRow>)>, RunStopped> {
        Self::try_finish_sample(self, sample, events).map_err(stopped)
    }

    fn recorded_calls(&self, key: &SampleKey, attempt: u32) -> Vec<CallRow> {
        Self::recorded_calls(self, key, attempt)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn stopped(error: consilium_store::RecordError) -> RunStopped {
    RunStopped::Recording {
        message: error.to_string(),
    }
}
