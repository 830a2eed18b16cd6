//! `consilium score`: score recorded answers again.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use consilium_store::{RunDirectory, RunLock};

use crate::printer;
use crate::run::{score_run, write_tables};

/// Score the recorded answers of a run again; only a judge and embeddings of a backend need a server.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium score my-study\n  consilium score my-study --scorer label"
)]
pub(crate) struct ScoreArguments {
    /// Run (name, unique prefix or path).
    run: String,

    /// Only this scorer; repeatable.
    #[arg(long = "scorer", value_name = "NAME")]
    scorers: Vec<String>,
}

pub(crate) async fn score(given: &ScoreArguments, runs: &Path) -> Result<ExitCode> {
    let directory = RunDirectory::find(runs, &given.run)?;
    let lock = RunLock::acquire(&directory)?;
    let (_lock, counts) = score_run(&directory, lock, &given.scorers).await?;
    for (scorer, rows) in counts {
        printer::note(&format!("{scorer}: {rows} samples scored"));
    }
    write_tables(&directory).await?;
    printer::line(&directory.root().display().to_string())?;
    Ok(ExitCode::SUCCESS)
}
