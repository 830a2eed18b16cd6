//! Names of parts, and files that bear one without being listed.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;

use consilium_core::{PartEntry, RunManifest};

use crate::{RunDirectory, RunTable, StoreError};

/// Name of a part without `.parquet`: `part-00012`, or `part-<shard>-00012`.
pub(crate) fn part_stem(shard: Option<&str>, number: u64) -> String {
    match shard {
        Some(shard) => format!("part-{shard}-{number:05}"),
        None => format!("part-{number:05}"),
    }
}

/// Number of a part of this shard, whole or temporary; `None` for every other file.
fn number_of(shard: Option<&str>, file_name: &str) -> Option<u64> {
    let stem = file_name
        .strip_suffix(".tmp")
        .unwrap_or(file_name)
        .strip_suffix(".parquet")?;
    let stem = stem.strip_prefix("part-")?;
    let stem = match shard {
        Some(shard) => stem.strip_prefix(shard)?.strip_prefix('-')?,
        None => stem,
    };
    let digits = match stem.split_once('-') {
        Some((digits, hash)) if hash.len() == 8 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            digits
        }
        Some(_) => return None,
        None => stem,
    };
    if digits.len() < 5 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// Whether a file name is that of a whole part of any shard.
pub(crate) fn is_part(file_name: &str) -> bool {
    file_name.starts_with("part-") && file_name.ends_with(".parquet")
}

/// Table of a listed part.
pub(crate) fn table_of(part: &PartEntry) -> Option<RunTable> {
    let (folder, _) = part.path.split_once('/')?;
    RunTable::ALL
        .into_iter()
        .find(|table| table.name() == folder)
}

/// The number after the highest of a table's listed parts of this shard.
pub(crate) fn first_free_number(parts: &[PartEntry], table: RunTable, shard: Option<&str>) -> u64 {
    parts
        .iter()
        .filter(|part| table_of(part) == Some(table))
        .filter_map(|part| number_of(shard, part.path.rsplit('/').next()?))
        .map(|number| number + 1)
        .max()
        .unwrap_or(0)
}

/// Removes this shard's parts and temporaries that the manifest does not list: what a crash left
/// between writing a part and committing it. Their rows are still in the journal.
pub(crate) fn remove_strays(
    directory: &RunDirectory,
    manifest: &RunManifest,
    tables: &[RunTable],
    shard: Option<&str>,
) -> Result<(), StoreError> {
    let listed: BTreeSet<&str> = manifest
        .parts
        .iter()
        .map(|part| part.path.as_str())
        .collect();
    for &table in tables {
        let folder = directory.table_folder(table);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(StoreError::io("read folder", &folder)(error)),
        };
        for entry in entries {
            let entry = entry.map_err(StoreError::io("read folder", &folder))?;
            let Ok(file_name) = entry.file_name().into_string() else {
                continue;
            };
            let path = format!("{}/{file_name}", table.name());
            if number_of(shard, &file_name).is_some() && !listed.contains(path.as_str()) {
                let path = entry.path();
                fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{manifest, new_run};

    #[test]
    fn a_shard_knows_its_own_parts() {
        assert_eq!(number_of(None, "part-00012.parquet"), Some(12));
        assert_eq!(number_of(None, "part-00012.parquet.tmp"), Some(12));
        assert_eq!(
            number_of(None, "part-100000-0a1b2c3d.parquet"),
            Some(100_000)
        );
        assert_eq!(number_of(Some("1of2"), "part-1of2-00003.parquet"), Some(3));
        assert_eq!(number_of(Some("1of2"), "part-00003.parquet"), None);
        assert_eq!(number_of(None, "part-1of2-00003.parquet"), None);
        assert_eq!(number_of(None, "part-00003.csv"), None);
        assert_eq!(number_of(None, "notes.parquet"), None);
    }

    #[test]
    fn only_unlisted_parts_of_the_shard_are_removed() {
        let (_folder, directory) = new_run();
        let samples = directory.table_folder(RunTable::Samples);
        let files = [
            "part-00000.parquet",
            "part-00001.parquet",
            "part-00002.parquet.tmp",
            "part-1of2-00000.parquet",
            "mine.parquet",
        ];
        for file in files {
            fs::write(samples.join(file), "").unwrap();
        }
        let mut manifest = manifest();
        manifest.parts.push(PartEntry {
            path: "samples/part-00000.parquet".to_owned(),
            rows: 1,
            bytes: 0,
            sha256: String::new(),
        });
        remove_strays(&directory, &manifest, &RunTable::ALL, None).unwrap();
        let left: Vec<bool> = files
            .iter()
            .map(|file| samples.join(file).exists())
            .collect();
        assert_eq!(left, [true, false, false, true, true]);
        assert_eq!(
            first_free_number(&manifest.parts, RunTable::Samples, None),
            1
        );
        assert_eq!(first_free_number(&manifest.parts, RunTable::Calls, None), 0);
    }
}
