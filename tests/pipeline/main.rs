//! Tests of the whole pipeline through the binary, and of its structure.

mod architecture;
mod bad_input;
mod canaries;
mod explain;
mod program;
mod pubmedqa;
mod quickstart;
mod resume;
