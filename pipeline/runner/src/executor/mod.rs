//! The executor of one sample.

mod progress;
mod run_executor;

pub use progress::{InFlight, Progress, ProgressCounts};
pub use run_executor::{ExecutorError, ExecutorParts, RunExecutor};
