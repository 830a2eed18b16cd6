//! `consilium report`: tables for a paper, each number with its query.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use consilium_report::{Format, RenderedFile, Report, render, render_case};

use crate::printer;
use crate::run::{build_report, case_page, sources, write_atomically};

/// Write the tables and figures of runs as Markdown, LaTeX, CSV, XLSX, HTML and JSON.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium report my-study\n  consilium report run-a run-b --out \
                        comparison --format md,tex,xlsx\n  consilium report my-study --case case-17"
)]
pub(crate) struct ReportArguments {
    /// Runs (name, unique prefix or path).
    #[arg(required = true, value_name = "RUN")]
    names: Vec<String>,

    /// Folder to write to; a folder of the run under reports/ when absent.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Formats to write.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "md,tex,csv,xlsx,html,json"
    )]
    format: Vec<Format>,

    /// Also write a page of this case across systems, with its text, gold, answers and scores; repeatable.
    #[arg(long = "case", value_name = "ID")]
    cases: Vec<String>,
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
    let mut pages = Vec::new();
    for (place, case_id) in given.cases.iter().enumerate() {
        // Named twice, it is still one page.
        if given.cases[..place].contains(case_id) {
            continue;
        }
        pages.push(case_page(&sources, case_id).await?);
    }
    let report = build_report(&sources).await?;
    write_report(&report, &given.format, &out)?;
    for page in &pages {
        for file in write_files(render_case(page, &given.format)?, &out)? {
            printer::note(&format!("case: {}", file.display()));
        }
    }
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
    write_files(render(report, &formats)?, out)?;
    Ok(())
}

fn write_files(files: Vec<RenderedFile>, out: &Path) -> Result<Vec<PathBuf>> {
    files
        .into_iter()
        .map(|file| {
            let path = out.join(&file.path);
            write_atomically(&path, &file.bytes)?;
            Ok(path)
        })
        .collect()
}
