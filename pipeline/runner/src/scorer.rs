//! What a scorer is to those who score a run.

use std::fmt::Debug;

use consilium_core::{AnswerForm, Case, SampleRow, ScoreRow, Signature};
use rayon::prelude::*;

/// Turns recorded samples into score rows.
pub trait Scorer: Debug + Send + Sync {
    /// Name in the study.
    fn name(&self) -> &str;

    /// Kind as written in the study.
    fn kind(&self) -> &'static str;

    /// What must match before two of its values may be compared.
    fn signature(&self) -> Signature;

    /// [`Self::signature`] as rows carry it.
    fn signature_text(&self) -> String {
        self.signature().to_string()
    }

    /// Whether it scores cases that ask for this form of answer.
    fn applies(&self, answer_form: AnswerForm) -> bool;

    /// Scores one sample against its case: one row for each metric of the scorer.
    fn score(&self, sample: &SampleRow, case: &Case) -> Vec<ScoreRow>;

    /// Scores many samples on all cores.
    fn score_batch(&self, pairs: &[(SampleRow, Case)]) -> Vec<ScoreRow> {
        pairs
            .par_iter()
            .with_min_len(16)
            .flat_map_iter(|(sample, case)| self.score(sample, case))
            .collect()
    }
}
