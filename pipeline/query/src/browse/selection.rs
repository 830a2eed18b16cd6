//! Which samples a list shows.

use std::sync::Arc;

use consilium_core::Outcome;

use super::conclusion::Conclusion;
use super::index::RunIndex;
use super::search::Matches;

/// What samples must have; an empty selection takes all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Dataset.
    pub dataset: Option<String>,
    /// System.
    pub system: Option<String>,
    /// Source of the case.
    pub source: Option<String>,
    /// Specialty of the case.
    pub specialty: Option<String>,
    /// Prevalence of the case.
    pub prevalence: Option<String>,
    /// The one case.
    pub case_id: Option<String>,
    /// Repetition.
    pub epoch: Option<u32>,
    /// How the sample ended.
    pub outcome: Option<Outcome>,
    /// What was concluded by `scorer`.
    pub conclusion: Option<Conclusion>,
    /// Scorer that concludes; the headline scorer of the sample's dataset when none is named.
    pub scorer: Option<String>,
    /// Where a text occurs.
    pub matches: Option<Arc<Matches>>,
}

/// A selection in the numbers of an index.
#[derive(Debug)]
pub struct Filter<'a> {
    index: &'a RunIndex,
    selection: &'a Selection,
    dataset: Wanted,
    system: Wanted,
    source: Wanted,
    specialty: Wanted,
    prevalence: Wanted,
    scorer: Scorer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Any,
    Number(u32),
    /// A value that does not occur.
    None,
}

impl Wanted {
    fn of(value: Option<&str>, sorted: &[Arc<str>]) -> Self {
        let Some(value) = value else {
            return Self::Any;
        };
        sorted
            .binary_search_by(|known| (**known).cmp(value))
            .ok()
            .and_then(|place| u32::try_from(place).ok())
            .map_or(Self::None, Self::Number)
    }

    fn takes(self, number: Option<u32>) -> bool {
        match self {
            Self::Any => true,
            Self::Number(wanted) => number == Some(wanted),
            Self::None => false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scorer {
    Headline,
    Named(Option<usize>),
}

impl RunIndex {
    /// Prepares a selection.
    pub fn filter<'a>(&'a self, selection: &'a Selection) -> Filter<'a> {
        let Selection {
            dataset,
            system,
            source,
            specialty,
            prevalence,
            scorer,
            ..
        } = selection;
        Filter {
            index: self,
            selection,
            dataset: Wanted::of(dataset.as_deref(), &self.datasets),
            system: Wanted::of(system.as_deref(), &self.systems),
            source: Wanted::of(source.as_deref(), &self.sources),
            specialty: Wanted::of(specialty.as_deref(), &self.specialties),
            prevalence: Wanted::of(prevalence.as_deref(), &self.prevalences),
            scorer: match scorer {
                None => Scorer::Headline,
                Some(name) => Scorer::Named(self.scorer(name)),
            },
        }
    }
}

impl Filter<'_> {
    /// Whether a sample is selected.
    pub fn passes(&self, row: usize) -> bool {
        let Selection {
            case_id,
            epoch,
            outcome,
            conclusion,
            matches,
            ..
        } = self.selection;
        let sample = &self.index.samples[row];
        let case = &self.index.cases[sample.case as usize];
        self.dataset.takes(Some(case.dataset))
            && self.system.takes(Some(sample.system))
            && self.source.takes(Some(case.source))
            && self.specialty.takes(case.specialty)
            && self.prevalence.takes(case.prevalence)
            && outcome.is_none_or(|outcome| sample.outcome == outcome)
            && epoch.is_none_or(|epoch| sample.epoch == epoch)
            && case_id.as_ref().is_none_or(|id| *case.id == **id)
            && conclusion.is_none_or(|wanted| self.conclusion(row) == Some(wanted))
            && matches
                .as_ref()
                .is_none_or(|matches| matches.hold(self.index, row))
    }

    /// The scorer whose score of a sample is shown.
    pub fn scorer(&self, row: usize) -> Option<usize> {
        match self.scorer {
            Scorer::Headline => self.index.headline(row),
            Scorer::Named(scorer) => scorer,
        }
    }

    /// What is concluded of a sample; `None` when its scorer's metric has no right and wrong.
    pub fn conclusion(&self, row: usize) -> Option<Conclusion> {
        match self.scorer(row).map(|scorer| &self.index.scorers()[scorer]) {
            None => Some(Conclusion::Missing),
            Some(scorer) if scorer.concludes() => Some(scorer.conclusion(row)),
            // As on the card: without a row nothing is shown, which is missing.
            Some(scorer) => scorer.scores[row].is_none().then_some(Conclusion::Missing),
        }
    }
}
