//! Gold for simulated backends, and for nothing else.

use std::collections::{BTreeSet, HashMap};

use anyhow::Result;
use consilium_backends::{AnswerKey, SimulatedCase};
use consilium_core::{AnswerForm, Case, ChoiceOption};
use consilium_store::{CaseRow, RunDirectory, read_rows};

/// The answer key of a run's cases.
#[derive(Debug)]
pub(crate) struct RunAnswers {
    cases: HashMap<(String, String), SimulatedCase>,
    /// Diagnoses of each dataset and specialty, from which wrong ones are drawn.
    diagnoses: HashMap<(String, Option<String>), BTreeSet<String>>,
}

/// Wrong diagnoses that one case can be given.
const WRONG_DIAGNOSES: usize = 8;

impl RunAnswers {
    /// Reads the key from the cases of a run.
    pub(crate) fn read(directory: &RunDirectory) -> Result<Self> {
        let manifest = directory.manifest()?;
        let mut cases = HashMap::new();
        let mut diagnoses: HashMap<_, BTreeSet<String>> = HashMap::new();
        for row in read_rows::<CaseRow>(directory, &manifest) {
            let case = Case::try_from(row?)?;
            let key = (case.view.dataset.to_string(), case.view.case_id.to_string());
            let answer = SimulatedCase {
                gold: case.gold,
                options: case.view.options,
                answer_form: case.view.answer_form,
                specialty: case.view.specialty,
                prevalence: case.view.prevalence,
                reference: case.reference,
            };
            if answer.answer_form == AnswerForm::Diagnosis
                && let Some(name) = answer.gold.first()
            {
                let group = (key.0.clone(), answer.specialty.clone());
                diagnoses.entry(group).or_default().insert(name.clone());
            }
            cases.insert(key, answer);
        }
        Ok(Self { cases, diagnoses })
    }
}

impl AnswerKey for RunAnswers {
    fn answer(&self, dataset: &str, case_id: &str) -> Option<SimulatedCase> {
        let mut case = self
            .cases
            .get(&(dataset.to_owned(), case_id.to_owned()))?
            .clone();
        if case.answer_form == AnswerForm::Diagnosis && case.options.is_empty() {
            // A wrong diagnosis is one of a neighbouring case, as a doctor's would be.
            let group = (dataset.to_owned(), case.specialty.clone());
            let others = self.diagnoses.get(&group).into_iter().flatten();
            case.options = others
                .filter(|name| !case.gold.contains(name))
                .take(WRONG_DIAGNOSES)
                .map(|name| ChoiceOption {
                    label: name.clone(),
                    text: name.clone(),
                })
                .collect();
        }
        Some(case)
    }
}
