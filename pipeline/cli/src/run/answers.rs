//! Gold for simulated backends, and for nothing else.

use std::collections::HashMap;

use anyhow::Result;
use consilium_core::Case;
use consilium_runner::backend::{AnswerKey, SimulatedCase};
use consilium_store::{CaseRow, RunDirectory, read_rows};

/// The answer key of a run's cases.
#[derive(Debug)]
pub(crate) struct RunAnswers {
    cases: HashMap<(String, String), SimulatedCase>,
}

impl RunAnswers {
    /// Reads the key from the cases of a run.
    pub(crate) fn read(directory: &RunDirectory) -> Result<Self> {
        let manifest = directory.manifest()?;
        let mut cases = HashMap::new();
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
            cases.insert(key, answer);
        }
        Ok(Self { cases })
    }
}

impl AnswerKey for RunAnswers {
    fn answer(&self, dataset: &str, case_id: &str) -> Option<SimulatedCase> {
        self.cases
            .get(&(dataset.to_owned(), case_id.to_owned()))
            .cloned()
    }
}
