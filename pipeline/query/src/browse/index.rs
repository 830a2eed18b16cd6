//! The samples of a run in memory: what lists are sorted and filtered by.

mod build;

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use consilium_core::study::Study;
use consilium_core::{Outcome, SampleKey};
use consilium_store::RowPlace;

use super::scores::{IndexedScore, ScorerIndex};

pub(super) use build::{Counts, number_column, text_column};

/// Every case of a run and the counting attempt of every sample, both ascending by key.
///
/// Texts compare by their bytes, as SQL sorts them.
#[derive(Debug)]
pub struct RunIndex {
    pub(super) datasets: Vec<Arc<str>>,
    pub(super) systems: Vec<Arc<str>>,
    pub(super) sources: Vec<Arc<str>>,
    pub(super) specialties: Vec<Arc<str>>,
    pub(super) prevalences: Vec<Arc<str>>,
    pub(super) languages: Vec<Arc<str>>,
    pub(super) cases: Vec<IndexedCase>,
    pub(super) samples: Vec<IndexedSample>,
    pub(super) scorers: Vec<ScorerIndex>,
    /// Place in `scorers` of the headline scorer, by dataset.
    pub(super) headlines: Vec<Option<usize>>,
}

/// What is known of a case without its texts; numbers are places in the lists of the index.
#[derive(Clone, Debug)]
pub(super) struct IndexedCase {
    /// Dataset.
    pub(super) dataset: u32,
    /// Identifier.
    pub(super) id: Arc<str>,
    pub(super) source: u32,
    pub(super) specialty: Option<u32>,
    pub(super) prevalence: Option<u32>,
    pub(super) language: u32,
    /// Where its row is; `None` for a case that the run does not hold.
    pub(super) place: Option<RowPlace>,
}

/// What is known of the counting attempt at a sample without its texts.
#[derive(Clone, Debug)]
pub struct IndexedSample {
    /// Place of its case in the index.
    pub(super) case: u32,
    pub(super) system: u32,
    /// Repetition.
    pub epoch: u32,
    /// Attempt that counts.
    pub attempt: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Rounds of a multi-round solver.
    pub rounds: Option<u32>,
    /// Model calls of the solver.
    pub calls: u32,
    /// Cost, US dollars.
    pub cost_usd: Option<f64>,
    /// Duration, milliseconds.
    pub wall_ms: u64,
    pub(super) place: RowPlace,
}

impl RunIndex {
    /// Samples.
    pub fn len(&self) -> usize {
        self.samples.len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// One sample.
    pub fn sample(&self, row: usize) -> &IndexedSample {
        &self.samples[row]
    }

    /// The key of a sample.
    pub fn key(&self, row: usize) -> SampleKey {
        let sample = &self.samples[row];
        let case = &self.cases[sample.case as usize];
        SampleKey {
            dataset: Arc::clone(&self.datasets[case.dataset as usize]),
            case_id: Arc::clone(&case.id),
            system: Arc::clone(&self.systems[sample.system as usize]),
            epoch: sample.epoch,
        }
    }

    /// Source, specialty, prevalence and language of a sample's case.
    pub fn labels(&self, row: usize) -> CaseLabels<'_> {
        let case = &self.cases[self.samples[row].case as usize];
        CaseLabels {
            source: &self.sources[case.source as usize],
            specialty: case.specialty.map(|n| &*self.specialties[n as usize]),
            prevalence: case.prevalence.map(|n| &*self.prevalences[n as usize]),
            language: &self.languages[case.language as usize],
        }
    }

    /// The first sample whose key is not below the given one.
    pub fn lower_bound(&self, key: &SampleKey) -> usize {
        self.samples
            .partition_point(|sample| self.compare(sample, key) == Ordering::Less)
    }

    /// The first sample whose key is above the given one.
    pub fn upper_bound(&self, key: &SampleKey) -> usize {
        self.samples
            .partition_point(|sample| self.compare(sample, key) != Ordering::Greater)
    }

    /// The sample with a key.
    pub fn find(&self, key: &SampleKey) -> Option<usize> {
        let row = self.lower_bound(key);
        (row < self.upper_bound(key)).then_some(row)
    }

    /// The samples of a case.
    pub fn of_case(&self, dataset: &str, case_id: &str) -> Range<usize> {
        let order = |sample: &IndexedSample| {
            let case = &self.cases[sample.case as usize];
            let known = (&*self.datasets[case.dataset as usize], &*case.id);
            known.cmp(&(dataset, case_id))
        };
        let first = self
            .samples
            .partition_point(|sample| order(sample) == Ordering::Less);
        let end = self
            .samples
            .partition_point(|sample| order(sample) != Ordering::Greater);
        first..end
    }

    /// The sample of another system on the same case and epoch.
    pub fn counterpart(&self, row: usize, system: usize) -> Option<usize> {
        let sample = &self.samples[row];
        let wanted = (sample.case, u32::try_from(system).ok()?, sample.epoch);
        self.samples
            .binary_search_by_key(&wanted, |other| (other.case, other.system, other.epoch))
            .ok()
    }

    /// Place of a system among the systems, which are sorted by name.
    pub fn system(&self, name: &str) -> Option<usize> {
        self.systems
            .binary_search_by(|known| (**known).cmp(name))
            .ok()
    }

    /// Whether a sample is of this system.
    pub fn is_of(&self, row: usize, system: usize) -> bool {
        self.samples[row].system as usize == system
    }

    /// Scorers in the order of the study.
    pub fn scorers(&self) -> &[ScorerIndex] {
        &self.scorers
    }

    /// Place of the scorer with a name.
    pub fn scorer(&self, name: &str) -> Option<usize> {
        self.scorers.iter().position(|scorer| scorer.name == name)
    }

    /// Place of the headline scorer of a sample's dataset.
    pub fn headline(&self, row: usize) -> Option<usize> {
        let case = &self.cases[self.samples[row].case as usize];
        self.headlines[case.dataset as usize]
    }

    /// The score of a sample by a scorer.
    pub fn score(&self, row: usize, scorer: usize) -> Option<&IndexedScore> {
        self.scorers.get(scorer)?.scores[row].as_ref()
    }

    /// Datasets, ascending.
    pub fn datasets(&self) -> &[Arc<str>] {
        &self.datasets
    }

    /// Systems, ascending.
    pub fn systems(&self) -> &[Arc<str>] {
        &self.systems
    }

    /// Sources of cases, ascending.
    pub fn sources(&self) -> &[Arc<str>] {
        &self.sources
    }

    /// Specialties of cases, ascending.
    pub fn specialties(&self) -> &[Arc<str>] {
        &self.specialties
    }

    /// Prevalences of cases, ascending.
    pub fn prevalences(&self) -> &[Arc<str>] {
        &self.prevalences
    }

    /// Whether a row exists and has this key.
    pub(super) fn has_key(&self, row: usize, key: (&str, &str, &str, u32)) -> bool {
        self.samples.get(row).is_some_and(|sample| {
            let case = &self.cases[sample.case as usize];
            sample.epoch == key.3
                && *case.id == *key.1
                && *self.systems[sample.system as usize] == *key.2
                && *self.datasets[case.dataset as usize] == *key.0
        })
    }

    fn compare(&self, sample: &IndexedSample, key: &SampleKey) -> Ordering {
        let case = &self.cases[sample.case as usize];
        let known = (
            &*self.datasets[case.dataset as usize],
            &*case.id,
            &*self.systems[sample.system as usize],
            sample.epoch,
        );
        known.cmp(&(&*key.dataset, &*key.case_id, &*key.system, key.epoch))
    }
}

/// Subgroups of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseLabels<'a> {
    /// Source; empty for a case that the run does not hold.
    pub source: &'a str,
    /// Specialty.
    pub specialty: Option<&'a str>,
    /// Prevalence.
    pub prevalence: Option<&'a str>,
    /// Language; empty when unknown.
    pub language: &'a str,
}

/// The scorer whose numbers stand for a dataset: the first that the study has for it.
pub(super) fn headline_scorer<'a>(study: &'a Study, dataset: &str) -> Option<&'a str> {
    study
        .scorer
        .iter()
        .find(|scorer| scorer.datasets.iter().any(|name| name == dataset))
        .map(consilium_core::study::ScorerSpec::display_name)
}

#[cfg(test)]
mod tests;
