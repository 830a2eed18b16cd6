//! Files of the journal.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::run_directory::sync_folder;

/// Path of a segment.
pub(crate) fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("segment-{number:06}.jsonl"))
}

/// Numbers of the segments that exist, ascending.
pub(crate) fn segments(folder: &Path) -> Result<Vec<u64>, StoreError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io("read folder", folder)(error)),
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::io("read folder", folder))?;
        let name = entry.file_name();
        let number: Option<u64> = name.to_str().and_then(|name| {
            name.strip_prefix("segment-")?
                .strip_suffix(".jsonl")?
                .parse()
                .ok()
        });
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// The highest segment.
pub(crate) fn last_segment(folder: &Path) -> Result<Option<u64>, StoreError> {
    Ok(segments(folder)?.last().copied())
}

/// Removes segments whose content is in parts. Those with unreadable lines are set aside as
/// `*.jsonl.damaged` instead: what can be saved by hand was paid for.
pub(crate) fn remove_segments_before(
    folder: &Path,
    first_kept: u64,
    damaged: &[u64],
) -> Result<(), StoreError> {
    for number in segments(folder)? {
        if number >= first_kept {
            break;
        }
        let path = segment_path(folder, number);
        if damaged.contains(&number) {
            let aside = path.with_extension("jsonl.damaged");
            fs::rename(&path, &aside).map_err(StoreError::io("rename to", &aside))?;
        } else {
            fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
        }
    }
    sync_folder(folder)
}

/// Removes a segment that has nothing in it.
pub(crate) fn remove_empty_segment(folder: &Path, number: u64) -> Result<(), StoreError> {
    let path = segment_path(folder, number);
    let failed = || StoreError::io("remove", &path);
    if fs::metadata(&path).map_err(failed())?.len() == 0 {
        fs::remove_file(&path).map_err(failed())?;
    }
    Ok(())
}
