//! What is wrong with a dataset's file, row by row, with file and line.
//!
//! One pass over the bytes for encodings, one over the rows for everything else. Held are hashes of
//! identifiers and texts and a bounded number of findings, never the cases. No finding quotes case
//! text: what looks like personal data is named by kind and place.

mod characters;
mod encoding;
mod finding;
mod leak;
mod personal;
mod rows;

pub use finding::{Check, DatasetCheck, Finding, Severity};
pub use rows::{CheckOptions, check_dataset};
