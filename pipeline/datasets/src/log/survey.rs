//! What a log holds, read through once before anything is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use consilium_core::canonical::{CanonicalError, canonical_sha256};
use consilium_core::{Case, SampleKey};

use super::entry::LogEntry;
use super::reader::LogReader;
use crate::error::{DatasetError, Malformed, Place};

/// Malformed rows that are kept with their place; all are counted.
const KEPT_MALFORMED: usize = 20;

/// Systems, cases and repetitions of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogSurvey {
    /// Systems in the order of their first sample.
    pub systems: Vec<String>,
    /// The highest repetition.
    pub epochs: u32,
    /// Samples.
    pub samples: u64,
    /// Whether any sample has a recorded answer.
    pub answers: bool,
    /// Rows and cells that are no samples.
    pub malformed: u64,
    /// The first of them, each with the position of its file.
    pub first_malformed: Vec<(usize, Malformed)>,
    cases: BTreeMap<String, KnownCase>,
}

/// What is known of a case from the rows that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KnownCase {
    first: (usize, Place),
    sha256: Option<String>,
    labels: BTreeMap<String, String>,
}

/// Why a log cannot become a run.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// A file cannot be read.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// Two rows are the same sample.
    #[error(
        "import sample {key}: it stands at {first} and again at {second}; map the repetition to \
         log.epoch, or leave one out"
    )]
    Duplicate {
        /// The sample.
        key: SampleKey,
        /// Where it stands first.
        first: String,
        /// Where it stands again.
        second: String,
    },
    /// Rows of one case disagree about the case itself.
    #[error("import case '{case_id}': {first} and {second} give it another {what}")]
    Conflict {
        /// The case.
        case_id: String,
        /// Text, gold or label.
        what: String,
        /// Where it stands first.
        first: String,
        /// Where it differs.
        second: String,
    },
    /// Nothing is there.
    #[error("import a log: {message}")]
    Empty {
        /// Whether there were rows, and what was wrong with the first.
        message: String,
    },
}

impl LogSurvey {
    /// Whether the log has samples of this case that can be taken.
    pub fn has_case(&self, case_id: &str) -> bool {
        self.cases.contains_key(case_id)
    }

    /// Cases with samples.
    pub fn case_count(&self) -> u64 {
        self.cases.len() as u64
    }

    /// Subgroup labels that the log gives to a case.
    pub fn labels(&self, case_id: &str) -> BTreeMap<String, String> {
        self.cases
            .get(case_id)
            .map_or_else(BTreeMap::new, |case| case.labels.clone())
    }

    fn skip(&mut self, file: usize, malformed: Malformed) {
        self.malformed += 1;
        if self.first_malformed.len() < KEPT_MALFORMED {
            self.first_malformed.push((file, malformed));
        }
    }

    fn add(&mut self, entry: &LogEntry, files: &[PathBuf]) -> Result<(), SurveyError> {
        let here = (entry.file, entry.place);
        let sha256 = entry.case.as_ref().map(|case| case.sha256.clone());
        let Some(known) = self.cases.get(&entry.case_id) else {
            let known = KnownCase {
                first: here,
                sha256,
                labels: entry.labels.clone(),
            };
            self.cases.insert(entry.case_id.clone(), known);
            return Ok(());
        };
        let what = if known.sha256 != sha256 {
            "text, gold or subgroup".to_owned()
        } else if let Some(label) = differing(&known.labels, &entry.labels) {
            format!("label '{label}'")
        } else {
            return Ok(());
        };
        Err(SurveyError::Conflict {
            case_id: entry.case_id.clone(),
            what,
            first: at(files, known.first),
            second: at(files, here),
        })
    }
}

fn differing<'a>(
    left: &'a BTreeMap<String, String>,
    right: &'a BTreeMap<String, String>,
) -> Option<&'a str> {
    left.keys()
        .chain(right.keys())
        .find(|name| left.get(*name) != right.get(*name))
        .map(String::as_str)
}

/// Reads a log through: finds its systems, cases and repetitions, and what is wrong with it.
///
/// Rows whose case is not among `known_cases` are malformed. Held are identifiers only.
///
/// # Errors
/// When a file cannot be read, a sample stands twice, a case is described in two ways, or no row is
/// a sample.
pub fn survey(
    reader: LogReader,
    known_cases: Option<&BTreeSet<Box<str>>>,
    dataset: &str,
) -> Result<LogSurvey, SurveyError> {
    let files: Vec<PathBuf> = reader
        .files()
        .iter()
        .map(|file| file.path.clone())
        .collect();
    let mut survey = LogSurvey::default();
    let mut systems: HashMap<String, u32> = HashMap::new();
    let mut places: HashMap<(u32, u32, Box<str>), (usize, Place)> = HashMap::new();
    for item in reader {
        let entry = match item? {
            Ok(entry) => entry,
            Err((file, malformed)) => {
                survey.skip(file, malformed);
                continue;
            }
        };
        if known_cases.is_some_and(|known| !known.contains(entry.case_id.as_str())) {
            let malformed = Malformed {
                place: entry.place,
                message: "the case is not in the dataset".to_owned(),
            };
            survey.skip(entry.file, malformed);
            continue;
        }
        let next = u32::try_from(systems.len()).unwrap_or(u32::MAX);
        let system = *systems.entry(entry.system.clone()).or_insert_with(|| {
            survey.systems.push(entry.system.clone());
            next
        });
        let key = (system, entry.epoch, entry.case_id.as_str().into());
        if let Some(first) = places.insert(key, (entry.file, entry.place)) {
            return Err(SurveyError::Duplicate {
                key: SampleKey::new(
                    dataset,
                    entry.case_id.as_str(),
                    entry.system.as_str(),
                    entry.epoch,
                ),
                first: at(&files, first),
                second: at(&files, (entry.file, entry.place)),
            });
        }
        survey.add(&entry, &files)?;
        survey.epochs = survey.epochs.max(entry.epoch);
        survey.samples += 1;
        survey.answers |= entry.answer.is_some();
    }
    if survey.samples == 0 {
        let message = match survey.first_malformed.first() {
            Some((file, first)) => format!(
                "none of its {} rows is a sample; {}:{first}",
                survey.malformed,
                files
                    .get(*file)
                    .map_or_else(String::new, |path| path.display().to_string()),
            ),
            None => "there are no rows".to_owned(),
        };
        return Err(SurveyError::Empty { message });
    }
    Ok(survey)
}

fn at(files: &[PathBuf], (file, place): (usize, Place)) -> String {
    let path = files
        .get(file)
        .map_or_else(String::new, |path| path.display().to_string());
    format!("{path}:{place}")
}

/// A case with further subgroup labels, hashed again.
///
/// # Errors
/// When the case has no canonical form.
pub fn labelled(mut case: Case, labels: BTreeMap<String, String>) -> Result<Case, CanonicalError> {
    if labels.is_empty() {
        return Ok(case);
    }
    case.view.labels.extend(labels);
    case.sha256 = canonical_sha256(&(&case.view, &case.gold, &case.reference))?;
    Ok(case)
}
