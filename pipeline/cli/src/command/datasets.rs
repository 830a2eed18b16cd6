//! `consilium datasets`: cards and validation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use consilium_core::AnswerForm;
use consilium_core::study::{DatasetSpec, FieldSource};
use consilium_query::dataset::adapter::ADAPTERS;
use consilium_query::dataset::{inspect, read_cards};

use crate::failure::{CHECK_MISSED, hinted};
use crate::printer;
use crate::study;

/// Cards, adapters and validation of datasets.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium datasets list\n  consilium datasets show pubmedqa\n  \
                        consilium datasets check --adapter pubmedqa ori_pqal.json\n  consilium datasets \
                        check study.toml"
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
    /// Read the datasets of a study, or one file, and report what is wrong with them.
    Check(CheckDataset),
    /// Make a dataset of simulated cases.
    Build(super::datasets_build::BuildArguments),
}

#[derive(Debug, Args)]
struct CheckDataset {
    /// A study file (.toml), or a data file with --adapter.
    path: PathBuf,

    /// Adapter of the data file.
    #[arg(long)]
    adapter: Option<String>,

    /// Case column and source column, for the adapter `table`; repeatable.
    #[arg(long = "field", value_name = "CASE=SOURCE")]
    fields: Vec<String>,

    /// Kind of answer, for the adapter `table`: choice, label, diagnosis, text.
    #[arg(long)]
    answer_form: Option<String>,
}

pub(crate) fn datasets(given: &DatasetsArguments) -> Result<ExitCode> {
    match &given.action {
        Action::List => list(),
        Action::Show { name } => show(name),
        Action::Check(given) => check(given),
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
        printer::line(&format!("  {name:<10} {rows:>6} cases  {}", card.title))?;
    }
    printer::line("\nAdapters")?;
    for adapter in ADAPTERS {
        let form = adapter
            .answer_form
            .map_or("set by the study", AnswerForm::as_str);
        printer::line(&format!(
            "  {:<10} {form:<16} {}",
            adapter.name, adapter.about
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(name: &str) -> Result<ExitCode> {
    let cards = read_cards()?;
    let Some((_, card)) = cards.iter().find(|(known, _)| known == name) else {
        let known: Vec<&str> = cards.iter().map(|(name, _)| name.as_str()).collect();
        let hint = match study::nearest(name, known.iter().copied()) {
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
    }
    Ok(ExitCode::SUCCESS)
}

fn check(given: &CheckDataset) -> Result<ExitCode> {
    let (specs, folder) = match &given.adapter {
        Some(adapter) => (vec![spec_of(given, adapter)?], PathBuf::new()),
        None if given
            .path
            .extension()
            .is_some_and(|extension| extension == "toml") =>
        {
            let loaded = study::load(&given.path)?;
            (loaded.study.dataset, loaded.folder)
        }
        None => {
            return Err(hinted(
                format!(
                    "check {}: how is the file to be read?",
                    given.path.display()
                ),
                "name an adapter, for example --adapter pubmedqa, or give a study file",
            ));
        }
    };
    let mut sound = true;
    for spec in &specs {
        sound &= check_one(spec, &folder)?;
    }
    Ok(if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(CHECK_MISSED)
    })
}

fn spec_of(given: &CheckDataset, adapter: &str) -> Result<DatasetSpec> {
    let fields = given
        .fields
        .iter()
        .map(|field| match field.split_once('=') {
            Some((case, source)) => Ok((case.to_owned(), FieldSource::Column(source.to_owned()))),
            None => Err(hinted(
                format!("read --field {field}"),
                "write it as case column = source column, for example --field question=prompt",
            )),
        })
        .collect::<Result<BTreeMap<_, _>>>()?;
    let answer_form = match &given.answer_form {
        Some(name) => Some(AnswerForm::parse(name).ok_or_else(|| {
            hinted(
                format!("read --answer-form {name}"),
                "there are choice, label, diagnosis, text",
            )
        })?),
        None => None,
    };
    Ok(DatasetSpec {
        name: given
            .path
            .file_stem()
            .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
        adapter: adapter.to_owned(),
        path: given.path.clone(),
        format: None,
        answer_form,
        language: None,
        fields,
        filter: BTreeMap::new(),
        predicate: None,
        limit: None,
        stratify: None,
        strict: false,
    })
}

/// Reads a dataset to its end and prints what was found; false when rows were skipped.
fn check_one(spec: &DatasetSpec, folder: &Path) -> Result<bool> {
    let mut golds: BTreeMap<String, u64> = BTreeMap::new();
    let (mut shortest, mut longest) = (usize::MAX, 0);
    let report = inspect(spec, folder, |case| {
        if case.view.answer_form != AnswerForm::Text {
            *golds
                .entry(case.gold.first().cloned().unwrap_or_default())
                .or_default() += 1;
        }
        let length: usize = case
            .view
            .input
            .keys()
            .filter_map(|field| case.view.input_text(field))
            .map(|text| text.chars().count())
            .sum();
        shortest = shortest.min(length);
        longest = longest.max(length);
    })?;
    printer::line(&format!(
        "{}: {} cases, {shortest}–{longest} characters",
        spec.name, report.cases
    ))?;
    if golds.len() <= 30 && !golds.is_empty() {
        let counts: Vec<String> = golds
            .iter()
            .map(|(gold, count)| format!("{gold} {count}"))
            .collect();
        printer::line(&format!("  gold: {}", counts.join(", ")))?;
    }
    if report.malformed > 0 {
        printer::line(&format!(
            "  {} rows are malformed and would be skipped:",
            report.malformed
        ))?;
        for malformed in &report.first_malformed {
            printer::line(&format!("    {}:{malformed}", spec.path.display()))?;
        }
    }
    Ok(report.malformed == 0)
}
