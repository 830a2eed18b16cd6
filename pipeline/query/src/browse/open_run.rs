//! A run that is being looked through.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use consilium_core::RunManifest;
use consilium_core::study::Study;
use consilium_store::{CaseInputError, RunDirectory, RunTable, StoreError, TableParts};
use datafusion::error::DataFusionError;

use super::index::RunIndex;
use super::search::Searches;

/// Why a run cannot be looked through; never holds case text.
#[derive(Debug, thiserror::Error)]
pub enum BrowseError {
    /// A part cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A query over the run failed.
    #[error("query the run")]
    Query(#[from] DataFusionError),
    /// A column holds what its table does not allow.
    #[error("read column '{column}' of table '{}'", table.name())]
    Column {
        /// Table.
        table: RunTable,
        /// Column.
        column: &'static str,
    },
    /// The study in the manifest is damaged.
    #[error("read the study in the manifest")]
    Study(#[source] serde_json::Error),
    /// A stored case is damaged.
    #[error(transparent)]
    Case(#[from] CaseInputError),
    /// A search was given up.
    #[error("search the run's texts: it took too long")]
    SearchTooLong,
}

impl BrowseError {
    pub(super) const fn column(table: RunTable, column: &'static str) -> Self {
        Self::Column { table, column }
    }
}

/// A run as its manifest was when it was opened; what is learnt of it is kept with it.
///
/// Its methods block on files: call them where that is allowed.
#[derive(Debug)]
pub struct OpenRun {
    directory: RunDirectory,
    manifest: RunManifest,
    study: Study,
    tables: [OnceLock<TableParts>; RunTable::ALL.len()],
    index: Mutex<Option<Arc<RunIndex>>>,
    pub(super) searches: Searches,
}

impl OpenRun {
    /// Opens a run; nothing but its study is read yet.
    ///
    /// # Errors
    /// When the study in the manifest cannot be read.
    pub fn new(directory: RunDirectory, manifest: RunManifest) -> Result<Self, BrowseError> {
        let study = serde_json::from_value(manifest.study.clone()).map_err(BrowseError::Study)?;
        Ok(Self {
            directory,
            manifest,
            study,
            tables: Default::default(),
            index: Mutex::default(),
            searches: Searches::default(),
        })
    }

    /// Its folder.
    pub const fn directory(&self) -> &RunDirectory {
        &self.directory
    }

    /// What it says of itself.
    pub const fn manifest(&self) -> &RunManifest {
        &self.manifest
    }

    /// Its study.
    pub const fn study(&self) -> &Study {
        &self.study
    }

    /// Its index, read at the first use; who comes meanwhile waits for it.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn index(&self) -> Result<Arc<RunIndex>, BrowseError> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = &*index {
            return Ok(Arc::clone(index));
        }
        let built = Arc::new(RunIndex::build(
            &self.study,
            self.table(RunTable::Cases)?,
            self.table(RunTable::Samples)?,
            self.table(RunTable::Scores)?,
        )?);
        *index = Some(Arc::clone(&built));
        Ok(built)
    }

    pub(super) fn table(&self, table: RunTable) -> Result<&TableParts, BrowseError> {
        let place = &self.tables[table as usize];
        if let Some(parts) = place.get() {
            return Ok(parts);
        }
        let parts = TableParts::open(&self.directory, &self.manifest, table)?;
        // Whoever was first: both have read the same.
        Ok(place.get_or_init(|| parts))
    }
}
