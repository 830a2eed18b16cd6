//! The work list of a judge: samples without a settled score, with the gold of their cases.

use std::sync::Arc;

use arrow::array::RecordBatch;
use consilium_core::{AnswerExecutor, CallRow, FinishedSample, SampleFuture, ScoreRow};
use consilium_store::rows::{decode_calls, decode_scores};
use consilium_store::{RunTable, StoreError};
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::SessionContext;
use futures::StreamExt as _;

use super::operator::{FanOutExec, FanOutWork};
use super::plan::{FanOutError, finished_samples};
use crate::cases::{identifier, quoted};
use crate::pairs::{pairs, pairs_sql, part};

/// What a judge is to look at, in a session over one run.
#[derive(Clone, Copy, Debug)]
pub struct Judging<'a> {
    /// Name of the scorer.
    pub scorer: &'a str,
    /// Its signature: scores under another one are none of its own.
    pub signature: &'a str,
    /// Datasets whose samples it judges.
    pub datasets: &'a [String],
    /// Whether samples with a settled score are judged as well.
    pub everything: bool,
    /// Reason of scores that are missing for want of a verdict: they are not settled.
    pub unsettled: &'a str,
}

impl Judging<'_> {
    /// Condition on `scores` for those that stay.
    fn settled(&self) -> String {
        format!(
            "scorer = {} AND signature = {} AND coalesce(reason, '') <> {}",
            quoted(self.scorer),
            quoted(self.signature),
            quoted(self.unsettled)
        )
    }

    /// Samples, with their cases, that have no settled score of their counting attempt.
    fn sql(&self) -> String {
        if self.everything {
            return pairs_sql(self.datasets, "");
        }
        let join = format!(
            " LEFT ANTI JOIN (SELECT dataset, case_id, system, epoch, attempt FROM scores WHERE {}) AS \
             settled ON samples.dataset = settled.dataset AND samples.case_id = settled.case_id AND \
             samples.system = settled.system AND samples.epoch = settled.epoch AND samples.attempt = \
             settled.attempt",
            self.settled()
        );
        pairs_sql(self.datasets, &join)
    }
}

/// Recorded answers that are judged.
#[derive(Debug)]
struct AnswerWork(Arc<dyn AnswerExecutor>);

impl FanOutWork for AnswerWork {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn futures(&self, batch: &RecordBatch) -> Result<Vec<SampleFuture>> {
        let pairs = pairs(batch).map_err(|error| DataFusionError::External(Box::new(error)))?;
        Ok(pairs
            .into_iter()
            .map(|(sample, case)| Arc::clone(&self.0).execute(sample, case))
            .collect())
    }
}

/// Hands every sample that is to be judged to an executor and reports what has ended.
///
/// # Errors
/// When the executor stops or the plan fails.
pub async fn run_judging(
    session: &SessionContext,
    judging: &Judging<'_>,
    executor: Arc<dyn AnswerExecutor>,
    mut each: impl FnMut(FinishedSample),
) -> Result<(), FanOutError> {
    if judging.datasets.is_empty() {
        return Ok(());
    }
    let input = session
        .sql(&judging.sql())
        .await?
        .create_physical_plan()
        .await?;
    let plan = Arc::new(FanOutExec::new(input, Arc::new(AnswerWork(executor))));
    let mut stream = execute_stream(plan, session.task_ctx())?;
    while let Some(batch) = stream.next().await {
        for sample in finished_samples(&batch?)? {
            each(sample);
        }
    }
    Ok(())
}

/// Samples that [`run_judging`] would hand out.
///
/// # Errors
/// When the plan fails.
pub async fn count_judging(session: &SessionContext, judging: &Judging<'_>) -> Result<u64> {
    if judging.datasets.is_empty() {
        return Ok(0);
    }
    let sql = format!("SELECT count(*) FROM ({})", judging.sql());
    crate::session::count(session, &sql).await
}

/// Hands over the scores that stay, a batch at a time: those that [`run_judging`] leaves out.
///
/// # Errors
/// When the run's tables cannot be read or `each` fails.
pub async fn settled_scores(
    session: &SessionContext,
    judging: &Judging<'_>,
    mut each: impl FnMut(Vec<ScoreRow>) -> Result<(), StoreError>,
) -> Result<()> {
    if judging.everything || judging.datasets.is_empty() {
        return Ok(());
    }
    let schema = RunTable::Scores.schema();
    let datasets: Vec<String> = judging.datasets.iter().map(|name| quoted(name)).collect();
    let sql = format!(
        "SELECT scores.* FROM scores LEFT SEMI JOIN samples ON samples.dataset = scores.dataset AND \
         samples.case_id = scores.case_id AND samples.system = scores.system AND samples.epoch = \
         scores.epoch AND samples.attempt = scores.attempt WHERE {} AND scores.dataset IN ({})",
        judging.settled(),
        datasets.join(", ")
    );
    let mut stream = session.sql(&sql).await?.execute_stream().await?;
    while let Some(batch) = stream.next().await {
        let batch = part(&batch?, 0..schema.fields().len(), &schema)?;
        decode_scores(&batch)
            .and_then(&mut each)
            .map_err(external)?;
    }
    Ok(())
}

/// The recorded calls of a scorer, without messages and parameters: what was said, not what was asked.
///
/// # Errors
/// When the run's calls cannot be read.
pub async fn judge_calls(session: &SessionContext, scorer: &str) -> Result<Vec<CallRow>> {
    let schema = RunTable::Calls.schema();
    let columns: Vec<String> = schema
        .fields()
        .iter()
        .map(|field| match field.name().as_str() {
            name @ ("messages" | "parameters") => format!("'' AS {name}"),
            name => identifier(name),
        })
        .collect();
    let sql = format!(
        "SELECT {} FROM calls WHERE scorer = {}",
        columns.join(", "),
        quoted(scorer)
    );
    let mut stream = session.sql(&sql).await?.execute_stream().await?;
    let mut calls = Vec::new();
    while let Some(batch) = stream.next().await {
        let batch = part(&batch?, 0..schema.fields().len(), &schema)?;
        calls.extend(decode_calls(&batch).map_err(external)?);
    }
    Ok(calls)
}

fn external(error: StoreError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
