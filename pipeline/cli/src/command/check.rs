//! `consilium check`: everything that can be known before a run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Args;
use consilium_core::CaseView;
use consilium_core::study::Study;
use consilium_datasets::CaseReader;
use consilium_query::snapshot_cases;
use schemars::schema_for;

use super::estimate::print_estimates;
use crate::failure::{CHECK_MISSED, hinted};
use crate::printer;
use crate::run::{EvaluatedCases, ExecuteOptions, learns, plan, read_training};
use crate::study::{ChineseReferences, ResolvedStudy, load};

/// Check a study before it runs: its file, datasets, prompts and backends.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium check study.toml\n  consilium check --schema > study.schema.json"
)]
pub(crate) struct CheckArguments {
    /// Study file.
    #[arg(required_unless_present = "schema")]
    study: Option<PathBuf>,

    /// Print the JSON Schema of study files.
    #[arg(long)]
    schema: bool,

    /// Do not contact the backends.
    #[arg(long)]
    offline: bool,
}

pub(crate) async fn check(given: &CheckArguments) -> Result<ExitCode> {
    if given.schema {
        printer::line(&serde_json::to_string_pretty(&schema_for!(Study))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(path) = &given.study else {
        return Err(hinted(
            "a study file is needed",
            "consilium check study.toml",
        ));
    };
    let study = ResolvedStudy::resolve(load(path)?)?;
    for note in &study.notes {
        printer::note(&format!("note: {note}"));
    }
    let samples = check_datasets(&study).await?;
    check_training(&study)?;
    let prompt_characters = check_prompts(&study, &samples)?;
    let planned = plan(&study, &ExecuteOptions::default()).await?;
    print_estimates(&study, &planned, &prompt_characters)?;
    let sound = given.offline || probe_backends(&study).await?;
    Ok(if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(CHECK_MISSED)
    })
}

/// Reads every dataset to its end; returns its first case.
async fn check_datasets(study: &ResolvedStudy) -> Result<BTreeMap<String, CaseView>> {
    let mut samples = BTreeMap::new();
    printer::line("Datasets")?;
    for spec in &study.study.dataset {
        let seed = study.study.study.seed;
        let mut references = ChineseReferences::default();
        let snapshot = snapshot_cases(spec, &study.folder, seed, |case| {
            references.add(&case);
            Ok(())
        })
        .await?;
        let entry = &snapshot.entry;
        let malformed = match entry.malformed {
            0 => String::new(),
            count => format!(", {count} malformed rows would be skipped"),
        };
        printer::line(&format!(
            "  {}: {} of {} cases{malformed}",
            spec.name, entry.selected, entry.rows
        ))?;
        for row in snapshot.first_malformed.iter().take(5) {
            printer::line(&format!("    {}:{row}", spec.path.display()))?;
        }
        for note in references.notes(&study.study, &spec.name) {
            printer::note(&format!("note: {note}"));
        }
        if let Some(case) = CaseReader::open(spec, &study.folder)?.next() {
            samples.insert(spec.name.clone(), case?.view);
        }
    }
    Ok(samples)
}

/// Reads every training file and looks for evaluated cases in it.
fn check_training(study: &ResolvedStudy) -> Result<()> {
    if !learns(study) {
        return Ok(());
    }
    let mut evaluated = EvaluatedCases::default();
    for spec in &study.study.dataset {
        for case in CaseReader::open(spec, &study.folder)? {
            evaluated.add(&case?.view);
        }
    }
    printer::line("Training")?;
    for (system, set) in read_training(study, &evaluated)? {
        for (dataset, examples) in set.by_dataset {
            printer::line(&format!(
                "  {system}: {} examples for {dataset}",
                examples.len()
            ))?;
        }
    }
    Ok(())
}

/// Length in characters of the longest prompt of every system on the first case of a dataset.
pub(crate) fn prompt_lengths(study: &ResolvedStudy) -> Result<BTreeMap<String, usize>> {
    let mut first = BTreeMap::new();
    for spec in &study.study.dataset {
        if let Some(case) = CaseReader::open(spec, &study.folder)?.next() {
            first.insert(spec.name.clone(), case?.view);
        }
    }
    render_prompts(study, &first, false)
}

/// Renders one prompt per system and dataset and shows it; returns its length in characters.
fn check_prompts(
    study: &ResolvedStudy,
    samples: &BTreeMap<String, CaseView>,
) -> Result<BTreeMap<String, usize>> {
    printer::line("Prompts")?;
    render_prompts(study, samples, true)
}

fn render_prompts(
    study: &ResolvedStudy,
    samples: &BTreeMap<String, CaseView>,
    show: bool,
) -> Result<BTreeMap<String, usize>> {
    let prompts = study.prompts()?;
    let mut characters = BTreeMap::new();
    for system in &study.study.system {
        let solver = consilium_solvers::build(system)?;
        let mut shown = !show;
        for (dataset, case) in samples
            .iter()
            .filter(|(dataset, _)| system.runs_on(dataset))
        {
            let messages = solver.preview(&prompts, case).with_context(|| {
                format!(
                    "render the prompt of system '{}' for dataset '{dataset}'",
                    system.name
                )
            })?;
            let Some(messages) = messages else { continue };
            let length: usize = messages
                .iter()
                .map(|message| message.content.chars().count())
                .sum();
            let longest = characters.entry(system.name.clone()).or_insert(0);
            *longest = length.max(*longest);
            if !shown {
                printer::line(&format!("  {} on {dataset}, its first case:", system.name))?;
                for message in &messages {
                    for line in message.content.lines() {
                        printer::line(&printer::visible(&format!("    │ {line}")))?;
                    }
                }
                shown = true;
            }
        }
        if !shown {
            printer::line(&format!("  {}: no prompt", system.name))?;
        }
    }
    Ok(characters)
}

async fn probe_backends(study: &ResolvedStudy) -> Result<bool> {
    printer::line("Backends")?;
    let mut sound = true;
    for spec in &study.study.backend {
        let answers: Option<Arc<dyn consilium_backends::AnswerKey>> = None;
        let backend =
            consilium_backends::build(spec, &study.folder, study.study.study.seed, answers)?;
        match backend.probe().await {
            Ok(()) => printer::line(&format!("  {}: reachable", spec.name))?,
            Err(failure) => {
                sound = false;
                printer::line(&printer::visible(&format!(
                    "  {}: {}",
                    spec.name, failure.message
                )))?;
            }
        }
    }
    Ok(sound)
}
