//! `consilium report`: tables for a paper, each number with its query.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use consilium_report::{Format, Report, render};

use crate::printer;
use crate::run::{build_report, sources, write_atomically};

/// Write the tables of runs as Markdown, LaTeX, CSV, HTML and JSON.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium report my-study\n  consilium report run-a run-b --out \
                        comparison --format md,tex"
)]
pub(crate) struct ReportArguments {
    /// Runs (name, unique prefix or path).
    #[arg(required = true, value_name = "RUN")]
    names: Vec<String>,

    /// Folder to write to; a folder of the run under reports/ when absent.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Formats to write.
    #[arg(long, value_delimiter = ',', default_value = "md,tex,csv,html,json")]
    format: Vec<Format>,
}

pub(crate) async fn report(given: &ReportArguments, runs: &Path) -> Result<ExitCode> {
    let sources = sources(runs, &given.names)?;
    let out = given.out.clone().unwrap_or_else(|| {
        let names: Vec<&str> = sources
            .iter()
            .map(|run| run.manifest.run.as_str())
            .collect();
        Path::new("reports").join(names.join("+"))
    });
    let report = build_report(&sources).await?;
    write_report(&report, &given.format, &out)?;
    for warning in &report.warnings {
        printer::note(&format!("note: {warning}"));
    }
    printer::line(&out.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}

/// Renders a report into a folder; the JSON form is always there, since `verify --report` reads it.
pub(crate) fn write_report(report: &Report, formats: &[Format], out: &Path) -> Result<()> {
    let mut formats = formats.to_vec();
    if !formats.contains(&Format::Json) {
        formats.push(Format::Json);
    }
    for file in render(report, &formats)? {
        write_atomically(&out.join(&file.path), &file.bytes)?;
    }
    Ok(())
}
