//! `consilium datasets import`: cases as Parquet.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use consilium_datasets::CaseFile;
use consilium_query::snapshot_cases;
use consilium_store::StoreError;

use super::target::{ReadingArguments, targets};
use crate::failure::hinted;
use crate::printer;

/// A dataset and where its cases go.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium datasets import study.toml --dataset pubmedqa --out cases.parquet\n  \
                  consilium datasets import ori_pqal.json --out cases.parquet\n\nThe cases are read back \
                  with adapter = \"cases\". A study's filter, where and limit are applied."
)]
pub(super) struct ImportArguments {
    /// A study file, the name of a card, or a data file.
    #[arg(value_name = "DATASET-or-STUDY")]
    word: PathBuf,

    /// Which dataset, when there are several: its name, or the name of its file.
    #[arg(long, value_name = "NAME")]
    dataset: Option<String>,

    /// File to write.
    #[arg(long, value_name = "FILE.parquet")]
    out: PathBuf,

    #[command(flatten)]
    reading: ReadingArguments,
}

/// Nothing but a Parquet file is ever replaced, and never the file that is read.
fn refuse_to_replace(out: &Path, source: &Path) -> Result<()> {
    let Ok(found) = std::fs::metadata(out) else {
        return Ok(());
    };
    let is_source = match (out.canonicalize(), source.canonicalize()) {
        (Ok(out), Ok(source)) => out == source,
        _ => false,
    };
    let is_parquet = out.extension().is_some_and(|ending| ending == "parquet");
    if is_source || !found.is_file() || !is_parquet {
        return Err(hinted(
            format!(
                "write {}: it exists and is not an earlier import",
                out.display()
            ),
            "give --out a new name that ends in .parquet",
        ));
    }
    Ok(())
}

pub(super) async fn import(given: &ImportArguments) -> Result<ExitCode> {
    let mut targets = targets(&given.word, &given.reading)?;
    let names: Vec<String> = targets
        .iter()
        .map(|target| match &target.card {
            Some(card) => card.name.clone(),
            None => target.spec.name.clone(),
        })
        .collect();
    let chosen = match &given.dataset {
        None => (targets.len() == 1).then_some(0),
        Some(wanted) => names.iter().position(|name| name == wanted),
    };
    let Some(chosen) = chosen else {
        return Err(hinted(
            match &given.dataset {
                Some(wanted) => format!(
                    "import {}: there is no dataset '{wanted}'",
                    given.word.display()
                ),
                None => format!(
                    "import {}: there are {} datasets",
                    given.word.display(),
                    names.len()
                ),
            },
            format!("give --dataset with one of {}", names.join(", ")),
        ));
    };
    let target = targets.swap_remove(chosen);
    refuse_to_replace(&given.out, &target.folder.join(&target.spec.path))?;
    let mut file = CaseFile::create(&given.out)?;
    let snapshot = snapshot_cases(&target.spec, &target.folder, target.seed, |row| {
        file.push(row).map_err(|error| StoreError::Io {
            action: "write",
            path: given.out.clone(),
            source: std::io::Error::other(error),
        })
    })
    .await?;
    let cases = file.finish()?;
    if snapshot.entry.malformed > 0 {
        printer::note(&format!(
            "warning: {} malformed rows are left out",
            snapshot.entry.malformed
        ));
        for malformed in snapshot.first_malformed.iter().take(5) {
            printer::note(&format!("  {}:{malformed}", target.spec.path.display()));
        }
    }
    printer::note(&format!("{cases} cases"));
    printer::line(&given.out.display().to_string())?;
    Ok(ExitCode::SUCCESS)
}
