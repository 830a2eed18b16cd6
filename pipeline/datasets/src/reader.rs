//! Rows of a file as cases.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use consilium_core::study::{DatasetSpec, FileFormat};
use consilium_core::{AnswerForm, Case};

use super::adapter::{self, Adapter};
use super::error::{DatasetError, Malformed, Place};
use super::source::{self, SourceError, SourceRows};

/// Malformed rows that are kept with their place; all are counted.
const KEPT_MALFORMED: usize = 20;

/// What reading a dataset found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// Rows that became cases.
    pub cases: u64,
    /// Rows that did not.
    pub malformed: u64,
    /// The first of them.
    pub first_malformed: Vec<Malformed>,
}

/// Reads the cases of one dataset in file order.
pub struct CaseReader {
    dataset: String,
    path: PathBuf,
    strict: bool,
    adapter: Arc<dyn Adapter>,
    format: FileFormat,
    rows: SourceRows,
    /// Hashes of the identifiers so far: eight bytes for each of a million.
    seen: HashSet<u64>,
    report: ReadReport,
    ended: bool,
}

impl CaseReader {
    /// Opens a dataset; relative paths are taken from the study's folder.
    ///
    /// # Errors
    /// When the adapter is unknown, its settings do not fit, or the file cannot be opened.
    pub fn open(spec: &DatasetSpec, study_folder: &Path) -> Result<Self, DatasetError> {
        let adapter = adapter::build(spec)?;
        let path = study_folder.join(&spec.path);
        let format = resolved_format(spec, &path)?;
        let rows =
            source::open(&path, format).map_err(|error| file_error(&spec.name, &path, error))?;
        Ok(Self {
            dataset: spec.name.clone(),
            path,
            strict: spec.strict,
            adapter,
            format,
            rows,
            seen: HashSet::new(),
            report: ReadReport::default(),
            ended: false,
        })
    }

    /// What was found so far.
    pub fn report(&self) -> &ReadReport {
        &self.report
    }

    fn take(&mut self, case: Case, place: Place) -> Result<Case, DatasetError> {
        let id = case.view.case_id.as_ref();
        let mut hasher = DefaultHasher::new();
        id.hash(&mut hasher);
        if !self.seen.insert(hasher.finish())
            && let Some(first) = self.first_place(id, place)?
        {
            return Err(DatasetError::Duplicate {
                dataset: self.dataset.clone(),
                path: self.path.clone(),
                id: id.to_owned(),
                first,
                second: place,
            });
        }
        self.report.cases += 1;
        Ok(case)
    }

    /// The first place of an identifier before a place; `None` when only its hash was there before.
    fn first_place(&self, id: &str, before: Place) -> Result<Option<Place>, DatasetError> {
        let failed = |error| file_error(&self.dataset, &self.path, error);
        for row in source::open(&self.path, self.format).map_err(failed)? {
            let Ok(row) = row.map_err(failed)? else {
                continue;
            };
            if row.place == before {
                break;
            }
            let case = self.adapter.case(&row);
            if case.is_ok_and(|case| *case.view.case_id == *id) {
                return Ok(Some(row.place));
            }
        }
        Ok(None)
    }

    fn skip(&mut self, malformed: Malformed) -> Result<(), DatasetError> {
        if self.strict {
            return Err(DatasetError::Strict {
                dataset: self.dataset.clone(),
                path: self.path.clone(),
                malformed,
            });
        }
        self.report.malformed += 1;
        if self.report.first_malformed.len() < KEPT_MALFORMED {
            self.report.first_malformed.push(malformed);
        }
        Ok(())
    }
}

impl Iterator for CaseReader {
    type Item = Result<Case, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let item = match self.rows.next()? {
                Ok(item) => item,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(file_error(&self.dataset, &self.path, error)));
                }
            };
            let made = match item {
                Ok(row) => self
                    .adapter
                    .case(&row)
                    .map(|case| (case, row.place))
                    .map_err(|error| Malformed {
                        place: row.place,
                        message: error.message,
                    }),
                Err((place, error)) => Err(Malformed {
                    place,
                    message: error.message,
                }),
            };
            let result = match made {
                Ok((case, place)) => self.take(case, place),
                Err(malformed) => match self.skip(malformed) {
                    Ok(()) => continue,
                    Err(error) => Err(error),
                },
            };
            self.ended = result.is_err();
            return Some(result);
        }
        None
    }
}

/// Reads a dataset to its end without keeping the cases.
///
/// # Errors
/// As the reader; and when not one row is a case.
pub fn inspect(
    spec: &DatasetSpec,
    study_folder: &Path,
    mut each: impl FnMut(&Case),
) -> Result<ReadReport, DatasetError> {
    let mut reader = CaseReader::open(spec, study_folder)?;
    for case in reader.by_ref() {
        each(&case?);
    }
    let report = reader.report;
    if report.cases == 0 {
        let message = match report.first_malformed.first() {
            Some(first) => format!("none of its {} rows is a case; {first}", report.malformed),
            None => "the file holds no rows".to_owned(),
        };
        return Err(DatasetError::Empty {
            dataset: spec.name.clone(),
            path: reader.path,
            message,
        });
    }
    Ok(report)
}

/// The format that the study sets, or the one that the file's name stands for.
pub(super) fn resolved_format(spec: &DatasetSpec, path: &Path) -> Result<FileFormat, DatasetError> {
    let format = spec.format.or_else(|| source::file_format(path));
    format.ok_or_else(|| DatasetError::Settings {
        dataset: spec.name.clone(),
        message: format!(
            "the format of {} cannot be told from its name; set format = \"jsonl\", \"json\", \"csv\", \
             \"tsv\" or \"parquet\"",
            path.display()
        ),
    })
}

/// The form of the first case of a dataset whose file says it; `None` when there is none to read.
pub fn first_answer_form(spec: &DatasetSpec, study_folder: &Path) -> Option<AnswerForm> {
    let mut reader = CaseReader::open(spec, study_folder).ok()?;
    Some(reader.next()?.ok()?.view.answer_form)
}

pub(super) fn file_error(dataset: &str, path: &Path, error: SourceError) -> DatasetError {
    match error {
        SourceError::Io(source) => DatasetError::Io {
            dataset: dataset.to_owned(),
            path: path.to_owned(),
            source,
        },
        SourceError::Format(message) => DatasetError::Format {
            dataset: dataset.to_owned(),
            path: path.to_owned(),
            message,
        },
    }
}
