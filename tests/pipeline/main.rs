//! Tests of the whole pipeline through the binary, and of its structure.

#![expect(clippy::unwrap_used, reason = "a test ends at the first surprise")]
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

mod architecture;
mod bad_input;
mod bad_run;
mod canaries;
mod datasets;
mod engine;
mod explain;
mod import_log;
mod judge;
mod program;
mod pubmedqa;
mod quickstart;
mod replay;
mod report;
mod resume;
mod serve;
mod similarity;
mod training;
