//! Labelled examples for systems that learn from a file.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Result, bail};
use consilium_core::CaseView;
use consilium_core::canonical::sha256_hex;
use consilium_core::study::{DatasetSpec, SystemSpec, TrainingSpec};
use consilium_datasets::CaseReader;
use consilium_solvers::{TrainingSet, case_content};

use crate::failure::hinted;
use crate::printer;
use crate::study::ResolvedStudy;

/// What the evaluated cases ask, to be recognised among examples; holds hashes only.
#[derive(Debug, Default)]
pub(crate) struct EvaluatedCases {
    /// Dataset and case by what it asks.
    by_content: HashMap<String, (String, String)>,
}

impl EvaluatedCases {
    /// Adds a case.
    pub(crate) fn add(&mut self, case: &CaseView) {
        let hash = sha256_hex(case_content(case).as_bytes());
        self.by_content
            .insert(hash, (case.dataset.to_string(), case.case_id.to_string()));
    }

    /// The evaluated case that asks the same, if there is one.
    fn same(&self, case: &CaseView) -> Option<&(String, String)> {
        let hash = sha256_hex(case_content(case).as_bytes());
        self.by_content.get(&hash)
    }
}

/// Whether any system learns from a file.
pub(crate) fn learns(study: &ResolvedStudy) -> bool {
    study
        .study
        .system
        .iter()
        .any(|system| !system.training.is_empty())
}

/// Reads the training files of a study, and refuses those that hold an evaluated case: its answer
/// would be known.
pub(crate) fn read_training(
    study: &ResolvedStudy,
    evaluated: &EvaluatedCases,
) -> Result<BTreeMap<String, TrainingSet>> {
    let mut sets = BTreeMap::new();
    for system in &study.study.system {
        let mut set = TrainingSet::default();
        for training in &system.training {
            for dataset in served(study, system, training) {
                let examples = read_file(study, system, training, dataset, evaluated)?;
                set.by_dataset.insert(dataset.name.clone(), examples);
            }
        }
        if !system.training.is_empty() {
            sets.insert(system.name.clone(), set);
        }
    }
    Ok(sets)
}

/// The dataset that a training file serves: the one it names, else the only one of its system.
fn served<'a>(
    study: &'a ResolvedStudy,
    system: &'a SystemSpec,
    training: &'a TrainingSpec,
) -> impl Iterator<Item = &'a DatasetSpec> {
    study
        .study
        .dataset
        .iter()
        .filter(|dataset| match &training.dataset {
            Some(name) => *name == dataset.name,
            None => system.runs_on(&dataset.name),
        })
}

fn read_file(
    study: &ResolvedStudy,
    system: &SystemSpec,
    training: &TrainingSpec,
    dataset: &DatasetSpec,
    evaluated: &EvaluatedCases,
) -> Result<Vec<consilium_core::Case>> {
    let path = study.folder.join(&training.path);
    let mut reader = CaseReader::open(&training.as_dataset(dataset), &study.folder)?;
    let mut examples = Vec::new();
    for example in reader.by_ref() {
        let example = example?;
        if let Some((dataset, case_id)) = evaluated.same(&example.view) {
            return Err(hinted(
                format!(
                    "train system '{}' from {}: its case '{}' asks the same as the evaluated case \
                     '{case_id}' of dataset '{dataset}'",
                    system.name,
                    path.display(),
                    example.view.case_id
                ),
                "give a file without the evaluated cases, for example the training split of the set",
            ));
        }
        examples.push(example);
    }
    let malformed = reader.report().malformed;
    if examples.is_empty() {
        bail!(
            "train system '{}' from {}: none of its {malformed} rows is a case",
            system.name,
            path.display()
        );
    }
    if malformed > 0 {
        printer::note(&format!(
            "warning: system '{}': {malformed} malformed rows of {} are skipped",
            system.name,
            path.display()
        ));
    }
    Ok(examples)
}
