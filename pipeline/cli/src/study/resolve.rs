//! A study with everything filled in and checked that needs neither data nor network.

use std::path::{Path, PathBuf};

use anyhow::Result;
use consilium_core::study::{DatasetSpec, ScorerKind, ScorerSpec, Study, SystemSpec};
use consilium_core::{AnswerForm, nearest};

use consilium_query::fan_out::Assignment;
use consilium_runner::prompt::{PromptError, PromptLibrary};

use super::backend_checks::{check_backend, unused_backends};
use super::checks::{
    Problem, check_head, check_system, check_table, check_training, complete_dataset, problem,
    suggestion, unique,
};
use super::judges::shared_models;
use super::load::LoadedStudy;
use super::study_sha256;
use crate::failure::hinted;

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
            .flat_map(|scorer| [&mut scorer.aliases, &mut scorer.baseline])
            .flatten()
            .for_each(absolute);
        study
            .system
            .iter_mut()
            .flat_map(|system| &mut system.training)
            .for_each(|training| absolute(&mut training.path));
        study
            .backend
            .iter_mut()
            .filter_map(|backend| backend.recording.as_mut())
            .for_each(absolute);
        study.study.prompts.iter_mut().for_each(absolute);
        study
    }

    /// The prompts of the study: built in, or replaced by its folder.
    pub(crate) fn prompts(&self) -> Result<PromptLibrary, PromptError> {
        load_prompts(&self.study, &self.folder)
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

fn load_prompts(study: &Study, folder: &Path) -> Result<PromptLibrary, PromptError> {
    let replaced = study.study.prompts.as_ref().map(|path| folder.join(path));
    PromptLibrary::load(replaced.as_deref())
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
    study.system = study.expanded_systems()?;
    study.matrix = Vec::new();
    for backend in &study.backend {
        check_backend(&study, backend)?;
    }
    if study.system.is_empty() {
        return problem("it compares nothing", "add a [[system]]");
    }
    for system in &study.system {
        check_system(&study, system)?;
        check_training(&study, system, folder)?;
    }
    load_prompts(&study, folder)?;
    complete_scorers(&mut study, folder, &mut notes)?;
    for table in &study.table {
        check_table(&study, table)?;
    }
    Ok((study, notes))
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
        (ScorerKind::Text, AnswerForm::Text),
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
                datasets: without,
                ..ScorerSpec::of_kind(kind)
            });
        }
    }
    let datasets = study.dataset.clone();
    for spec in &mut study.scorer {
        let name = spec.display_name().to_owned();
        let forms = consilium_scorers::answer_forms(spec, folder)?;
        if spec.datasets.is_empty() {
            spec.datasets = datasets
                .iter()
                .filter(|dataset| {
                    dataset
                        .answer_form
                        .is_some_and(|form| forms.contains(&form))
                })
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
    for scorer in &study.scorer {
        let backends = || study.backend.iter().map(|backend| backend.name.as_str());
        if let Some(name) = &scorer.backend
            && !backends().any(|known| known == name)
        {
            return problem(
                format!(
                    "scorer '{}': there is no backend '{name}'",
                    scorer.display_name()
                ),
                suggestion(name, backends()),
            );
        }
    }
    notes.extend(shared_models(study));
    notes.extend(unused_backends(study));
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
