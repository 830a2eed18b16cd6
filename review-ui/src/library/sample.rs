//! Samples in lists, and the filter over them.

use consilium_core::{Outcome, SampleKey};

/// Most characters of a text in a card; longer texts are cut there.
pub const CARD_CHARACTERS: usize = 280;

/// What was concluded from one score row of metric `correct`.
///
/// The four are disjoint and cover every sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// `value >= 1`; `correct` is never above 1.
    Right,
    /// `value < 1 and reason is null`: an answer was read, and it is wrong.
    Wrong,
    /// `value is not null and reason is not null`: counts as wrong, since no answer could be read
    /// (unextractable, ambiguous, refused, truncated, …).
    Unread,
    /// `value is null`, or there is no row: infrastructure or the judge failed, or it is not scored.
    Missing,
}

impl Verdict {
    /// Every verdict, in report order.
    pub const ALL: [Self; 4] = [Self::Right, Self::Wrong, Self::Unread, Self::Missing];

    /// The name used in links.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::Unread => "unread",
            Self::Missing => "missing",
        }
    }

    /// Reads the name used in links.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
    }

    /// The verdict of a score row's value and reason.
    pub fn of(value: Option<f64>, reason: Option<&str>) -> Self {
        match (value, reason) {
            (None, _) => Self::Missing,
            (Some(value), _) if value >= 1.0 => Self::Right,
            (Some(_), Some(_)) => Self::Unread,
            (Some(_), None) => Self::Wrong,
        }
    }
}

/// A scorer and one of its metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScorerName {
    /// Name of the scorer in the study.
    pub scorer: String,
    /// Name of the metric; `correct` has verdicts.
    pub metric: String,
}

/// Which samples to show; an empty filter shows all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampleFilter {
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
    /// What was concluded; by metric `correct` of [`scorer`](Self::scorer).
    pub verdict: Option<Verdict>,
    /// Name of the scorer whose rows are shown and filtered by; the headline scorer of the sample's
    /// dataset when none is named.
    pub scorer: Option<String>,
    /// Text that occurs in an input field of the case or in the sample's answer, without regard to
    /// letter case; 1 to 200 characters, literal (no wildcard).
    pub text: Option<String>,
}

/// A list entry of one sample.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleCard {
    /// The sample.
    pub key: SampleKey,
    /// Attempt that counts.
    pub attempt: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// BCP 47 language of the case's text; empty when unknown.
    pub language: String,
    /// Source of the case.
    pub source: String,
    /// Specialty of the case.
    pub specialty: Option<String>,
    /// Prevalence of the case.
    pub prevalence: Option<String>,
    /// Beginning of what was asked: input `question`, else `text`, else the first field.
    pub question: String,
    /// Beginning of the answer as the solver gives it.
    pub answer: Option<String>,
    /// Metric of the score below: `correct`, or the scorer's first.
    pub metric: Option<String>,
    /// Value of the score.
    pub value: Option<f64>,
    /// Reason of the score.
    pub reason: Option<String>,
    /// What the scorer read from the answer.
    pub predicted: Option<String>,
    /// What would be right: the score's truth, else the preferred gold answer, else the beginning of
    /// the reference.
    pub truth: Option<String>,
    /// Rounds of a multi-round solver.
    pub rounds: Option<u32>,
    /// Model calls of the solver.
    pub calls: u32,
    /// Cost, US dollars.
    pub cost_usd: Option<f64>,
    /// Duration, milliseconds.
    pub wall_ms: u64,
}

impl SampleCard {
    /// What was concluded; `None` when the metric shown has no right and wrong.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.metric.as_deref() {
            Some("correct") => Some(Verdict::of(self.value, self.reason.as_deref())),
            Some(_) => None,
            None => Some(Verdict::Missing),
        }
    }
}

/// How the samples of a filter ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By outcome, in the order of [`Outcome::ALL`], zeros left out; they sum to the total.
    pub outcomes: Vec<(Outcome, u64)>,
    /// By verdict, in the order of [`Verdict::ALL`], zeros left out; they sum to the total. Empty
    /// when the filter's scorer has no metric `correct`.
    pub verdicts: Vec<(Verdict, u64)>,
}

impl Counts {
    /// Samples that pass the filter.
    pub fn total(&self) -> u64 {
        self.outcomes.iter().map(|(_, count)| count).sum()
    }
}

/// The values that occur in a run, for its filters: systems in the order of the study, the rest
/// ascending, at most 1,000 of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facets {
    /// Datasets.
    pub datasets: Vec<String>,
    /// Systems.
    pub systems: Vec<String>,
    /// Sources of cases.
    pub sources: Vec<String>,
    /// Specialties of cases.
    pub specialties: Vec<String>,
    /// Prevalences of cases.
    pub prevalences: Vec<String>,
    /// Outcomes that occur, in the order of [`Outcome::ALL`].
    pub outcomes: Vec<Outcome>,
    /// Scorers with their first metric (`correct` where they have it), the headline scorer first.
    pub scorers: Vec<ScorerName>,
    /// Most repetitions of a case.
    pub epochs: u32,
}

/// The samples around one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// The sample before.
    pub previous: Option<SampleKey>,
    /// The sample after.
    pub next: Option<SampleKey>,
}
