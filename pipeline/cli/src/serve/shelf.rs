//! Runs that are open, and what is kept of the others.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use consilium_core::Table;
use consilium_query::RunSource;
use consilium_query::browse::OpenRun;
use consilium_review::LibraryError;
use consilium_store::{RunDirectory, StoreError};
use tokio::sync::OnceCell;

use super::summary::Sums;
use super::unreadable;

/// Runs kept open with their indexes; one of 100,000 samples takes about 30 MB.
const OPEN_RUNS: usize = 8;

/// What tells one manifest from another that took its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    file: u64,
}

/// Tables with the time of the files they were read from, none when they were made.
pub(super) type KeptTables = (Option<SystemTime>, Arc<[Table]>);

/// A run that is open, as its manifest was then.
#[derive(Debug)]
pub(super) struct ShelvedRun {
    run: OpenRun,
    stamp: Stamp,
    /// Its tables; the lock is held while they are made.
    pub(super) tables: tokio::sync::Mutex<Option<KeptTables>>,
}

impl ShelvedRun {
    pub(super) const fn run(&self) -> &OpenRun {
        &self.run
    }

    /// The run, to be queried.
    pub(super) fn source(&self) -> RunSource {
        RunSource {
            root: self.run.directory().root().to_owned(),
            manifest: self.run.manifest().clone(),
        }
    }
}

/// What is kept of every run: a few hundred bytes.
#[derive(Debug)]
struct Entry {
    stamp: Stamp,
    /// Start of the run, or why it cannot be read.
    head: Result<i64, String>,
    sums: Arc<OnceCell<Arc<Sums>>>,
}

/// A run in the list.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) name: String,
    pub(super) head: Result<i64, String>,
}

/// The folder of the runs.
#[derive(Debug)]
pub(super) struct Shelf {
    root: PathBuf,
    known: Mutex<BTreeMap<String, Entry>>,
    /// The open runs, the latest used last.
    open: Mutex<Vec<(String, Arc<ShelvedRun>)>>,
}

impl Shelf {
    pub(super) const fn new(root: PathBuf) -> Self {
        Self {
            root,
            known: Mutex::new(BTreeMap::new()),
            open: Mutex::new(Vec::new()),
        }
    }

    /// Folder of a run of this name, which need not be there.
    pub(super) fn folder(&self, name: &str) -> Option<PathBuf> {
        is_plain(name).then(|| self.root.join(name))
    }

    /// Whether the folder can be read; one that is not there yet has no runs.
    pub(super) fn check(&self) -> Result<(), LibraryError> {
        match fs::read_dir(&self.root) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(LibraryError::because("the folder cannot be read", error)),
        }
    }

    /// Every run with its start; only manifests that are new or have changed are read.
    pub(super) fn list(&self) -> Result<Vec<Listed>, LibraryError> {
        let entries = match fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(LibraryError::because("the folder cannot be read", error)),
        };
        let mut present = BTreeMap::new();
        for entry in entries {
            let entry =
                entry.map_err(|error| LibraryError::because("the folder cannot be read", error))?;
            if let Ok(name) = entry.file_name().into_string()
                && let Some(stamp) = stamp(&entry.path())
            {
                present.insert(name, stamp);
            }
        }
        let mut known = lock(&self.known);
        known.retain(|name, _| present.contains_key(name));
        for (name, stamp) in present {
            if known.get(&name).is_none_or(|entry| entry.stamp != stamp) {
                let entry = self.entry(&name, stamp);
                known.insert(name, entry);
            }
        }
        Ok(known
            .iter()
            .map(|(name, entry)| Listed {
                name: name.clone(),
                head: entry.head.clone(),
            })
            .collect())
    }

    /// Opens a run, or takes one that is open and whose manifest has not changed; `None` when there
    /// is no such.
    pub(super) fn find(&self, name: &str) -> Result<Option<Arc<ShelvedRun>>, LibraryError> {
        // A name is joined to the folder only after it was found to be one of a plain folder there.
        if !is_plain(name) {
            return Ok(None);
        }
        let path = self.root.join(name);
        let Some(stamp) = stamp(&path) else {
            return Ok(None);
        };
        let mut open = lock(&self.open);
        if let Some(place) = open.iter().position(|(known, _)| known == name) {
            let found = open.remove(place);
            if found.1.stamp == stamp {
                let run = Arc::clone(&found.1);
                open.push(found);
                return Ok(Some(run));
            }
        }
        let run = Arc::new(open_run(&path, stamp)?);
        if open.len() >= OPEN_RUNS {
            open.remove(0);
        }
        open.push((name.to_owned(), Arc::clone(&run)));
        Ok(Some(run))
    }

    /// Opens a run for one question, without keeping it.
    pub(super) fn glance(&self, name: &str) -> Result<Option<Arc<ShelvedRun>>, LibraryError> {
        let path = self.root.join(name);
        let Some(stamp) = stamp(&path).filter(|_| is_plain(name)) else {
            return Ok(None);
        };
        if let Some((_, run)) = lock(&self.open)
            .iter()
            .find(|(known, run)| known == name && run.stamp == stamp)
        {
            return Ok(Some(Arc::clone(run)));
        }
        open_run(&path, stamp).map(|run| Some(Arc::new(run)))
    }

    /// The place for the sums of a run as it is open.
    pub(super) fn sums(&self, run: &ShelvedRun) -> Arc<OnceCell<Arc<Sums>>> {
        let name = run.run.directory().name();
        let mut known = lock(&self.known);
        match known.get(name) {
            Some(entry) if entry.stamp == run.stamp => Arc::clone(&entry.sums),
            _ => {
                let entry = Entry {
                    stamp: run.stamp,
                    head: Ok(run.run.manifest().created_at),
                    sums: Arc::default(),
                };
                let sums = Arc::clone(&entry.sums);
                known.insert(name.to_owned(), entry);
                sums
            }
        }
    }

    fn entry(&self, name: &str, stamp: Stamp) -> Entry {
        let manifest = RunDirectory::open(&self.root.join(name)).and_then(|run| run.manifest());
        Entry {
            stamp,
            head: match manifest {
                Ok(manifest) => Ok(manifest.created_at),
                Err(error) => Err(reason(&error)),
            },
            sums: Arc::default(),
        }
    }
}

fn open_run(path: &Path, stamp: Stamp) -> Result<ShelvedRun, LibraryError> {
    let store = |error: StoreError| LibraryError::because("a run cannot be opened", error);
    let directory = RunDirectory::open(path).map_err(store)?;
    let manifest = directory.manifest().map_err(store)?;
    Ok(ShelvedRun {
        run: OpenRun::new(directory, manifest).map_err(unreadable)?,
        stamp,
        tables: tokio::sync::Mutex::new(None),
    })
}

/// Whether a name is that of an entry of a folder, and leads nowhere else.
fn is_plain(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!(parts.next(), Some(std::path::Component::Normal(only)) if only == name)
        && parts.next().is_none()
}

/// Stamp of a run's manifest; `None` when there is none.
fn stamp(run: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(run.join("manifest.json")).ok()?;
    Some(Stamp {
        modified: metadata.modified().ok(),
        length: metadata.len(),
        file: file_number(&metadata),
    })
}

/// A manifest is replaced by another file, never written over.
#[cfg(unix)]
fn file_number(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
const fn file_number(_: &fs::Metadata) -> u64 {
    0
}

/// Why a run cannot be read, in a reader's words and without a path.
pub(super) fn reason(error: &StoreError) -> String {
    match error {
        StoreError::NewerVersion {
            found, supported, ..
        } => format!(
            "It was made by a newer version of Consilium (format {found}; this version reads up to \
             {supported})."
        ),
        StoreError::ManifestUnreadable { line, .. } => {
            format!("Its manifest.json is damaged at line {line}.")
        }
        _ => "Its manifest.json cannot be read.".to_owned(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_are_joined_to_the_folder() {
        assert!(is_plain("study-20261130-101500-ab12"));
        for name in ["", ".", "..", "a/b", "/etc", "a/", "./a", "../a"] {
            assert!(!is_plain(name), "{name}");
        }
    }
}
