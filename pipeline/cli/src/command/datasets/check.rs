//! `consilium datasets check`: what is wrong with datasets, with file and line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use consilium_datasets::check::{Check, CheckOptions, DatasetCheck, Severity, check_dataset};
use consilium_scorers::AliasTable;
use consilium_store::sha256_file;

use super::findings::{as_html, as_json, as_text};
use super::target::{ReadingArguments, Target, targets};
use crate::failure::CHECK_MISSED;
use crate::printer;
use crate::run::write_atomically;

/// Datasets and how their findings are printed.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code 1 when there are errors; warnings and hints do not fail. No finding quotes case \
                  text, so that a report of findings can be passed on."
)]
pub(super) struct CheckArguments {
    /// Data files, study files (.toml), or cards by name or file.
    #[arg(required = true, value_name = "FILE|STUDY|CARD")]
    words: Vec<PathBuf>,

    /// Other names of gold answers: a table with the header alias, canonical, separated by tabs.
    #[arg(long, value_name = "FILE.tsv")]
    aliases: Option<PathBuf>,

    /// How to print findings.
    #[arg(long, value_enum, default_value_t)]
    format: FindingFormat,

    /// File to write to, in place of stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArguments,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum FindingFormat {
    /// Lines for reading.
    #[default]
    Table,
    /// One JSON document.
    Json,
    /// One page.
    Html,
}

pub(super) fn check(given: &CheckArguments) -> Result<ExitCode> {
    let shared = match &given.aliases {
        Some(path) => AliasTable::read(path)?.entries().to_vec(),
        None => Vec::new(),
    };
    let mut checks = Vec::new();
    for word in &given.words {
        for mut target in targets(word, &given.reading)? {
            target.aliases.extend(shared.iter().cloned());
            checks.push(check_one(target)?);
        }
    }
    let text = match given.format {
        FindingFormat::Table => as_text(&checks, given.out.is_some()),
        FindingFormat::Json => as_json(&checks)?,
        FindingFormat::Html => as_html(&checks)?,
    };
    match &given.out {
        Some(path) => {
            write_atomically(path, text.as_bytes())?;
            printer::line(&path.display().to_string())?;
        }
        None => printer::data(&text)?,
    }
    let count =
        |severity: Severity| -> u64 { checks.iter().map(|check| check.count(severity)).sum() };
    let errors = count(Severity::Error);
    printer::note(&format!(
        "{errors} errors, {} warnings, {} hints",
        count(Severity::Warning),
        count(Severity::Hint)
    ));
    Ok(if errors == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(CHECK_MISSED)
    })
}

fn check_one(target: Target) -> Result<DatasetCheck> {
    let options = CheckOptions {
        aliases: target.aliases,
    };
    let mut found = check_dataset(&target.spec, &target.folder, &options)?;
    let Some(card) = &target.card else {
        return Ok(found);
    };
    let sha256 = sha256_file(&found.path)?;
    if sha256 != card.sha256 {
        let message = format!(
            "the file has SHA-256 {sha256}, its card says {}: it is another version",
            card.sha256
        );
        found.add(Check::CardDiffers, None, None, message);
    }
    let rows = found.cases + found.malformed;
    if rows != card.rows {
        let message = format!("the file has {rows} rows, its card says {}", card.rows);
        found.add(Check::CardDiffers, None, None, message);
    }
    Ok(found)
}
