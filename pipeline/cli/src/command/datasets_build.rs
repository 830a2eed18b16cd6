//! `consilium datasets build`: tables made by the program.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use consilium_datasets::margins::margin_cases;

use crate::printer;
use crate::run::write_atomically;

/// What can be built.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Recipe {
    /// 4,421 simulated cases with the published margins of an interactive-diagnosis benchmark.
    Margins,
}

/// Make a dataset; the same seed gives the same file.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  consilium datasets build margins --out margins.jsonl")]
pub(crate) struct BuildArguments {
    /// What to build.
    recipe: Recipe,

    /// File to write, JSON Lines.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Seed.
    #[arg(long, default_value_t = 20_261_130)]
    seed: u64,

    /// Length of a case's text, bytes.
    #[arg(long, default_value_t = 1_785, value_name = "N")]
    text_bytes: usize,
}

pub(crate) fn build(given: &BuildArguments) -> Result<ExitCode> {
    let Recipe::Margins = given.recipe;
    let cases = margin_cases(given.seed, given.text_bytes.min(1 << 20));
    let mut lines = Vec::new();
    for case in &cases {
        serde_json::to_writer(&mut lines, case).context("write a case")?;
        lines.push(b'\n');
    }
    write_atomically(&given.out, &lines)?;
    printer::note(&format!(
        "{} simulated cases; texts and diagnoses mean nothing",
        cases.len()
    ));
    printer::line(&given.out.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}
