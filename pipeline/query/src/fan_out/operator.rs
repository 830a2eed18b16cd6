//! `FanOutExec`: bounded concurrency over a stream of work items.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow::array::{RecordBatch, StringArray, UInt32Array};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use consilium_core::{FinishedSample, RunStopped, SampleFuture};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, ExecutionPlanProperties as _,
    PhysicalExpr, PlanProperties,
};
use futures::StreamExt as _;
use tokio::sync::mpsc::Sender;
use tokio::task::JoinSet;

/// Finished samples per output batch at most; fewer when the executor is slow.
const BATCH_ROWS: usize = 256;

/// How long finished samples gather: each output wakes the thread that counts them.
const SEND_EVERY: Duration = Duration::from_millis(100);

/// What is done with the rows of a work list.
pub trait FanOutWork: fmt::Debug + Send + Sync {
    /// Largest number of samples worth holding in flight at once, at least 1.
    fn width(&self) -> usize;

    /// One future for each row of a batch, in order; nothing happens before they are polled.
    ///
    /// # Errors
    /// When a row cannot be read.
    fn futures(&self, batch: &RecordBatch) -> Result<Vec<SampleFuture>>;
}

/// Executes every work item of its input and yields the finished samples as they come.
///
/// The input is case-major, so that systems advance together. It is pulled only as fast as samples end: at
/// most [`FanOutWork::width`] are in flight.
pub struct FanOutExec {
    input: Arc<dyn ExecutionPlan>,
    work: Arc<dyn FanOutWork>,
    properties: Arc<PlanProperties>,
}

impl FanOutExec {
    /// Wraps a work list.
    pub fn new(input: Arc<dyn ExecutionPlan>, work: Arc<dyn FanOutWork>) -> Self {
        // A draw from each of several datasets is a partition of its own. All of them are work, and a join
        // lets none begin before every one has asked it.
        let input = if input.output_partitioning().partition_count() > 1 {
            Arc::new(CoalescePartitionsExec::new(input)) as Arc<dyn ExecutionPlan>
        } else {
            input
        };
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(finished_schema()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        Self {
            input,
            work,
            properties,
        }
    }
}

fn finished_schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("dataset", DataType::Utf8, false),
        Field::new("case_id", DataType::Utf8, false),
        Field::new("system", DataType::Utf8, false),
        Field::new("epoch", DataType::UInt32, false),
        Field::new("attempt", DataType::UInt32, false),
        Field::new("outcome", DataType::Utf8, false),
    ]))
}

impl fmt::Debug for FanOutExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FanOutExec")
            .field("work", &self.work)
            .finish_non_exhaustive()
    }
}

impl DisplayAs for FanOutExec {
    fn fmt_as(&self, _format: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FanOutExec: width={}", self.work.width())
    }
}

impl ExecutionPlan for FanOutExec {
    fn name(&self) -> &'static str {
        "FanOutExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (Some(child), true) = (children.pop(), children.is_empty()) else {
            return internal_err!("FanOutExec takes one input");
        };
        Ok(Arc::new(Self::new(child, Arc::clone(&self.work))))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        if partition != 0 {
            return exec_err!("FanOutExec has one partition, not {partition}");
        }
        let input = self.input.execute(0, context)?;
        let work = Arc::clone(&self.work);
        let mut builder = RecordBatchReceiverStreamBuilder::new(finished_schema(), 4);
        let sender = builder.tx();
        builder.spawn(async move { drive(input, work, sender).await });
        Ok(builder.build())
    }
}

/// Pulls work, keeps `width` samples in flight, sends what has ended.
///
/// After a stop no new work is pulled; samples in flight come to their own end first, so that what
/// they paid for is recorded.
async fn drive(
    mut input: SendableRecordBatchStream,
    work: Arc<dyn FanOutWork>,
    sender: Sender<Result<RecordBatch>>,
) -> Result<()> {
    let width = work.width().max(1);
    let mut waiting: VecDeque<SampleFuture> = VecDeque::new();
    let mut running: JoinSet<Result<FinishedSample, RunStopped>> = JoinSet::new();
    let mut finished: Vec<FinishedSample> = Vec::new();
    let mut exhausted = false;
    let mut stopped: Option<RunStopped> = None;
    let mut sent = Instant::now();
    loop {
        while stopped.is_none() && running.len() < width {
            if let Some(item) = waiting.pop_front() {
                running.spawn(item);
            } else if exhausted {
                break;
            } else {
                match input.next().await {
                    Some(batch) => waiting.extend(work.futures(&batch?)?),
                    None => exhausted = true,
                }
            }
        }
        let Some(joined) = running.join_next().await else {
            break;
        };
        match joined {
            Ok(Ok(sample)) => finished.push(sample),
            Ok(Err(reason)) => {
                stopped.get_or_insert(reason);
            }
            Err(error) => return Err(DataFusionError::External(Box::new(error))),
        }
        let is_due = finished.len() == BATCH_ROWS || sent.elapsed() >= SEND_EVERY;
        if is_due && !finished.is_empty() {
            sent = Instant::now();
            let rows = finished_batch(&std::mem::take(&mut finished))?;
            if sender.send(Ok(rows)).await.is_err() {
                return Ok(());
            }
        }
    }
    if !finished.is_empty() && sender.send(Ok(finished_batch(&finished)?)).await.is_err() {
        return Ok(());
    }
    if let Some(reason) = stopped {
        // In the order of the batches: an error of the task itself may overtake those that wait.
        let reason = DataFusionError::External(Box::new(reason));
        let _listened = sender.send(Err(reason)).await;
    }
    Ok(())
}

fn finished_batch(samples: &[FinishedSample]) -> Result<RecordBatch> {
    let text = |of: fn(&FinishedSample) -> &str| {
        Arc::new(StringArray::from_iter_values(samples.iter().map(of))) as _
    };
    let number = |of: fn(&FinishedSample) -> u32| {
        Arc::new(UInt32Array::from_iter_values(samples.iter().map(of))) as _
    };
    Ok(RecordBatch::try_new(
        finished_schema(),
        vec![
            text(|sample| &sample.key.dataset),
            text(|sample| &sample.key.case_id),
            text(|sample| &sample.key.system),
            number(|sample| sample.key.epoch),
            number(|sample| sample.attempt),
            text(|sample| sample.outcome.as_str()),
        ],
    )?)
}
