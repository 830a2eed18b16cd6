//! A dataset as a table of the case schema.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use consilium_core::study::DatasetSpec;
use consilium_store::{CaseRow, RunTable, encode};
use datafusion::catalog::TableProvider;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::common::Result;
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::streaming::PartitionStream;

use consilium_datasets::CaseReader;

/// Cases per batch: small, so that the fan-out starts early and holds little.
const BATCH_ROWS: usize = 256;

/// A dataset's file as a streaming table of the case schema.
#[derive(Clone, Debug)]
pub(crate) struct CaseTable {
    spec: DatasetSpec,
    study_folder: PathBuf,
    schema: SchemaRef,
}

impl CaseTable {
    /// The table provider of a dataset.
    ///
    /// # Errors
    /// When DataFusion refuses the table's schema, which would be a defect.
    pub(crate) fn provider(
        spec: &DatasetSpec,
        study_folder: &std::path::Path,
    ) -> Result<Arc<dyn TableProvider>> {
        let schema = RunTable::Cases.schema();
        let table = Self {
            spec: spec.clone(),
            study_folder: study_folder.to_owned(),
            schema: Arc::clone(&schema),
        };
        Ok(Arc::new(StreamingTable::try_new(
            schema,
            vec![Arc::new(table)],
        )?))
    }
}

impl PartitionStream for CaseTable {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder = RecordBatchReceiverStreamBuilder::new(Arc::clone(&self.schema), 2);
        let sender = builder.tx();
        let (spec, folder) = (self.spec.clone(), self.study_folder.clone());
        builder.spawn_blocking(move || {
            let reader = CaseReader::open(&spec, &folder).map_err(external)?;
            let mut rows: Vec<CaseRow> = Vec::with_capacity(BATCH_ROWS);
            for case in reader {
                rows.push(CaseRow::from(&case.map_err(external)?));
                if rows.len() == BATCH_ROWS && sender.blocking_send(batch(&rows)).is_err() {
                    return Ok(());
                }
                if rows.len() == BATCH_ROWS {
                    rows.clear();
                }
            }
            if !rows.is_empty() {
                // A closed channel means that the reader of this stream has gone.
                drop(sender.blocking_send(batch(&rows)));
            }
            Ok(())
        });
        builder.build()
    }
}

fn batch(rows: &[CaseRow]) -> Result<RecordBatch> {
    encode(RunTable::Cases, rows).map_err(external)
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
