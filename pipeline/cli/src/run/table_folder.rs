//! The folder of a run's tables: each beside its query, with a list of what was made.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context as _, Result};
use consilium_core::Table;
use consilium_query::table::PRESET_NAMES;
use serde::{Deserialize, Serialize};

use super::write_atomically;

/// File that lists the tables; no table is called so.
const CONTENTS: &str = "contents.json";

/// Which tables were made, so that one without rows is not taken for one that was never made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TableContents {
    /// Tables with a file.
    pub(crate) written: Vec<String>,
    /// Tables that have no rows, and therefore no file.
    pub(crate) empty: Vec<String>,
}

/// `tables/` of one run.
#[derive(Clone, Debug)]
pub(crate) struct TableFolder {
    manifest: PathBuf,
    folder: PathBuf,
}

impl TableFolder {
    /// The tables of the run in `root`.
    pub(crate) fn of(root: &Path) -> Self {
        Self {
            manifest: root.join("manifest.json"),
            folder: root.join("tables"),
        }
    }

    /// Writes tables and removes those that are no longer made; `empty` ones were made without rows.
    pub(super) fn write(&self, tables: &[Table], empty: Vec<String>) -> Result<()> {
        // A table that an earlier scoring gave and this one does not would no longer be true.
        for name in PRESET_NAMES {
            for path in [self.table(name), self.query(name)] {
                if path.exists() && !tables.iter().any(|table| table.name == name) {
                    fs::remove_file(&path).with_context(|| format!("remove {}", path.display()))?;
                }
            }
        }
        for table in tables {
            let json = serde_json::to_string_pretty(table)? + "\n";
            write_atomically(&self.table(&table.name), json.as_bytes())?;
            let sql = format!("{}\n", table.sql);
            write_atomically(&self.query(&table.name), sql.as_bytes())?;
        }
        // Last, so that it never lists what is not there yet.
        let contents = TableContents {
            written: tables.iter().map(|table| table.name.clone()).collect(),
            empty,
        };
        let json = serde_json::to_string_pretty(&contents)? + "\n";
        write_atomically(&self.folder.join(CONTENTS), json.as_bytes())
    }

    /// The list of tables; `None` where none was written, as in runs of earlier versions.
    pub(crate) fn contents(&self) -> Result<Option<TableContents>> {
        let path = self.folder.join(CONTENTS);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                return Err(error).with_context(|| format!("read {}", path.display()));
            }
        };
        serde_json::from_slice(&bytes)
            .with_context(|| format!("read {}", path.display()))
            .map(Some)
    }

    /// Every table that is there, listed or has only its query left: the files they should be in.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>> {
        let listed = self.contents()?.unwrap_or_default().written;
        let mut paths: BTreeSet<PathBuf> = listed.iter().map(|name| self.table(name)).collect();
        if !self.folder.exists() {
            return Ok(paths.into_iter().collect());
        }
        let list = || format!("list {}", self.folder.display());
        for entry in fs::read_dir(&self.folder).with_context(list)? {
            let mut path = entry.with_context(list)?.path();
            // A query without its table is a table that was deleted.
            let of_table = path
                .extension()
                .is_some_and(|extension| extension == "json" || extension == "sql");
            if of_table && path.file_name().is_some_and(|name| name != CONTENTS) {
                path.set_extension("json");
                paths.insert(path);
            }
        }
        Ok(paths.into_iter().collect())
    }

    /// Of the named tables those with rows, and when the newest was written; `None` when one was never
    /// made, is older than the run's manifest, or is named twice.
    pub(crate) fn current(&self, names: &[String]) -> Option<(SystemTime, Vec<String>)> {
        let modified = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
        let manifest = modified(&self.manifest)?;
        // Tables are read one by one, whatever the list of them has become.
        let empty = self.contents().ok().flatten().unwrap_or_default().empty;
        let mut newest = manifest;
        let mut filled = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let without_rows = empty.contains(name);
            let written = modified(&if without_rows {
                self.folder.join(CONTENTS)
            } else {
                self.table(name)
            })?;
            if written < manifest || names[..place].contains(name) {
                return None;
            }
            newest = newest.max(written);
            if !without_rows {
                filled.push(name.clone());
            }
        }
        Some((newest, filled))
    }

    /// File of a table.
    pub(crate) fn table(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    fn query(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.sql"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> Table {
        Table {
            name: name.to_owned(),
            title: String::new(),
            columns: Vec::new(),
            rows: vec![Vec::new()],
            sql: "SELECT 1".to_owned(),
            notes: Vec::new(),
        }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn tables_without_rows_are_known_to_have_been_made() {
        let place = tempfile::tempdir().unwrap();
        let folder = TableFolder::of(place.path());
        fs::write(place.path().join("manifest.json"), "{}").unwrap();
        let current = |wanted: &[&str]| folder.current(&names(wanted)).map(|(_, filled)| filled);
        assert_eq!(current(&["accuracy"]), None);
        folder
            .write(&[table("accuracy"), table("cost")], names(&["judge"]))
            .unwrap();
        assert_eq!(current(&["accuracy", "judge"]), Some(names(&["accuracy"])));
        assert_eq!(current(&["accuracy", "timing"]), None);
        assert_eq!(current(&["accuracy", "accuracy"]), None);
        assert_eq!(folder.files().unwrap().len(), 2);
        // One that is no longer made is gone; one that was deleted is still listed.
        folder
            .write(&[table("accuracy")], names(&["cost"]))
            .unwrap();
        assert!(!folder.table("cost").exists());
        for path in [folder.table("accuracy"), folder.query("accuracy")] {
            fs::remove_file(path).unwrap();
        }
        assert_eq!(folder.files().unwrap(), [folder.table("accuracy")]);
        assert_eq!(current(&["accuracy"]), None);
    }
}
