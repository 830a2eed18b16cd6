//! Result tables: canned queries and how their columns are read.

mod cells;
mod evaluate;
mod preset;

pub use evaluate::{TableContext, TableError, evaluate_tables, recompute};
pub use preset::{JUDGE_TABLE, PRESET_NAMES, STANDARD_TABLES};
