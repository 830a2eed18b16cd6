//! One module per command.

pub(crate) mod check;
pub(crate) mod datasets;
mod datasets_build;
mod estimate;
pub(crate) mod import_log;
pub(crate) mod metric;
pub(crate) mod mock_server;
pub(crate) mod quickstart;
pub(crate) mod report;
mod rows;
pub(crate) mod run;
pub(crate) mod score;
pub(crate) mod serve;
pub(crate) mod sql;
pub(crate) mod verify;

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::arguments::{Arguments, Command};

/// Runs what was typed.
pub(crate) fn dispatch(arguments: &Arguments) -> Result<ExitCode> {
    let runs = &arguments.runs;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // Planning nested queries recurses deeply in debug builds.
        .thread_stack_size(16 << 20)
        .build()
        .context("start the runtime")?;
    let work = async {
        match &arguments.command {
            Command::Quickstart(given) => quickstart::quickstart(given).await,
            Command::Check(given) => check::check(given).await,
            Command::Run(given) => run::run(given, runs).await,
            Command::Score(given) => score::score(given, runs).await,
            Command::Report(given) => report::report(given, runs).await,
            Command::Sql(given) => sql::sql(given, runs).await,
            Command::Serve(given) => serve::serve(given, runs).await,
            Command::Verify(given) => verify::verify(given, runs).await,
            Command::Datasets(given) => datasets::datasets(given).await,
            Command::ImportLog(given) => import_log::import_log(given, runs).await,
            Command::Metric(given) => metric::metric(given),
            Command::MockServer(given) => mock_server::mock_server(given).await,
        }
    };
    // On a worker thread, whose stack is the larger one.
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("consilium".to_owned())
            .stack_size(64 << 20)
            .spawn_scoped(scope, || runtime.block_on(work))
            .context("start the main thread")?
            .join()
            .map_err(|_| {
                anyhow::anyhow!("the program failed unexpectedly; please report what stands above")
            })?
    })
}
