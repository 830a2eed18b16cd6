//! A study file as the grammar, with places and hints for what does not fit.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use consilium_core::nearest;
use consilium_core::study::Study;

use crate::failure::hinted;

/// A study file as given.
pub(crate) struct LoadedStudy {
    /// Path as given.
    pub(crate) path: PathBuf,
    /// Folder that relative paths are taken from.
    pub(crate) folder: PathBuf,
    /// The file's text.
    pub(crate) text: String,
    /// What it says.
    pub(crate) study: Study,
}

/// Reads a study file.
pub(crate) fn load(path: &Path) -> Result<LoadedStudy> {
    let bytes = std::fs::read(path).map_err(|error| {
        let hint = match error.kind() {
            std::io::ErrorKind::NotFound => {
                "give the path of a study file, for example runs/studies/quickstart.toml"
            }
            std::io::ErrorKind::IsADirectory => "give a file, not a folder",
            _ => "look at the file's permissions",
        };
        hinted(format!("read study {}: {error}", path.display()), hint)
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        let line = 1 + valid.matches('\n').count();
        hinted(
            format!(
                "read study {}:{line}: the text is not UTF-8",
                path.display()
            ),
            "save the file as UTF-8",
        )
    })?;
    let study = parse(&text).map_err(|problem| problem.at(path))?;
    let folder = std::path::absolute(path)
        .with_context(|| format!("find the folder of {}", path.display()))?
        .parent()
        .map_or_else(PathBuf::new, Path::to_owned);
    Ok(LoadedStudy {
        path: path.to_owned(),
        folder,
        text,
        study,
    })
}

/// What is wrong with a study's text.
#[derive(Debug, PartialEq, Eq)]
struct Problem {
    line: Option<(usize, usize)>,
    message: String,
    hint: String,
}

impl Problem {
    fn at(self, path: &Path) -> anyhow::Error {
        let place = match self.line {
            Some((line, column)) => format!("{}:{line}:{column}", path.display()),
            None => path.display().to_string(),
        };
        hinted(format!("read study {place}: {}", self.message), self.hint)
    }
}

fn parse(text: &str) -> Result<Study, Problem> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| position(text, span.start));
        let message = error.message().trim().replace('\n', " ");
        let hint = hint(&message);
        Problem {
            line,
            message,
            hint,
        }
    })
}

/// Line and column of a byte, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |index| index + 1);
    (
        before.matches('\n').count() + 1,
        before[line_start..].chars().count() + 1,
    )
}

/// The nearest valid key, for an unknown one; the list of values, for a wrong one.
fn hint(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let wrong = quoted.next().unwrap_or_default().to_owned();
    let valid: Vec<&str> = quoted.collect();
    let unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    if unknown && let Some(nearest) = nearest(&wrong, valid.iter().copied()) {
        return format!("did you mean `{nearest}`?");
    }
    if unknown && !valid.is_empty() {
        return format!("valid here: {}", valid.join(", "));
    }
    "consilium check --schema prints the grammar".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Problem {
        parse(text).unwrap_err()
    }

    #[test]
    fn an_unknown_key_is_placed_and_the_nearest_valid_one_named() {
        let problem =
            problem("[study]\nname = \"s\"\n\n[[dataset]]\nname = \"d\"\nadaptor = \"table\"\n");
        assert_eq!(problem.line, Some((6, 1)));
        assert!(
            problem.message.starts_with("unknown field `adaptor`"),
            "{}",
            problem.message
        );
        assert_eq!(problem.hint, "did you mean `adapter`?");
    }

    #[test]
    fn a_wrong_type_is_placed() {
        let problem = problem("[study]\nname = \"s\"\nepochs = \"three\"\n");
        assert_eq!(problem.line, Some((3, 10)));
        assert!(
            problem.message.contains("invalid type"),
            "{}",
            problem.message
        );
    }

    #[test]
    fn a_wrong_value_lists_the_valid_ones() {
        let problem = problem("[study]\nname=\"s\"\n[[backend]]\nname=\"b\"\nkind=\"opnai\"\n");
        assert_eq!(problem.hint, "did you mean `openai`?");
    }

    #[test]
    fn broken_toml_is_placed() {
        assert_eq!(
            problem("[study\nname = 1").line.map(|(line, _)| line),
            Some(1)
        );
    }
}
