//! What is left to execute of a run.

use anyhow::Result;
use consilium_core::CallRow;
use consilium_query::fan_out::{Work, count_work};
use consilium_query::{
    RunSource, SessionContext, count, failed_keys, register_run_work, work_session,
};
use consilium_store::{RunDirectory, read_rows};

use super::open::OpenRun;
use super::{ExecuteOptions, work};
use crate::study::ResolvedStudy;

/// The work of a run, over a session that holds its cases and finished samples.
pub(super) struct WorkList {
    pub(super) session: SessionContext,
    pub(super) work: Work,
    /// Samples to execute.
    pub(super) to_do: u64,
    /// Samples recorded already.
    pub(super) done: u64,
}

/// Counts what is left; calls of attempts that failed are carried over to the new attempts.
pub(super) async fn work_list(
    study: &ResolvedStudy,
    run: &OpenRun,
    options: &ExecuteOptions,
) -> Result<WorkList> {
    let session = work_session()?;
    let source = RunSource {
        root: run.directory.root().to_owned(),
        manifest: run.directory.manifest()?,
    };
    register_run_work(&session, &source, options.retry_failed).await?;
    if options.retry_failed {
        run.recorder
            .carry_calls(calls_of_failed(&run.directory, &session).await?);
    }
    let work = work(study, options)?;
    let to_do = count_work(&session, &work)
        .await?
        .iter()
        .map(|(_, count)| count)
        .sum();
    let done = count(&session, "SELECT count(*) FROM latest").await?;
    Ok(WorkList {
        session,
        work,
        to_do,
        done,
    })
}

/// Recorded calls of the attempts that failed, so that a new attempt need not pay them again.
async fn calls_of_failed(
    directory: &RunDirectory,
    session: &SessionContext,
) -> Result<Vec<CallRow>> {
    let keys = failed_keys(session).await?;
    let manifest = directory.manifest()?;
    let mut calls = Vec::new();
    for call in read_rows::<CallRow>(directory, &manifest) {
        let call = call?;
        if call.scorer.is_none() && keys.contains(&call.key()) {
            calls.push(call);
        }
    }
    Ok(calls)
}
