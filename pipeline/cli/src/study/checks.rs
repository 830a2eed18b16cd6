//! What a study must satisfy, table by table.

use std::collections::BTreeSet;
use std::path::Path;

use consilium_core::nearest;
use consilium_core::study::{
    BackendKind, DatasetSpec, GenerationSpec, Mode, Study, SystemSpec, TableSpec,
};
use consilium_datasets::adapter::{self, ADAPTERS};
use consilium_datasets::first_answer_form;
use consilium_query::table::PRESET_NAMES;

use super::backend_checks::check_generation;

/// Repetitions of a case that a study may ask for.
const MOST_EPOCHS: u32 = 10_000;

/// Columns of the case schema that a filter or stratum may name, besides `labels.*`.
const FILTER_COLUMNS: [&str; 7] = [
    "dataset",
    "case_id",
    "source",
    "language",
    "answer_form",
    "specialty",
    "prevalence",
];

/// The table that compares systems with one of them.
const DIFFERENCES: &str = "differences";

/// What is wrong with a study: with a hint, or an error that says it all.
pub(super) enum Problem {
    Hinted(String, String),
    Other(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

/// A problem with a hint.
pub(super) fn problem<T>(
    message: impl Into<String>,
    hint: impl Into<String>,
) -> Result<T, Problem> {
    Err(Problem::Hinted(message.into(), hint.into()))
}

pub(super) fn check_head(study: &Study) -> Result<(), Problem> {
    let head = &study.study;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if head.name.is_empty() || head.name.starts_with('.') || !head.name.chars().all(plain) {
        return problem(
            format!("study.name '{}' cannot name a folder", head.name),
            "use letters, digits, '-', '_' and '.'",
        );
    }
    if head.epochs == 0 {
        return problem("study.epochs is 0", "repetitions count from 1");
    }
    if head.epochs > MOST_EPOCHS {
        return problem(
            format!("study.epochs is {}", head.epochs),
            format!("at most {MOST_EPOCHS} repetitions of every case"),
        );
    }
    if head.mode == Mode::Train {
        return problem(
            "study.mode is \"train\", and no solver of this version learns",
            "leave mode out",
        );
    }
    let positive = |number: f64| number.is_finite() && number > 0.0;
    if head.sample_timeout_s.is_some_and(|limit| !positive(limit)) || head.sample_calls == Some(0) {
        return problem(
            "study.sample_timeout_s and study.sample_calls must be above 0",
            "leave them out for no limit",
        );
    }
    check_budget(study)?;
    if !(0.0..=1.0).contains(&head.tolerance) {
        return problem(
            "study.tolerance is no share",
            "give a number between 0 and 1",
        );
    }
    if i64::try_from(head.seed).is_err() {
        return problem("study.seed is too large", "use a number below 2⁶³");
    }
    if study.dataset.is_empty() {
        return problem("it asks nothing", "add a [[dataset]]");
    }
    Ok(())
}

/// A budget must be one, and what it counts must be known.
fn check_budget(study: &Study) -> Result<(), Problem> {
    let Some(budget) = &study.budget else {
        return Ok(());
    };
    let usd_fits = budget.usd.is_none_or(|usd| usd.is_finite() && usd > 0.0);
    if !usd_fits || budget.calls == Some(0) || budget.tokens == Some(0) {
        return problem(
            "[budget] allows nothing",
            "give numbers above 0, or leave it out for no limit",
        );
    }
    let unpriced = study
        .backend
        .iter()
        .find(|backend| backend.kind == BackendKind::Openai && backend.price.is_none());
    match unpriced {
        Some(backend) if budget.usd.is_some() => problem(
            format!(
                "budget.usd needs prices, and backend '{}' has none",
                backend.name
            ),
            "add price = { input = …, output = … } per million tokens; 0 for a model of your own",
        ),
        _ => Ok(()),
    }
}

pub(super) fn unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
    let mut seen = BTreeSet::new();
    for name in names {
        if name.is_empty() {
            return problem(format!("a {what} has no name"), "give it one");
        }
        if !seen.insert(name) {
            return problem(
                format!("two {what}s are called '{name}'"),
                "names must be unique",
            );
        }
    }
    Ok(())
}

pub(super) fn complete_dataset(dataset: &mut DatasetSpec, folder: &Path) -> Result<(), Problem> {
    adapter::build(dataset)?;
    let info = ADAPTERS.iter().find(|info| info.name == dataset.adapter);
    dataset.answer_form = dataset
        .answer_form
        .or(info.and_then(|info| info.answer_form));
    if dataset.limit == Some(0) {
        return problem(
            format!("dataset '{}': limit is 0", dataset.name),
            "leave it out for all cases",
        );
    }
    for column in dataset.filter.keys().chain(&dataset.stratify) {
        if !column.starts_with("labels.") && !FILTER_COLUMNS.contains(&column.as_str()) {
            return problem(
                format!(
                    "dataset '{}': there is no case column '{column}'",
                    dataset.name
                ),
                suggestion(column, FILTER_COLUMNS.iter().copied()),
            );
        }
    }
    if let Some((column, _)) = dataset
        .filter
        .iter()
        .find(|(_, values)| values.values().is_empty())
    {
        return problem(
            format!("dataset '{}': filter.{column} keeps nothing", dataset.name),
            "list the values to keep, or leave it out",
        );
    }
    if dataset.stratify.is_some() && dataset.limit.is_none() {
        return problem(
            format!("dataset '{}': stratify without limit", dataset.name),
            "stratify makes a draw proportional; set limit as well",
        );
    }
    let path = folder.join(&dataset.path);
    if !path.is_file() {
        return problem(
            format!(
                "dataset '{}': there is no file {}",
                dataset.name,
                path.display()
            ),
            "paths are relative to the study file",
        );
    }
    if dataset.answer_form.is_none() {
        dataset.answer_form = first_answer_form(dataset, folder);
    }
    Ok(())
}

pub(super) fn check_system(study: &Study, system: &SystemSpec) -> Result<(), Problem> {
    let solver = consilium_solvers::build(system)?;
    check_generation("system", &system.name, &system.generation)?;
    if solver.roles().is_empty() && system.generation != GenerationSpec::default() {
        return problem(
            format!(
                "system '{}': `generation` is of no use to solver {}, which asks no model",
                system.name, system.solver
            ),
            "remove it",
        );
    }
    let has_own = |role: &&str| system.role_backends.contains_key(*role);
    if system.backend.is_some() && !solver.roles().is_empty() && solver.roles().iter().all(has_own)
    {
        return problem(
            format!(
                "system '{}': `backend` is of no use, since every role has one of its own",
                system.name
            ),
            "remove it or an entry of `role_backends`",
        );
    }
    let backends = || study.backend.iter().map(|backend| backend.name.as_str());
    for name in system.backend.iter().chain(system.role_backends.values()) {
        if !backends().any(|known| known == name) {
            return problem(
                format!("system '{}': there is no backend '{name}'", system.name),
                suggestion(name, backends()),
            );
        }
    }
    let datasets = || study.dataset.iter().map(|dataset| dataset.name.as_str());
    for name in &system.datasets {
        if !datasets().any(|known| known == name) {
            return problem(
                format!("system '{}': there is no dataset '{name}'", system.name),
                suggestion(name, datasets()),
            );
        }
    }
    Ok(())
}

/// A system that learns has one training file for every dataset it runs on, and no other has any.
pub(super) fn check_training(
    study: &Study,
    system: &SystemSpec,
    folder: &Path,
) -> Result<(), Problem> {
    let runs_on: Vec<&DatasetSpec> = study
        .dataset
        .iter()
        .filter(|dataset| system.runs_on(&dataset.name))
        .collect();
    for training in &system.training {
        let served = match &training.dataset {
            Some(name) => runs_on.iter().find(|dataset| dataset.name == *name),
            None if runs_on.len() == 1 => runs_on.first(),
            None => None,
        };
        let Some(served) = served else {
            return problem(
                format!(
                    "system '{}': training file {} must name its dataset",
                    system.name,
                    training.path.display()
                ),
                match &training.dataset {
                    Some(name) => suggestion(name, runs_on.iter().map(|it| it.name.as_str())),
                    None => "add `dataset = …`, since the system runs on several".to_owned(),
                },
            );
        };
        adapter::build(&training.as_dataset(served))?;
        let path = folder.join(&training.path);
        if !path.is_file() {
            return problem(
                format!(
                    "system '{}': there is no training file {}",
                    system.name,
                    path.display()
                ),
                "paths are relative to the study file",
            );
        }
    }
    if !consilium_solvers::build(system)?.learns() {
        return Ok(());
    }
    for dataset in runs_on {
        let files = system.training.iter().filter(|training| {
            training.dataset.is_none() || training.dataset.as_ref() == Some(&dataset.name)
        });
        let wrong = match files.count() {
            0 => "has no training file",
            1 => continue,
            _ => "has several training files",
        };
        return problem(
            format!(
                "system '{}': solver {} {wrong} for dataset '{}'",
                system.name, system.solver, dataset.name
            ),
            format!(
                "give one: training = [{{ dataset = \"{}\", path = \"…\" }}]",
                dataset.name
            ),
        );
    }
    Ok(())
}

/// A table that there is, with a baseline only where one is compared with.
pub(super) fn check_table(study: &Study, table: &TableSpec) -> Result<(), Problem> {
    if !PRESET_NAMES.contains(&table.preset.as_str()) {
        return problem(
            format!("table '{}' is unknown", table.preset),
            suggestion(&table.preset, PRESET_NAMES.iter().copied()),
        );
    }
    let Some(baseline) = &table.baseline else {
        return Ok(());
    };
    if table.preset != DIFFERENCES {
        return problem(
            format!(
                "table '{}': `baseline` belongs to the table '{DIFFERENCES}'",
                table.preset
            ),
            "remove it",
        );
    }
    let systems = || study.system.iter().map(|system| system.name.as_str());
    if systems().any(|known| known == baseline) {
        return Ok(());
    }
    problem(
        format!("table '{}': there is no system '{baseline}'", table.preset),
        suggestion(baseline, systems()),
    )
}

pub(super) fn suggestion<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(name, names.clone()) {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => match names.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "there are none".to_owned(),
            all => format!("there are {all}"),
        },
    }
}
