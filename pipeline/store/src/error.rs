//! Why a run on disk cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::error::ArrowError;
use parquet::errors::ParquetError;

use crate::RunTable;

/// A failure to read or write a run; the text reads after "failed to".
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("{action} {}", path.display())]
    Io {
        /// What was tried, for example `write`.
        action: &'static str,
        /// On which file or folder.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The path of a run does not exist.
    #[error("open run {}: there is no such folder", path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
    },
    /// The folder is no run.
    #[error("open run {}: not a run folder, it has no manifest.json", path.display())]
    NotARun {
        /// The path.
        path: PathBuf,
    },
    /// The manifest is not what this version writes.
    #[error("read {}:{line}: the manifest is damaged", path.display())]
    ManifestUnreadable {
        /// Path of the manifest.
        path: PathBuf,
        /// Line of the first thing that could not be read.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// The run was written by a newer version of the program.
    #[error(
        "read {}: made by a newer version (format {found}, this version reads up to {supported}); \
         update consilium",
        path.display()
    )]
    NewerVersion {
        /// Path of the manifest.
        path: PathBuf,
        /// Format of the run.
        found: u32,
        /// Newest format this build reads.
        supported: u32,
    },
    /// No run has this name or prefix.
    #[error("find run '{name}' in {}: {}", root.display(), nearest_hint(nearest))]
    UnknownRun {
        /// What was asked for.
        name: String,
        /// Where it was looked for.
        root: PathBuf,
        /// The names most like it, the nearest first.
        nearest: Vec<String>,
    },
    /// Several runs start with this text.
    #[error("find run '{name}': it could be any of {}; give more of the name", candidates.join(", "))]
    AmbiguousRun {
        /// What was asked for.
        name: String,
        /// Runs whose names start with it, the newest first.
        candidates: Vec<String>,
    },
    /// No free name was found for a new run.
    #[error("create a run in {}: every name tried is taken", root.display())]
    NoFreeName {
        /// Folder of the runs.
        root: PathBuf,
    },
    /// Another process writes to the run.
    #[error("lock run '{run}': {} is writing to it; wait for it to end", holder(*process))]
    Locked {
        /// Name of the run.
        run: String,
        /// The other process, when it left its number.
        process: Option<u32>,
    },
    /// Rows do not fit their table.
    #[error("encode rows of table '{}'", table.name())]
    Encode {
        /// The table.
        table: RunTable,
        /// What does not fit.
        #[source]
        source: ArrowError,
    },
    /// Scores that must come by key did not.
    #[error("write scores of scorer '{scorer}': they are not in the order of their keys")]
    ScoreOrder {
        /// The scorer.
        scorer: String,
    },
    /// A record batch does not hold the rows of its table.
    #[error("decode rows of table '{}'", table.name())]
    Decode {
        /// The table.
        table: RunTable,
        /// Which column or value is wrong.
        #[source]
        source: DecodeError,
    },
    /// A part cannot be read or written.
    #[error("{action} {}", path.display())]
    Part {
        /// What was tried, `read` or `write`.
        action: &'static str,
        /// The part.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: ParquetError,
    },
    /// A part is not there in full: a number from some of the rows would be wrong.
    #[error(
        "read part {part} of run '{run}': it is {damage}; consilium verify tells what else is damaged"
    )]
    PartDamaged {
        /// The part, as the manifest lists it.
        part: String,
        /// The run.
        run: String,
        /// How it differs from what was written.
        damage: &'static str,
    },
    /// Samples whose cases are not in the run: leaving them out would change every number.
    #[error(
        "pair answers with their cases: {samples} samples have none in cases/, the first is case '{case_id}' \
         of dataset '{dataset}'; consilium verify tells what else is damaged"
    )]
    NoCase {
        /// How many.
        samples: usize,
        /// Dataset of the first.
        dataset: String,
        /// Case of the first.
        case_id: String,
    },
    /// A thread could not start or did not end by itself.
    #[error("run a thread to record with")]
    Thread(#[source] io::Error),
    /// Recording stopped earlier.
    #[error("{0}")]
    Record(RecordError),
}

impl StoreError {
    /// Wraps an error of the operating system with what was tried on which path.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Wraps an error of the Parquet library with the part it happened on.
    pub(crate) fn part(action: &'static str, path: &Path) -> impl FnOnce(ParquetError) -> Self {
        move |source| Self::Part {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// The message with those of every cause behind it.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    }
}

fn nearest_hint(nearest: &[String]) -> String {
    if nearest.is_empty() {
        "there are no runs".to_owned()
    } else {
        format!(
            "no run has this name or prefix; the nearest are {}",
            nearest.join(", ")
        )
    }
}

fn holder(process: Option<u32>) -> String {
    process.map_or_else(
        || "another process".to_owned(),
        |number| format!("another process (number {number})"),
    )
}

/// What is wrong with a record batch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A column is missing.
    #[error("find column '{column}'")]
    MissingColumn {
        /// The column.
        column: String,
    },
    /// A column has another type.
    #[error("read column '{column}': it is {found}, not {expected}")]
    WrongType {
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// The type it must have.
        expected: &'static str,
    },
    /// A column that is never NULL holds NULL.
    #[error("read column '{column}', row {row}: NULL where a value is needed")]
    Null {
        /// The column.
        column: String,
        /// Row in the batch, from 0.
        row: usize,
    },
    /// A value is outside what the column may hold.
    #[error("read column '{column}', row {row}: '{value}' is not allowed there")]
    BadValue {
        /// The column.
        column: String,
        /// Row in the batch, from 0.
        row: usize,
        /// The value.
        value: String,
    },
}

/// Why nothing more can be recorded; the text names the file and the system's reason.
///
/// Cheap to clone: the first failure is remembered and given to every later caller.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RecordError {
    /// The journal cannot be written.
    #[error("write {}: {cause}", path.display())]
    Journal {
        /// Segment of the journal.
        path: PathBuf,
        /// What the system said.
        cause: Arc<io::Error>,
    },
    /// Finished samples cannot be moved into parts; the journal still holds them.
    #[error("{}", cause.with_causes())]
    Fold {
        /// What failed.
        cause: Arc<StoreError>,
    },
    /// The recorder was finished before.
    #[error("record in run '{run}': recording has ended")]
    Ended {
        /// Name of the run.
        run: String,
    },
}

impl RecordError {
    /// Wraps an error of the operating system with the segment it happened on.
    pub(crate) fn journal(path: &Path, error: io::Error) -> Self {
        Self::Journal {
            path: path.to_owned(),
            cause: Arc::new(error),
        }
    }

    /// A line that has no JSON form.
    pub(crate) fn line(error: serde_json::Error) -> Self {
        Self::journal(Path::new("journal"), error.into())
    }
}
