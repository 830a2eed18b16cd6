//! What is wrong with a dataset, and where.

use std::fmt;
use std::path::PathBuf;

/// A position in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A line of a text file, from 1.
    Line(u64),
    /// A row of a Parquet file, from 1.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// What kind of thing is wrong with a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowProblem {
    /// It lacks what a case needs, or holds it in another form.
    #[default]
    Malformed,
    /// Nothing would be asked.
    EmptyInput,
    /// The gold answer is none of the options.
    GoldNotAmongOptions,
    /// Its bytes are not UTF-8.
    Encoding,
}

/// Why one row is not a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RowError {
    /// What is wrong, with the column; never quotes case text.
    pub message: String,
    /// Its kind.
    pub problem: RowProblem,
}

impl RowError {
    /// A row error with a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(RowProblem::Malformed, message)
    }

    /// A row error of a kind.
    pub fn of(problem: RowProblem, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            problem,
        }
    }
}

/// A row that was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Where it stands.
    pub place: Place,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Why a dataset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The file cannot be opened or read.
    #[error("read dataset '{dataset}' from {}", path.display())]
    Io {
        /// Dataset.
        dataset: String,
        /// File.
        path: PathBuf,
        /// Cause.
        #[source]
        source: std::io::Error,
    },
    /// The file as a whole is not what its format says.
    #[error("read dataset '{dataset}' from {}: {message}", path.display())]
    Format {
        /// Dataset.
        dataset: String,
        /// File.
        path: PathBuf,
        /// What is wrong, with line and column where known.
        message: String,
    },
    /// The study's settings for the dataset do not fit.
    #[error("use dataset '{dataset}': {message}")]
    Settings {
        /// Dataset.
        dataset: String,
        /// What is wrong, with a hint.
        message: String,
    },
    /// Two rows have the same identifier.
    #[error(
        "read dataset '{dataset}' from {}: identifier '{id}' stands at {first} and again at {second}; \
         identifiers must be unique",
        path.display()
    )]
    Duplicate {
        /// Dataset.
        dataset: String,
        /// File.
        path: PathBuf,
        /// The identifier.
        id: String,
        /// Where it stands first.
        first: Place,
        /// Where it stands again.
        second: Place,
    },
    /// A strict dataset holds a malformed row.
    #[error("read dataset '{dataset}' from {}: {malformed} (strict = true)", path.display())]
    Strict {
        /// Dataset.
        dataset: String,
        /// File.
        path: PathBuf,
        /// The row.
        malformed: Malformed,
    },
    /// No row of the file is a case.
    #[error("read dataset '{dataset}' from {}: {message}", path.display())]
    Empty {
        /// Dataset.
        dataset: String,
        /// File.
        path: PathBuf,
        /// Whether there were rows, and what was wrong with the first.
        message: String,
    },
}
