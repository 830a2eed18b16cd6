//! The plan of `consilium run`: scan → filter → × → anti-join → fan-out.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int32Array, ListArray, RecordBatch, StringArray, StringViewArray, StructArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields, Schema};
use consilium_core::{FinishedSample, Outcome, RunStopped, SampleExecutor, SampleKey};
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::physical_plan::{ExecutionPlan, displayable, execute_stream};
use datafusion::prelude::SessionContext;
use futures::StreamExt as _;

use super::operator::FanOutExec;
use super::work::SampleWork;
use crate::cases::{Draw, draw_sql, quoted};
use crate::session::counts;

/// Which system runs on which dataset how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Dataset.
    pub dataset: String,
    /// System.
    pub system: String,
    /// Repetitions.
    pub epochs: u32,
}

/// What one execution takes of the study's cases; none of it changes the study's identity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Seeded draw of this many cases per dataset.
    pub limit: Option<u64>,
    /// Part `i` of `n`, from 1, by hash of the case.
    pub shard: Option<(u64, u64)>,
    /// Seed of the study.
    pub seed: u64,
    /// Whether samples that failed for lack of infrastructure get another attempt.
    pub retry_failed: bool,
}

/// A work list over registered `cases` and `samples`.
#[derive(Clone, Debug)]
pub struct Work {
    /// Systems by dataset, in the order in which they take turns.
    pub assignments: Vec<Assignment>,
    /// What this execution takes.
    pub selection: Selection,
}

/// Why a work list could not be executed to its end.
#[derive(Debug, thiserror::Error)]
pub enum FanOutError {
    /// The run was stopped.
    #[error(transparent)]
    Stopped(RunStopped),
    /// The plan failed.
    #[error("execute the work list")]
    Plan(#[source] DataFusionError),
}

impl From<DataFusionError> for FanOutError {
    fn from(error: DataFusionError) -> Self {
        match error {
            DataFusionError::External(inner) => match inner.downcast::<RunStopped>() {
                Ok(stopped) => Self::Stopped(*stopped),
                Err(inner) => Self::Plan(DataFusionError::External(inner)),
            },
            DataFusionError::Context(_, inner) => Self::from(*inner),
            other => Self::Plan(other),
        }
    }
}

/// Executes the work list of a session and reports every finished sample.
///
/// # Errors
/// When the executor stops the run or the plan fails.
pub async fn run_work(
    session: &SessionContext,
    work: &Work,
    executor: Arc<dyn SampleExecutor>,
    mut each: impl FnMut(FinishedSample),
) -> Result<(), FanOutError> {
    let plan = fan_out_plan(session, work, executor).await?;
    let mut stream = execute_stream(plan, session.task_ctx())?;
    while let Some(batch) = stream.next().await {
        for sample in finished_samples(&batch?)? {
            each(sample);
        }
    }
    Ok(())
}

/// The physical plan as text, for `--explain`.
///
/// # Errors
/// When the plan cannot be made.
pub async fn explain_work(
    session: &SessionContext,
    work: &Work,
    executor: Arc<dyn SampleExecutor>,
) -> Result<String> {
    let plan = fan_out_plan(session, work, executor).await?;
    Ok(displayable(plan.as_ref()).indent(false).to_string())
}

/// Samples that the work list would execute, by system in order of assignment.
///
/// # Errors
/// When the plan fails.
pub async fn count_work(session: &SessionContext, work: &Work) -> Result<Vec<(String, u64)>> {
    let sql = work_sql(session, work)?;
    let counted = format!("SELECT system, count(*) AS samples FROM ({sql}) GROUP BY system");
    let counts: BTreeMap<String, u64> = counts(session, &counted).await?.into_iter().collect();
    let mut named: Vec<(String, u64)> = Vec::new();
    for assignment in &work.assignments {
        if !named.iter().any(|(system, _)| *system == assignment.system) {
            let count = counts.get(&assignment.system).copied().unwrap_or(0);
            named.push((assignment.system.clone(), count));
        }
    }
    Ok(named)
}

async fn fan_out_plan(
    session: &SessionContext,
    work: &Work,
    executor: Arc<dyn SampleExecutor>,
) -> Result<Arc<dyn ExecutionPlan>> {
    let sql = work_sql(session, work)?;
    let plan = session.sql(&sql).await?.create_physical_plan().await?;
    let work = Arc::new(SampleWork(executor));
    Ok(Arc::new(FanOutExec::new(plan, work)))
}

/// Registers what `work.sql` needs beside `cases` and `finished`, and returns its text.
fn work_sql(session: &SessionContext, work: &Work) -> Result<String> {
    session.deregister_table("assignments")?;
    session.register_batch("assignments", assignments_batch(&work.assignments)?)?;
    let sql = include_str!("work.sql");
    let sql = match selected_cases_sql(work) {
        Some(selected) => sql.replace("JOIN cases ON", &format!("JOIN ({selected}) AS cases ON")),
        None => sql.to_owned(),
    };
    Ok(if work.selection.retry_failed {
        // The attempt after the last one; the order of the work list is that of the right side.
        format!(
            "SELECT work.* EXCEPT (attempt), CAST(coalesce(latest.attempt, 0) + 1 AS INT) AS attempt \
             FROM latest RIGHT JOIN ({sql}) AS work ON latest.dataset = work.dataset AND \
             latest.case_id = work.case_id AND latest.system = work.system AND latest.epoch = work.epoch"
        )
    } else {
        sql
    })
}

/// The cases that this execution takes; `None` when it takes all of them.
fn selected_cases_sql(work: &Work) -> Option<String> {
    let Selection {
        limit, shard, seed, ..
    } = work.selection;
    if limit.is_none() && shard.is_none() {
        return None;
    }
    let mut datasets: Vec<&str> = work
        .assignments
        .iter()
        .map(|a| a.dataset.as_str())
        .collect();
    datasets.dedup();
    let parts: Vec<String> = datasets
        .into_iter()
        .map(|dataset| {
            let mut predicates = vec![format!("dataset = {}", quoted(dataset))];
            if let Some((index, count)) = shard {
                predicates.push(format!(
                    "seeded_hash({seed}, case_key(dataset, case_id)) % {count} = {}",
                    index - 1
                ));
            }
            draw_sql(&Draw {
                table: "cases",
                predicate: Some(predicates.join(" AND ")),
                limit,
                stratify: None,
                seed,
            })
        })
        .collect();
    Some(parts.join("\nUNION ALL\n"))
}

/// One row per dataset with the list of (system, epoch), so that × stays a stream in case order.
fn assignments_batch(assignments: &[Assignment]) -> Result<RecordBatch> {
    let mut datasets: Vec<&str> = Vec::new();
    for assignment in assignments {
        if !datasets.contains(&assignment.dataset.as_str()) {
            datasets.push(&assignment.dataset);
        }
    }
    let (mut systems, mut epochs, mut lengths) = (Vec::new(), Vec::new(), Vec::new());
    for dataset in &datasets {
        let of_dataset: Vec<&Assignment> = assignments
            .iter()
            .filter(|assignment| assignment.dataset == *dataset)
            .collect();
        let rounds = of_dataset
            .iter()
            .map(|assignment| assignment.epochs)
            .max()
            .unwrap_or(0);
        let before = systems.len();
        for epoch in 1..=rounds {
            for assignment in of_dataset
                .iter()
                .filter(|assignment| epoch <= assignment.epochs)
            {
                systems.push(assignment.system.as_str());
                epochs.push(i32::try_from(epoch).unwrap_or(i32::MAX));
            }
        }
        lengths.push(systems.len() - before);
    }
    let item_fields = Fields::from(vec![
        Field::new("system", DataType::Utf8View, false),
        Field::new("epoch", DataType::Int32, false),
    ]);
    let items = StructArray::try_new(
        item_fields.clone(),
        vec![
            Arc::new(StringViewArray::from_iter_values(systems)) as ArrayRef,
            Arc::new(Int32Array::from(epochs)),
        ],
        None,
    )?;
    let item = Arc::new(Field::new("item", DataType::Struct(item_fields), false));
    let work = ListArray::try_new(
        Arc::clone(&item),
        OffsetBuffer::from_lengths(lengths),
        Arc::new(items),
        None,
    )?;
    let schema = Schema::new(vec![
        Field::new("dataset", DataType::Utf8View, false),
        Field::new("work", DataType::List(item), false),
    ]);
    Ok(RecordBatch::try_new(
        Arc::new(schema),
        vec![
            Arc::new(StringViewArray::from_iter_values(datasets)),
            Arc::new(work),
        ],
    )?)
}

pub(super) fn finished_samples(batch: &RecordBatch) -> Result<Vec<FinishedSample>> {
    let text = |index: usize| arrow::array::cast::as_string_array(batch.column(index));
    let number = |index: usize| {
        arrow::array::cast::as_primitive_array::<arrow::datatypes::UInt32Type>(batch.column(index))
    };
    let (dataset, case_id, system, outcome): (
        &StringArray,
        &StringArray,
        &StringArray,
        &StringArray,
    ) = (text(0), text(1), text(2), text(5));
    let (epoch, attempt) = (number(3), number(4));
    (0..batch.num_rows())
        .map(|row| {
            let outcome = Outcome::parse(outcome.value(row)).ok_or_else(|| {
                DataFusionError::Internal(format!("unknown outcome '{}'", outcome.value(row)))
            })?;
            Ok(FinishedSample {
                key: SampleKey::new(
                    dataset.value(row),
                    case_id.value(row),
                    system.value(row),
                    epoch.value(row),
                ),
                attempt: attempt.value(row),
                outcome,
            })
        })
        .collect()
}
