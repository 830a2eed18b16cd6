//! What can be typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::command;

/// Batch evaluation and expert review of medical language-model systems.
#[derive(Debug, Parser)]
#[command(
    name = "consilium",
    version,
    arg_required_else_help = true,
    after_help = "Examples:\n  consilium quickstart\n  consilium check runs/studies/quickstart.toml\n  \
                  consilium run study.toml\n  consilium report my-study\n  \
                  consilium sql my-study \"SELECT outcome, count(*) FROM samples GROUP BY outcome\"\n\n\
                  Exit code 0: done. 1: finished, but samples failed beyond the tolerance or a check \
                  missed. 2: bad input or configuration."
)]
pub(crate) struct Arguments {
    /// Folder of the runs.
    #[arg(long, global = true, default_value = "runs", value_name = "DIR")]
    pub(crate) runs: PathBuf,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Quickstart(command::quickstart::QuickstartArguments),
    Check(command::check::CheckArguments),
    Run(command::run::RunArguments),
    Score(command::score::ScoreArguments),
    Report(command::report::ReportArguments),
    Sql(command::sql::SqlArguments),
    Verify(command::verify::VerifyArguments),
    Serve(command::serve::ServeArguments),
    Datasets(command::datasets::DatasetsArguments),
    ImportLog(command::import_log::ImportLogArguments),
    Metric(command::metric::MetricArguments),
    MockServer(command::mock_server::MockServerArguments),
}

/// How a command prints rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    /// Aligned columns for reading.
    #[default]
    Table,
    /// One JSON array of objects.
    Json,
    /// Comma-separated values with a header line.
    Csv,
}

/// A query may begin with a comment, as those under `tables/` do. No option has white space before its value.
pub(crate) fn not_an_option(word: OsString) -> OsString {
    let text = word.to_str().unwrap_or_default();
    let name = text.split('=').next().unwrap_or_default();
    if text.starts_with("--") && name.contains(char::is_whitespace) {
        format!("\n{text}").into()
    } else {
        word
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }
}
