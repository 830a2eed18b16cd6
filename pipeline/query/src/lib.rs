//! Everything that is a DataFusion plan: datasets as tables, the fan-out, functions and tables.

pub mod browse;
mod case_table;
pub mod cases;
mod failures;
pub mod fan_out;
pub mod function;
mod one_case;
mod pairs;
mod run_tables;
mod served;
mod session;
mod snapshot;
pub mod table;
mod text_table;
mod user_sql;

/// Metrics by the names of their reference implementations.
pub use consilium_metrics::catalog::NAMES as TEXT_METRICS;
pub use consilium_metrics::reference::{MetricError, evaluate as evaluate_metric};
pub use datafusion::arrow::util::pretty::pretty_format_batches;
pub use datafusion::error::DataFusionError;
pub use datafusion::prelude::SessionContext;
pub use failures::{FailedSamples, failed_keys, failed_samples, infrastructure_failed};
pub use one_case::{OneCase, OneCaseError, one_case};
pub use run_tables::{RunSource, register_nothing_finished, register_run_work, register_runs};
pub use served::served_models;
pub use session::{count, counts, query_session, work_session};
pub use snapshot::{CaseSnapshot, SnapshotError, snapshot_cases};
pub use text_table::{TextTable, TextTableError, TextValue, score_text_table};
pub use user_sql::{QueryRows, UserSqlError, rows_as_csv, rows_as_json, user_query};
