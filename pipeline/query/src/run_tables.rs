//! A run's tables in a session.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array, RecordBatch, StringViewArray};
use arrow::datatypes::{DataType, Field, Schema};
use consilium_core::study::Study;
use consilium_core::{PartEntry, RunManifest};
use consilium_store::{RunTable, present_part};
use datafusion::catalog::{MemTable, TableProvider};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{
    ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl,
};
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use url::Url;

use crate::cases::{identifier, quoted};
use crate::failures::infrastructure_failed;

/// A run to be queried: its folder and what it says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSource {
    /// Folder of the run.
    pub root: PathBuf,
    /// Its manifest: only the parts it lists are read.
    pub manifest: RunManifest,
}

/// Registers `cases`, `attempts`, `samples`, `calls`, `events`, `scores`, `plan` and `scorers`.
///
/// `attempts` holds every attempt; `samples` one row per key, its counting attempt. `plan` says
/// which system was to answer which dataset how often, and whose scores are the headline; `scorers`
/// names every scorer with its kind. Several runs get a first column `run`.
///
/// # Errors
/// When a part cannot be read or two runs have the same name.
pub async fn register_runs(session: &SessionContext, runs: &[RunSource]) -> Result<()> {
    for table in RunTable::ALL {
        let name = if table == RunTable::Samples {
            "attempts"
        } else {
            table.name()
        };
        let mut queries = Vec::with_capacity(runs.len());
        for (index, run) in runs.iter().enumerate() {
            let part_table = format!("{name}:{index}");
            session.register_table(
                datafusion::common::TableReference::bare(part_table.as_str()),
                parts_provider(run, table)?,
            )?;
            let run_column = run_column(runs, run)?;
            queries.push(format!(
                "SELECT {run_column}* FROM {}",
                identifier(&part_table)
            ));
        }
        register_view(session, name, &queries.join(" UNION ALL ")).await?;
    }
    session.register_batch("plan", plan_batch(runs)?)?;
    session.register_batch("scorers", scorers_batch(runs)?)?;
    let keys: &[&str] = if runs.len() > 1 {
        &["run", "dataset", "case_id", "system", "epoch"]
    } else {
        &SAMPLE_KEY
    };
    let samples = last_attempts("attempts", keys);
    register_view(session, "samples", &samples).await
}

/// Registers `cases`, `latest` and `finished` of one run, for its work list.
///
/// `latest` holds the last attempt at every sample. With `retry_failed` a sample whose last attempt
/// failed for lack of infrastructure is not finished.
///
/// # Errors
/// When a part cannot be read.
pub async fn register_run_work(
    session: &SessionContext,
    run: &RunSource,
    retry_failed: bool,
) -> Result<()> {
    session.register_table("cases", parts_provider(run, RunTable::Cases)?)?;
    session.register_table("recorded", parts_provider(run, RunTable::Samples)?)?;
    register_view(session, "latest", &last_attempts("recorded", &SAMPLE_KEY)).await?;
    let finished = "SELECT dataset, case_id, system, epoch FROM latest";
    if retry_failed {
        let sql = format!("{finished} WHERE NOT ({})", infrastructure_failed());
        return register_finished(session, &sql).await;
    }
    register_finished(session, finished).await
}

/// Registers `finished` without a row, for a run that has not begun.
///
/// # Errors
/// When the view cannot be registered, which would be a defect.
pub async fn register_nothing_finished(session: &SessionContext) -> Result<()> {
    let schema = RunTable::Samples.schema();
    let empty = MemTable::try_new(
        Arc::clone(&schema),
        vec![vec![RecordBatch::new_empty(schema)]],
    )?;
    session.register_table("recorded", Arc::new(empty))?;
    register_finished(
        session,
        "SELECT dataset, case_id, system, epoch FROM recorded",
    )
    .await
}

/// What tells the samples of one run apart.
const SAMPLE_KEY: [&str; 4] = ["dataset", "case_id", "system", "epoch"];

/// The query for the counting attempt of every sample, its last one: only infrastructure failures are ever
/// tried again.
///
/// Few samples have a second attempt: those are looked for, which the bounds of a part's columns mostly
/// answer, and everything else passes unread. A window over all attempts would sort them all.
fn last_attempts(table: &str, keys: &[&str]) -> String {
    let same: Vec<String> = keys
        .iter()
        .map(|key| format!("retried.{key} = {table}.{key}"))
        .collect();
    let (columns, same) = (keys.join(", "), same.join(" AND "));
    format!(
        "SELECT * FROM (SELECT {columns}, max(attempt) AS last_attempt FROM {table} WHERE attempt > 1 \
         GROUP BY {columns}) AS retried RIGHT ANTI JOIN {table} ON {same} AND {table}.attempt < \
         retried.last_attempt"
    )
}

async fn register_finished(session: &SessionContext, sql: &str) -> Result<()> {
    register_view(session, "finished", sql).await
}

async fn register_view(session: &SessionContext, name: &str, sql: &str) -> Result<()> {
    let view = session.sql(sql).await?.into_view();
    session.register_table(name, view)?;
    Ok(())
}

fn run_column(runs: &[RunSource], run: &RunSource) -> Result<String> {
    if runs.len() < 2 {
        return Ok(String::new());
    }
    let name = &run.manifest.run;
    if runs
        .iter()
        .filter(|other| other.manifest.run == *name)
        .count()
        > 1
    {
        return plan_err!("the run '{name}' is named twice");
    }
    Ok(format!("arrow_cast({}, 'Utf8View') AS run, ", quoted(name)))
}

fn parts_provider(run: &RunSource, table: RunTable) -> Result<Arc<dyn TableProvider>> {
    let schema = table.schema();
    let folder = format!("{}/", table.name());
    let parts: Vec<&PartEntry> = run
        .manifest
        .parts
        .iter()
        .filter(|part| part.path.starts_with(&folder))
        .collect();
    if parts.is_empty() {
        let empty = RecordBatch::new_empty(Arc::clone(&schema));
        return Ok(Arc::new(MemTable::try_new(schema, vec![vec![empty]])?));
    }
    let urls = parts
        .into_iter()
        .map(|part| {
            let path = present(run, part)?;
            let Ok(url) = Url::from_file_path(&path) else {
                return plan_err!("{} is no file path", path.display());
            };
            ListingTableUrl::try_new(url, None)
        })
        .collect::<Result<Vec<_>>>()?;
    let options =
        ListingOptions::new(Arc::new(ParquetFormat::default())).with_file_extension(".parquet");
    let config = ListingTableConfig::new_with_multi_paths(urls)
        .with_listing_options(options)
        .with_schema(schema);
    Ok(Arc::new(ListingTable::try_new(config)?))
}

fn present(run: &RunSource, part: &PartEntry) -> Result<PathBuf> {
    let path = present_part(&run.root, &run.manifest.run, part);
    let path = path.map_err(|error| DataFusionError::Plan(error.to_string()))?;
    Ok(std::fs::canonicalize(&path)?)
}

fn plan_batch(runs: &[RunSource]) -> Result<RecordBatch> {
    let (mut names, mut datasets, mut systems) = (Vec::new(), Vec::new(), Vec::new());
    let (mut epochs, mut scorers) = (Vec::new(), Vec::new());
    for run in runs {
        let study = recorded_study(run)?;
        for dataset in &study.dataset {
            let scorer = study
                .scorer
                .iter()
                .find(|scorer| scorer.datasets.contains(&dataset.name))
                .map(|scorer| scorer.display_name().to_owned());
            for system in study
                .system
                .iter()
                .filter(|system| system.runs_on(&dataset.name))
            {
                names.push(run.manifest.run.clone());
                datasets.push(dataset.name.clone());
                systems.push(system.name.clone());
                epochs.push(i64::from(study.study.epochs));
                scorers.push(scorer.clone());
            }
        }
    }
    let text =
        |values: Vec<String>| Arc::new(StringViewArray::from_iter_values(values)) as ArrayRef;
    let field = |name: &str, kind: DataType| Field::new(name, kind, true);
    let mut fields = vec![
        field("dataset", DataType::Utf8View),
        field("system", DataType::Utf8View),
        field("epochs", DataType::Int64),
        field("scorer", DataType::Utf8View),
    ];
    let mut columns = vec![
        text(datasets),
        text(systems),
        Arc::new(Int64Array::from(epochs)) as ArrayRef,
        Arc::new(StringViewArray::from_iter(scorers)) as ArrayRef,
    ];
    if runs.len() > 1 {
        fields.insert(0, field("run", DataType::Utf8View));
        columns.insert(0, text(names));
    }
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}

fn recorded_study(run: &RunSource) -> Result<Study> {
    serde_json::from_value(run.manifest.study.clone()).map_err(|error| {
        DataFusionError::Plan(format!(
            "the study in the manifest of '{}' cannot be read: {error}",
            run.manifest.run
        ))
    })
}

fn scorers_batch(runs: &[RunSource]) -> Result<RecordBatch> {
    let (mut names, mut scorers, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
    for run in runs {
        for scorer in &recorded_study(run)?.scorer {
            names.push(run.manifest.run.clone());
            scorers.push(scorer.display_name().to_owned());
            kinds.push(scorer.kind.as_str().to_owned());
        }
    }
    let mut columns = vec![("scorer", scorers), ("kind", kinds)];
    if runs.len() > 1 {
        columns.insert(0, ("run", names));
    }
    let fields: Vec<Field> = columns
        .iter()
        .map(|(name, _)| Field::new(*name, DataType::Utf8View, true))
        .collect();
    let arrays = columns
        .into_iter()
        .map(|(_, values)| Arc::new(StringViewArray::from_iter_values(values)) as ArrayRef)
        .collect();
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)?)
}
