//! The one custom operator: hands work items to an executor and yields what is finished.

mod judging;
mod operator;
mod plan;
mod work;

pub use judging::{Judging, count_judging, judge_calls, run_judging, settled_scores};
pub use operator::{FanOutExec, FanOutWork};
pub use plan::{Assignment, FanOutError, Selection, Work, count_work, explain_work, run_work};
