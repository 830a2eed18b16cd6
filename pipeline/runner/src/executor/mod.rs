//! The executor of one sample.

mod canary;
mod progress;
mod samples;

pub use canary::ask_canaries;
pub use progress::{InFlight, Progress, ProgressCounts};
pub use samples::{ExecutorError, ExecutorParts, RunExecutor, SystemParts};
