//! Runs on disk: Arrow schemas, parts, journal, manifest, lock.

mod answers;
mod error;
mod journal;
pub mod lock;
pub mod lookup;
pub mod part;
pub mod recorder;
pub mod rows;
pub mod run_directory;
pub mod schema;
pub mod scores;
pub mod source;
pub mod verify;

pub use answers::{RecordedAnswers, read_ahead};
pub use error::{DecodeError, RecordError, StoreError};
pub use lock::RunLock;
pub use lookup::{FoundRow, PartRows, RowKey, RowPlace, TableParts};
pub use part::{
    PartWriter, Rows, check_parts, leave_out_damaged, present_part, read_rows, write_table,
};
pub use recorder::{Recorder, RecorderOptions, Recovery};
pub use rows::{CaseInputError, CaseRow, TableRow, encode};
pub use run_directory::{RunDirectory, RunList, RunSummary};
pub use schema::RunTable;
pub use scores::{ScoreSorter, ScoreWriter, SortedScores, replace_scores};
pub use source::sha256_file;
pub use verify::{Finding, JournalState, Verification, verify};

#[cfg(test)]
mod fixtures;
