//! Runs from the command line's side: found, prepared, executed, scored, tabulated.

mod abandon;
mod answers;
mod case_pages;
mod drift;
mod execute;
mod files;
mod import;
mod interrupt;
mod judge;
mod log;
mod prepare;
mod progress;
mod provenance;
mod score;
mod similarity;
mod spending;
mod table_folder;
mod tables;
mod training;

use std::path::Path;

use anyhow::Result;
use consilium_query::{RunSource, SessionContext, query_session, register_runs};
use consilium_store::RunDirectory;

pub(crate) use case_pages::{case_page, recorded_pages};
pub(crate) use execute::{ExecuteOptions, Execution, PlannedWork, check_execution, execute, plan};
pub(crate) use files::write_atomically;
pub(crate) use import::{LogImport, import};
pub(crate) use interrupt::signal;
pub(crate) use prepare::{PrepareOptions, prepare};
pub(crate) use progress::duration;
pub(crate) use provenance::{marks, rerun_note};
pub(crate) use score::{compute_scores, score_run};
pub(crate) use table_folder::TableFolder;
pub(crate) use tables::{
    build_report, describe, report_with, synthetic_note, table_context, table_specs, write_tables,
};
pub(crate) use training::{EvaluatedCases, learns, read_training};

/// The named runs, to be queried.
pub(crate) fn sources(runs: &Path, names: &[String]) -> Result<Vec<RunSource>> {
    names
        .iter()
        .map(|name| source(&RunDirectory::find(runs, name)?))
        .collect()
}

/// A session over runs whose numbers must be the same each time: one partition, so that sums of
/// fractions do not depend on which thread was first.
pub(crate) async fn session_over(runs: &[RunSource]) -> Result<SessionContext> {
    let session = query_session(1)?;
    register_runs(&session, runs).await?;
    Ok(session)
}

/// One run, to be queried.
pub(crate) fn source(directory: &RunDirectory) -> Result<RunSource> {
    Ok(RunSource {
        root: directory.root().to_owned(),
        manifest: directory.manifest()?,
    })
}
