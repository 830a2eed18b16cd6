//! The one place that writes to the terminal: data to stdout, everything else to stderr.

use std::io::{self, Write as _};

/// Writes data to stdout.
///
/// # Errors
/// When stdout is closed or full.
pub(crate) fn data(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Writes one line of data to stdout.
///
/// # Errors
/// When stdout is closed or full.
pub(crate) fn line(text: &str) -> io::Result<()> {
    data(&format!("{text}\n"))
}

/// Writes one line to stderr; a closed stderr is nobody's loss.
pub(crate) fn note(text: &str) {
    let mut stderr = io::stderr().lock();
    drop(writeln!(stderr, "{}", visible(text)));
}

/// Text without control characters, which could move the cursor or hide what is printed.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() && c != '\n' && c != '\t' {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}
