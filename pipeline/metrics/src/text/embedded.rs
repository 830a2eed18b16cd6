//! Compressed tables that are part of the program.

use std::io::Read;

use flate2::read::GzDecoder;

/// Decompresses a table; empty if it is damaged, which the tests would find.
pub(super) fn decompress(compressed: &[u8]) -> String {
    let mut text = String::new();
    if GzDecoder::new(compressed)
        .read_to_string(&mut text)
        .is_err()
    {
        text.clear();
    }
    text
}

/// The lines between a head line and the next line that starts with one of the marks.
pub(super) fn section<'text>(
    text: &'text str,
    head: &str,
    marks: &'static [char],
) -> impl Iterator<Item = &'text str> {
    text.lines()
        .skip_while(move |line| *line != head)
        .skip(1)
        .take_while(move |line| !line.starts_with(marks))
}
