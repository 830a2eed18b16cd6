//! Cases as a Parquet file of the case schema, which the adapter `cases` reads back.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use consilium_store::{CaseRow, RunTable, StoreError, encode};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

/// Cases encoded at a time.
const BATCH_ROWS: usize = 1024;

/// A file of cases that is being written; it appears under its name when it is whole.
#[derive(Debug)]
pub struct CaseFile {
    path: PathBuf,
    temporary: Temporary,
    writer: ArrowWriter<File>,
    pending: Vec<CaseRow>,
    rows: u64,
}

/// A file that is gone when this is, unless it has got its name.
#[derive(Debug)]
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // After its renaming there is nothing here.
        drop(fs::remove_file(&self.0));
    }
}

/// A file of cases that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum CaseFileError {
    /// The system refuses.
    #[error("write {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Cause.
        #[source]
        source: std::io::Error,
    },
    /// The Parquet writer fails.
    #[error("write {}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Cause.
        #[source]
        source: ParquetError,
    },
    /// A case does not fit the schema, which would be a defect.
    #[error("encode cases")]
    Encode(#[from] StoreError),
}

impl CaseFile {
    /// Starts a file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(path: &Path) -> Result<Self, CaseFileError> {
        let io = |source| CaseFileError::Io {
            path: path.to_owned(),
            source,
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(io)?;
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".tmp");
        let temporary = Temporary(path.with_file_name(name));
        let file = File::create(&temporary.0).map_err(io)?;
        let level = ZstdLevel::try_new(3);
        let writer = level.and_then(|level| {
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(level))
                .set_created_by("consilium".to_owned())
                .build();
            ArrowWriter::try_new(file, RunTable::Cases.schema(), Some(properties))
        });
        Ok(Self {
            path: path.to_owned(),
            temporary,
            writer: writer.map_err(|source| CaseFileError::Parquet {
                path: path.to_owned(),
                source,
            })?,
            pending: Vec::new(),
            rows: 0,
        })
    }

    /// Adds a case.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn push(&mut self, row: CaseRow) -> Result<(), CaseFileError> {
        self.pending.push(row);
        self.rows += 1;
        if self.pending.len() >= BATCH_ROWS {
            self.write_pending()?;
        }
        Ok(())
    }

    /// Makes the file durable under its name; the number of its cases.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(mut self) -> Result<u64, CaseFileError> {
        self.write_pending()?;
        let parquet = |source| CaseFileError::Parquet {
            path: self.path.clone(),
            source,
        };
        let file = self.writer.into_inner().map_err(parquet)?;
        file.sync_all()
            .and_then(|()| fs::rename(&self.temporary.0, &self.path))
            .map_err(|source| CaseFileError::Io {
                path: self.path.clone(),
                source,
            })?;
        Ok(self.rows)
    }

    fn write_pending(&mut self) -> Result<(), CaseFileError> {
        let batch = encode(RunTable::Cases, &self.pending)?;
        self.pending.clear();
        self.writer
            .write(&batch)
            .map_err(|source| CaseFileError::Parquet {
                path: self.path.clone(),
                source,
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_given_up_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cases.parquet");
        drop(CaseFile::create(&path).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        CaseFile::create(&path).unwrap().finish().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(path.is_file());
    }
}
