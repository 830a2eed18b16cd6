//! One JSON object per line.

use std::io::{BufRead, Read as _};

use super::{Place, RowError, SourceError, SourceItem, SourceRow, SourceRows, object_of};

/// Longest line of a JSON Lines file that is read; a longer one is a malformed row.
const LONGEST_LINE: u64 = 256 * 1024 * 1024;

/// The rows of a JSON Lines file.
pub(super) fn read(reader: Box<dyn BufRead + Send>) -> SourceRows {
    Box::new(JsonLines { reader, line: 0 })
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
