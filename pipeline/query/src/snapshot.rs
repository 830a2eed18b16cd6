//! The selected cases of a study, written into its run once.

use std::path::Path;

use arrow::array::RecordBatch;
use consilium_core::canonical::TextHasher;
use consilium_core::manifest::{DatasetEntry, SourceEntry};
use consilium_core::study::DatasetSpec;
use consilium_store::rows::decode_cases;
use consilium_store::{CaseRow, StoreError, sha256_file};
use datafusion::error::DataFusionError;
use futures::StreamExt as _;

use crate::cases::{dataset_cases_sql, selects_all};
use crate::session::work_session;
use consilium_datasets::{DatasetError, Malformed, inspect, terms_of_file};

/// What was selected of one dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseSnapshot {
    /// For the manifest.
    pub entry: DatasetEntry,
    /// The first rows that are no cases.
    pub first_malformed: Vec<Malformed>,
}

/// Why cases could not be selected.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The dataset cannot be used.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// Filter, predicate or stratum do not fit.
    #[error("select cases of dataset '{dataset}': {message}")]
    Selection {
        /// Dataset.
        dataset: String,
        /// What is wrong.
        message: String,
    },
    /// Nothing is left.
    #[error(
        "select cases of dataset '{dataset}': none of its {cases} cases is left; look at filter, where \
         and limit"
    )]
    NothingLeft {
        /// Dataset.
        dataset: String,
        /// Cases before the selection.
        cases: u64,
    },
    /// A case cannot be written into the run.
    #[error("write cases")]
    Write(#[source] StoreError),
    /// The file cannot be hashed.
    #[error("hash the file of dataset '{dataset}'")]
    Hash {
        /// Dataset.
        dataset: String,
        /// Cause.
        #[source]
        source: StoreError,
    },
}

/// Checks a whole dataset, then hands the selected cases over in file order.
///
/// Where all cases are selected, the file is read once. A draw can only be made when all are known: then it
/// is read once for duplicates, malformed rows and counts, and again by the plan that filters and draws.
/// Nothing but hashes of identifiers is held.
///
/// # Errors
/// When the dataset cannot be used, the selection does not fit, or nothing is left of it.
pub async fn snapshot_cases(
    spec: &DatasetSpec,
    study_folder: &Path,
    seed: u64,
    mut each: impl FnMut(CaseRow) -> Result<(), StoreError>,
) -> Result<CaseSnapshot, SnapshotError> {
    let path = study_folder.join(&spec.path);
    let (mut selected, mut ids) = (0, TextHasher::default());
    let mut select = |row: CaseRow| {
        selected += 1;
        ids.add(&row.case_id);
        ids.add("\n");
        each(row).map_err(SnapshotError::Write)
    };
    let mut written = Ok(());
    let selects_all = selects_all(spec);
    let report = inspect(spec, study_folder, |case| {
        if selects_all && written.is_ok() {
            written = select(CaseRow::from(case));
        }
    })?;
    written?;
    let sha256 = sha256_file(&path).map_err(|source| SnapshotError::Hash {
        dataset: spec.name.clone(),
        source,
    })?;
    if !selects_all {
        let selection = |error: DataFusionError| SnapshotError::Selection {
            dataset: spec.name.clone(),
            message: error.strip_backtrace(),
        };
        let session = work_session().map_err(selection)?;
        let sql = dataset_cases_sql(&session, spec, study_folder, seed).map_err(selection)?;
        let frame = session.sql(&sql).await.map_err(selection)?;
        let mut stream = frame.execute_stream().await.map_err(selection)?;
        while let Some(batch) = stream.next().await {
            for row in case_rows(&batch.map_err(selection)?).map_err(selection)? {
                select(row)?;
            }
        }
    }
    if selected == 0 {
        return Err(SnapshotError::NothingLeft {
            dataset: spec.name.clone(),
            cases: report.cases,
        });
    }
    Ok(CaseSnapshot {
        entry: DatasetEntry {
            terms: terms_of_file(&sha256),
            name: spec.name.clone(),
            source: SourceEntry {
                path: spec.path.display().to_string(),
                sha256,
            },
            rows: report.cases,
            malformed: report.malformed,
            selected,
            selected_sha256: ids.finish(),
        },
        first_malformed: report.first_malformed,
    })
}

fn case_rows(batch: &RecordBatch) -> Result<Vec<CaseRow>, DataFusionError> {
    decode_cases(batch).map_err(|error| DataFusionError::External(Box::new(error)))
}
