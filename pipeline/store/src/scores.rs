//! Replacing the scores of one scorer.
//!
//! Scores are sorted by scorer, metric and key, in parts of a fixed size that are named by number
//! and content. The same scores are therefore the same files in every run, and new parts never take
//! the place of those that the manifest still lists.

mod sorter;

use std::iter::Peekable;

use consilium_core::{RunManifest, ScoreRow};

use crate::part::{PartWriter, read_rows, remove_strays, table_of, write_parts};
use crate::{RunDirectory, RunTable, StoreError};

pub use sorter::{ScoreSorter, SortedScores};

/// Rows of a part of `scores`.
const ROWS_PER_PART: u64 = 131_072;

/// Puts `rows` in the place of everything the scorer said before, and commits the manifest.
///
/// The caller holds the run's lock. A crash leaves the old scores or the new ones, whole.
///
/// # Errors
/// When the present scores cannot be read or the new ones written; the present ones stay.
pub fn replace_scores(
    directory: &RunDirectory,
    manifest: &mut RunManifest,
    scorer_name: &str,
    rows: SortedScores,
) -> Result<(), StoreError> {
    replace(directory, manifest, scorer_name, rows, ROWS_PER_PART)
}

fn replace(
    directory: &RunDirectory,
    manifest: &mut RunManifest,
    scorer_name: &str,
    rows: SortedScores,
    rows_per_part: u64,
) -> Result<(), StoreError> {
    let others = read_rows::<ScoreRow>(directory, manifest)
        .filter(|row| row.as_ref().map_or(true, |row| row.scorer != scorer_name));
    let merged = Merge {
        left: others.peekable(),
        right: rows.peekable(),
    };
    let finish = PartWriter::finish_by_content;
    let parts = write_parts(directory, None, 0, rows_per_part, merged, finish)?;

    let mut next = manifest.clone();
    next.parts
        .retain(|part| table_of(part) != Some(RunTable::Scores));
    next.parts.extend(parts);
    directory.write_manifest(&next)?;
    *manifest = next;
    remove_strays(directory, manifest, &[RunTable::Scores], None)
}

type Order<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str, u32, u32);

fn order(row: &ScoreRow) -> Order<'_> {
    let ScoreRow {
        scorer,
        metric,
        dataset,
        case_id,
        system,
        epoch,
        attempt,
        ..
    } = row;
    (scorer, metric, dataset, case_id, system, *epoch, *attempt)
}

/// Two sorted streams as one.
struct Merge<L: Iterator, R: Iterator> {
    left: Peekable<L>,
    right: Peekable<R>,
}

impl<L, R> Iterator for Merge<L, R>
where
    L: Iterator<Item = Result<ScoreRow, StoreError>>,
    R: Iterator<Item = Result<ScoreRow, StoreError>>,
{
    type Item = Result<ScoreRow, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let left_first = match (self.left.peek(), self.right.peek()) {
            (Some(Ok(left)), Some(Ok(right))) => order(left) <= order(right),
            // A failure comes out at once.
            (_, Some(Err(_))) | (None, _) => false,
            (Some(_), _) => true,
        };
        if left_first {
            self.left.next()
        } else {
            self.right.next()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fixtures::{manifest, new_run, score};

    fn scores(scorer: &str, count: u32, value: f64) -> SortedScores {
        let mut sorter = ScoreSorter::default();
        // Backwards, so that sorting shows.
        let rows = (0..count).rev().flat_map(|case| {
            ["rouge1", "bleu"]
                .map(|metric| score(scorer, metric, &format!("case-{case:03}"), value))
        });
        sorter.extend(rows).unwrap();
        sorter.finish().unwrap()
    }

    fn rows(directory: &RunDirectory, manifest: &RunManifest) -> Vec<ScoreRow> {
        read_rows(directory, manifest)
            .collect::<Result<_, _>>()
            .unwrap()
    }

    fn files(directory: &RunDirectory) -> Vec<String> {
        let folder = directory.table_folder(RunTable::Scores);
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("scores/{}", entry.unwrap().file_name().to_str().unwrap()))
            .collect();
        names.sort();
        names
    }

    fn listed(manifest: &RunManifest) -> Vec<String> {
        manifest
            .parts
            .iter()
            .map(|part| part.path.clone())
            .collect()
    }

    #[test]
    fn one_scorer_is_replaced_and_the_others_stay() {
        let (_folder, directory) = new_run();
        let mut manifest = manifest();
        for (scorer, value) in [("text", 0.1), ("judge", 0.2), ("text", 0.3)] {
            replace(
                &directory,
                &mut manifest,
                scorer,
                scores(scorer, 20, value),
                16,
            )
            .unwrap();
        }
        let rows = rows(&directory, &manifest);
        assert!(rows.is_sorted_by(|left, right| order(left) < order(right)));
        let of = |scorer: &str| {
            rows.iter()
                .filter(|row| row.scorer == scorer)
                .collect::<Vec<_>>()
        };
        assert_eq!(of("judge").len(), 40);
        assert_eq!(of("text").len(), 40);
        assert!(of("text").iter().all(|row| row.value == Some(0.3)));
        assert_eq!(manifest.parts.len(), 5);
        assert_eq!(files(&directory), listed(&manifest));
        assert_eq!(directory.manifest().unwrap(), manifest);
    }

    #[test]
    fn the_same_scores_are_the_same_files_whatever_came_before() {
        let (_first_folder, first) = new_run();
        let (_second_folder, second) = new_run();
        let (mut first_manifest, mut second_manifest) = (manifest(), manifest());
        replace(&first, &mut first_manifest, "a", scores("a", 20, 1.0), 16).unwrap();
        replace(&first, &mut first_manifest, "b", scores("b", 20, 1.0), 16).unwrap();
        for (scorer, value) in [("b", 0.0), ("a", 0.0), ("b", 1.0), ("a", 1.0)] {
            let rows = scores(scorer, 20, value);
            replace(&second, &mut second_manifest, scorer, rows, 16).unwrap();
        }
        assert_eq!(first_manifest.parts, second_manifest.parts);
        // Writing what is there already must not delete it.
        replace(&first, &mut first_manifest, "a", scores("a", 20, 1.0), 16).unwrap();
        assert_eq!(files(&first), listed(&second_manifest));
    }

    #[test]
    fn no_rows_remove_a_scorer() {
        let (_folder, directory) = new_run();
        let mut manifest = manifest();
        replace_scores(&directory, &mut manifest, "a", scores("a", 2, 1.0)).unwrap();
        replace_scores(&directory, &mut manifest, "a", scores("a", 0, 0.0)).unwrap();
        assert!(manifest.parts.is_empty());
        assert!(files(&directory).is_empty());
    }

    #[test]
    fn a_failure_leaves_the_old_scores_listed_and_whole() {
        let (_folder, directory) = new_run();
        let mut manifest = manifest();
        replace_scores(&directory, &mut manifest, "a", scores("a", 2, 1.0)).unwrap();
        let before = manifest.clone();
        // A folder where the manifest's temporary file goes: the commit itself fails.
        fs::create_dir(directory.root().join("manifest.json.tmp")).unwrap();
        replace_scores(&directory, &mut manifest, "b", scores("b", 2, 1.0)).unwrap_err();
        assert_eq!(manifest, before);
        assert_eq!(directory.manifest().unwrap(), before);
        assert_eq!(rows(&directory, &manifest).len(), 4);
    }
}
