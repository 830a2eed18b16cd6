//! Parts: immutable Parquet files of a table, the same rows always the same bytes.

mod name;
mod present;
mod read;
mod table;

use std::fs::{self, File};
use std::io::{self, Write};
use std::mem;
use std::path::PathBuf;

use consilium_core::PartEntry;
use consilium_core::canonical::hex;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use sha2::{Digest, Sha256};

pub(crate) use name::{first_free_number, is_part, part_stem, remove_strays, table_of};
pub use present::{check_parts, leave_out_damaged, present_part};
pub use read::{Rows, read_rows};
pub(crate) use read::{read_batches, read_part};
pub use table::write_table;

use crate::rows::TableRow;
use crate::run_directory::sync_folder;
use crate::{RunDirectory, StoreError};

/// Rows made into one batch at a time.
const BATCH_ROWS: usize = 2048;
/// Size of their texts that ends a batch earlier.
const BATCH_BYTES: usize = 32 << 20;
const ROW_GROUP_ROWS: usize = 16_384;
/// Size that ends a row group earlier; a row group is held in memory while it is written.
const ROW_GROUP_BYTES: usize = 128 << 20;
/// Rows of a page of a column: one row is read without reading thousands of texts beside it.
const PAGE_ROWS: usize = 256;
/// Columns whose texts hardly repeat: a dictionary of them would be read whole for every row.
const LONG_TEXTS: [&str; 12] = [
    "answer",
    "content",
    "error",
    "explanation",
    "input",
    "messages",
    "payload",
    "raw",
    "reasoning",
    "reference",
    "request_sha256",
    "response",
];
/// Constant, so that two builds of the program write the same bytes.
const CREATED_BY: &str = "consilium";

/// Writes one part: to a temporary file first, under its own name only when it is whole.
#[derive(Debug)]
pub struct PartWriter<R: TableRow> {
    directory: RunDirectory,
    stem: String,
    temporary: PathBuf,
    writer: ArrowWriter<HashingWriter>,
    pending: Vec<R>,
    pending_bytes: usize,
    rows: u64,
    finished: bool,
}

impl<R: TableRow> PartWriter<R> {
    /// Starts a part; `stem` is its name in the table's folder, without `.parquet`.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(directory: &RunDirectory, stem: &str) -> Result<Self, StoreError> {
        let folder = directory.table_folder(R::TABLE);
        fs::create_dir_all(&folder).map_err(StoreError::io("create folder", &folder))?;
        let temporary = folder.join(format!("{stem}.parquet.tmp"));
        let file = File::create(&temporary).map_err(StoreError::io("create", &temporary))?;
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(
                ZstdLevel::try_new(3).map_err(StoreError::part("write", &temporary))?,
            ))
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .set_max_row_group_bytes(Some(ROW_GROUP_BYTES))
            .set_data_page_row_count_limit(PAGE_ROWS)
            .set_write_batch_size(PAGE_ROWS)
            .set_created_by(CREATED_BY.to_owned());
        for column in LONG_TEXTS {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(column), false);
        }
        let target = HashingWriter {
            file,
            hasher: Sha256::new(),
            bytes: 0,
        };
        let writer = ArrowWriter::try_new(target, R::TABLE.schema(), Some(properties.build()))
            .map_err(StoreError::part("write", &temporary))?;
        Ok(Self {
            directory: directory.clone(),
            stem: stem.to_owned(),
            temporary,
            writer,
            pending: Vec::new(),
            pending_bytes: 0,
            rows: 0,
            finished: false,
        })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When the row does not fit the table or the file cannot be written.
    pub fn push(&mut self, row: R) -> Result<(), StoreError> {
        self.pending_bytes += row.text_bytes();
        self.pending.push(row);
        if self.pending.len() >= BATCH_ROWS || self.pending_bytes >= BATCH_BYTES {
            self.write_pending()?;
        }
        Ok(())
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows + self.pending.len() as u64
    }

    /// Makes the part durable under its name.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn finish(self) -> Result<PartEntry, StoreError> {
        self.finish_as(|stem, _| stem.to_owned())
    }

    /// Makes the part durable under a name made of its stem and its hash. With the hash in it, a part
    /// with other rows never takes the place of one that the manifest still lists.
    pub(crate) fn finish_as(
        mut self,
        name: impl FnOnce(&str, &str) -> String,
    ) -> Result<PartEntry, StoreError> {
        self.write_pending()?;
        self.writer
            .finish()
            .map_err(StoreError::part("write", &self.temporary))?;
        let target = self.writer.inner();
        target
            .file
            .sync_all()
            .map_err(StoreError::io("make durable", &self.temporary))?;
        let bytes = target.bytes;
        let sha256 = hex(&target.hasher.clone().finalize());
        let folder = self.directory.table_folder(R::TABLE);
        let file_name = format!("{}.parquet", name(&self.stem, &sha256));
        let path = folder.join(&file_name);
        fs::rename(&self.temporary, &path).map_err(StoreError::io("rename to", &path))?;
        self.finished = true;
        sync_folder(&folder)?;
        let path = format!("{}/{file_name}", R::TABLE.name());
        Ok(PartEntry {
            path,
            rows: self.rows,
            bytes,
            sha256,
        })
    }

    fn write_pending(&mut self) -> Result<(), StoreError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.pending_bytes = 0;
        let pending = mem::take(&mut self.pending);
        let batch = R::batch(pending.iter())?;
        self.rows += pending.len() as u64;
        self.writer
            .write(&batch)
            .map_err(StoreError::part("write", &self.temporary))
    }
}

impl<R: TableRow> Drop for PartWriter<R> {
    fn drop(&mut self) {
        if !self.finished {
            // What cannot be removed now is removed when the run is next written to.
            let _removed = fs::remove_file(&self.temporary);
        }
    }
}

/// Hashes and counts what passes.
#[derive(Debug)]
struct HashingWriter {
    file: File,
    hasher: Sha256,
    bytes: u64,
}

impl Write for HashingWriter {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.hasher.update(&buffer[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests;
