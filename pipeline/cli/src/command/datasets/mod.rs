//! `consilium datasets`: cards, validation and conversion.

mod check;
mod findings;
mod import;
mod target;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use consilium_core::{AnswerForm, nearest};
use consilium_datasets::adapter::ADAPTERS;
use consilium_datasets::read_cards;

use crate::failure::hinted;
use crate::printer;

/// Cards, adapters and validation of datasets.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium datasets list\n  consilium datasets show pubmedqa\n  \
                        consilium datasets check --adapter pubmedqa ori_pqal.json\n  consilium datasets \
                        check study.toml --format html --out findings.html\n  consilium datasets check \
                        craftmd --data ~/data/craft_md\n  consilium datasets import study.toml --dataset \
                        pubmedqa --out cases.parquet"
)]
pub(crate) struct DatasetsArguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the cards and adapters that come with the program.
    List,
    /// Show one card: source, licence, terms, files.
    Show {
        /// Name of the card.
        name: String,
    },
    /// Read the datasets of a study, a card or files, and report what is wrong with them: duplicates, empty inputs, gold that is no option, unknown labels, answers given away, encodings, signs of personal data.
    Check(check::CheckArguments),
    /// Write the cases of a dataset as Parquet, for the adapter `cases` and for other tools.
    Import(import::ImportArguments),
    /// Make a dataset of simulated cases.
    Build(super::datasets_build::BuildArguments),
}

pub(crate) async fn datasets(given: &DatasetsArguments) -> Result<ExitCode> {
    match &given.action {
        Action::List => list(),
        Action::Show { name } => show(name),
        Action::Check(given) => check::check(given),
        Action::Import(given) => import::import(given).await,
        Action::Build(given) => super::datasets_build::build(given),
    }
}

fn list() -> Result<ExitCode> {
    printer::line("Cards")?;
    for (name, card) in read_cards()? {
        let rows: u64 = card
            .files
            .iter()
            .filter(|file| file.adapter.is_some())
            .map(|file| file.rows)
            .sum();
        printer::line(&format!("  {name:<12} {rows:>6} cases  {}", card.title))?;
    }
    printer::line("\nAdapters")?;
    for adapter in ADAPTERS {
        let form = adapter
            .answer_form
            .map_or("set by the study or file", AnswerForm::as_str);
        printer::line(&format!(
            "  {:<16} {form:<28} {}",
            adapter.name, adapter.about
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(name: &str) -> Result<ExitCode> {
    let cards = read_cards()?;
    let Some((_, card)) = cards.iter().find(|(known, _)| known == name) else {
        let known: Vec<&str> = cards.iter().map(|(name, _)| name.as_str()).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(nearest) => format!("did you mean '{nearest}'?"),
            None => format!("there are {}", known.join(", ")),
        };
        return Err(hinted(
            format!("show dataset '{name}': no card is called so"),
            hint,
        ));
    };
    printer::line(&format!(
        "{}\n\nSource   {}\nLicence  {}\nTerms    {}\nLanguage {}",
        card.title,
        card.source,
        card.licence,
        card.terms,
        card.language.join(", ")
    ))?;
    if let Some(backends) = &card.allowed_backends {
        printer::line(&format!("Backends {}", backends.join(", ")))?;
    }
    for file in &card.files {
        let form = file.answer_form.map_or("no cases", AnswerForm::as_str);
        let adapter = file.adapter.as_deref().unwrap_or("–");
        printer::line(&format!(
            "\n{}\n  {} rows · adapter {adapter} · {form}\n  sha256 {}",
            file.name, file.rows, file.sha256
        ))?;
        if file.mapping.is_some() {
            printer::line(&format!(
                "  consilium import-log {} --map {name} makes a run of it",
                file.name
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
