//! Findings, counted in full and kept in part.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::error::Place;

/// Findings of one check that are kept with their place; all are counted.
const KEPT: u64 = 1_000;

/// Distinct gold answers that are counted; a set with more has no short list of them.
const COUNTED_GOLDS: usize = 30;

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Rows are lost, or the file cannot be used as it is.
    Error,
    /// Numbers may mean something else than they seem to.
    Warning,
    /// Worth a look by somebody who may see the cases.
    Hint,
}

impl Severity {
    /// The name used in files and on screen.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

/// What was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// The file cannot be read on.
    UnreadableFile,
    /// Bytes that are not UTF-8, or UTF-16.
    Encoding,
    /// A row that is no case.
    MalformedRow,
    /// An identifier that stands twice.
    DuplicateId,
    /// A case without a question.
    EmptyInput,
    /// A gold answer that is none of the options.
    GoldNotAmongOptions,
    /// A file that is not the one its card describes.
    CardDiffers,
    /// A text that stands twice with the same gold.
    DuplicateText,
    /// A text that stands twice with different gold.
    ConflictingGold,
    /// A label that is not of its closed set.
    UnknownLabel,
    /// The gold answer, or another name of it, in the text that is asked about.
    GoldInText,
    /// A byte order mark.
    ByteOrderMark,
    /// Line ends of more than one kind.
    MixedLineEnds,
    /// Signs that an earlier conversion lost characters.
    DamagedText,
    /// A gold answer or reference without a visible character.
    BlankGold,
    /// Characters that are not seen.
    HiddenCharacters,
    /// A text of more than a megabyte.
    LongText,
    /// What looks like personal data.
    PersonalData,
}

impl Check {
    /// The name used in files and on screen.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnreadableFile => "unreadable-file",
            Self::Encoding => "encoding",
            Self::MalformedRow => "malformed-row",
            Self::DuplicateId => "duplicate-id",
            Self::EmptyInput => "empty-input",
            Self::GoldNotAmongOptions => "gold-not-among-options",
            Self::CardDiffers => "card-differs",
            Self::DuplicateText => "duplicate-text",
            Self::ConflictingGold => "conflicting-gold",
            Self::UnknownLabel => "unknown-label",
            Self::GoldInText => "gold-in-text",
            Self::ByteOrderMark => "byte-order-mark",
            Self::MixedLineEnds => "mixed-line-ends",
            Self::DamagedText => "damaged-text",
            Self::BlankGold => "blank-gold",
            Self::HiddenCharacters => "hidden-characters",
            Self::LongText => "long-text",
            Self::PersonalData => "personal-data",
        }
    }

    /// How much its findings matter.
    pub const fn severity(self) -> Severity {
        match self {
            Self::UnreadableFile
            | Self::Encoding
            | Self::MalformedRow
            | Self::DuplicateId
            | Self::EmptyInput
            | Self::GoldNotAmongOptions => Severity::Error,
            Self::CardDiffers
            | Self::DuplicateText
            | Self::ConflictingGold
            | Self::UnknownLabel
            | Self::GoldInText
            | Self::ByteOrderMark
            | Self::MixedLineEnds
            | Self::DamagedText
            | Self::BlankGold
            | Self::HiddenCharacters
            | Self::LongText => Severity::Warning,
            Self::PersonalData => Severity::Hint,
        }
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was looked for.
    pub check: Check,
    /// Where it stands; `None` for the file as a whole.
    pub place: Option<Place>,
    /// The case, where there is one.
    pub case_id: Option<String>,
    /// What it is; never quotes case text.
    pub message: String,
}

/// What checking one dataset found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetCheck {
    /// Name of the dataset.
    pub dataset: String,
    /// Its file.
    pub path: PathBuf,
    /// The adapter that read it.
    pub adapter: String,
    /// Rows that are cases.
    pub cases: u64,
    /// Rows that are not.
    pub malformed: u64,
    /// Characters of the shortest and the longest input.
    pub lengths: Option<(usize, usize)>,
    /// Cases by gold answer, for closed sets of few answers.
    pub golds: BTreeMap<String, u64>,
    many_golds: bool,
    /// All findings by check.
    pub counts: BTreeMap<Check, u64>,
    /// The findings that are kept, in the order of the file.
    pub findings: Vec<Finding>,
}

impl DatasetCheck {
    pub(super) fn new(dataset: &str, path: PathBuf, adapter: &str) -> Self {
        Self {
            dataset: dataset.to_owned(),
            path,
            adapter: adapter.to_owned(),
            cases: 0,
            malformed: 0,
            lengths: None,
            golds: BTreeMap::new(),
            many_golds: false,
            counts: BTreeMap::new(),
            findings: Vec::new(),
        }
    }

    /// Counts a finding, and keeps it while there are not too many of its kind.
    pub fn add(
        &mut self,
        check: Check,
        place: Option<Place>,
        case_id: Option<&str>,
        message: impl Into<String>,
    ) {
        let count = self.counts.entry(check).or_default();
        *count += 1;
        if *count <= KEPT {
            self.findings.push(Finding {
                check,
                place,
                case_id: case_id.map(str::to_owned),
                message: message.into(),
            });
        }
    }

    /// Findings of a severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.counts
            .iter()
            .filter(|(check, _)| check.severity() == severity)
            .map(|(_, count)| count)
            .sum()
    }

    pub(super) fn count_gold(&mut self, gold: &str) {
        if self.many_golds {
            return;
        }
        if let Some(count) = self.golds.get_mut(gold) {
            *count += 1;
        } else if self.golds.len() < COUNTED_GOLDS {
            self.golds.insert(gold.to_owned(), 1);
        } else {
            self.many_golds = true;
            self.golds.clear();
        }
    }

    pub(super) fn count_length(&mut self, length: usize) {
        let (shortest, longest) = self.lengths.unwrap_or((length, length));
        self.lengths = Some((shortest.min(length), longest.max(length)));
    }
}
