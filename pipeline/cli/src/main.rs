//! `consilium`: batch evaluation and expert review of medical language-model systems.

mod allocator;
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
    allocator::give_back_soon();
    let words = std::env::args_os().map(arguments::not_an_option);
    let arguments = arguments::Arguments::parse_from(words);
    match command::dispatch(&arguments) {
        Ok(code) => code,
        Err(failure) => failure::report(&failure),
    }
}
