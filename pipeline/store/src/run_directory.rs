//! The folder of a run: creating, finding and opening it, and its manifest.

use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use consilium_core::canonical::sha256_hex;
use consilium_core::{Clock, FORMAT_VERSION, RunManifest};
use jiff::Timestamp;
use serde::Deserialize;

use crate::{RunTable, StoreError};

const MANIFEST: &str = "manifest.json";
const JOURNAL: &str = "journal";
/// Names tried before giving up; each is one of 65,536 within one second.
const NAMES_TRIED: u32 = 64;
/// Longest part of a run's name that comes from its study, in characters.
const STUDY_NAME_LENGTH: usize = 80;

/// The folder of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDirectory {
    root: PathBuf,
    name: String,
}

/// A run and its manifest.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// Where it is.
    pub directory: RunDirectory,
    /// What it says about itself.
    pub manifest: RunManifest,
}

/// The runs in a folder.
#[derive(Debug, Default)]
pub struct RunList {
    /// Runs that can be read, the newest first.
    pub runs: Vec<RunSummary>,
    /// Run folders that cannot, and why, by path.
    pub unreadable: Vec<(PathBuf, StoreError)>,
}

impl RunDirectory {
    /// Makes the folder of a new run, `<study>-<yyyymmdd-hhmmss>-<4 hex>`, without a manifest.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn create(
        runs_root: &Path,
        study_name: &str,
        clock: &dyn Clock,
    ) -> Result<Self, StoreError> {
        fs::create_dir_all(runs_root).map_err(StoreError::io("create folder", runs_root))?;
        let now = clock.now_micros();
        let stem = format!("{}-{}", file_name_of(study_name), second_of(now));
        for attempt in 0..NAMES_TRIED {
            let seed = format!("{stem}/{now}/{}/{attempt}", std::process::id());
            let name = format!("{stem}-{}", &sha256_hex(seed.as_bytes())[..4]);
            let root = runs_root.join(&name);
            match fs::create_dir(&root) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(source) => {
                    return Err(StoreError::Io {
                        action: "create folder",
                        path: root,
                        source,
                    });
                }
            }
            let directory = Self { root, name };
            let tables = RunTable::ALL.map(|table| directory.table_folder(table));
            for folder in tables.iter().chain([&directory.journal_folder()]) {
                fs::create_dir(folder).map_err(StoreError::io("create folder", folder))?;
            }
            sync_folder(&directory.root)?;
            sync_folder(runs_root)?;
            return Ok(directory);
        }
        Err(StoreError::NoFreeName {
            root: runs_root.to_owned(),
        })
    }

    /// Opens the folder of an existing run.
    ///
    /// # Errors
    /// When there is no folder, it is no run, its manifest is damaged or of a newer version.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let directory = Self::at(path)?;
        directory.manifest()?;
        Ok(directory)
    }

    /// Finds a run by path, when the text holds `/` or exists, or else by name or unique prefix.
    ///
    /// # Errors
    /// When no run or several runs match, or the run cannot be opened.
    pub fn find(runs_root: &Path, name_or_unique_prefix_or_path: &str) -> Result<Self, StoreError> {
        let text = name_or_unique_prefix_or_path;
        if text.contains('/') || (!text.is_empty() && Path::new(text).exists()) {
            return Self::open(Path::new(text));
        }
        let mut names = run_names(runs_root)?;
        if names.iter().any(|name| name == text) {
            return Self::open(&runs_root.join(text));
        }
        let mut candidates: Vec<String> = names
            .iter()
            .filter(|name| name.starts_with(text))
            .cloned()
            .collect();
        if let [only] = &candidates[..] {
            return Self::open(&runs_root.join(only));
        }
        if candidates.is_empty() {
            names
                .sort_by_cached_key(|name| (strsim::damerau_levenshtein(name, text), name.clone()));
            names.truncate(3);
            let root = runs_root.to_owned();
            return Err(StoreError::UnknownRun {
                name: text.to_owned(),
                root,
                nearest: names,
            });
        }
        // Names end in their time, so that for one study the last in order is the newest.
        candidates.sort_by(|left, right| right.cmp(left));
        Err(StoreError::AmbiguousRun {
            name: text.to_owned(),
            candidates,
        })
    }

    /// Every run in a folder, the newest first; folders without a manifest are no runs.
    ///
    /// # Errors
    /// When the folder itself cannot be read.
    pub fn list(runs_root: &Path) -> Result<RunList, StoreError> {
        let mut list = RunList::default();
        for name in run_names(runs_root)? {
            let path = runs_root.join(name);
            match Self::at(&path).and_then(|directory| {
                let manifest = directory.manifest()?;
                Ok(RunSummary {
                    directory,
                    manifest,
                })
            }) {
                Ok(summary) => list.runs.push(summary),
                Err(error) => list.unreadable.push((path, error)),
            }
        }
        list.runs
            .sort_by_key(|run| Reverse((run.manifest.created_at, run.directory.name.clone())));
        Ok(list)
    }

    /// Path of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Name of the run.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Folder of a table's parts.
    pub fn table_folder(&self, table: RunTable) -> PathBuf {
        self.root.join(table.name())
    }

    /// Folder of the journal.
    pub fn journal_folder(&self) -> PathBuf {
        self.root.join(JOURNAL)
    }

    /// Reads the manifest.
    ///
    /// # Errors
    /// When it is missing, damaged or of a newer version.
    pub fn manifest(&self) -> Result<RunManifest, StoreError> {
        let path = self.root.join(MANIFEST);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(StoreError::NotARun {
                    path: self.root.clone(),
                });
            }
            Err(source) => {
                return Err(StoreError::Io {
                    action: "read",
                    path,
                    source,
                });
            }
        };
        let damaged = |source: serde_json::Error| StoreError::ManifestUnreadable {
            path: path.clone(),
            line: source.line(),
            source,
        };
        // The version first: a newer manifest may have fields this build would call damage.
        let Version { format_version } = serde_json::from_slice(&text).map_err(damaged)?;
        if format_version > FORMAT_VERSION {
            let supported = FORMAT_VERSION;
            return Err(StoreError::NewerVersion {
                path,
                found: format_version,
                supported,
            });
        }
        serde_json::from_slice(&text).map_err(damaged)
    }

    /// Replaces the manifest: a crash leaves the old one or the new one, whole.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_manifest(&self, manifest: &RunManifest) -> Result<(), StoreError> {
        let path = self.root.join(MANIFEST);
        let temporary = self.root.join("manifest.json.tmp");
        let failed = StoreError::io("write", &path);
        serde_json::to_vec_pretty(manifest)
            .map_err(Into::into)
            .and_then(|mut text| {
                text.push(b'\n');
                let mut file = File::create(&temporary)?;
                file.write_all(&text)?;
                file.sync_all()?;
                fs::rename(&temporary, &path)
            })
            .map_err(failed)?;
        sync_folder(&self.root)
    }

    fn at(path: &Path) -> Result<Self, StoreError> {
        // A path that ends in `.` or `..` holds no name; any other stays as it was given.
        let root = match path.file_name() {
            Some(_) => path.to_owned(),
            None => fs::canonicalize(path).unwrap_or_default(),
        };
        if !root.is_dir() {
            return Err(StoreError::NoFolder {
                path: path.to_owned(),
            });
        }
        let name = root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Self { root, name })
    }
}

#[derive(Deserialize)]
struct Version {
    format_version: u32,
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    // Elsewhere folders cannot be opened as files and need no such call.
    if cfg!(unix) {
        File::open(path)
            .and_then(|folder| folder.sync_all())
            .map_err(StoreError::io("make folder durable", path))?;
    }
    Ok(())
}

fn run_names(runs_root: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match fs::read_dir(runs_root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("read folder", runs_root)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::io("read folder", runs_root))?;
        if let Ok(name) = entry.file_name().into_string()
            && entry.path().join(MANIFEST).is_file()
        {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

/// The study's name as part of a file name.
fn file_name_of(study_name: &str) -> String {
    let name: String = study_name
        .trim_start_matches('.')
        .chars()
        .take(STUDY_NAME_LENGTH)
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') {
                c
            } else {
                '-'
            }
        })
        .collect();
    if name.is_empty() {
        "run".to_owned()
    } else {
        name
    }
}

fn second_of(micros: i64) -> String {
    Timestamp::from_microsecond(micros)
        .unwrap_or_default()
        .strftime("%Y%m%d-%H%M%S")
        .to_string()
}

#[cfg(test)]
mod tests;
