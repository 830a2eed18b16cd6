//! `consilium verify`: hashes, counts, invariants, and every table recomputed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use consilium_core::study::TableSpec;
use consilium_core::{RunManifest, RunStatus, ScoreRow, Table};
use consilium_query::table::{evaluate_tables, recompute};
use consilium_query::{RunSource, SessionContext};
use consilium_report::{Format, Report, render, render_case};
use consilium_store::{RunDirectory, RunTable, Verification, read_rows};

use crate::failure::{CHECK_MISSED, hinted};
use crate::printer;
use crate::run::{
    TableFolder, case_page, compute_scores, describe, recorded_pages, session_over, source,
    sources, table_context, table_specs,
};

/// Check that a run is whole and that its numbers follow from its rows.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  consilium verify my-study\n  consilium verify my-study --report \
                        reports/my-study"
)]
pub(crate) struct VerifyArguments {
    /// Run (name, unique prefix or path).
    #[arg(required = true, value_name = "RUN")]
    names: Vec<String>,

    /// A report of these runs, in the order in which it was made: every number is computed again from the printed query.
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

pub(crate) async fn verify(given: &VerifyArguments, runs: &Path) -> Result<ExitCode> {
    let mut findings = Vec::new();
    for name in &given.names {
        let directory = RunDirectory::find(runs, name)?;
        findings.extend(verify_run(&directory).await?);
    }
    if let Some(report) = &given.report {
        findings.extend(verify_report(report, &sources(runs, &given.names)?).await?);
    }
    for finding in &findings {
        printer::line(&printer::visible(finding))?;
    }
    if findings.is_empty() {
        printer::line("ok")?;
        return Ok(ExitCode::SUCCESS);
    }
    printer::note(&format!("{} findings", findings.len()));
    Ok(ExitCode::from(CHECK_MISSED))
}

async fn verify_run(directory: &RunDirectory) -> Result<Vec<String>> {
    let verification = consilium_store::verify(directory)?;
    let mut findings: Vec<String> = verification
        .findings
        .iter()
        .map(|finding| format!("{}: {}: {}", directory.name(), finding.path, finding.what))
        .collect();
    if !findings.is_empty() {
        // Damaged parts would only be reported a second time by what is computed from them.
        return Ok(findings);
    }
    let manifest = directory.manifest()?;
    state_note(directory, &manifest, &verification);
    let (scorers, recorded) = recorded_scorers(directory, &manifest)?;
    if !scorers.is_empty() {
        findings.extend(verify_scores(directory, &manifest, &scorers).await?);
    }
    let given = directory.root().join("study.toml");
    let given_sha256 = consilium_store::sha256_file(&given).ok();
    if given_sha256.as_ref() != manifest.stores.get("study.toml") {
        findings.push(format!(
            "{}: is not the study that was run",
            given.display()
        ));
    }
    let run = source(directory)?;
    let session = session_over(std::slice::from_ref(&run)).await?;
    let mut tables = 0;
    let folder = TableFolder::of(directory.root());
    let files = match folder.files() {
        Ok(files) => files,
        Err(error) => {
            findings.push(format!("{error:#}"));
            Vec::new()
        }
    };
    for path in files {
        let table = match read_table(&path) {
            Ok(table) => table,
            Err(error) => {
                findings.push(format!("{error:#}"));
                continue;
            }
        };
        let printed = path.with_extension("sql");
        if std::fs::read_to_string(&printed).ok() != Some(format!("{}\n", table.sql)) {
            findings.push(format!(
                "{}: is not the query of the table beside it",
                printed.display()
            ));
        }
        let again = recompute(&session, &table, table_context(std::slice::from_ref(&run))).await?;
        if again != table {
            findings.push(format!("{}: the query gives another table", path.display()));
        }
        tables += 1;
    }
    findings.extend(verify_empty(&folder, &run, &session).await?);
    printer::note(&format!(
        "{}: {} parts, {} samples, {} scores, {tables} tables",
        directory.name(),
        manifest.parts.len(),
        rows_of(&run, RunTable::Samples),
        recorded
    ));
    Ok(findings)
}

/// Says that a run has not ended, and what is to be done about it.
fn state_note(directory: &RunDirectory, manifest: &RunManifest, verification: &Verification) {
    if manifest.status == RunStatus::Complete {
        return;
    }
    let waiting = match verification.journal.half_done {
        0 => String::new(),
        half_done => {
            format!("; the recorded calls of {half_done} unfinished samples wait in its journal")
        }
    };
    printer::note(&format!(
        "note: {}: the run is incomplete{waiting}; consilium run STUDY goes on with it",
        directory.name(),
    ));
}

/// A table that is said to have no rows has none.
async fn verify_empty(
    folder: &TableFolder,
    run: &RunSource,
    session: &SessionContext,
) -> Result<Vec<String>> {
    // A list that cannot be read was found already.
    let empty = folder.contents().ok().flatten().unwrap_or_default().empty;
    let specs: Vec<TableSpec> = table_specs(&run.manifest)?
        .into_iter()
        .filter(|spec| empty.contains(&spec.preset))
        .collect();
    let context = table_context(std::slice::from_ref(run));
    Ok(evaluate_tables(session, &specs, context)
        .await?
        .iter()
        .filter(|table| !table.rows.is_empty())
        .map(|table| {
            format!(
                "{}: is not there, and its query gives rows",
                folder.table(&table.name).display()
            )
        })
        .collect())
}

fn rows_of(run: &RunSource, table: RunTable) -> u64 {
    let folder = format!("{}/", table.name());
    run.manifest
        .parts
        .iter()
        .filter(|part| part.path.starts_with(&folder))
        .map(|part| part.rows)
        .sum()
}

/// Scorers that have rows, and how many rows there are in all.
fn recorded_scorers(
    directory: &RunDirectory,
    manifest: &RunManifest,
) -> Result<(Vec<String>, u64)> {
    let (mut scorers, mut rows) = (BTreeSet::new(), 0);
    for row in read_rows::<ScoreRow>(directory, manifest) {
        let row = row.with_context(|| format!("read the scores of run '{}'", directory.name()))?;
        if !scorers.contains(&row.scorer) {
            scorers.insert(row.scorer);
        }
        rows += 1;
    }
    Ok((scorers.into_iter().collect(), rows))
}

/// Every scorer whose rows are recorded gives the same rows again.
///
/// Both sides are sorted alike and read side by side, never held.
async fn verify_scores(
    directory: &RunDirectory,
    manifest: &RunManifest,
    scorers: &[String],
) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let computed = match compute_scores(directory, manifest, scorers).await {
        Ok(computed) => computed,
        Err(error) => {
            let run = directory.name();
            return Ok(vec![format!(
                "{run}: the scores cannot be computed again: {error:#}"
            )]);
        }
    };
    for (name, signature, mut again) in computed {
        if manifest.signatures.get(&name) != Some(&signature) {
            findings.push(format!(
                "{}: scorer '{name}' does not have the signature that manifest.json gives for it",
                directory.name(),
            ));
        }
        let mut recorded = read_rows::<ScoreRow>(directory, manifest)
            .filter(|row| row.as_ref().map_or(true, |row| row.scorer == name));
        let (mut rows, mut different) = (0_u64, 0_u64);
        loop {
            let (left, right) = (recorded.next().transpose()?, again.next().transpose()?);
            if left.is_none() && right.is_none() {
                break;
            }
            rows += u64::from(left.is_some());
            different += u64::from(left != right);
        }
        if different > 0 {
            findings.push(format!(
                "{}: scorer '{name}' gives other values for {different} of {rows} rows",
                directory.name(),
            ));
        }
    }
    Ok(findings)
}

fn read_table(path: &Path) -> Result<Table> {
    let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("read {}", path.display()))
}

/// Every table of the report is computed again from its printed query, and every file rendered again.
async fn verify_report(folder: &Path, runs: &[RunSource]) -> Result<Vec<String>> {
    let path = folder.join("report.json");
    let bytes = std::fs::read(&path).map_err(|error| {
        hinted(
            format!("read {}: {error}", path.display()),
            "give the folder that `consilium report` printed",
        )
    })?;
    let report: Report =
        serde_json::from_slice(&bytes).with_context(|| format!("read {}", path.display()))?;
    let session = session_over(runs).await?;
    let mut findings = Vec::new();
    let mut tables = Vec::with_capacity(report.tables.len());
    let mut numbers = 0;
    for table in &report.tables {
        let again = recompute(&session, table, table_context(runs)).await?;
        numbers += again.rows.iter().map(Vec::len).sum::<usize>();
        for (row, (printed, computed)) in table.rows.iter().zip(&again.rows).enumerate() {
            for (column, (printed, computed)) in printed.iter().zip(computed).enumerate() {
                if printed != computed {
                    findings.push(format!(
                        "table '{}', row {}, column '{}': the query gives another value",
                        table.name,
                        row + 1,
                        table
                            .columns
                            .get(column)
                            .map_or("", |column| column.name.as_str())
                    ));
                }
            }
        }
        if again.rows.len() != table.rows.len() || again.columns != table.columns {
            findings.push(format!(
                "table '{}': the query gives other rows or columns",
                table.name
            ));
        }
        tables.push(again);
    }
    let again = Report {
        tables,
        ..describe(runs, &session).await?
    };
    if (&again.title, &again.facts) != (&report.title, &report.facts) {
        findings.push(format!("{}: the run gives other facts", path.display()));
    }
    if (&again.warnings, &again.marks) != (&report.warnings, &report.marks) {
        findings.push(format!("{}: the run gives other warnings", path.display()));
    }
    let mut rendered = render(&again, &Format::ALL)?;
    for case_id in recorded_pages(folder)? {
        rendered.extend(render_case(
            &case_page(runs, &case_id).await?,
            &Format::ALL,
        )?);
    }
    let mut files = 0;
    for file in rendered {
        let path = folder.join(&file.path);
        if !path.exists() {
            continue;
        }
        let bytes = std::fs::read(&path).with_context(|| format!("read {}", path.display()))?;
        files += 1;
        if bytes != file.bytes {
            findings.push(format!(
                "{}: differs from what the run gives",
                path.display()
            ));
        }
    }
    printer::note(&format!(
        "report: {} tables, {numbers} cells computed again, {files} files compared",
        again.tables.len()
    ));
    Ok(findings)
}
