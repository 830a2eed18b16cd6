//! One sample: its context, prompts and executor, and what a solver and a scorer are.

pub mod context;
pub mod executor;
pub mod prompt;
pub mod reading;
mod scorer;
mod solver;
pub mod testing;

pub use scorer::Scorer;
pub use solver::{Answer, Solver};
