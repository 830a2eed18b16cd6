//! Read-only SQL for users.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::prelude::SessionContext;
use futures::StreamExt as _;
use tokio::runtime::{Builder, Runtime};

/// Stack of a thread that plans and runs a query.
const STACK_BYTES: usize = 16 << 20;

/// A query's rows, possibly cut.
#[derive(Clone, Debug)]
pub struct QueryRows {
    /// Columns.
    pub schema: SchemaRef,
    /// Rows.
    pub batches: Vec<RecordBatch>,
    /// Whether rows beyond the cap were left out.
    pub cut: bool,
}

/// Why a user's query gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum UserSqlError {
    /// The query is wrong, or is no query.
    #[error("run the query: {0}")]
    Query(String),
    /// There are no threads for it.
    #[error("start the threads of a query")]
    Threads {
        /// Cause.
        #[source]
        source: std::io::Error,
    },
    /// The query took too long.
    #[error("run the query: it took longer than {} s", deadline.as_secs())]
    Deadline {
        /// How long it was given.
        deadline: Duration,
    },
}

impl From<DataFusionError> for UserSqlError {
    fn from(error: DataFusionError) -> Self {
        let message = error.strip_backtrace();
        Self::Query(
            message
                .strip_prefix("Error during planning: ")
                .unwrap_or(&message)
                .to_owned(),
        )
    }
}

/// Runs a `SELECT` and keeps at most `row_cap` rows.
///
/// # Errors
/// When the text is no query, the query fails, or it takes too long.
pub async fn user_query(
    session: &SessionContext,
    sql: &str,
    row_cap: usize,
    deadline: Duration,
) -> Result<QueryRows, UserSqlError> {
    let query = OwnThreads::start()?;
    let (session, sql) = (session.clone(), sql.to_owned());
    let options = SQLOptions::new()
        .with_allow_ddl(false)
        .with_allow_dml(false)
        .with_allow_statements(false);
    let work = async move {
        let frame = session.sql_with_options(&sql, options).await?;
        let mut stream = frame.execute_stream().await?;
        let schema = stream.schema();
        let (mut batches, mut rows, mut cut) = (Vec::new(), 0, false);
        while let Some(batch) = stream.next().await {
            let batch = batch?;
            let room = row_cap - rows;
            if batch.num_rows() > room {
                batches.push(batch.slice(0, room));
                cut = true;
                break;
            }
            rows += batch.num_rows();
            batches.push(batch);
        }
        if batches.is_empty() {
            batches.push(RecordBatch::new_empty(Arc::clone(&schema)));
        }
        Ok(QueryRows {
            schema,
            batches,
            cut,
        })
    };
    query.finish(work, deadline).await
}

/// Threads of one query, so that one that computes without a pause cannot keep the caller past its
/// deadline. Nobody waits for them: what they still compute ends with the process.
struct OwnThreads(Option<Runtime>);

impl OwnThreads {
    fn start() -> Result<Self, UserSqlError> {
        Builder::new_multi_thread()
            .worker_threads(std::thread::available_parallelism().map_or(1, usize::from))
            // Planning nested queries recurses deeply in debug builds.
            .thread_stack_size(STACK_BYTES)
            .thread_name("sql")
            .enable_all()
            .build()
            .map(|runtime| Self(Some(runtime)))
            .map_err(|source| UserSqlError::Threads { source })
    }

    async fn finish(
        &self,
        work: impl Future<Output = Result<QueryRows, UserSqlError>> + Send + 'static,
        deadline: Duration,
    ) -> Result<QueryRows, UserSqlError> {
        let Some(runtime) = &self.0 else {
            return Err(UserSqlError::Deadline { deadline });
        };
        match tokio::time::timeout(deadline, runtime.spawn(work)).await {
            Ok(Ok(rows)) => rows,
            Ok(Err(_)) => Err(UserSqlError::Query(
                "it failed unexpectedly; please report what stands above".to_owned(),
            )),
            Err(_) => Err(UserSqlError::Deadline { deadline }),
        }
    }
}

impl Drop for OwnThreads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Rows as one JSON array of objects.
///
/// # Errors
/// When a column has no JSON form.
pub fn rows_as_json(rows: &QueryRows) -> Result<String, DataFusionError> {
    let mut bytes = Vec::new();
    let mut writer = arrow::json::writer::WriterBuilder::new()
        .with_explicit_nulls(true)
        .build::<_, arrow::json::writer::JsonArray>(&mut bytes);
    for batch in &rows.batches {
        writer.write(batch)?;
    }
    writer.finish()?;
    drop(writer);
    let text =
        String::from_utf8(bytes).map_err(|error| DataFusionError::External(Box::new(error)))?;
    Ok(if text.is_empty() {
        "[]".to_owned()
    } else {
        text
    })
}

/// Rows as CSV with a header line; NULL is empty, nested values are JSON text.
///
/// # Errors
/// When a value cannot be printed.
pub fn rows_as_csv(rows: &QueryRows) -> Result<String, DataFusionError> {
    let external = |error: csv::Error| DataFusionError::External(Box::new(error));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(rows.schema.fields().iter().map(|field| field.name()))
        .map_err(external)?;
    let options = arrow::util::display::FormatOptions::default();
    for batch in &rows.batches {
        let columns = batch
            .columns()
            .iter()
            .map(|column| arrow::util::display::ArrayFormatter::try_new(column.as_ref(), &options))
            .collect::<Result<Vec<_>, _>>()?;
        for row in 0..batch.num_rows() {
            let cells = columns
                .iter()
                .map(|column| column.value(row).try_to_string())
                .collect::<Result<Vec<_>, _>>()?;
            writer.write_record(cells).map_err(external)?;
        }
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| DataFusionError::External(Box::new(error.into_error())))?;
    String::from_utf8(bytes).map_err(|error| DataFusionError::External(Box::new(error)))
}
