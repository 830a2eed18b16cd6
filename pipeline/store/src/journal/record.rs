//! One line of the journal: `{"call": …}`, `{"event": …}` or `{"sample": …}`, a tab, and the
//! CRC-32 of what stands before the tab in eight hexadecimal digits.
//!
//! The checksum finds what rotted inside a line that is still JSON. Lines of earlier versions have
//! none and are read as they are. The events of a sample stand before it, so that a sample that is
//! there has all of them.

use std::io::Write as _;
use std::sync::Arc;

use consilium_core::{CallRow, EventRow, SampleRow};
use serde::{Deserialize, Serialize};

/// A tab, which JSON text never holds as such, and eight digits.
const CHECKSUM_LENGTH: usize = 9;

/// A line to write.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Line<'a> {
    Call(&'a CallRow),
    Event(&'a EventRow),
    Sample(&'a SampleRow),
}

impl Line<'_> {
    /// Appends the line with its checksum and newline.
    pub(crate) fn append_to(self, lines: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        let start = lines.len();
        serde_json::to_writer(&mut *lines, &self)?;
        let checksum = crc32fast::hash(&lines[start..]);
        writeln!(lines, "\t{checksum:08x}").map_err(serde_json::Error::io)
    }
}

/// A line that was read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Record {
    Call(Arc<CallRow>),
    Event(Box<EventRow>),
    Sample(Box<SampleRow>),
}

impl Record {
    /// Reads a line with its newline; `None` when it is not what was written.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let json = match line.len().checked_sub(CHECKSUM_LENGTH) {
            Some(at) if line[at] == b'\t' => {
                let digits = str::from_utf8(&line[at + 1..]).ok()?;
                let checksum = u32::from_str_radix(digits, 16).ok()?;
                let json = &line[..at];
                (crc32fast::hash(json) == checksum).then_some(json)?
            }
            _ => line,
        };
        serde_json::from_slice(json).ok()
    }
}
