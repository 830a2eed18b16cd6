//! Datasets: files are read row by row, adapters make cases of rows.
//!
//! A row that cannot become a case is counted with its place and skipped, or ends the reading when
//! the dataset is strict. Two rows with one identifier always end it, with both places named.

pub mod adapter;
mod card;
mod case_file;
pub mod check;
mod error;
pub mod log;
pub mod margins;
mod reader;
pub mod source;

pub use card::{Card, CardError, CardFile, card_mapping, mapped_cards, read_cards, terms_of_file};
pub use case_file::{CaseFile, CaseFileError};
pub use error::{DatasetError, Malformed, Place, RowError, RowProblem};
pub use reader::{CaseReader, ReadReport, first_answer_form, inspect};
pub use source::{SourceRow, file_format};
