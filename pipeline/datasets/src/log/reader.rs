//! Rows of log files as recorded samples.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use consilium_core::study::FileFormat;
use consilium_core::{Case, Outcome, RecordedScore, RecordedScores};
use serde_json::Value;

use super::entry::LogEntry;
use super::mapping::{LogMapping, ScoreSpec, SeriesSpec};
use crate::adapter::{Adapter, Field, recorded_cases};
use crate::error::{DatasetError, Malformed, RowError};
use crate::reader::file_error;
use crate::source::{self, SourceRow, SourceRows};

/// The name by which a rule asks for the name of the file.
const FILE_COLUMN: &str = "@file";

/// A log file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogFile {
    /// Where it is.
    pub path: PathBuf,
    /// How it is written.
    pub format: FileFormat,
}

/// What a row of the log is: some samples, or malformed.
pub type LogItem = Result<LogEntry, (usize, Malformed)>;

/// Reads log files one after another.
pub struct LogReader {
    rules: Arc<Rules>,
    files: Vec<LogFile>,
    next_file: usize,
    rows: Option<SourceRows>,
    ready: VecDeque<LogItem>,
}

/// The mapping, checked once.
struct Rules {
    dataset: String,
    case_id: Field,
    system: Option<Field>,
    epoch: Option<Field>,
    first_epoch: i64,
    answer: Option<Field>,
    value: Option<Field>,
    outcome: Option<Field>,
    labels: Vec<(String, Field)>,
    series: Vec<SeriesSpec>,
    score: Option<ScoreSpec>,
    /// Makes cases of log rows, when the log holds them.
    cases: Option<Arc<dyn Adapter>>,
    uses_file_name: bool,
}

/// The identity that a row gives to its samples.
struct RowKey {
    case_id: String,
    system: Option<String>,
    epoch: Option<u32>,
}

impl LogReader {
    /// Prepares the reading of log files; nothing is opened yet.
    ///
    /// # Errors
    /// When a rule is wrong or the format of a file cannot be told.
    pub fn new(mapping: &LogMapping, paths: &[PathBuf]) -> Result<Self, DatasetError> {
        let settings = |message: String| DatasetError::Settings {
            dataset: mapping.dataset.name.clone(),
            message,
        };
        let files = paths
            .iter()
            .map(|path| {
                let format = mapping.log.format.or_else(|| source::file_format(path));
                let format = format.ok_or_else(|| {
                    settings(format!(
                        "the format of {} cannot be told from its name; set format in [log]",
                        path.display()
                    ))
                })?;
                Ok(LogFile {
                    path: path.clone(),
                    format,
                })
            })
            .collect::<Result<Vec<_>, DatasetError>>()?;
        Ok(Self {
            rules: Arc::new(Rules::new(mapping).map_err(settings)?),
            files,
            next_file: 0,
            rows: None,
            ready: VecDeque::new(),
        })
    }

    /// The files in the order in which they are read.
    pub fn files(&self) -> &[LogFile] {
        &self.files
    }

    fn next_row(&mut self) -> Option<Result<(), DatasetError>> {
        let file = self.next_file.checked_sub(1)?;
        let rows = self.rows.as_mut()?;
        match rows.next() {
            None => self.rows = None,
            Some(Err(error)) => {
                let path = &self.files[file].path;
                return Some(Err(file_error(&self.rules.dataset, path, error)));
            }
            Some(Ok(Err((place, error)))) => {
                let message = error.message;
                self.ready
                    .push_back(Err((file, Malformed { place, message })));
            }
            Some(Ok(Ok(row))) => {
                let path = self.files[file].path.clone();
                let place = row.place;
                match self.rules.entries(file, &path, row) {
                    Ok(entries) => self.ready.extend(entries),
                    Err(error) => {
                        let message = error.message;
                        self.ready
                            .push_back(Err((file, Malformed { place, message })));
                    }
                }
            }
        }
        Some(Ok(()))
    }
}

impl Iterator for LogReader {
    type Item = Result<LogItem, DatasetError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(Ok(item));
            }
            if self.rows.is_none() {
                let file = self.files.get(self.next_file)?;
                match source::open(&file.path, file.format) {
                    Ok(rows) => self.rows = Some(rows),
                    Err(error) => {
                        let failure = file_error(&self.rules.dataset, &file.path, error);
                        self.next_file = self.files.len();
                        return Some(Err(failure));
                    }
                }
                self.next_file += 1;
            }
            if let Some(Err(error)) = self.next_row() {
                self.rows = None;
                self.next_file = self.files.len();
                return Some(Err(error));
            }
        }
    }
}

impl Rules {
    fn new(mapping: &LogMapping) -> Result<Self, String> {
        let log = &mapping.log;
        let field = |name: &str, source: &Option<_>| {
            source
                .as_ref()
                .map(|source| Field::new(name, source))
                .transpose()
        };
        let cases = if mapping.dataset.adapter.is_none() {
            let mut spec = mapping.dataset_spec(PathBuf::new());
            spec.fields.insert("id".to_owned(), log.case_id.clone());
            Some(recorded_cases(&spec)?)
        } else {
            None
        };
        Ok(Self {
            dataset: mapping.dataset.name.clone(),
            case_id: Field::new("case_id", &log.case_id)?,
            system: field("system", &log.system)?,
            epoch: field("epoch", &log.epoch)?,
            first_epoch: log.first_epoch,
            answer: field("answer", &log.answer)?,
            value: field("value", &log.value)?,
            outcome: field("outcome", &log.outcome)?,
            labels: log
                .labels
                .iter()
                .map(|(name, source)| Ok((name.clone(), Field::new(name, source)?)))
                .collect::<Result<_, String>>()?,
            series: log.series.clone(),
            score: log.score.clone(),
            cases,
            uses_file_name: format!("{mapping:?}").contains(FILE_COLUMN),
        })
    }

    fn entries(
        &self,
        file: usize,
        path: &Path,
        mut row: SourceRow,
    ) -> Result<Vec<LogItem>, RowError> {
        if self.uses_file_name {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            row.fields
                .insert(FILE_COLUMN.to_owned(), Value::String(name.into_owned()));
        }
        let text = |name: &str, field: &Option<Field>| match field {
            Some(field) => field.text(name, &row),
            None => Ok(None),
        };
        let key = RowKey {
            case_id: self
                .case_id
                .text("case_id", &row)?
                .ok_or_else(|| RowError::new("case_id is missing"))?,
            system: text("system", &self.system)?,
            epoch: self.epoch(text("epoch", &self.epoch)?)?,
        };
        let outcome = match text("outcome", &self.outcome)? {
            Some(name) => Some(
                Outcome::parse(&name)
                    .ok_or_else(|| RowError::new("outcome: the value is no outcome"))?,
            ),
            None => None,
        };
        let mut labels = BTreeMap::new();
        for (name, field) in &self.labels {
            if let Some(value) = field.text(name, &row)? {
                labels.insert(name.clone(), value);
            }
        }
        let case = match &self.cases {
            Some(adapter) => Some(adapter.case(&row)?),
            None => None,
        };
        let answer = text("answer", &self.answer)?;
        let shared = Shared {
            file,
            key,
            outcome,
            labels,
            case,
            answer,
        };
        if self.series.is_empty() {
            let recorded = text("value", &self.value)?;
            let entry = self.entry(&shared, &row, None, recorded)?;
            return Ok(entry.into_iter().map(Ok).collect());
        }
        let mut entries = Vec::with_capacity(self.series.len());
        for series in &self.series {
            let cell = row
                .fields
                .get(&series.column)
                .ok_or_else(|| RowError::new(format!("column '{}' is missing", series.column)))?;
            let recorded = match cell {
                Value::Null => None,
                Value::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
                Value::Number(_) | Value::Bool(_) => Some(cell.to_string()),
                _ => return Err(RowError::new(format!("{}: expected text", series.column))),
            };
            if let Some(entry) = self.entry(&shared, &row, Some(series), recorded)? {
                entries.push(Ok(entry));
            }
        }
        Ok(entries)
    }

    /// The sample of a row, or of one column of a wide row; `None` where a wide row
    /// has no score.
    fn entry(
        &self,
        shared: &Shared,
        row: &SourceRow,
        series: Option<&SeriesSpec>,
        recorded: Option<String>,
    ) -> Result<Option<LogEntry>, RowError> {
        let own = shared.key.system.as_deref();
        let system = match series.and_then(|series| series.system.as_deref()) {
            Some(template) if template.contains("{system}") => {
                own.map(|own| template.replace("{system}", own))
            }
            Some(name) => Some(name.to_owned()),
            None => own.map(str::to_owned),
        };
        let system = system.ok_or_else(|| RowError::new("system is missing"))?;
        let epoch = series
            .and_then(|series| series.epoch)
            .or(shared.key.epoch)
            .unwrap_or(1);
        let (answer, scores, scored_outcome) = match &self.score {
            Some(score) => {
                let Some(recorded) = recorded else {
                    // A cell of a wide table may stand for a trial that never was; a row does not.
                    return match series {
                        Some(_) => Ok(None),
                        None => Err(RowError::new("the score is missing")),
                    };
                };
                let outcome = score.outcomes.get(recorded.trim()).copied();
                let scores = score.read(&recorded)?;
                (shared.answer.clone(), Some(scores), outcome)
            }
            None if series.is_some() => (recorded, None, None),
            None => (shared.answer.clone(), None, None),
        };
        let empty = answer.is_none() && scores.is_none();
        let outcome = shared.outcome.or(scored_outcome).unwrap_or(if empty {
            Outcome::Empty
        } else {
            Outcome::Ok
        });
        Ok(Some(LogEntry {
            file: shared.file,
            place: row.place,
            case_id: shared.key.case_id.clone(),
            system,
            epoch,
            outcome,
            answer,
            scores,
            labels: shared.labels.clone(),
            case: shared.case.clone(),
        }))
    }

    fn epoch(&self, text: Option<String>) -> Result<Option<u32>, RowError> {
        let Some(text) = text else {
            return if self.epoch.is_some() {
                Err(RowError::new("epoch is missing"))
            } else {
                Ok(None)
            };
        };
        let number: i64 = text
            .trim()
            .parse()
            .map_err(|_| RowError::new("epoch: expected a whole number"))?;
        number
            .checked_sub(self.first_epoch)
            .and_then(|number| u32::try_from(number + 1).ok())
            .filter(|epoch| (1..=10_000).contains(epoch))
            .map(Some)
            .ok_or_else(|| {
                RowError::new(format!(
                    "epoch is {number} where the first is {}; set first_epoch",
                    self.first_epoch
                ))
            })
    }
}

/// What the samples of one row share.
struct Shared {
    file: usize,
    key: RowKey,
    outcome: Option<Outcome>,
    labels: BTreeMap<String, String>,
    case: Option<Case>,
    answer: Option<String>,
}

impl ScoreSpec {
    fn read(&self, recorded: &str) -> Result<RecordedScores, RowError> {
        let recorded = recorded.trim();
        let value = if self.values.is_empty() {
            recorded
                .parse::<f64>()
                .ok()
                .filter(|value| value.is_finite())
                .ok_or_else(|| {
                    RowError::new("the score is no number; list it in log.score.values")
                })?
        } else {
            *self
                .values
                .get(recorded)
                .ok_or_else(|| RowError::new("the score is not in log.score.values"))?
        };
        if self.metric == "correct" && ![0.0, 1.0].contains(&value) {
            return Err(RowError::new(
                "the score is neither 1 nor 0; name another metric or list it in log.score.values",
            ));
        }
        let score = RecordedScore {
            value,
            reason: self.reasons.get(recorded).cloned(),
            recorded: recorded.to_owned(),
        };
        Ok(RecordedScores {
            scores: BTreeMap::from([(self.metric.clone(), score)]),
        })
    }
}

#[cfg(test)]
mod tests;
