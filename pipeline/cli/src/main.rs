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

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    match command::dispatch(&arguments) {
        Ok(code) => code,
        Err(failure) => failure::report(&failure),
    }
}
