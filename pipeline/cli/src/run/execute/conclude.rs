//! Closes a run after an execution and says what became of it.

use std::collections::BTreeMap;

use anyhow::Result;
use consilium_core::{Outcome, RunStatus, RunStopped};
use consilium_query::fan_out::FanOutError;
use consilium_query::{FailedSamples, failed_samples};
use consilium_store::RunDirectory;

use super::Execution;
use super::open::OpenRun;
use super::sampling::Sampled;
use crate::failure::hinted;
use crate::printer;
use crate::run::drift::record_drift;
use crate::run::progress::{duration, outcome_summary};

/// Closes the run; `done` samples were recorded before.
pub(super) async fn conclude(run: &OpenRun, sampled: Sampled, done: u64) -> Result<Execution> {
    let OpenRun {
        directory,
        recorder,
        planned,
        ..
    } = run;
    let executed: u64 = sampled.by_outcome.values().sum();
    let recorded = done + sampled.added;
    let status = if recorded >= *planned {
        RunStatus::Complete
    } else {
        RunStatus::Incomplete
    };
    let finished = recorder.finish(status);
    let stopped = match sampled.result {
        Ok(()) => None,
        Err(FanOutError::Stopped(reason)) => Some(reason),
        Err(FanOutError::Plan(error)) => {
            finished?;
            return Err(anyhow::Error::new(error).context("execute the work list"));
        }
    };
    // What could not be recorded is the first thing to say.
    if let Some(RunStopped::Recording { message }) = &stopped {
        return Err(hinted(
            format!("record results of run '{}': {message}", directory.name()),
            "what was recorded before is safe; make room or repair the folder and run again to continue",
        ));
    }
    finished?;
    record_drift(directory, sampled.canary_answers).await?;
    if let Some(RunStopped::Backend { backend, message }) = &stopped {
        return Err(hinted(
            format!("use backend '{backend}': {message}"),
            "set the variable that api_key_env names to a valid key, then run again to continue",
        ));
    }
    let outcomes = match executed {
        0 if stopped.is_some() => "stopped before one ended".to_owned(),
        _ => outcome_summary(&counts(&sampled.by_outcome)),
    };
    printer::note(&format!(
        "{executed} samples in {}: {outcomes}",
        duration(sampled.elapsed.as_secs_f64()),
    ));
    tracing::info!(executed, recorded, planned, "execution ends");
    let failed = say_failures(directory, stopped.is_none()).await?;
    Ok(Execution {
        failed,
        recorded,
        planned: *planned,
        stopped: stopped.map(|reason| match reason {
            RunStopped::Budget { .. } => format!("{reason} (raise [budget] to go on)"),
            _ => reason.to_string(),
        }),
    })
}

fn counts(by_outcome: &BTreeMap<&'static str, u64>) -> Vec<(Outcome, u64)> {
    Outcome::ALL
        .into_iter()
        .map(|outcome| {
            let count = by_outcome.get(outcome.as_str()).copied().unwrap_or(0);
            (outcome, count)
        })
        .collect()
}

/// Says what failed, with an example of each kind; the number of failed samples.
async fn say_failures(directory: &RunDirectory, ran_to_the_end: bool) -> Result<u64> {
    let failures = failures(directory).await?;
    for failure in &failures {
        printer::note(&format!(
            "  {} failed: {}, for example: {}",
            failure.samples, failure.kind, failure.example
        ));
    }
    let failed = failures.iter().map(|failure| failure.samples).sum();
    if failed > 0 && ran_to_the_end {
        printer::note("hint: remove the cause, then give --retry failed to ask them again");
    }
    Ok(failed)
}

/// Samples of a run whose last attempt failed for lack of infrastructure, by kind.
async fn failures(directory: &RunDirectory) -> Result<Vec<FailedSamples>> {
    let session = crate::run::session_over(&[crate::run::source(directory)?]).await?;
    Ok(failed_samples(&session).await?)
}
