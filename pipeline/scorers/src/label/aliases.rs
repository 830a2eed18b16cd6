//! The alias table of a label scorer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use consilium_core::canonical::sha256_hex;

use crate::fold::fold_whole;

/// Other names of labels, read from a tab-separated file with the header `alias<TAB>canonical`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasTable {
    /// (alias, canonical label) in the order of the file.
    entries: Vec<(String, String)>,
    sha256: String,
}

/// An alias table that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AliasError {
    /// The file cannot be read.
    #[error("read alias table {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The first line is not the header.
    #[error("read {}:1: the header must be `alias<TAB>canonical`, found `{found}`", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// The first line.
        found: String,
    },
    /// A line does not hold two cells.
    #[error(
        "read {}:{line}: expected two non-empty cells separated by one tab, found {cells}",
        path.display()
    )]
    Cells {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Number of non-empty cells.
        cells: usize,
    },
    /// One alias stands for two labels.
    #[error(
        "read {}:{line}: alias '{alias}' already stands for '{other}' (line {first}); keep one",
        path.display()
    )]
    Conflict {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The alias.
        alias: String,
        /// What it stood for before.
        other: String,
        /// Where, from 1.
        first: usize,
    },
}

impl AliasTable {
    /// Reads a table.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is malformed or contradicts an earlier one.
    pub fn read(path: &Path) -> Result<Self, AliasError> {
        let text = std::fs::read_to_string(path).map_err(|source| AliasError::Read {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, path)
    }

    /// Parses the text of a table; `path` is for messages.
    ///
    /// # Errors
    /// When a line is malformed or contradicts an earlier one.
    pub fn parse(text: &str, path: &Path) -> Result<Self, AliasError> {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = body.lines().enumerate();
        let header = lines.next().map_or("", |(_, line)| line.trim_end());
        if header.to_lowercase() != "alias\tcanonical" {
            return Err(AliasError::Header {
                path: path.to_owned(),
                found: header.to_owned(),
            });
        }
        let mut entries = Vec::new();
        let mut seen: BTreeMap<String, (String, usize)> = BTreeMap::new();
        for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let cells: Vec<&str> = line
                .split('\t')
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .collect();
            let &[alias, canonical] = cells.as_slice() else {
                return Err(AliasError::Cells {
                    path: path.to_owned(),
                    line: at + 1,
                    cells: cells.len(),
                });
            };
            match seen.get(&fold_whole(alias)) {
                Some((other, first)) if other != canonical => {
                    return Err(AliasError::Conflict {
                        path: path.to_owned(),
                        line: at + 1,
                        alias: alias.to_owned(),
                        other: other.clone(),
                        first: *first,
                    });
                }
                _ => {
                    seen.insert(fold_whole(alias), (canonical.to_owned(), at + 1));
                }
            }
            entries.push((alias.to_owned(), canonical.to_owned()));
        }
        Ok(Self {
            entries,
            sha256: sha256_hex(text.as_bytes()),
        })
    }

    /// (alias, canonical label) in the order of the file.
    pub fn entries(&self) -> &[(String, String)] {
        &self.entries
    }

    /// SHA-256 of the file.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        AliasTable::parse(text, Path::new("a.tsv"))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_table_with_mark_and_blank_lines_is_read() {
        let table = AliasTable::parse(
            "\u{feff}alias\tcanonical\r\nMI\tinfarction\r\n\r\n",
            Path::new("a"),
        )
        .unwrap();
        assert_eq!(
            table.entries(),
            [("MI".to_owned(), "infarction".to_owned())]
        );
    }

    #[test]
    fn faults_are_named_with_file_and_line() {
        assert!(error("MI\tinfarction\n").starts_with("read a.tsv:1: the header"));
        assert!(error("alias\tcanonical\nMI\n").contains("a.tsv:2: expected two"));
        assert!(error("alias\tcanonical\nMI\tx\ty\n").contains("found 3"));
        let conflict = error("alias\tcanonical\nMI\tx\n\nmi.\ty\n");
        assert!(conflict.contains("a.tsv:4: alias 'mi.' already stands for 'x' (line 2)"));
    }
}
