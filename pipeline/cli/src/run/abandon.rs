//! Runs that were made and could not begin.

use anyhow::Result;
use consilium_store::{RunDirectory, RunTable};

/// The result; a failure takes the run with it when nothing was recorded in it yet.
///
/// Only for a run that this process has made: another's is never removed.
pub(super) fn or_abandon<T>(directory: &RunDirectory, result: Result<T>) -> Result<T> {
    if result.is_err() && holds_nothing(directory) {
        // Whoever reads why it failed can remove a folder that stays behind.
        drop(std::fs::remove_dir_all(directory.root()));
    }
    result
}

/// Whether nothing was ever executed: neither the journal nor any table but that of the cases has a file.
fn holds_nothing(directory: &RunDirectory) -> bool {
    let manifest = directory.manifest();
    if manifest.is_ok_and(|manifest| manifest.finished_at.is_some()) {
        return false;
    }
    let recorded = RunTable::ALL
        .into_iter()
        .filter(|table| *table != RunTable::Cases)
        .map(|table| directory.table_folder(table));
    recorded.chain([directory.journal_folder()]).all(|folder| {
        std::fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
    })
}

#[cfg(test)]
mod tests {
    use consilium_core::SystemClock;

    use super::*;

    #[test]
    fn a_run_goes_only_while_nothing_is_recorded_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let made = |recorded: Option<&str>| {
            let directory = RunDirectory::create(folder.path(), "s", &SystemClock).unwrap();
            std::fs::write(directory.root().join("cases/part-00000.parquet"), "").unwrap();
            if let Some(path) = recorded {
                std::fs::write(directory.root().join(path), "").unwrap();
            }
            directory
        };
        let failed = || anyhow::bail!("no");
        for recorded in ["journal/segment-000001.jsonl", "calls/part-00000.parquet"] {
            let directory = made(Some(recorded));
            or_abandon::<()>(&directory, failed()).unwrap_err();
            assert!(directory.root().exists(), "{recorded}");
        }
        let directory = made(None);
        or_abandon(&directory, Ok(())).unwrap();
        assert!(directory.root().exists());
        or_abandon::<()>(&directory, failed()).unwrap_err();
        assert!(!directory.root().exists());
    }
}
