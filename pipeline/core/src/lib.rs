//! The vocabulary of Consilium: what every other crate means by a case, a sample, a call, a score.
//!
//! Nothing here reads a file, opens a socket or knows Arrow. Row types are flat and serialise with
//! exactly the column names of the run's tables, so that one definition serves the journal, the
//! Parquet parts and SQL.

pub mod call;
pub mod canonical;
pub mod case;
pub mod clock;
pub mod event;
pub mod executor;
pub mod key;
pub mod manifest;
pub mod nearest;
pub mod outcome;
pub mod sample;
pub mod score;
pub mod script;
pub mod seed;
pub mod signature;
pub mod study;
pub mod table;
pub mod vote;

pub use call::{CallRow, ParseStatus};
pub use case::{AnswerForm, Case, CaseView, ChoiceOption};
pub use clock::{Clock, SystemClock};
pub use event::EventRow;
pub use executor::{
    AnswerExecutor, FinishedSample, RunStopped, SampleExecutor, SampleFuture, WorkItem,
};
pub use key::SampleKey;
pub use manifest::{
    CanaryAnswer, DriftRecord, FORMAT_VERSION, PartEntry, RunManifest, RunStatus, ServedModel,
};
pub use nearest::{most_similar, nearest};
pub use outcome::{ErrorKind, Outcome};
pub use sample::SampleRow;
pub use score::{RecordedScore, RecordedScores, ScoreRow};
pub use script::{is_han, is_mostly_han};
pub use signature::Signature;
pub use table::{Cell, Column, Estimate, Table, Unit};
