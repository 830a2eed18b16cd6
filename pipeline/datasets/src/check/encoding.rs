//! The bytes of a text file: encoding, byte order mark, line ends.

use std::io::{self, BufRead};
use std::path::Path;

use super::finding::{Check, DatasetCheck};
use crate::error::Place;
use crate::source::open_bytes;

/// Line ends by kind.
#[derive(Debug, Default)]
struct LineEnds {
    feeds: u64,
    pairs: u64,
    returns: u64,
    /// The first line with another end than the first line of the file.
    first_other: Option<u64>,
    first_kind: Option<Kind>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Feed,
    Pair,
    Return,
}

impl LineEnds {
    fn add(&mut self, kind: Kind, line: u64) {
        match kind {
            Kind::Feed => self.feeds += 1,
            Kind::Pair => self.pairs += 1,
            Kind::Return => self.returns += 1,
        }
        let first = *self.first_kind.get_or_insert(kind);
        if first != kind && self.first_other.is_none() {
            self.first_other = Some(line);
        }
    }
}

/// Scans a text file chunk by chunk; a gzip-compressed one is unpacked.
pub(super) fn check_bytes(path: &Path, found: &mut DatasetCheck) -> io::Result<()> {
    let mut reader = open_bytes(path)?;
    let start = reader.fill_buf()?;
    if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        let message = "the file is UTF-16; convert it, for example with iconv -f UTF-16 -t UTF-8";
        found.add(Check::Encoding, Some(Place::Line(1)), None, message);
        return Ok(());
    }
    if start.starts_with(&[0xef, 0xbb, 0xbf]) {
        let message = "the file begins with a byte order mark; it is skipped here, other tools read it as text";
        found.add(Check::ByteOrderMark, Some(Place::Line(1)), None, message);
        reader.consume(3);
    }
    let (mut line, mut ends) = (1, LineEnds::default());
    let (mut pending, mut returned, mut last_bad) = (Vec::new(), false, 0);
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            break;
        }
        let length = chunk.len();
        pending.extend_from_slice(chunk);
        reader.consume(length);
        let valid = scan_utf8(&pending, line, &mut last_bad, found);
        count_line_ends(&pending[..valid], &mut line, &mut ends, &mut returned);
        pending.drain(..valid);
    }
    if !pending.is_empty() {
        report_bad(line, &mut last_bad, found);
    }
    if returned {
        ends.add(Kind::Return, line);
    }
    if let Some(other) = ends.first_other {
        let message = format!(
            "line ends are mixed: {} LF, {} CR LF, {} CR; the first that differs ends here",
            ends.feeds, ends.pairs, ends.returns
        );
        found.add(
            Check::MixedLineEnds,
            Some(Place::Line(other)),
            None,
            message,
        );
    }
    Ok(())
}

/// Bytes of `buffer` that need not be looked at again: all but an unfinished character at the end.
fn scan_utf8(buffer: &[u8], line: u64, last_bad: &mut u64, found: &mut DatasetCheck) -> usize {
    let mut from = 0;
    loop {
        match std::str::from_utf8(&buffer[from..]) {
            Ok(_) => return buffer.len(),
            Err(error) => {
                let at = from + error.valid_up_to();
                let Some(length) = error.error_len() else {
                    return at;
                };
                let here = line + memchr::memchr_iter(b'\n', &buffer[..at]).count() as u64;
                report_bad(here, last_bad, found);
                from = at + length;
            }
        }
    }
}

/// One finding for each line, however many bytes of it are wrong.
fn report_bad(line: u64, last_bad: &mut u64, found: &mut DatasetCheck) {
    if *last_bad == line {
        return;
    }
    *last_bad = line;
    let message = "bytes that are not UTF-8; convert the file, for example with iconv";
    found.add(Check::Encoding, Some(Place::Line(line)), None, message);
}

fn count_line_ends(bytes: &[u8], line: &mut u64, ends: &mut LineEnds, returned: &mut bool) {
    let mut from = 0;
    if *returned && !bytes.is_empty() {
        *returned = false;
        if bytes[0] == b'\n' {
            ends.add(Kind::Pair, *line);
            *line += 1;
            from = 1;
        } else {
            ends.add(Kind::Return, *line);
        }
    }
    let mut skip = None;
    for at in memchr::memchr2_iter(b'\n', b'\r', &bytes[from..]) {
        let at = at + from;
        if skip == Some(at) {
            continue;
        }
        if bytes[at] == b'\n' {
            ends.add(Kind::Feed, *line);
            *line += 1;
        } else if at + 1 == bytes.len() {
            *returned = true;
        } else if bytes[at + 1] == b'\n' {
            ends.add(Kind::Pair, *line);
            *line += 1;
            skip = Some(at + 1);
        } else {
            ends.add(Kind::Return, *line);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn findings(bytes: &[u8]) -> Vec<(&'static str, u64)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.jsonl");
        std::fs::write(&path, bytes).unwrap();
        let mut found = DatasetCheck::new("d", PathBuf::new(), "table");
        check_bytes(&path, &mut found).unwrap();
        found
            .findings
            .iter()
            .map(|finding| match finding.place {
                Some(Place::Line(line)) => (finding.check.as_str(), line),
                other => panic!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn clean_files_have_no_findings() {
        for clean in [&b""[..], b"a\nb\n", b"a\r\nb\r\n", "文\n字".as_bytes()] {
            assert!(findings(clean).is_empty());
        }
    }

    #[test]
    fn each_problem_is_named_with_its_line() {
        assert_eq!(findings(b"\xef\xbb\xbfa\n"), [("byte-order-mark", 1)]);
        assert_eq!(
            findings(b"a\n\xffb\xfe\n\xc3"),
            [("encoding", 2), ("encoding", 3)]
        );
        assert_eq!(findings(b"\xff\xfea\0"), [("encoding", 1)]);
        assert_eq!(findings(b"a\nb\r\nc\n"), [("mixed-line-ends", 2)]);
        assert_eq!(findings(b"a\r\nb\rc\r\n"), [("mixed-line-ends", 2)]);
    }

    #[test]
    fn characters_and_line_ends_across_chunks_are_whole() {
        // Longer than any buffer, with characters at every offset modulo three.
        let mut text = "文".repeat(800_000);
        text.push_str("\r\n");
        text.push_str(&"a文".repeat(600_000));
        text.push_str("\r\n");
        assert!(findings(text.as_bytes()).is_empty());
        text.push_str("b\n");
        assert_eq!(findings(text.as_bytes()), [("mixed-line-ends", 3)]);
    }
}
