//! One sample in full.

use consilium_core::{Case, SampleKey, SampleRow, ScoreRow};
use consilium_store::rows::{decode_cases, decode_samples, decode_scores};
use consilium_store::{RowKey, RowPlace, RunTable};

use super::open_run::{BrowseError, OpenRun};

/// A sample with its case and what scorers concluded of one attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRecord {
    /// The case; `None` when the run does not hold it.
    pub case: Option<Case>,
    /// Every attempt, ascending.
    pub attempts: Vec<SampleRow>,
    /// Place of the attempt in question among them.
    pub chosen: usize,
    /// Its scores, in the order of the study's scorers.
    pub scores: Vec<ScoreRow>,
    /// Its events.
    pub events: u64,
    /// Its calls, those of scorers included.
    pub calls: u64,
}

impl SampleRecord {
    /// The attempt in question.
    pub fn sample(&self) -> &SampleRow {
        &self.attempts[self.chosen]
    }
}

/// What rows of a sample are found by.
fn row_key(key: &SampleKey) -> RowKey<'_> {
    RowKey {
        dataset: &key.dataset,
        case_id: &key.case_id,
        sample: Some((&key.system, key.epoch)),
    }
}

impl OpenRun {
    /// Reads one sample, the last attempt when none is named; `None` when there is no such.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn sample(
        &self,
        key: &SampleKey,
        attempt: Option<u32>,
    ) -> Result<Option<SampleRecord>, BrowseError> {
        let attempts = self.attempts(key)?;
        let chosen = match attempt {
            Some(attempt) => attempts.iter().position(|row| row.attempt == attempt),
            None => attempts.len().checked_sub(1),
        };
        let Some(chosen) = chosen else {
            return Ok(None);
        };
        let attempt = attempts[chosen].attempt;
        Ok(Some(SampleRecord {
            case: self.case(&key.dataset, &key.case_id)?,
            attempts,
            chosen,
            scores: self.scores(key, attempt)?,
            events: self.count(RunTable::Events, key, attempt)?,
            calls: self.count(RunTable::Calls, key, attempt)?,
        }))
    }

    /// Reads one case.
    ///
    /// # Errors
    /// When a part cannot be read or the case is damaged.
    pub fn case(&self, dataset: &str, case_id: &str) -> Result<Option<Case>, BrowseError> {
        let key = RowKey {
            dataset,
            case_id,
            sample: None,
        };
        let table = self.table(RunTable::Cases)?;
        let Some(found) = table.find(key)?.into_iter().next() else {
            return Ok(None);
        };
        let row = decode_cases(&table.take(&[found.place], None)?)?.pop();
        Ok(row.map(Case::try_from).transpose()?)
    }

    /// Reads every attempt at a sample, ascending.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn attempts(&self, key: &SampleKey) -> Result<Vec<SampleRow>, BrowseError> {
        let table = self.table(RunTable::Samples)?;
        let found = table.find(row_key(key))?;
        let places: Vec<RowPlace> = found.iter().map(|row| row.place).collect();
        let mut attempts = decode_samples(&table.take(&places, None)?)?;
        attempts.sort_by_key(|row| row.attempt);
        Ok(attempts)
    }

    /// Reads the scores of an attempt, in the order of the study's scorers and then by metric.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn scores(&self, key: &SampleKey, attempt: u32) -> Result<Vec<ScoreRow>, BrowseError> {
        let table = self.table(RunTable::Scores)?;
        let places = self.of_attempt(RunTable::Scores, key, attempt)?;
        let mut scores = decode_scores(&table.take(&places, None)?)?;
        let order = |score: &ScoreRow| {
            let scorers = &self.study().scorer;
            scorers
                .iter()
                .position(|scorer| scorer.display_name() == score.scorer)
                .unwrap_or(usize::MAX)
        };
        scores.sort_by(|left, right| {
            (order(left), &left.scorer, &left.metric).cmp(&(
                order(right),
                &right.scorer,
                &right.metric,
            ))
        });
        Ok(scores)
    }

    fn count(&self, table: RunTable, key: &SampleKey, attempt: u32) -> Result<u64, BrowseError> {
        Ok(self.of_attempt(table, key, attempt)?.len() as u64)
    }

    /// Where the rows of an attempt lie.
    pub(super) fn of_attempt(
        &self,
        table: RunTable,
        key: &SampleKey,
        attempt: u32,
    ) -> Result<Vec<RowPlace>, BrowseError> {
        let found = self.table(table)?.find(row_key(key))?;
        Ok(found
            .iter()
            .filter(|row| row.attempt == attempt)
            .map(|row| row.place)
            .collect())
    }
}
