//! Rows of the work list as work items.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::RecordBatch;
use consilium_core::{
    AnswerForm, CaseView, ChoiceOption, SampleExecutor, SampleFuture, SampleKey, WorkItem,
};
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::operator::FanOutWork;

/// Samples that are executed by their solvers.
#[derive(Debug)]
pub(super) struct SampleWork(pub(super) Arc<dyn SampleExecutor>);

impl FanOutWork for SampleWork {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn futures(&self, batch: &RecordBatch) -> Result<Vec<SampleFuture>> {
        let items = work_items(batch)?.into_iter();
        Ok(items
            .map(|item| Arc::clone(&self.0).execute(item))
            .collect())
    }
}

/// One row of `work.sql`: the columns of a case without gold, and what is to be done with it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkRow {
    dataset: Arc<str>,
    case_id: Arc<str>,
    source: String,
    language: String,
    answer_form: AnswerForm,
    specialty: Option<String>,
    prevalence: Option<String>,
    labels: Option<BTreeMap<String, String>>,
    input: String,
    options: Option<Vec<ChoiceOption>>,
    system: Arc<str>,
    epoch: u32,
    attempt: u32,
}

/// Reads a batch of the work list.
///
/// Rows pass through JSON: ten microseconds a sample buy one definition of the columns.
fn work_items(batch: &RecordBatch) -> Result<Vec<WorkItem>> {
    let mut bytes = Vec::new();
    let mut writer = arrow::json::LineDelimitedWriter::new(&mut bytes);
    writer.write(batch)?;
    writer.finish()?;
    drop(writer);
    serde_json::Deserializer::from_slice(&bytes)
        .into_iter::<WorkRow>()
        .map(|row| row.map_err(external).and_then(item))
        .collect()
}

fn item(row: WorkRow) -> Result<WorkItem> {
    let input: Map<String, Value> = serde_json::from_str(&row.input).map_err(external)?;
    let key = SampleKey {
        dataset: Arc::clone(&row.dataset),
        case_id: Arc::clone(&row.case_id),
        system: row.system,
        epoch: row.epoch,
    };
    let case = CaseView {
        dataset: row.dataset,
        case_id: row.case_id,
        source: row.source,
        language: row.language,
        answer_form: row.answer_form,
        specialty: row.specialty,
        prevalence: row.prevalence,
        labels: row.labels.unwrap_or_default(),
        input,
        options: row.options.unwrap_or_default(),
    };
    Ok(WorkItem {
        key,
        attempt: row.attempt,
        case: Arc::new(case),
    })
}

fn external(error: serde_json::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
