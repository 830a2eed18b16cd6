//! Executing what is missing of a run.

mod conclude;
mod open;
mod plan;
mod prompts;
mod sampling;
mod work_list;

use std::path::PathBuf;

use anyhow::Result;
use consilium_query::fan_out::{Selection, Work};

use self::conclude::conclude;
use self::open::open;
use self::sampling::sample;
use self::work_list::work_list;
use super::abandon::or_abandon;
use super::interrupt::Signals;
use super::prepare::PreparedRun;
use crate::printer;
use crate::study::ResolvedStudy;

pub(crate) use plan::{PlannedWork, check_execution, plan};

/// What one execution takes of a study; none of it changes the run's identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExecuteOptions {
    /// Systems to execute; all when empty.
    pub(crate) only: Vec<String>,
    /// Seeded draw of this many cases per dataset.
    pub(crate) limit: Option<u64>,
    /// Part `i` of `n`.
    pub(crate) shard: Option<(u64, u64)>,
    /// Whether samples that failed for lack of infrastructure get another attempt.
    pub(crate) retry_failed: bool,
    /// Folder in which replies are kept between runs.
    pub(crate) cache: Option<PathBuf>,
}

/// How an execution ended.
#[derive(Clone, Debug)]
pub(crate) struct Execution {
    /// Samples of the run that failed for lack of infrastructure, now or earlier.
    pub(crate) failed: u64,
    /// Samples recorded in the run, and planned.
    pub(crate) recorded: u64,
    pub(crate) planned: u64,
    /// Why it ended early.
    pub(crate) stopped: Option<String>,
}

fn work(study: &ResolvedStudy, options: &ExecuteOptions) -> Result<Work> {
    let selection = Selection {
        limit: options.limit,
        shard: options.shard,
        seed: study.study.study.seed,
        retry_failed: options.retry_failed,
    };
    Ok(Work {
        assignments: study.assignments(&options.only)?,
        selection,
    })
}

/// Executes what is missing and leaves the run consistent, whatever happens.
pub(crate) async fn execute(
    study: &ResolvedStudy,
    prepared: PreparedRun,
    options: &ExecuteOptions,
) -> Result<Execution> {
    let made = (!prepared.resumed).then(|| prepared.directory.clone());
    let executed = execute_prepared(study, prepared, options).await;
    match made {
        Some(directory) => or_abandon(&directory, executed),
        None => executed,
    }
}

async fn execute_prepared(
    study: &ResolvedStudy,
    prepared: PreparedRun,
    options: &ExecuteOptions,
) -> Result<Execution> {
    let run = open(study, prepared, options).await?;
    let list = work_list(study, &run, options).await?;
    // From here on a signal leaves a run that goes on.
    let signals = Signals::listen();
    let (to_do, done, planned) = (list.to_do, list.done, run.planned);
    printer::note(&format!(
        "{to_do} samples to execute, {done} of {planned} recorded"
    ));
    tracing::info!(
        run = run.directory.name(),
        to_do,
        done,
        planned,
        "execution begins"
    );
    let questions = match &study.study.drift {
        Some(drift) if to_do > 0 => drift.canaries,
        _ => 0,
    };
    let sampled = sample(&run, &list, questions, signals).await;
    conclude(&run, sampled, done).await
}
