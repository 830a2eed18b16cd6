//! Solvers: strategies that turn a case into an answer.

mod answer_schema;
mod chain_of_thought;
mod constant;
mod direct;
mod flags;
mod majority;
mod nearest_case;
mod registry;
mod training;

pub use flags::{Flag, FlagKind};
pub use registry::{SOLVERS, SolverEntry, SolverError, build, build_trained, entry, names};
pub use training::{TrainingSet, case_content};
