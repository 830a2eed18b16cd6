//! Files as streams of rows: JSON Lines, JSON, CSV and Parquet, plain or gzip-compressed.

mod delimited;
mod json_document;
mod json_lines;
mod parquet_rows;

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use consilium_core::study::FileFormat;
use flate2::bufread::MultiGzDecoder;
use serde_json::{Map, Value};

use super::error::{Place, RowError, RowProblem};

/// One object of a source file.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceRow {
    /// Where it stands.
    pub place: Place,
    /// Its key, in a JSON object of objects.
    pub key: Option<String>,
    /// Its fields.
    pub fields: Map<String, Value>,
}

/// What a source yields: a row, or the place and reason of one that cannot be read.
pub type SourceItem = Result<SourceRow, (Place, RowError)>;

/// A source's rows; the outer error ends the file.
pub type SourceRows = Box<dyn Iterator<Item = Result<SourceItem, SourceError>> + Send>;

/// Why a file cannot be read on.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be read.
    #[error("read the file")]
    Io(#[from] io::Error),
    /// It is not of its format: what is wrong, and where.
    #[error("{0}")]
    Format(String),
}

/// The format a file name stands for, `.gz` set aside.
pub fn file_format(path: &Path) -> Option<FileFormat> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "jsonl" | "ndjson" => Some(FileFormat::Jsonl),
        "json" => Some(FileFormat::Json),
        "csv" => Some(FileFormat::Csv),
        "tsv" | "tab" => Some(FileFormat::Tsv),
        "parquet" => Some(FileFormat::Parquet),
        _ => None,
    }
}

/// Opens a file row by row.
///
/// # Errors
/// When the file cannot be read or is not of this format from the start.
pub fn open(path: &Path, format: FileFormat) -> Result<SourceRows, SourceError> {
    match format {
        FileFormat::Jsonl => Ok(json_lines::read(open_text(path)?)),
        FileFormat::Json => {
            let mut reader = open_text(path)?;
            if holds_json_lines(reader.fill_buf()?) {
                return Ok(json_lines::read(reader));
            }
            json_document::read(reader)
        }
        FileFormat::Csv => delimited::read(open_text(path)?, b','),
        FileFormat::Tsv => delimited::read(open_text(path)?, b'\t'),
        FileFormat::Parquet => parquet_rows::read(path),
    }
}

/// Whether a file called JSON is JSON Lines: a whole object on the first line and something below it,
/// which no JSON document has.
fn holds_json_lines(start: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b'\n', start) else {
        return false;
    };
    let (first, rest) = start.split_at(end);
    first.trim_ascii_start().starts_with(b"{")
        && rest.trim_ascii_start().starts_with(b"{")
        && serde_json::from_slice::<serde::de::IgnoredAny>(first).is_ok()
}

/// Opens a file and unpacks gzip, told by its magic number.
pub fn open_bytes(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    let mut plain = BufReader::with_capacity(1 << 20, File::open(path)?);
    Ok(if plain.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::with_capacity(
            1 << 20,
            MultiGzDecoder::new(plain),
        ))
    } else {
        Box::new(plain)
    })
}

/// Opens a text file and drops a byte order mark.
fn open_text(path: &Path) -> Result<Box<dyn BufRead + Send>, SourceError> {
    let mut reader = open_bytes(path)?;
    let start = reader.fill_buf()?;
    if start.starts_with(&[0xef, 0xbb, 0xbf]) {
        reader.consume(3);
    } else if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        return Err(SourceError::Format(
            "line 1: the file is UTF-16; convert it to UTF-8, for example with iconv -f UTF-16 -t UTF-8"
                .to_owned(),
        ));
    }
    Ok(reader)
}

/// Parses one JSON object; the message gives a position but never quotes the text.
fn object_of(bytes: &[u8]) -> Result<Map<String, Value>, RowError> {
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(error.valid_up_to()))?;
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(other) => Err(RowError::new(format!(
            "expected an object, found {}",
            kind_of(&other)
        ))),
        Err(error) => Err(RowError::new(format!(
            "not JSON: {} at column {}",
            json_problem(&error),
            error.column()
        ))),
    }
}

fn not_utf8(offset: usize) -> RowError {
    let message = format!(
        "not UTF-8 at byte {} of the line; convert the file, for example with iconv",
        offset + 1
    );
    RowError::of(RowProblem::Encoding, message)
}

/// The kind of a JSON value, for messages.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The parser's message without its position and without quoted input.
fn json_problem(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(before, _)| before);
    match message.split_once(": ") {
        Some(("invalid type" | "invalid value", _)) => "a value of another type".to_owned(),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &[u8], format: FileFormat) -> Vec<SourceItem> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, text).unwrap();
        open(&path, format)
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap()
    }

    fn failure(text: &[u8], format: FileFormat) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, text).unwrap();
        match open(&path, format).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(_) => panic!("the file was read"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn json_lines_name_the_line_of_each_problem() {
        let rows = rows(
            b"\xef\xbb\xbf{\"a\":1}\r\n\n{\"a\":\n[1]\n\xff\xfe{}\n{\"a\":2}",
            FileFormat::Jsonl,
        );
        assert_eq!(rows[0].as_ref().unwrap().place, Place::Line(1));
        let problems: Vec<String> = rows
            .iter()
            .filter_map(|row| row.as_ref().err())
            .map(|(place, error)| format!("{place}: {error}"))
            .collect();
        assert_eq!(
            problems,
            [
                "line 3: not JSON: EOF while parsing a value at column 0",
                "line 4: expected an object, found a list",
                "line 5: not UTF-8 at byte 1 of the line; convert the file, for example with iconv",
            ]
        );
        assert_eq!(rows[4].as_ref().unwrap().fields["a"], 2);
    }

    #[test]
    fn a_json_document_keeps_keys_lines_and_repeated_keys() {
        let rows = rows(
            b"{\n\"x\": {\"a\": 1},\n\"x\": {\"a\": 2},\n\"y\": 3}",
            FileFormat::Json,
        );
        let first = rows[0].as_ref().unwrap();
        let second = rows[1].as_ref().unwrap();
        assert_eq!(
            (first.key.as_deref(), first.place),
            (Some("x"), Place::Line(2))
        );
        assert_eq!(
            (second.key.as_deref(), second.place),
            (Some("x"), Place::Line(3))
        );
        assert_eq!(rows[2].as_ref().unwrap_err().0, Place::Line(4));
    }

    #[test]
    fn a_broken_document_names_line_and_column() {
        assert_eq!(
            failure(b"[{\"a\":1},\n{\"a\":}]", FileFormat::Json),
            "line 2, column 6: expected value"
        );
        assert!(failure(b"[{}] trailing", FileFormat::Json).contains("trailing characters"));
        assert!(failure(b"\xff\xfe[\x00]\x00", FileFormat::Json).contains("UTF-16"));
        assert!(rows(b"  \n", FileFormat::Json).is_empty());
    }

    #[test]
    fn json_lines_under_the_name_json_are_read_as_lines() {
        let rows = rows(b"{\"a\":1}\n\n{\"a\":2}\n", FileFormat::Json);
        assert_eq!(rows[1].as_ref().unwrap().place, Place::Line(3));
        assert_eq!(rows[1].as_ref().unwrap().fields["a"], 2);
        assert!(failure(b"{\"a\":\n1}\n{\"a\":2}\n", FileFormat::Json).contains("trailing"));
    }

    #[test]
    fn csv_reads_quoted_line_breaks_and_names_short_records() {
        let rows = rows(
            b"id,text\r\n1,\"a\nb\"\r\n2\r\n3,\xe6\x96\x87\r\n",
            FileFormat::Csv,
        );
        assert_eq!(rows[0].as_ref().unwrap().fields["text"], "a\nb");
        let (place, error) = rows[1].as_ref().unwrap_err();
        assert_eq!(
            (*place, error.to_string()),
            (Place::Line(4), "1 cells where the header has 2".to_owned())
        );
        assert_eq!(rows[2].as_ref().unwrap().fields["text"], "文");
        assert!(failure(b"a,a\n1,2\n", FileFormat::Csv).contains("stands twice"));
    }

    #[test]
    fn parquet_rows_keep_lists_and_nulls() {
        use std::sync::Arc;

        use arrow::array::{ArrayRef, Int64Array, ListArray, RecordBatch, StringArray};
        use arrow::datatypes::Int32Type;

        let lists = [Some(vec![Some(1), None]), None];
        let columns: [(&str, ArrayRef); 3] = [
            ("id", Arc::new(StringArray::from(vec![Some("a"), None]))),
            ("n", Arc::new(Int64Array::from(vec![7, 8]))),
            (
                "list",
                Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(lists)),
            ),
        ];
        let batch = RecordBatch::try_from_iter_with_nullable(
            columns.map(|(name, array)| (name, array, true)),
        )
        .unwrap();
        let mut bytes = Vec::new();
        let mut writer =
            parquet::arrow::ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let rows = rows(&bytes, FileFormat::Parquet);
        let first = rows[0].as_ref().unwrap();
        assert_eq!(first.fields["list"], serde_json::json!([1, null]));
        assert_eq!(
            (&first.fields["id"], first.place),
            (&Value::from("a"), Place::Row(1))
        );
        assert_eq!(rows[1].as_ref().unwrap().fields["id"], Value::Null);
        assert!(!failure(b"PAR1 but no more", FileFormat::Parquet).is_empty());
    }

    #[test]
    fn gzip_is_told_by_content_and_format_by_name() {
        use std::io::Write as _;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"{\"a\":1}\n").unwrap();
        assert_eq!(rows(&encoder.finish().unwrap(), FileFormat::Jsonl).len(), 1);
        assert_eq!(
            file_format(Path::new("x/Y.JSONL.gz")),
            Some(FileFormat::Jsonl)
        );
        assert_eq!(
            file_format(Path::new("x.parquet")),
            Some(FileFormat::Parquet)
        );
        assert_eq!(file_format(Path::new("x")), None);
    }
}
