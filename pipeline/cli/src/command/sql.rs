//! `consilium sql`: read-only SQL over the tables of runs.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use consilium_query::function::list_functions;
use consilium_query::{UserSqlError, query_session, register_runs, user_query};

use super::rows::print_rows;
use crate::arguments::RowFormat;
use crate::failure::hinted;
use crate::printer;
use crate::run::sources;

/// Ask the tables of runs: cases, samples, attempts, calls, events, scores, plan.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium sql my-study \"SELECT system, outcome, count(*) AS n FROM \
                        samples GROUP BY system, outcome\"\n  consilium sql run-a run-b \"SELECT run, avg(value) FROM \
                        scores GROUP BY run\"\n  consilium sql my-study - < runs/my-study/tables/accuracy.sql\n  consilium sql --functions"
)]
pub(crate) struct SqlArguments {
    /// Runs (name, unique prefix or path), then the query; `-` reads it from stdin.
    #[arg(value_name = "RUN… QUERY")]
    words: Vec<String>,

    /// List the functions that Consilium adds.
    #[arg(long)]
    functions: bool,

    /// How to print rows.
    #[arg(long, value_enum, default_value_t)]
    format: RowFormat,

    /// Rows printed at most.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    rows: usize,

    /// Seconds that the query may take.
    #[arg(long, default_value_t = 60, value_name = "S", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

pub(crate) async fn sql(given: &SqlArguments, runs: &Path) -> Result<ExitCode> {
    if given.functions {
        for function in list_functions() {
            let mut also = String::new();
            for name in &function.aliases {
                also.push_str(", also ");
                also.push_str(name);
            }
            printer::line(&format!(
                "{}{also}\n    {}",
                function.syntax, function.description
            ))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let Some((query, names)) = given
        .words
        .split_last()
        .filter(|(_, names)| !names.is_empty())
    else {
        return Err(hinted(
            "a run and a query are needed",
            "consilium sql RUN \"SELECT count(*) FROM samples\"",
        ));
    };
    let query = if query == "-" {
        &std::io::read_to_string(std::io::stdin()).context("read the query from stdin")?
    } else {
        query
    };
    let session = query_session(2)?;
    register_runs(&session, &sources(runs, names)?).await?;
    // Editors put it before everything.
    let query = query.trim_start_matches('\u{feff}');
    let deadline = Duration::from_secs(given.timeout);
    let rows = user_query(&session, query, given.rows, deadline).await;
    let rows = rows.map_err(|error| {
        let hint = match error {
            UserSqlError::Deadline { .. } => "--timeout S gives a query more time",
            _ => {
                "tables: cases, samples, attempts, calls, events, scores, plan; consilium sql --functions \
                 lists our functions"
            }
        };
        hinted(error.to_string(), hint)
    })?;
    print_rows(&rows, given.format)?;
    Ok(ExitCode::SUCCESS)
}
