//! Recorded logs as samples: a table of answers or ready scores with a mapping of its columns.

mod entry;
mod mapping;
mod reader;
mod survey;

pub use entry::LogEntry;
pub use mapping::{LogDataset, LogMapping, LogSpec, MappingError, ScoreSpec, SeriesSpec};
pub use reader::{LogFile, LogItem, LogReader};
pub use survey::{LogSurvey, SurveyError, labelled, survey};
