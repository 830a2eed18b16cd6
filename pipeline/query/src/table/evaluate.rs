//! From a preset and a session to a result table.

use arrow::compute::concat_batches;
use consilium_core::study::TableSpec;
use consilium_core::{Cell, Column, Table};
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;

use super::cells::{Reading, cell};
use super::notes;
use super::preset::{PRESET_NAMES, Preset, preset};
use crate::cases::{identifier, quoted};

/// Replicates of every bootstrap interval in the built-in tables.
const REPLICATES: u32 = 2000;

/// Printed under every table that shows scores of a judge nobody has compared with experts.
const JUDGE_NOT_VALIDATED: &str = "Judge not validated: no expert-labelled subset has been compared \
     with the verdicts of the model that judged.";

/// What tables need to know of the runs behind a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableContext {
    /// Seed of the study, written into the queries.
    pub seed: u64,
    /// Whether any case was asked more than once, so that rows of a case belong together.
    pub repeated: bool,
    /// Whether the session holds several runs.
    pub several_runs: bool,
    /// Whether every judge behind the scores was compared with an expert-labelled subset.
    pub judges_validated: bool,
    /// When tables by subgroup have rows.
    pub by_subgroup: BySubgroup,
}

/// When a table by subgroup has rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BySubgroup {
    /// Always; cases without a subgroup are of an unknown one.
    Always,
    /// Where some case has a subgroup: of cases that have none it says what the table over all cases says.
    WhereKnown,
}

/// Why a table could not be made.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// No built-in table has this name.
    #[error("make table '{name}': no table is called so; there are {}", PRESET_NAMES.join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// The query failed.
    #[error("make table '{name}'")]
    Query {
        /// Table.
        name: String,
        /// Cause.
        #[source]
        source: DataFusionError,
    },
    /// The kinds of scorers could not be read.
    #[error("find which scorers have scored")]
    Remarks {
        /// Cause.
        #[source]
        source: DataFusionError,
    },
    /// The description of a built-in table is wrong, which is a defect.
    #[error("read the description of table '{name}'")]
    Description {
        /// Table.
        name: String,
        /// Cause.
        #[source]
        source: toml::de::Error,
    },
}

/// Makes the named tables in order.
///
/// # Errors
/// When a name is unknown or a query fails.
pub async fn evaluate_tables(
    session: &SessionContext,
    specs: &[TableSpec],
    context: TableContext,
) -> Result<Vec<Table>, TableError> {
    let mut tables = Vec::with_capacity(specs.len());
    let notes = notes::score_notes(session, context)
        .await
        .map_err(|source| TableError::Remarks { source })?;
    for spec in specs {
        let mut preset = load(&spec.preset)?;
        if let Some(title) = &spec.title {
            preset.title.clone_from(title);
        }
        let baseline = spec.baseline.as_deref().unwrap_or_default();
        let sql = resolve(&preset, context).replace("{baseline}", &quoted(baseline));
        let table = read(session, &preset, sql, (context, &notes))
            .await
            .map_err(|source| TableError::Query {
                name: spec.preset.clone(),
                source,
            })?;
        tables.push(table);
    }
    Ok(tables)
}

/// Makes a table again from the query that it prints, read as its preset reads it.
///
/// # Errors
/// When the table's name is unknown or its query fails.
pub async fn recompute(
    session: &SessionContext,
    table: &Table,
    context: TableContext,
) -> Result<Table, TableError> {
    let preset = Preset {
        title: table.title.clone(),
        ..load(&table.name)?
    };
    // Whoever wrote the table decided.
    let context = TableContext {
        by_subgroup: BySubgroup::Always,
        ..context
    };
    let query = async {
        let notes = notes::score_notes(session, context).await?;
        read(session, &preset, table.sql.clone(), (context, &notes)).await
    };
    query.await.map_err(|source| TableError::Query {
        name: table.name.clone(),
        source,
    })
}

fn load(name: &str) -> Result<Preset, TableError> {
    preset(name)
        .ok_or_else(|| TableError::Unknown {
            name: name.to_owned(),
        })?
        .map_err(|source| TableError::Description {
            name: name.to_owned(),
            source,
        })
}

/// Writes the parameters into a query, so that what is printed runs as it stands.
fn resolve(preset: &Preset, context: TableContext) -> String {
    let sql = preset
        .sql
        .replace("{subgroup}", preset.subgroup.as_deref().unwrap_or_default());
    let TableContext {
        seed,
        repeated,
        several_runs,
        ..
    } = context;
    let accuracy = if repeated {
        format!(
            "bootstrap_ci(value, case_key(scores.dataset, scores.case_id), {seed}, {REPLICATES})"
        )
    } else {
        "wilson_ci(value)".to_owned()
    };
    let (run, same_run) = if several_runs {
        (
            ("scores.run, ", "plan.run, ", "run, "),
            " AND scores.run = cases.run",
        )
    } else {
        (("", "", ""), "")
    };
    let plan_run = if several_runs {
        " AND scores.run = plan.run"
    } else {
        ""
    };
    let plan_cases = if several_runs {
        " AND cases.run = plan.run"
    } else {
        ""
    };
    let same = |table: &str| match table {
        _ if !several_runs => "",
        "samples" => " AND samples.run = scores.run",
        _ => " AND other.run = scores.run",
    };
    let (scorers_run, partition) = if several_runs {
        (" AND scorers.run = scores.run", "PARTITION BY run")
    } else {
        ("", "")
    };
    sql.replace("{accuracy}", &accuracy)
        .replace("{same_scorers_run}", scorers_run)
        .replace("{partition}", partition)
        .replace("{seed}", &seed.to_string())
        .replace("{reps}", &REPLICATES.to_string())
        .replace("{scores_run}", run.0)
        .replace("{plan_run}", run.1)
        .replace("{run}", run.2)
        .replace("{same_run}", same_run)
        .replace("{same_plan_run}", plan_run)
        .replace("{same_cases_run}", plan_cases)
        .replace("{same_samples_run}", same("samples"))
        .replace("{same_other_run}", same("other"))
        .trim_end()
        .to_owned()
}

/// Whether any number rests on the scores of a judge.
fn shows_judge_scores(rows: &[Vec<Cell>]) -> bool {
    rows.iter().flatten().any(|cell| match cell {
        Cell::Estimate(estimate) => estimate
            .signature
            .iter()
            .flat_map(|signature| signature.split(" + "))
            .any(|signature| signature.starts_with("judge|")),
        _ => false,
    })
}

fn method(text: &str, context: TableContext) -> String {
    let bootstrap = format!(
        "95 % percentile bootstrap resampling cases, {REPLICATES} replicates, seed {}",
        context.seed
    );
    let accuracy = if context.repeated {
        bootstrap.clone()
    } else {
        "95 % Wilson score interval".to_owned()
    };
    text.replace("{accuracy_method}", &accuracy)
        .replace("{bootstrap_method}", &bootstrap)
}

/// Whether any case has a subgroup of this column.
async fn is_known(session: &SessionContext, column: &str) -> Result<bool, DataFusionError> {
    let column = identifier(column);
    let known = format!("SELECT count(*) FROM cases WHERE trim({column}) <> ''");
    Ok(crate::count(session, &known).await? > 0)
}

async fn read(
    session: &SessionContext,
    preset: &Preset,
    sql: String,
    (context, score_notes): (TableContext, &[String]),
) -> Result<Table, DataFusionError> {
    let frame = session.sql(&sql).await?;
    let schema = std::sync::Arc::new(frame.schema().as_arrow().clone());
    let batches = match &preset.subgroup {
        Some(column)
            if context.by_subgroup == BySubgroup::WhereKnown
                && !is_known(session, column).await? =>
        {
            Vec::new()
        }
        _ => frame.collect().await?,
    };
    let batch = concat_batches(
        batches.first().map_or(&schema, |first| first.schema_ref()),
        &batches,
    )?;
    let reading = Reading {
        method: preset.method.as_deref().map(|text| method(text, context)),
        signatures: batch.column_by_name("signature").cloned(),
    };
    let mut columns: Vec<Column> = preset
        .columns
        .iter()
        .map(super::preset::PresetColumn::column)
        .collect();
    if context.several_runs {
        columns.insert(
            0,
            Column {
                name: "run".to_owned(),
                title: "Run".to_owned(),
                unit: consilium_core::Unit::Plain,
            },
        );
    }
    let rows = (0..batch.num_rows())
        .map(|row| {
            columns
                .iter()
                .map(|column| {
                    let array = batch.column_by_name(&column.name).ok_or_else(|| {
                        DataFusionError::Internal(format!(
                            "the query gives no column '{}'",
                            column.name
                        ))
                    })?;
                    cell(array, row, &reading)
                })
                .collect::<Result<Vec<Cell>, _>>()
        })
        .collect::<Result<Vec<_>, _>>()?;
    let mut notes = preset.notes.clone();
    if !context.judges_validated && shows_judge_scores(&rows) {
        notes.push(JUDGE_NOT_VALIDATED.to_owned());
    }
    let mut table = Table {
        name: preset.name.clone(),
        title: preset.title.clone(),
        columns,
        rows,
        sql,
        notes,
    };
    if let Some(few) = &preset.few {
        let notes = notes::few_notes(&table, few);
        table.notes.extend(notes);
    }
    if preset.scored {
        table.notes.extend_from_slice(score_notes);
    }
    Ok(match &preset.pivot {
        Some(pivot) => super::cells::pivoted(table, pivot),
        None => table,
    })
}
