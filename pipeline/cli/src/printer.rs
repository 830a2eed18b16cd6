//! The one place that writes to the terminal: data to stdout, everything else to stderr.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

/// Whether stderr is read by a program.
static JSON: AtomicBool = AtomicBool::new(false);

/// Makes every line on stderr one JSON object from now on, also that of a panic.
pub(crate) fn speak_json() {
    JSON.store(true, Ordering::Relaxed);
    std::panic::set_hook(Box::new(|panic| {
        event(&json!({"event": "message", "level": "error", "message": panic.to_string()}));
    }));
}

/// Whether every line on stderr is one JSON object.
pub(crate) fn speaks_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

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

/// Writes a note to stderr, as text or as an event; a closed stderr is nobody's loss.
pub(crate) fn note(text: &str) {
    if speaks_json() {
        event(&message(text));
    } else {
        to_stderr(&visible(text));
    }
}

/// Writes an event for programs to stderr; JSON escapes what could move a cursor.
pub(crate) fn event(event: &Value) {
    to_stderr(&event.to_string());
}

fn to_stderr(line: &str) {
    let mut stderr = io::stderr().lock();
    drop(writeln!(stderr, "{line}"));
}

/// A note as an event: the word it begins with is its level.
fn message(text: &str) -> Value {
    let (level, message) = ["error", "warning", "hint", "note"]
        .into_iter()
        .find_map(|level| {
            let rest = text.strip_prefix(level)?.strip_prefix(": ")?;
            Some((level, rest))
        })
        .unwrap_or(("info", text));
    json!({"event": "message", "level": level, "message": message})
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_that_a_note_begins_with_is_its_level() {
        let event = message("warning: two\nlines");
        assert_eq!(
            (&event["level"], &event["message"]),
            (&json!("warning"), &json!("two\nlines"))
        );
        assert!(!event.to_string().contains('\n'));
        assert_eq!(message("4 samples to execute")["level"], "info");
        assert_eq!(message("notes: none")["level"], "info");
    }
}
