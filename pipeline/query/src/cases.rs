//! Which cases a study asks: filter, predicate and seeded draw, as SQL over the case schema.

use std::path::Path;

use consilium_core::study::DatasetSpec;
use consilium_store::RunTable;
use datafusion::common::{DFSchema, Result, plan_err};
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;

use crate::case_table::CaseTable;

/// A seeded draw from a table of cases.
#[derive(Clone, Debug)]
pub(crate) struct Draw<'a> {
    pub(crate) table: &'a str,
    pub(crate) predicate: Option<String>,
    pub(crate) limit: Option<u64>,
    pub(crate) stratify: Option<String>,
    pub(crate) seed: u64,
}

/// Whether the query of [`dataset_cases_sql`] leaves nothing out.
pub(crate) fn selects_all(spec: &DatasetSpec) -> bool {
    spec.filter.is_empty() && spec.predicate.is_none() && spec.limit.is_none()
}

/// Registers a dataset under its own table and returns the query that selects its cases.
///
/// # Errors
/// When the table cannot be registered.
pub fn dataset_cases_sql(
    session: &SessionContext,
    spec: &DatasetSpec,
    study_folder: &Path,
    seed: u64,
) -> Result<String> {
    let table = format!("dataset:{}", spec.name);
    session.register_table(
        datafusion::common::TableReference::bare(table.as_str()),
        CaseTable::provider(spec, study_folder)?,
    )?;
    let mut predicates: Vec<String> = spec
        .filter
        .iter()
        .map(|(column, values)| {
            let values: Vec<String> = values.values().iter().map(|value| quoted(value)).collect();
            format!("{} IN ({})", column_sql(column), values.join(", "))
        })
        .collect();
    if let Some(predicate) = &spec.predicate {
        check_predicate(session, predicate)?;
        predicates.push(format!("({predicate})"));
    }
    Ok(draw_sql(&Draw {
        table: &identifier(&table),
        predicate: (!predicates.is_empty()).then(|| predicates.join(" AND ")),
        limit: spec.limit,
        stratify: spec.stratify.as_deref().map(column_sql),
        seed,
    }))
}

/// A predicate must be one expression, and give the same cases whenever it is asked.
fn check_predicate(session: &SessionContext, predicate: &str) -> Result<()> {
    let schema = DFSchema::try_from(RunTable::Cases.schema())?;
    let expression = session
        .parse_sql_expr(predicate, &schema)
        .map_err(|error| {
            DataFusionError::Plan(format!(
                "where is no predicate: {}",
                error.strip_backtrace()
            ))
        })?;
    if expression.is_volatile() {
        return plan_err!("where calls a function that gives another value each time");
    }
    Ok(())
}

/// Registers `cases` as the selected cases of every dataset, read from the source files.
///
/// # Errors
/// When a filter or predicate does not fit the case schema.
pub async fn register_source_cases(
    session: &SessionContext,
    datasets: &[DatasetSpec],
    study_folder: &Path,
    seed: u64,
) -> Result<()> {
    let queries = datasets
        .iter()
        .map(|spec| dataset_cases_sql(session, spec, study_folder, seed))
        .collect::<Result<Vec<_>>>()?;
    let view = session
        .sql(&queries.join("\nUNION ALL\n"))
        .await?
        .into_view();
    session.register_table("cases", view)?;
    Ok(())
}

/// SQL of a draw: in file order, without content in memory beyond the identifiers.
///
/// Cases are ranked by a hash of seed and identifier. With strata each case is ranked at
/// (position − ½) ÷ size of its stratum, so that every prefix is proportional.
pub(crate) fn draw_sql(draw: &Draw<'_>) -> String {
    let Draw {
        table,
        predicate,
        limit,
        stratify,
        seed,
    } = draw;
    let filter = predicate
        .as_ref()
        .map_or(String::new(), |predicate| format!(" WHERE {predicate}"));
    let Some(limit) = limit else {
        return format!("SELECT * FROM {table}{filter}");
    };
    let hash = format!("seeded_hash({seed}, case_key(dataset, case_id))");
    let ranked = match stratify {
        None => {
            format!("SELECT case_id AS drawn, {hash} AS place, {hash} AS tie FROM {table}{filter}")
        }
        Some(stratum) => format!(
            "SELECT case_id AS drawn, \
             (row_number() OVER (PARTITION BY {stratum} ORDER BY {hash}, case_id) - 0.5) \
             / count(*) OVER (PARTITION BY {stratum}) AS place, {hash} AS tie FROM {table}{filter}"
        ),
    };
    format!(
        "SELECT source_cases.* FROM \
         (SELECT drawn FROM ({ranked}) ORDER BY place, tie, drawn LIMIT {limit}) AS draw \
         RIGHT SEMI JOIN (SELECT * FROM {table}{filter}) AS source_cases \
         ON draw.drawn = source_cases.case_id"
    )
}

/// A case column or subgroup label as SQL.
fn column_sql(name: &str) -> String {
    match name.strip_prefix("labels.") {
        Some(label) => format!("labels[{}]", quoted(label)),
        None => identifier(name),
    }
}

/// A quoted identifier.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A quoted text literal.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
