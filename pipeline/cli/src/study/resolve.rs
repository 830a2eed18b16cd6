//! A study with everything filled in and checked that needs neither data nor network.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use consilium_core::AnswerForm;
use consilium_core::study::{
    BackendKind, BackendSpec, DatasetSpec, Mode, ScorerKind, ScorerSpec, Study, SystemSpec,
};
use consilium_query::dataset::adapter::{self, ADAPTERS};
use consilium_query::fan_out::Assignment;
use consilium_query::table::PRESET_NAMES;
use consilium_runner::{prompt::PromptLibrary, scorer, solver};

use super::load::{LoadedStudy, nearest};
use super::study_sha256;
use crate::failure::hinted;

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

/// A study that can be run.
pub(crate) struct ResolvedStudy {
    /// Systems expanded, scorers and answer forms written out, paths as given.
    pub(crate) study: Study,
    /// Folder that relative paths are taken from.
    pub(crate) folder: PathBuf,
    /// The file's text.
    pub(crate) text: String,
    /// Hash of what makes it the same run.
    pub(crate) sha256: String,
    /// What a user should know before running it.
    pub(crate) notes: Vec<String>,
}

impl ResolvedStudy {
    /// Fills in and checks a study.
    pub(crate) fn resolve(loaded: LoadedStudy) -> Result<Self> {
        let LoadedStudy {
            path,
            folder,
            text,
            study,
        } = loaded;
        let in_file = |message: String, hint: String| {
            hinted(format!("use study {}: {message}", path.display()), hint)
        };
        let (study, notes) = complete(study, &folder).map_err(|problem| match problem {
            Problem::Hinted(message, hint) => in_file(message, hint),
            Problem::Other(error) => error.context(format!("use study {}", path.display())),
        })?;
        let sha256 = study_sha256(&study)?;
        Ok(Self {
            study,
            folder,
            text,
            sha256,
            notes,
        })
    }

    /// The study as it is recorded: with absolute paths, so that a run can be scored from anywhere.
    pub(crate) fn recorded(&self) -> Study {
        let mut study = self.study.clone();
        let absolute = |path: &mut PathBuf| *path = normal(&self.folder.join(&path));
        study
            .dataset
            .iter_mut()
            .for_each(|dataset| absolute(&mut dataset.path));
        study
            .scorer
            .iter_mut()
            .filter_map(|scorer| scorer.aliases.as_mut())
            .for_each(absolute);
        study
            .backend
            .iter_mut()
            .filter_map(|backend| backend.recording.as_mut())
            .for_each(absolute);
        study.study.prompts.iter_mut().for_each(absolute);
        study
    }

    /// Which system runs on which dataset.
    pub(crate) fn assignments(&self, only: &[String]) -> Result<Vec<Assignment>> {
        for name in only {
            let names = || self.study.system.iter().map(|system| system.name.as_str());
            if !names().any(|known| known == name) {
                let hint = match nearest(name, names()) {
                    Some(nearest) => format!("did you mean '{nearest}'?"),
                    None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
                };
                return Err(hinted(
                    format!("select system '{name}': the study has none called so"),
                    hint,
                ));
            }
        }
        let systems: Vec<&SystemSpec> = self
            .study
            .system
            .iter()
            .filter(|system| only.is_empty() || only.contains(&system.name))
            .collect();
        Ok(self
            .study
            .dataset
            .iter()
            .flat_map(|dataset| {
                systems
                    .iter()
                    .filter(|system| system.runs_on(&dataset.name))
                    .map(|system| Assignment {
                        dataset: dataset.name.clone(),
                        system: system.name.clone(),
                        epochs: self.study.study.epochs,
                    })
            })
            .collect())
    }
}

/// A path without `.` and `..`, which would only confuse whoever reads a manifest.
fn normal(path: &Path) -> PathBuf {
    path.components()
        .fold(PathBuf::new(), |mut path, component| {
            match component {
                std::path::Component::CurDir => {}
                std::path::Component::ParentDir => {
                    path.pop();
                }
                other => path.push(other),
            }
            path
        })
}

enum Problem {
    Hinted(String, String),
    Other(anyhow::Error),
}

impl<E: Into<anyhow::Error>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self::Other(error.into())
    }
}

fn problem<T>(message: impl Into<String>, hint: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Hinted(message.into(), hint.into()))
}

fn complete(mut study: Study, folder: &Path) -> Result<(Study, Vec<String>), Problem> {
    let mut notes = Vec::new();
    check_head(&study)?;
    unique(
        "dataset",
        study.dataset.iter().map(|dataset| dataset.name.as_str()),
    )?;
    unique(
        "backend",
        study.backend.iter().map(|backend| backend.name.as_str()),
    )?;
    unique(
        "system",
        study.system.iter().map(|system| system.name.as_str()),
    )?;
    for dataset in &mut study.dataset {
        complete_dataset(dataset, folder)?;
    }
    study.backend.iter().try_for_each(check_backend)?;
    study.system = study.expanded_systems()?;
    study.matrix = Vec::new();
    if study.system.is_empty() {
        return problem("it compares nothing", "add a [[system]]");
    }
    for system in &study.system {
        check_system(&study, system)?;
    }
    PromptLibrary::load(
        study
            .study
            .prompts
            .as_ref()
            .map(|path| folder.join(path))
            .as_deref(),
    )?;
    complete_scorers(&mut study, folder, &mut notes)?;
    for table in &study.table {
        if !PRESET_NAMES.contains(&table.preset.as_str()) {
            return problem(
                format!("table '{}' is unknown", table.preset),
                suggestion(&table.preset, PRESET_NAMES.iter().copied()),
            );
        }
    }
    Ok((study, notes))
}

fn check_head(study: &Study) -> Result<(), Problem> {
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
    if study.budget.is_some() {
        return problem(
            "[budget] is not enforced by this version, and a budget that is ignored is worse than none",
            "remove it; --limit and `consilium check` bound what a run costs",
        );
    }
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

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
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

fn complete_dataset(dataset: &mut DatasetSpec, folder: &Path) -> Result<(), Problem> {
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
    Ok(())
}

/// Keys that belong to one kind of backend only.
fn check_backend(backend: &BackendSpec) -> Result<(), Problem> {
    let keys = [
        ("base_url", backend.base_url.is_some(), BackendKind::Openai),
        (
            "api_key_env",
            backend.api_key_env.is_some(),
            BackendKind::Openai,
        ),
        (
            "latency_ms",
            backend.latency_ms.is_some(),
            BackendKind::Simulated,
        ),
        (
            "error_rate",
            backend.error_rate.is_some(),
            BackendKind::Simulated,
        ),
        (
            "accuracy",
            backend.accuracy.is_some(),
            BackendKind::Simulated,
        ),
        (
            "recording",
            backend.recording.is_some(),
            BackendKind::Replay,
        ),
        ("match", backend.replay_match.is_some(), BackendKind::Replay),
    ];
    if let Some((key, ..)) = keys
        .iter()
        .find(|(_, set, kind)| *set && *kind != backend.kind)
    {
        return problem(
            format!(
                "backend '{}': `{key}` belongs to another kind of backend",
                backend.name
            ),
            "remove it or change `kind`",
        );
    }
    let limits = &backend.limits;
    if limits.concurrency == 0 || limits.timeout_s <= 0.0 || limits.connect_timeout_s <= 0.0 {
        return problem(
            format!(
                "backend '{}': concurrency and time-outs must be above 0",
                backend.name
            ),
            "leave them out for the defaults",
        );
    }
    if limits.rpm == Some(0) || limits.tpm == Some(0) {
        return problem(
            format!(
                "backend '{}': a rate of 0 per minute allows nothing",
                backend.name
            ),
            "leave rpm and tpm out for no limit",
        );
    }
    if let Some(price) = &backend.price {
        let prices = [Some(price.input), price.cached_input, Some(price.output)];
        if prices
            .iter()
            .flatten()
            .any(|price| !price.is_finite() || *price < 0.0)
        {
            return problem(
                format!(
                    "backend '{}': a price is negative or no number",
                    backend.name
                ),
                "give US dollars per million tokens",
            );
        }
    }
    let share = |value: f64| (0.0..=1.0).contains(&value);
    let accuracy_fits = match &backend.accuracy {
        None => true,
        Some(consilium_core::study::SimulatedAccuracy::Everywhere(value)) => share(*value),
        Some(consilium_core::study::SimulatedAccuracy::Rules(rules)) => {
            rules.iter().all(|rule| share(rule.value))
        }
    };
    if !accuracy_fits || !backend.error_rate.is_none_or(share) {
        return problem(
            format!(
                "backend '{}': accuracy and error_rate are shares",
                backend.name
            ),
            "give numbers between 0 and 1",
        );
    }
    Ok(())
}

fn check_system(study: &Study, system: &SystemSpec) -> Result<(), Problem> {
    solver::build(system)?;
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

/// Adds a scorer for every closed answer form that has none, and writes out what each scores.
fn complete_scorers(
    study: &mut Study,
    folder: &Path,
    notes: &mut Vec<String>,
) -> Result<(), Problem> {
    for (kind, form) in [
        (ScorerKind::Choice, AnswerForm::Choice),
        (ScorerKind::Label, AnswerForm::Label),
    ] {
        let covered = |dataset: &DatasetSpec| {
            study.scorer.iter().any(|scorer| {
                (scorer.datasets.is_empty() && scorer.kind == kind)
                    || scorer.datasets.contains(&dataset.name)
            })
        };
        let without: Vec<String> = study
            .dataset
            .iter()
            .filter(|dataset| dataset.answer_form == Some(form) && !covered(dataset))
            .map(|dataset| dataset.name.clone())
            .collect();
        if !without.is_empty() {
            study.scorer.push(ScorerSpec {
                kind,
                name: None,
                datasets: without,
                aliases: None,
                ignore_suffixes: Vec::new(),
                metrics: Vec::new(),
                backend: None,
                policy: None,
            });
        }
    }
    let datasets = study.dataset.clone();
    for spec in &mut study.scorer {
        let name = spec.display_name().to_owned();
        let built = scorer::build(spec, folder)?;
        if spec.datasets.is_empty() {
            spec.datasets = datasets
                .iter()
                .filter(|dataset| dataset.answer_form.is_some_and(|form| built.applies(form)))
                .map(|dataset| dataset.name.clone())
                .collect();
        }
        for dataset in &spec.datasets {
            if !datasets.iter().any(|known| known.name == *dataset) {
                return problem(
                    format!("scorer '{name}': there is no dataset '{dataset}'"),
                    suggestion(
                        dataset,
                        datasets.iter().map(|dataset| dataset.name.as_str()),
                    ),
                );
            }
        }
    }
    unique("scorer", study.scorer.iter().map(ScorerSpec::display_name))?;
    for dataset in &study.dataset {
        if !study
            .scorer
            .iter()
            .any(|scorer| scorer.datasets.contains(&dataset.name))
        {
            notes.push(format!(
                "dataset '{}' of form '{}' has no scorer: its answers are recorded and not scored",
                dataset.name,
                dataset.answer_form.map_or("unknown", AnswerForm::as_str)
            ));
        }
    }
    Ok(())
}

fn suggestion<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(name, names.clone()) {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => match names.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "there are none".to_owned(),
            all => format!("there are {all}"),
        },
    }
}
