//! Files as streams of rows: JSON Lines, JSON, CSV and Parquet, plain or gzip-compressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use consilium_core::study::FileFormat;
use flate2::bufread::MultiGzDecoder;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::error::{Place, RowError};

/// Longest line of a JSON Lines file that is read; a longer one is a malformed row.
const LONGEST_LINE: u64 = 256 * 1024 * 1024;

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
pub(super) type SourceItem = Result<SourceRow, (Place, RowError)>;

/// A source's rows; the outer error ends the file.
pub(super) type SourceRows = Box<dyn Iterator<Item = Result<SourceItem, SourceError>> + Send>;

/// Why a file cannot be read on.
#[derive(Debug, thiserror::Error)]
pub(super) enum SourceError {
    #[error("read the file")]
    Io(#[from] io::Error),
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

pub(super) fn open(path: &Path, format: FileFormat) -> Result<SourceRows, SourceError> {
    match format {
        FileFormat::Jsonl => Ok(Box::new(JsonLines {
            reader: open_text(path)?,
            line: 0,
        })),
        FileFormat::Json => json_document(open_text(path)?),
        FileFormat::Csv => delimited(open_text(path)?, b','),
        FileFormat::Tsv => delimited(open_text(path)?, b'\t'),
        FileFormat::Parquet => parquet_rows(path),
    }
}

/// Opens a text file, unpacks gzip by its magic number and drops a byte order mark.
fn open_text(path: &Path) -> Result<Box<dyn BufRead + Send>, SourceError> {
    let mut plain = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut reader: Box<dyn BufRead + Send> = if plain.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::with_capacity(
            1 << 20,
            MultiGzDecoder::new(plain),
        ))
    } else {
        Box::new(plain)
    };
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

struct JsonLines {
    reader: Box<dyn BufRead + Send>,
    line: u64,
}

impl Iterator for JsonLines {
    type Item = Result<SourceItem, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut bytes = Vec::new();
            let read = match self
                .reader
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut bytes)
            {
                Ok(read) => read,
                Err(error) => return Some(Err(error.into())),
            };
            if read == 0 {
                return None;
            }
            self.line += 1;
            let place = Place::Line(self.line);
            if read as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
                if let Err(error) = self.reader.skip_until(b'\n') {
                    return Some(Err(error.into()));
                }
                let message = format!("the line is longer than {} MB", LONGEST_LINE >> 20);
                return Some(Ok(Err((place, RowError::new(message)))));
            }
            if bytes.trim_ascii().is_empty() {
                continue;
            }
            return Some(Ok(object_of(&bytes)
                .map(|fields| SourceRow {
                    place,
                    key: None,
                    fields,
                })
                .map_err(|error| (place, error))));
        }
    }
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
    RowError::new(format!(
        "not UTF-8 at byte {} of the line; convert the file, for example with iconv",
        offset + 1
    ))
}

/// The kind of a JSON value, for messages.
pub(super) fn kind_of(value: &Value) -> &'static str {
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

/// One JSON array of objects, or one object of objects.
fn json_document(mut reader: Box<dyn BufRead + Send>) -> Result<SourceRows, SourceError> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = count_lines(&error.as_bytes()[..valid]);
            return Err(SourceError::Format(format!(
                "line {line}: not UTF-8; convert the file, for example with iconv"
            )));
        }
    };
    if text.trim().is_empty() {
        return Ok(Box::new(std::iter::empty()));
    }
    let entries = {
        let mut deserializer = serde_json::Deserializer::from_str(&text);
        let entries = deserializer
            .deserialize_any(EntriesVisitor)
            .and_then(|entries| {
                deserializer.end()?;
                Ok(entries)
            });
        entries.map_err(|error| {
            SourceError::Format(format!(
                "line {}, column {}: {}",
                error.line(),
                error.column(),
                json_problem(&error)
            ))
        })?
    };
    let mut rows = Vec::with_capacity(entries.len());
    let (mut line, mut counted) = (1, 0);
    for (key, raw) in entries {
        // The raw value is a slice of `text`: the distance between them is its offset.
        let offset = raw.get().as_ptr().addr() - text.as_ptr().addr();
        line += newlines(&text.as_bytes()[counted..offset]);
        counted = offset;
        let place = Place::Line(line);
        rows.push(Ok(object_of(raw.get().as_bytes())
            .map(|fields| SourceRow { place, key, fields })
            .map_err(|error| (place, error))));
    }
    Ok(Box::new(rows.into_iter()))
}

fn newlines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

fn count_lines(bytes: &[u8]) -> u64 {
    1 + newlines(bytes)
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Vec<(Option<String>, &'de RawValue)>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a JSON array of objects or a JSON object of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(raw) = access.next_element()? {
            entries.push((None, raw));
        }
        Ok(entries)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, raw)) = access.next_entry::<String, _>()? {
            entries.push((Some(key), raw));
        }
        Ok(entries)
    }
}

fn delimited(reader: Box<dyn BufRead + Send>, delimiter: u8) -> Result<SourceRows, SourceError> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .from_reader(LineFeeds(reader));
    let header = reader.byte_headers().map_err(csv_error)?.clone();
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    for name in &header {
        let name = std::str::from_utf8(name)
            .map_err(|_| SourceError::Format("line 1: the header is not UTF-8".to_owned()))?
            .trim()
            .to_owned();
        if names.contains(&name) {
            return Err(SourceError::Format(format!(
                "line 1: column '{name}' stands twice"
            )));
        }
        names.push(name);
    }
    Ok(Box::new(reader.into_byte_records().map(
        move |record| match record {
            Ok(record) => {
                let place = Place::Line(record.position().map_or(0, csv::Position::line));
                let mut fields = Map::new();
                for (name, cell) in names.iter().zip(&record) {
                    match std::str::from_utf8(cell) {
                        Ok(text) => fields.insert(name.clone(), Value::String(text.to_owned())),
                        Err(error) => return Ok(Err((place, not_utf8(error.valid_up_to())))),
                    };
                }
                Ok(Ok(SourceRow {
                    place,
                    key: None,
                    fields,
                }))
            }
            Err(error) => match error.kind() {
                csv::ErrorKind::UnequalLengths {
                    pos,
                    expected_len,
                    len,
                } => {
                    let place = Place::Line(pos.as_ref().map_or(0, csv::Position::line));
                    let message = format!("{len} cells where the header has {expected_len}");
                    Ok(Err((place, RowError::new(message))))
                }
                _ => Err(csv_error(error)),
            },
        },
    )))
}

/// Drops the carriage return of every CRLF: the csv crate counts a line only when it meets the line
/// feed, which for CRLF is after it has noted where the next record begins.
struct LineFeeds(Box<dyn BufRead + Send>);

impl Read for LineFeeds {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(first) = buffer.first_mut() else {
            return Ok(0);
        };
        let available = self.0.fill_buf()?;
        if available.first() == Some(&b'\r') {
            self.0.consume(1);
            if self.0.fill_buf()?.first() == Some(&b'\n') {
                self.0.consume(1);
                *first = b'\n';
            } else {
                *first = b'\r';
            }
            return Ok(1);
        }
        let plain = available
            .iter()
            .position(|byte| *byte == b'\r')
            .unwrap_or(available.len());
        let count = plain.min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.0.consume(count);
        Ok(count)
    }
}

fn csv_error(error: csv::Error) -> SourceError {
    let message = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) => SourceError::Io(error),
        _ => SourceError::Format(message),
    }
}

fn parquet_rows(path: &Path) -> Result<SourceRows, SourceError> {
    let format_error = |error: &dyn std::fmt::Display| SourceError::Format(error.to_string());
    let file = File::open(path)?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.with_batch_size(512).build())
        .map_err(|error| format_error(&error))?;
    let mut next_row = 0;
    Ok(Box::new(reader.flat_map(move |batch| {
        let rows = batch
            .map_err(|error| format_error(&error))
            .and_then(|batch| json_rows(&batch));
        match rows {
            Ok(rows) => rows
                .into_iter()
                .map(|fields| {
                    next_row += 1;
                    Ok(Ok(SourceRow {
                        place: Place::Row(next_row),
                        key: None,
                        fields,
                    }))
                })
                .collect::<Vec<_>>(),
            Err(error) => vec![Err(error)],
        }
    })))
}

/// Rows of a batch as JSON objects, nulls kept.
fn json_rows(batch: &arrow::array::RecordBatch) -> Result<Vec<Map<String, Value>>, SourceError> {
    let mut bytes = Vec::new();
    let mut writer = arrow::json::writer::WriterBuilder::new()
        .with_explicit_nulls(true)
        .build::<_, arrow::json::writer::LineDelimited>(&mut bytes);
    writer
        .write(batch)
        .and_then(|()| writer.finish())
        .map_err(|error| SourceError::Format(error.to_string()))?;
    drop(writer);
    serde_json::Deserializer::from_reader(Cursor::new(bytes))
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(|error| SourceError::Format(error.to_string()))
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
