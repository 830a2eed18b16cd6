//! Whether parts are there in full.

use std::fs;
use std::path::{Path, PathBuf};

use consilium_core::{PartEntry, RunManifest};

use super::table_of;
use crate::{RunDirectory, RunTable, StoreError};

/// The path of a part that has the size it was written with.
///
/// # Errors
/// When it has not, or is missing.
pub fn present_part(root: &Path, run: &str, part: &PartEntry) -> Result<PathBuf, StoreError> {
    let path = root.join(&part.path);
    let size = fs::metadata(&path).ok().map(|metadata| metadata.len());
    if size == Some(part.bytes) {
        return Ok(path);
    }
    Err(StoreError::PartDamaged {
        part: part.path.clone(),
        run: run.to_owned(),
        damage: if size.is_some() {
            "not the size that was written"
        } else {
            "missing"
        },
    })
}

/// Takes the parts of a table that are not there in full off a manifest in memory; says how many.
pub fn leave_out_damaged(
    directory: &RunDirectory,
    manifest: &mut RunManifest,
    table: RunTable,
) -> usize {
    let before = manifest.parts.len();
    let run = &manifest.run;
    manifest.parts.retain(|part| {
        table_of(part) != Some(table) || present_part(directory.root(), run, part).is_ok()
    });
    before - manifest.parts.len()
}

/// Makes sure that every part of a run is there in full, before anything is made from some of them.
///
/// # Errors
/// When one is not.
pub fn check_parts(directory: &RunDirectory, manifest: &RunManifest) -> Result<(), StoreError> {
    let mut parts = manifest.parts.iter();
    parts.try_for_each(|part| present_part(directory.root(), &manifest.run, part).map(drop))
}
