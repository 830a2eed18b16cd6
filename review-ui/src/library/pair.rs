//! Two systems on the same cases.

use super::sample::SampleCard;

/// How two systems did on a case, by metric `correct` of the headline scorer.
///
/// `Right` is [`Verdict::Right`](super::Verdict::Right) and all else counts as not right; pairs with
/// a missing verdict pass no agreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Agreement {
    /// One is right, the other not.
    Differ,
    /// Only the left one is right.
    OnlyLeft,
    /// Only the right-hand one is right.
    OnlyRight,
    /// Both are right.
    Both,
    /// Neither is right.
    Neither,
}

impl Agreement {
    /// Every agreement, in the order of the form.
    pub const ALL: [Self; 5] = [
        Self::Differ,
        Self::OnlyLeft,
        Self::OnlyRight,
        Self::Both,
        Self::Neither,
    ];

    /// The name used in links.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Differ => "differ",
            Self::OnlyLeft => "only-left",
            Self::OnlyRight => "only-right",
            Self::Both => "both",
            Self::Neither => "neither",
        }
    }

    /// Reads the name used in links.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|agreement| agreement.as_str() == text)
    }
}

/// Which pairs to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairFilter {
    /// The system on the left.
    pub left: String,
    /// The system on the right.
    pub right: String,
    /// Dataset.
    pub dataset: Option<String>,
    /// Specialty of the case.
    pub specialty: Option<String>,
    /// How they did.
    pub agreement: Option<Agreement>,
}

/// The place of a pair in the order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairPlace {
    /// Dataset.
    pub dataset: String,
    /// Case.
    pub case_id: String,
    /// Repetition.
    pub epoch: u32,
}

/// The samples of two systems on one case and epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The left system's.
    pub left: SampleCard,
    /// The right system's.
    pub right: SampleCard,
}

impl Pair {
    /// Its place in the order.
    pub fn place(&self) -> PairPlace {
        PairPlace {
            dataset: self.left.key.dataset.to_string(),
            case_id: self.left.key.case_id.to_string(),
            epoch: self.left.key.epoch,
        }
    }
}
