//! Result tables of a run: those beside it when they are newer than its manifest, else made again.

use std::fs;
use std::sync::Arc;

use consilium_core::Table;
use consilium_core::study::TableSpec;
use consilium_query::SessionContext;
use consilium_query::table::evaluate_tables;
use consilium_review::LibraryError;

use super::blocking;
use super::shelf::ShelvedRun;
use crate::run::{TableFolder, session_over, table_context, table_specs};

/// The table that headline accuracies are taken from.
const ACCURACY: &str = "accuracy";

/// The tables of a run's report; none before it was scored.
pub(super) async fn of_run(shelved: &ShelvedRun) -> Result<Arc<[Table]>, LibraryError> {
    let manifest = shelved.run().manifest();
    if !is_scored(shelved) {
        return Ok(Arc::default());
    }
    let specs = table_specs(manifest)
        .map_err(|error| LibraryError::because("the tables of a run are not known", error))?;
    let mut kept = shelved.tables.lock().await;
    let (folder, names) = (folder_of(shelved), presets(&specs));
    let current = blocking(move || Ok(folder.current(&names))).await?;
    let written = current.as_ref().map(|(written, _)| *written);
    if let Some((known, tables)) = &*kept
        && (*known == written || known.is_none())
    {
        return Ok(Arc::clone(tables));
    }
    let tables = if let Some((_, names)) = current {
        let folder = folder_of(shelved);
        blocking(move || read(&folder, &names)).await?
    } else {
        let session = session_over(&[shelved.source()])
            .await
            .map_err(|error| LibraryError::because("a run cannot be queried", error))?;
        make(shelved, &session, &specs).await?
    };
    // As in a report: a table that nothing fills is left out.
    let tables: Arc<[Table]> = tables
        .into_iter()
        .filter(|table| !table.rows.is_empty())
        .collect();
    *kept = Some((written, Arc::clone(&tables)));
    Ok(tables)
}

/// The table of accuracies, whether or not the report has it; `None` before the run was scored.
pub(super) async fn accuracy(
    shelved: &ShelvedRun,
    session: &SessionContext,
) -> Result<Option<Table>, LibraryError> {
    if !is_scored(shelved) {
        return Ok(None);
    }
    let folder = folder_of(shelved);
    let beside = blocking(move || match folder.current(&[ACCURACY.to_owned()]) {
        Some((_, names)) => read(&folder, &names),
        None => Ok(Vec::new()),
    })
    .await?;
    if let Some(table) = beside.into_iter().next() {
        return Ok(Some(table));
    }
    let spec = TableSpec {
        preset: ACCURACY.to_owned(),
        title: None,
        baseline: None,
    };
    Ok(make(shelved, session, &[spec]).await?.into_iter().next())
}

fn is_scored(shelved: &ShelvedRun) -> bool {
    let parts = &shelved.run().manifest().parts;
    parts.iter().any(|part| part.path.starts_with("scores/"))
}

fn folder_of(shelved: &ShelvedRun) -> TableFolder {
    TableFolder::of(shelved.run().directory().root())
}

fn presets(specs: &[TableSpec]) -> Vec<String> {
    specs.iter().map(|spec| spec.preset.clone()).collect()
}

async fn make(
    shelved: &ShelvedRun,
    session: &SessionContext,
    specs: &[TableSpec],
) -> Result<Vec<Table>, LibraryError> {
    let context = table_context(&[shelved.source()]);
    evaluate_tables(session, specs, context)
        .await
        .map_err(|error| LibraryError::because("the tables of a run cannot be made", error))
}

fn read(folder: &TableFolder, names: &[String]) -> Result<Vec<Table>, LibraryError> {
    names
        .iter()
        .map(|name| {
            let unreadable = |error: LibraryError| {
                error.showing(format!(
                    "The file tables/{name}.json of this run cannot be read; consilium score writes it again \
                     from the recorded answers."
                ))
            };
            let text = fs::read(folder.table(name)).map_err(|error| {
                unreadable(LibraryError::because("a table cannot be read", error))
            })?;
            serde_json::from_slice(&text)
                .map_err(|error| unreadable(LibraryError::because("a table is damaged", error)))
        })
        .collect()
}
