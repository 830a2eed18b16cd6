//! `consilium quickstart`: the sample study end to end.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use consilium_report::Format;
use consilium_store::RunDirectory;

use super::report::write_report;
use super::run::{StudyRun, exit_code, run_study};
use crate::printer;
use crate::run::{
    ExecuteOptions, PrepareOptions, build_report, report_with, source, write_atomically,
};
use crate::study::{ResolvedStudy, load};

/// Run the sample study end to end: run, score, report. Needs no server, key or network.
#[derive(Debug, Args)]
#[command(
    after_help = "Writes under the working folder: runs/ and reports/, and the sample set with its \
                        study where they are not there already."
)]
pub(crate) struct QuickstartArguments {
    /// Folder to work in.
    #[arg(long, default_value = ".", value_name = "DIR")]
    dir: PathBuf,

    /// Then show the run in a browser, on 127.0.0.1:8787.
    #[arg(long)]
    serve: bool,

    /// With --serve: address to listen on; port 0 takes a free one, printed at start.
    #[arg(long, default_value = super::serve::DEFAULT_ADDRESS, value_name = "ADDRESS:PORT", requires = "serve")]
    listen: SocketAddr,
}

/// Files of the project, each under its own path.
macro_rules! embedded {
    ($($path:literal),+ $(,)?) => {
        [$(($path, include_str!(concat!("../../../../", $path)))),+]
    };
}

/// The study, small ones for each form of answer, and their data.
const FILES: [(&str, &str); 14] = embedded![
    "runs/studies/quickstart.toml",
    "runs/studies/choice.toml",
    "runs/studies/label.toml",
    "runs/studies/diagnosis.toml",
    "runs/studies/text.toml",
    "datasets/sample/README.md",
    "datasets/sample/dataset.toml",
    "datasets/sample/vignettes.jsonl",
    "datasets/sample/choice.jsonl",
    "datasets/sample/questions.jsonl",
    "datasets/sample/queries.jsonl",
    "datasets/sample/syndromes.jsonl",
    "datasets/sample/syndrome-aliases.tsv",
    "datasets/sample/vignette-aliases.tsv",
];

/// Recorded calls of a small real model, under their own path.
const RECORDING: (&str, &[u8]) = (
    "datasets/sample/recording/calls.parquet",
    include_bytes!("../../../../datasets/sample/recording/calls.parquet"),
);

pub(crate) async fn quickstart(given: &QuickstartArguments) -> Result<ExitCode> {
    let started = Instant::now();
    for (path, text) in FILES {
        let path = given.dir.join(path);
        // What a user has changed stays as it is.
        if !path.exists() {
            write_atomically(&path, text.as_bytes())?;
        }
    }
    let recording = given.dir.join(RECORDING.0);
    if !recording.exists() {
        write_atomically(&recording, RECORDING.1)?;
    }
    let study_path = given.dir.join(FILES[0].0);
    let study = ResolvedStudy::resolve(load(&study_path)?)?;
    let runs = given.dir.join("runs");
    let StudyRun {
        root: run,
        execution,
        tables,
    } = run_study(
        &study,
        &runs,
        &PrepareOptions::default(),
        &ExecuteOptions::default(),
        true,
    )
    .await?;
    let report_folder = given.dir.join("reports").join("quickstart");
    let source = source(&RunDirectory::open(&run)?)?;
    let report = match tables {
        Some(tables) => report_with(source, tables).await?,
        None => build_report(&[source]).await?,
    };
    write_report(&report, &Format::ALL, &report_folder)?;
    for warning in &report.warnings {
        printer::note(&format!("note: {warning}"));
    }
    let run_name = run_argument(&run);
    printer::line(&format!(
        "Run     {run_name}\nReport  {}\n        beside it: report.md, report.tex, report.xlsx, report.json, tables/, figures/\n\n\
         Next:\n  consilium sql {run_name} \"SELECT system, outcome, count(*) AS n FROM samples GROUP BY \
         system, outcome ORDER BY system, outcome\"\n  consilium verify {run_name} --report {}\n  consilium check {}\n  consilium serve --runs {}",
        report_folder.join("report.html").display(),
        report_folder.display(),
        study_path.display(),
        run_argument(&runs)
    ))?;
    printer::note(&format!("done in {:.1} s", started.elapsed().as_secs_f64()));
    let code = exit_code(&study, &execution);
    if given.serve {
        let name = run.file_name().and_then(|name| name.to_str());
        return super::serve::serve_runs(given.listen, None, runs, name)
            .await
            .map(|_| code);
    }
    Ok(code)
}

/// A path that is read as a path, not as a name.
fn run_argument(run: &Path) -> String {
    run.strip_prefix(".").unwrap_or(run).display().to_string()
}
