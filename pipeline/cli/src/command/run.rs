//! `consilium run`: execute a study, then score it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use consilium_core::Table;
use consilium_store::{RunDirectory, RunLock};

use super::check::prompt_lengths;
use super::estimate::print_estimates;
use crate::failure::{CHECK_MISSED, hinted, unfinished};
use crate::printer;
use crate::run::{
    ExecuteOptions, Execution, PrepareOptions, check_execution, execute, plan, prepare, score_run,
    signal, write_tables,
};
use crate::study::{ResolvedStudy, load};

/// Execute a study, or what is missing of it, and score it; prints the run's path.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium run study.toml\n  consilium run study.toml --limit 20 --only \
                        local-direct\n  consilium run study.toml --explain\n\nRunning the same study again \
                        continues its newest run; --new-run starts another."
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct RunArguments {
    /// Study file.
    study: PathBuf,

    /// Continue this run (name, unique prefix or path).
    #[arg(long, value_name = "RUN", conflicts_with = "new_run")]
    run: Option<String>,

    /// Start another run even if one could be continued; of the same study it is recorded as a
    /// sensitivity set, which does not replace the first run's numbers.
    #[arg(long)]
    new_run: bool,

    /// Execute a seeded draw of this many cases per dataset.
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Ask every case this many times, whatever the study says: a study of its own, with its own run.
    #[arg(long, value_name = "N")]
    epochs: Option<u32>,

    /// Execute only these systems.
    #[arg(long, value_name = "SYSTEM", num_args = 1..)]
    only: Vec<String>,

    /// Execute part i of n of the cases.
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(u64, u64)>,

    /// Keep replies in the runs folder, and take those kept for equal requests: they cost nothing.
    #[arg(long)]
    cache: bool,

    /// Make stderr JSON Lines: "event" is "progress" or "message", the latter with its "level".
    #[arg(long)]
    json_progress: bool,

    /// Ask samples again that failed for lack of infrastructure, as a new attempt.
    #[arg(long, value_name = "WHICH")]
    retry: Option<Retry>,

    /// Do not score.
    #[arg(long)]
    no_score: bool,

    /// Print what would be executed, with calls, tokens and cost, and execute nothing.
    #[arg(long)]
    dry_run: bool,

    /// Print the plan and execute nothing.
    #[arg(long)]
    explain: bool,
}

/// Which recorded samples get another attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Retry {
    /// Those that failed for lack of infrastructure, and no others.
    Failed,
}

fn shard(text: &str) -> Result<(u64, u64), String> {
    let parsed = text.split_once('/').and_then(|(index, count)| {
        Some((
            index.trim().parse::<u64>().ok()?,
            count.trim().parse::<u64>().ok()?,
        ))
    });
    match parsed {
        Some((index, count)) if (1..=count).contains(&index) => Ok((index, count)),
        _ => Err("write it as i/n with i from 1 to n, for example 2/4".to_owned()),
    }
}

pub(crate) async fn run(given: &RunArguments, runs: &Path) -> Result<ExitCode> {
    if given.json_progress {
        printer::speak_json();
    }
    if given.limit == Some(0) {
        return Err(hinted(
            "use --limit 0: that is no case at all",
            "leave it out for all cases",
        ));
    }
    let mut loaded = load(&given.study)?;
    if let Some(epochs) = given.epochs {
        loaded.study.study.epochs = epochs;
    }
    let study = ResolvedStudy::resolve(loaded)?;
    for note in &study.notes {
        printer::note(&format!("note: {note}"));
    }
    let options = ExecuteOptions {
        only: given.only.clone(),
        limit: given.limit,
        shard: given.shard,
        retry_failed: given.retry == Some(Retry::Failed),
        cache: given.cache.then(|| runs.join("cache")),
    };
    if given.explain || given.dry_run {
        return print_plan(&study, &options, given).await;
    }
    let prepare_options = PrepareOptions {
        run: given.run.clone(),
        new_run: given.new_run,
    };
    let run = run_study(&study, runs, &prepare_options, &options, !given.no_score).await?;
    printer::line(&run.root.display().to_string())?;
    Ok(exit_code(&study, &run.execution))
}

async fn print_plan(
    study: &ResolvedStudy,
    options: &ExecuteOptions,
    given: &RunArguments,
) -> Result<ExitCode> {
    let planned = plan(study, options).await?;
    if given.explain {
        printer::data(&planned.explained)?;
    }
    if given.dry_run {
        let total: u64 = planned.counts.iter().map(|(_, count)| count).sum();
        for (system, count) in &planned.counts {
            printer::line(&format!("{system}: {count} samples"))?;
        }
        printer::line(&format!("{total} samples in all"))?;
        print_estimates(study, &planned, &prompt_lengths(study)?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What became of a study that was executed.
pub(crate) struct StudyRun {
    /// The run's folder.
    pub(crate) root: PathBuf,
    pub(crate) execution: Execution,
    /// Its tables, where it was scored.
    pub(crate) tables: Option<Vec<Table>>,
}

/// Prepares, executes and scores.
pub(crate) async fn run_study(
    study: &ResolvedStudy,
    runs: &Path,
    prepare_options: &PrepareOptions,
    options: &ExecuteOptions,
    score: bool,
) -> Result<StudyRun> {
    check_execution(study, options)?;
    let prepared = prepare(study, runs, prepare_options).await?;
    let directory = prepared.directory.clone();
    printer::note(&format!(
        "{} run {}",
        if prepared.resumed {
            "continuing"
        } else {
            "new"
        },
        directory.root().display()
    ));
    let execution = execute(study, prepared, options).await?;
    // Whoever stopped a run does not want to wait for its scores.
    let mut tables = None;
    if score && execution.stopped.is_none() {
        tokio::select! {
            result = score_and_tabulate(&directory) => tables = Some(result?),
            () = signal() => {
                return Err(unfinished(
                    format!("score run '{}': stopped by the user", directory.name()),
                    "every answer is recorded; consilium score RUN scores them",
                ));
            }
        }
    }
    Ok(StudyRun {
        root: directory.root().to_owned(),
        execution,
        tables,
    })
}

async fn score_and_tabulate(directory: &RunDirectory) -> Result<Vec<Table>> {
    let lock = RunLock::acquire(directory)?;
    let (_lock, counts) = score_run(directory, lock, &[]).await?;
    for (scorer, rows) in counts {
        printer::note(&format!("{scorer}: {rows} samples scored"));
    }
    write_tables(directory).await
}

/// 0 when everything planned is there and failures are within the tolerance.
pub(crate) fn exit_code(study: &ResolvedStudy, execution: &Execution) -> ExitCode {
    if let Some(reason) = &execution.stopped {
        printer::note(&format!(
            "{reason}: {} of {} samples are recorded; run again to continue",
            execution.recorded, execution.planned
        ));
        return ExitCode::from(CHECK_MISSED);
    }
    let tolerated = study.study.study.tolerance * execution.recorded as f64;
    if execution.failed as f64 > tolerated {
        printer::note(&format!(
            "{} of {} samples failed for lack of infrastructure, more than study.tolerance = {} allows",
            execution.failed, execution.recorded, study.study.study.tolerance
        ));
        return ExitCode::from(CHECK_MISSED);
    }
    ExitCode::SUCCESS
}
