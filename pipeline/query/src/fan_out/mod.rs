//! The one custom operator: hands work items to an executor and yields what is finished.

mod operator;
mod plan;
mod work;

pub use operator::FanOutExec;
pub use plan::{Assignment, FanOutError, Selection, Work, count_work, explain_work, run_work};
