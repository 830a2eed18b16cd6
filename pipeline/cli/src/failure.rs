//! What a user reads when a command fails.

use std::fmt;
use std::io;
use std::process::ExitCode;

use crate::printer;

/// Finished, but samples failed beyond the tolerance or a check missed.
pub(crate) const CHECK_MISSED: u8 = 1;

/// Bad input or configuration.
const BAD_INPUT: u8 = 2;

/// A failure with a hint what to do about it.
#[derive(Debug)]
pub(crate) struct Hinted {
    message: String,
    hint: String,
    code: u8,
}

impl fmt::Display for Hinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Hinted {}

/// An error with a hint.
pub(crate) fn hinted(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    with_code(message, hint, BAD_INPUT)
}

/// As [`hinted`], where what was given is right: what stopped can go on from where it is.
pub(crate) fn unfinished(message: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
    with_code(message, hint, CHECK_MISSED)
}

fn with_code(message: impl Into<String>, hint: impl Into<String>, code: u8) -> anyhow::Error {
    anyhow::Error::new(Hinted {
        message: message.into(),
        hint: hint.into(),
        code,
    })
}

/// Prints a failure as `error: what: where: why` and its hint; a closed pipe is success.
pub(crate) fn report(failure: &anyhow::Error) -> ExitCode {
    if failure.chain().any(is_broken_pipe) {
        return ExitCode::SUCCESS;
    }
    let mut message = String::new();
    for cause in failure.chain() {
        let text = cause.to_string();
        // An error that prints its source already says everything once.
        if !message.contains(&text) {
            if !message.is_empty() {
                message.push_str(": ");
            }
            message.push_str(&text);
        }
    }
    printer::note(&format!("error: {message}"));
    let mut code = BAD_INPUT;
    for hint in failure
        .chain()
        .filter_map(|cause| cause.downcast_ref::<Hinted>())
    {
        printer::note(&format!("hint: {}", hint.hint));
        code = hint.code;
    }
    ExitCode::from(code)
}

fn is_broken_pipe(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
