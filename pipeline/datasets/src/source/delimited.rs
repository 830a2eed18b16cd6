//! Comma- and tab-separated values with a header line.

use std::io::{self, BufRead, Read};

use serde_json::{Map, Value};

use super::{Place, RowError, SourceError, SourceRow, SourceRows, not_utf8};

/// The rows of a delimited file.
pub(super) fn read(
    reader: Box<dyn BufRead + Send>,
    delimiter: u8,
) -> Result<SourceRows, SourceError> {
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
