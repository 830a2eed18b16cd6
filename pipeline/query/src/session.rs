//! Sessions with our functions and bounded memory.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::function::register_all;

/// Memory of one session's operators; beyond it they spill or fail with a message.
const MEMORY_BYTES: usize = 4 << 30;

/// A session for the work list: one partition, join sides as written, so that cases stay in order.
///
/// # Errors
/// When a function's name is taken, which would be a defect.
pub fn work_session() -> Result<SessionContext> {
    let mut config = SessionConfig::new()
        .with_target_partitions(1)
        .with_batch_size(512);
    let options = config.options_mut();
    options.optimizer.join_reordering = false;
    session(config)
}

/// A session for questions about runs.
///
/// # Errors
/// When a function's name is taken, which would be a defect.
pub fn query_session(partitions: usize) -> Result<SessionContext> {
    session(
        SessionConfig::new()
            .with_target_partitions(partitions)
            .with_information_schema(true),
    )
}

fn session(config: SessionConfig) -> Result<SessionContext> {
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(FairSpillPool::new(MEMORY_BYTES)))
        .build_arc()?;
    let mut session = SessionContext::new_with_config_rt(config, runtime);
    register_all(&mut session)?;
    Ok(session)
}

/// The first value of a query, as a count.
///
/// # Errors
/// When the query fails or gives no number.
pub async fn count(session: &SessionContext, sql: &str) -> Result<u64> {
    use arrow::array::AsArray as _;
    use arrow::datatypes::Int64Type;

    let batches = session.sql(sql).await?.collect().await?;
    let counts = batches
        .first()
        .map(|batch| arrow::compute::cast(batch.column(0), &arrow::datatypes::DataType::Int64));
    let Some(counts) = counts else {
        return datafusion::common::internal_err!("the query gives no row");
    };
    Ok(counts?.as_primitive::<Int64Type>().value(0).unsigned_abs())
}

/// Names and counts: the first two columns of a query, rows without either left out.
///
/// # Errors
/// When the query fails or its columns are no text and number.
pub async fn counts(session: &SessionContext, sql: &str) -> Result<Vec<(String, u64)>> {
    use arrow::array::AsArray as _;
    use arrow::compute::cast;
    use arrow::datatypes::{DataType, UInt64Type};

    let mut counts = Vec::new();
    for batch in session.sql(sql).await?.collect().await? {
        let names = cast(batch.column(0), &DataType::Utf8)?;
        let numbers = cast(batch.column(1), &DataType::UInt64)?;
        let pairs = names
            .as_string::<i32>()
            .iter()
            .zip(numbers.as_primitive::<UInt64Type>());
        counts.extend(pairs.filter_map(|(name, number)| Some((name?.to_owned(), number?))));
    }
    Ok(counts)
}
