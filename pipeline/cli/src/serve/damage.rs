//! What a page says of a run that cannot be read: what is wrong, where, and what to do.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use consilium_core::RunManifest;
use consilium_query::browse::BrowseError;
use consilium_review::LibraryError;
use consilium_store::{RunDirectory, StoreError, sha256_file};

use super::shelf::reason;

/// Bytes of parts that are hashed to find the damaged one; more would keep a reader waiting.
const MOST_HASHED: u64 = 512 << 20;

/// The error with words for a page, unless it has some or nothing points to the run.
pub(super) fn explained(run: &str, root: &Path, error: LibraryError) -> LibraryError {
    if error.shown.is_some() {
        return error;
    }
    let cause = error.source.as_deref();
    if let Some(BrowseError::SearchTooLong) = cause.and_then(|it| it.downcast_ref()) {
        return error.showing(
            "The search through the texts of this run took too long and was given up. Narrow it with a \
             filter or search for a longer text.",
        );
    }
    let what = RunDirectory::open(root)
        .and_then(|directory| directory.manifest())
        .map_or_else(
            |error| Some(reason(&error)),
            |manifest| {
                missing_or_cut(root, &manifest)
                    .or_else(|| cause.and_then(|cause| named(root, cause)))
                    .or_else(|| changed(root, &manifest))
            },
        );
    match what {
        Some(what) => error.showing(format!(
            "Run {run} is damaged. {what} consilium verify {run} lists everything that is wrong with it; \
             the other runs can be read."
        )),
        None => error,
    }
}

/// A part that is not there in full.
fn missing_or_cut(root: &Path, manifest: &RunManifest) -> Option<String> {
    manifest
        .parts
        .iter()
        .find_map(|part| match fs::metadata(root.join(&part.path)) {
            Ok(found) if found.len() == part.bytes => None,
            Ok(found) => Some(format!(
                "Its file {} has {} bytes, and {} were written.",
                part.path,
                found.len(),
                part.bytes
            )),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Some(format!("Its file {} is missing.", part.path))
            }
            Err(error) => Some(format!(
                "Its file {} cannot be read: {}.",
                part.path,
                error.kind()
            )),
        })
}

/// What an error itself says of the place; never a value, which may be case text.
fn named(root: &Path, cause: &(dyn std::error::Error + 'static)) -> Option<String> {
    let store = match cause.downcast_ref::<BrowseError>() {
        Some(BrowseError::Store(error)) => error,
        Some(BrowseError::Column { table, column }) => {
            return Some(format!(
                "Column {column} in its folder {}/ holds what it must not.",
                table.name()
            ));
        }
        Some(BrowseError::Study(_)) => {
            return Some("The study in its manifest.json cannot be read.".to_owned());
        }
        Some(BrowseError::Case(_)) => {
            return Some("A case in its folder cases/ cannot be read.".to_owned());
        }
        Some(BrowseError::Query(_) | BrowseError::SearchTooLong) => return None,
        None => cause.downcast_ref::<StoreError>()?,
    };
    match store {
        StoreError::Part { path, .. } | StoreError::Io { path, .. } => {
            let inside = path.strip_prefix(root).ok()?;
            Some(format!("Its file {} cannot be read.", inside.display()))
        }
        StoreError::Decode { table, .. } => Some(format!(
            "A file in its folder {}/ does not hold what the table needs.",
            table.name()
        )),
        _ => None,
    }
}

/// A part whose bytes are not those that were written.
fn changed(root: &Path, manifest: &RunManifest) -> Option<String> {
    let mut hashed = 0;
    manifest.parts.iter().find_map(|part| {
        hashed += part.bytes;
        let whole = hashed > MOST_HASHED
            || sha256_file(&root.join(&part.path)).is_ok_and(|sha256| sha256 == part.sha256);
        (!whole).then(|| {
            format!(
                "The bytes of its file {} are not those that were written.",
                part.path
            )
        })
    })
}
