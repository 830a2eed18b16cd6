//! Result tables: canned queries and how their columns are read.

mod cells;
mod evaluate;
mod notes;
mod preset;

pub(crate) use cells::{Reading, cell};
pub use evaluate::{BySubgroup, TableContext, TableError, evaluate_tables, recompute};
pub use preset::{PRESET_NAMES, STANDARD_TABLES};
