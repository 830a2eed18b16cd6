//! `consilium`: batch evaluation and expert review of medical language-model systems.

mod arguments;
mod command;
mod failure;
mod printer;
mod run;
mod serve;
mod study;

use std::process::ExitCode;

use clap::Parser as _;

/// Calls and rows are many small pieces that one thread makes and another frees, which takes the system's
/// allocator a quarter of the time of a run.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let words = std::env::args_os().map(arguments::not_an_option);
    let arguments = arguments::Arguments::parse_from(words);
    match command::dispatch(&arguments) {
        Ok(code) => code,
        Err(failure) => failure::report(&failure),
    }
}
