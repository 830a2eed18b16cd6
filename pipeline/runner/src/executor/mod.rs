//! The executor of one sample.

mod canary;
mod progress;
mod run_executor;

pub use canary::ask_canaries;
pub use progress::{InFlight, Progress, ProgressCounts};
pub use run_executor::{ExecutorError, ExecutorParts, RunExecutor};

#[cfg(test)]
mod fault_tests;
