//! Result tables of runs: in the run's folder and in reports.

use anyhow::{Context as _, Result};
use consilium_core::study::{Study, TableSpec};
use consilium_core::{RunManifest, RunStatus, Table};
use consilium_query::table::{BySubgroup, STANDARD_TABLES, TableContext, evaluate_tables};
use consilium_query::{RunSource, SessionContext};
use consilium_report::Report;
use consilium_scorers::judge::SIGNATURE_PREFIX;
use consilium_store::RunDirectory;
use jiff::Timestamp;

use super::drift::{collected, drift_notes};
use super::provenance;
use super::table_folder::TableFolder;

/// What the tables' queries need to know of the runs.
pub(crate) fn table_context(runs: &[RunSource]) -> TableContext {
    TableContext {
        seed: runs.first().map_or(0, |run| run.manifest.seed),
        repeated: runs.iter().any(|run| run.manifest.epochs > 1),
        several_runs: runs.len() > 1,
        judges_validated: runs.iter().all(|run| judges_validated(&run.manifest)),
        by_subgroup: match runs.first().map(|run| names_tables(&run.manifest)) {
            Some(Ok(true)) => BySubgroup::Always,
            _ => BySubgroup::WhereKnown,
        },
    }
}

/// Whether every judge of a run was compared with an expert-labelled subset.
fn judges_validated(manifest: &RunManifest) -> bool {
    manifest
        .signatures
        .iter()
        .filter(|(_, signature)| signature.starts_with(SIGNATURE_PREFIX))
        .all(|(scorer, _)| {
            let key = RunManifest::judge_validation_key(scorer);
            manifest.stores.contains_key(&key)
        })
}

fn recorded_study(manifest: &RunManifest) -> Result<Study> {
    serde_json::from_value(manifest.study.clone())
        .with_context(|| format!("read the study in the manifest of '{}'", manifest.run))
}

/// Whether the study chose its tables itself.
fn names_tables(manifest: &RunManifest) -> Result<bool> {
    Ok(!recorded_study(manifest)?.table.is_empty())
}

/// Tables that the study of a run asks for.
pub(crate) fn table_specs(manifest: &RunManifest) -> Result<Vec<TableSpec>> {
    let study = recorded_study(manifest)?;
    let first = study.system.first().map(|system| system.name.clone());
    if !study.table.is_empty() {
        let mut specs = study.table;
        for spec in &mut specs {
            spec.baseline = spec.baseline.take().or_else(|| first.clone());
        }
        return Ok(specs);
    }
    Ok(STANDARD_TABLES
        .iter()
        .map(|name| TableSpec {
            preset: (*name).to_owned(),
            title: None,
            baseline: first.clone(),
        })
        .collect())
}

/// Tables with rows, or named by the study, and the names of standard ones that have none.
async fn tables_of(
    runs: &[RunSource],
    session: &SessionContext,
) -> Result<(Vec<Table>, Vec<String>)> {
    let first = runs.first().context("tables need a run")?;
    let specs = table_specs(&first.manifest)?;
    let tables = evaluate_tables(session, &specs, table_context(runs)).await?;
    let named = names_tables(&first.manifest)?;
    let (kept, empty): (Vec<Table>, Vec<Table>) = tables
        .into_iter()
        .partition(|table| named || !table.rows.is_empty());
    Ok((kept, empty.into_iter().map(|table| table.name).collect()))
}

/// Makes the tables of one run and writes each beside its query under `tables/`.
pub(crate) async fn write_tables(directory: &RunDirectory) -> Result<Vec<Table>> {
    let runs = [super::source(directory)?];
    let session = super::session_over(&runs).await?;
    let (tables, empty) = tables_of(&runs, &session).await?;
    TableFolder::of(directory.root()).write(&tables, empty)?;
    Ok(tables)
}

/// Makes the report of runs.
pub(crate) async fn build_report(runs: &[RunSource]) -> Result<Report> {
    let session = super::session_over(runs).await?;
    Ok(Report {
        tables: tables_of(runs, &session).await?.0,
        ..describe(runs, &session).await?
    })
}

/// Makes the report of one run whose tables have just been made.
pub(crate) async fn report_with(run: RunSource, tables: Vec<Table>) -> Result<Report> {
    let runs = [run];
    let session = super::session_over(&runs).await?;
    Ok(Report {
        tables,
        ..describe(&runs, &session).await?
    })
}

/// The report of runs without its tables: title, facts, warnings, marks.
pub(crate) async fn describe(runs: &[RunSource], session: &SessionContext) -> Result<Report> {
    let mut titles: Vec<&str> = runs
        .iter()
        .map(|run| run.manifest.study_name.as_str())
        .collect();
    titles.dedup();
    let mut facts = Vec::new();
    for run in runs {
        facts.extend(facts_of(&run.manifest));
    }
    Ok(Report {
        title: titles.join(", "),
        facts,
        warnings: warnings(runs, session).await?,
        marks: provenance::marks(runs.iter().map(|run| &run.manifest)),
        tables: Vec::new(),
    })
}

fn facts_of(manifest: &RunManifest) -> Vec<(String, String)> {
    let mut facts = vec![
        ("Run".to_owned(), manifest.run.clone()),
        ("Study hash".to_owned(), manifest.study_sha256.clone()),
        ("Seed".to_owned(), manifest.seed.to_string()),
        ("Repetitions".to_owned(), manifest.epochs.to_string()),
        ("Systems".to_owned(), manifest.systems.join(", ")),
        ("Samples planned".to_owned(), manifest.planned.to_string()),
        ("Started".to_owned(), moment(manifest.created_at)),
    ];
    if let Some(finished) = manifest.finished_at {
        facts.push(("Last executed".to_owned(), moment(finished)));
    }
    if let Some(collected) = collected(manifest) {
        facts.push(("Answers collected".to_owned(), collected));
    }
    for dataset in &manifest.datasets {
        let skipped = match dataset.malformed {
            0 => String::new(),
            malformed => format!(", {malformed} malformed rows skipped"),
        };
        facts.push((
            format!("Dataset {}", dataset.name),
            format!(
                "{} of {} cases{skipped}, file sha256 {}",
                dataset.selected, dataset.rows, dataset.source.sha256
            ),
        ));
        if let Some(terms) = provenance::terms(dataset) {
            facts.push((format!("Terms of {}", dataset.name), terms));
        }
    }
    for (scorer, signature) in &manifest.signatures {
        facts.push((format!("Scorer {scorer}"), signature.clone()));
    }
    facts.push(("Consilium".to_owned(), manifest.tool_version.clone()));
    if let Some(revision) = &manifest.git_revision {
        facts.push(("Git revision".to_owned(), revision.clone()));
    }
    facts
}

pub(super) fn moment(micros: i64) -> String {
    Timestamp::from_microsecond(micros).map_or_else(
        |_| "unknown".to_owned(),
        |moment| moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    )
}

/// What a reader must know before quoting a number.
async fn warnings(runs: &[RunSource], session: &SessionContext) -> Result<Vec<String>> {
    let mut warnings = Vec::new();
    let several = runs.len() > 1;
    for run in runs {
        let manifest = &run.manifest;
        let of = if several {
            format!("{}: ", manifest.run)
        } else {
            String::new()
        };
        let only = provenance::only(runs, run);
        let recorded = count(session, &format!("SELECT count(*) FROM samples{only}")).await?;
        if recorded < manifest.planned || manifest.status != RunStatus::Complete {
            warnings.push(format!(
                "{of}The run is incomplete: {recorded} of {} planned samples are recorded.",
                manifest.planned
            ));
        }
        let failed = consilium_query::infrastructure_failed();
        let clause = if several {
            format!("{only} AND {failed}")
        } else {
            format!(" WHERE {failed}")
        };
        let failures = count(session, &format!("SELECT count(*) FROM samples{clause}")).await?;
        if failures > 0 {
            warnings.push(format!(
                "{of}{failures} samples failed for lack of infrastructure; they have no score and are \
                 left out of every accuracy."
            ));
        }
        let scores = count(session, &format!("SELECT count(*) FROM scores{only}")).await?;
        if scores == 0 && recorded > 0 {
            warnings.push(format!(
                "{of}The run is not scored: consilium score {} scores its answers.",
                manifest.run
            ));
        }
        if manifest.epochs == 1 {
            warnings.push(format!(
                "{of}Single run: every case was asked once, so variation between repeats is unknown."
            ));
        }
        if let Some(note) = provenance::rerun_note(manifest) {
            let counted = format!(
                "SELECT system, count(*) AS samples FROM samples{only} GROUP BY system ORDER BY system"
            );
            let systems: Vec<String> = consilium_query::counts(session, &counted)
                .await
                .context("count the samples of each system")?
                .into_iter()
                .map(|(system, samples)| format!("{system} {samples}"))
                .collect();
            warnings.push(format!(
                "{of}{note} Samples asked again: {}.",
                systems.join(", ")
            ));
        }
        for note in drift_notes(manifest) {
            warnings.push(format!("{of}{note}"));
        }
        if let Some(note) = synthetic_note(manifest) {
            warnings.push(format!("{of}{note}"));
        }
    }
    Ok(warnings)
}

/// Sets written for demonstration say so wherever their numbers are shown.
pub(crate) fn synthetic_note(manifest: &RunManifest) -> Option<String> {
    let study: Study = serde_json::from_value(manifest.study.clone()).ok()?;
    let mut notes = Vec::new();
    let cards = consilium_datasets::read_cards().ok()?;
    let sample = cards.iter().find(|(name, _)| name == "sample")?;
    let known = |sha256: &str| sample.1.files.iter().any(|file| file.sha256 == sha256);
    if manifest
        .datasets
        .iter()
        .any(|dataset| known(&dataset.source.sha256))
    {
        notes.push("The sample cases are synthetic and not clinically validated");
    }
    let simulated = study
        .backend
        .iter()
        .any(|backend| backend.kind == consilium_core::study::BackendKind::Simulated);
    if simulated {
        notes.push("Answers of simulated backends come from a random generator, not from a model");
    }
    (!notes.is_empty()).then(|| format!("{}.", notes.join(". ")))
}

pub(super) async fn count(session: &SessionContext, sql: &str) -> Result<u64> {
    consilium_query::count(session, sql)
        .await
        .context("count samples")
}
