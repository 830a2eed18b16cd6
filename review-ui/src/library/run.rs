//! Runs as pages show them.

use consilium_core::{Estimate, Outcome, RunManifest, RunStatus};

/// A list entry of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCard {
    /// Name of the run.
    pub name: String,
    /// Name of its study.
    pub study: String,
    /// State.
    pub status: RunStatus,
    /// Start, microseconds since the Unix epoch, UTC.
    pub created_at: i64,
    /// End of the last execution, microseconds since the Unix epoch, UTC.
    pub finished_at: Option<i64>,
    /// Cases selected, over all datasets.
    pub cases: u64,
    /// Systems in the order of the study.
    pub systems: Vec<String>,
    /// Samples planned.
    pub planned: u64,
    /// Samples by outcome, in the order of [`Outcome::ALL`], zeros left out.
    pub outcomes: Vec<(Outcome, u64)>,
    /// Sum of the known costs, US dollars; `None` when no call has a price.
    pub cost_usd: Option<f64>,
    /// Calls without a known cost, which the sum leaves out.
    pub unpriced_calls: u64,
    /// The headline numbers, in the order of datasets and systems of the study; empty before the
    /// run was scored.
    pub headlines: Vec<Headline>,
}

impl RunCard {
    /// Samples that have an outcome.
    pub fn finished(&self) -> u64 {
        self.outcomes.iter().map(|(_, count)| count).sum()
    }

    /// Samples with one outcome.
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.outcomes
            .iter()
            .filter(|(other, _)| *other == outcome)
            .map(|(_, count)| count)
            .sum()
    }

    /// Samples on which infrastructure failed, so that they say nothing about a model.
    pub fn failed(&self) -> u64 {
        self.outcomes
            .iter()
            .filter(|(outcome, _)| outcome.is_infrastructure())
            .map(|(_, count)| count)
            .sum()
    }
}

/// The number that stands for a system on a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct Headline {
    /// Dataset.
    pub dataset: String,
    /// System.
    pub system: String,
    /// Scorer whose number it is: the one the study's tables take as headline.
    pub scorer: String,
    /// What it is, for a heading: `Accuracy`.
    pub title: String,
    /// Whether it is a share between 0 and 1, shown as a percentage.
    pub share: bool,
    /// The value with interval, n, method and signature.
    pub estimate: Estimate,
}

/// A page of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunList {
    /// The runs of the page.
    pub runs: super::Page<RunCard>,
    /// Every run that cannot be read, by name; the same on all pages.
    pub unreadable: Vec<UnreadableRun>,
}

/// A run that is there and cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableRun {
    /// Name of its folder.
    pub name: String,
    /// Why, in a reader's words and without a path.
    pub reason: String,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunView {
    /// What the list shows of it.
    pub card: RunCard,
    /// What it says of itself.
    pub manifest: RunManifest,
    /// Samples by system and outcome, systems in the order of the study, zeros left out.
    pub outcomes: Vec<(String, Vec<(Outcome, u64)>)>,
    /// Models, in order of backend, model asked for and model returned.
    pub models: Vec<ModelUse>,
    /// What a reader must know and cannot see from the rest, each one sentence: `judge 'strict' is
    /// not validated by experts`, `judge 'strict' and system 'direct' use the same model`. What
    /// follows from manifest, outcomes and models (incomplete, failures, skipped rows, changed
    /// models, single run) is derived by the page.
    pub warnings: Vec<String>,
}

/// A model that was asked and the one that answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelUse {
    /// Backend in the study.
    pub backend: String,
    /// Model asked for.
    pub requested: String,
    /// Model that answered, as the server names it; `None` when it did not say.
    pub returned: Option<String>,
    /// Fingerprint of its set-up, when the server gives one.
    pub fingerprint: Option<String>,
    /// Calls of solvers.
    pub solver_calls: u64,
    /// Calls of scorers.
    pub scorer_calls: u64,
}

/// A figure of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// Name, for links.
    pub name: String,
    /// Heading on the page.
    pub title: String,
    /// What it shows, in a sentence, for readers who do not see it.
    pub description: String,
    /// The picture: a complete SVG document that needs nothing from elsewhere.
    pub svg: String,
}
