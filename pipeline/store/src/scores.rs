//! Replacing the scores of a scorer.
//!
//! Every metric of a scorer has parts of its own, of a fixed size, sorted by key and named by number and
//! content; the manifest lists them by scorer and metric. The same scores are therefore the same files in
//! every run, and new parts never take the place of those that the manifest still lists. Parts of earlier
//! versions hold several scorers; they are split when one of them is replaced.

mod content;
mod sorter;
mod writer;

use consilium_core::{RunManifest, ScoreRow};

use crate::{RunDirectory, StoreError};

pub use sorter::{ScoreSorter, SortedScores};
pub use writer::ScoreWriter;

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
    let mut writer = ScoreWriter::with_rows_per_part(directory, rows_per_part);
    writer.keep(rows, &[])?;
    writer.replace(manifest, &[scorer_name])
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::RunTable;
    use crate::fixtures::{manifest, new_run, score};
    use crate::part::{read_rows, write_table};

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

    /// By name: the manifest lists them by scorer and metric.
    fn listed(manifest: &RunManifest) -> Vec<String> {
        let parts = manifest.parts.iter();
        let mut names: Vec<String> = parts.map(|part| part.path.clone()).collect();
        names.sort();
        names
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
        assert_eq!(manifest.parts.len(), 8);
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
    fn parts_that_hold_several_scorers_are_split() {
        let (_folder, directory) = new_run();
        let mut manifest = manifest();
        let sorted = |value| {
            let rows =
                ["judge", "text"].map(|scorer| scores(scorer, 20, value).map(Result::unwrap));
            rows.into_iter().flatten()
        };
        manifest.parts = write_table(&directory, None, 0, 50, sorted(0.1)).unwrap();
        assert_eq!(manifest.parts.len(), 2);
        replace(
            &directory,
            &mut manifest,
            "text",
            scores("text", 20, 0.3),
            16,
        )
        .unwrap();

        let mut whole = crate::fixtures::manifest();
        for (scorer, value) in [("judge", 0.1), ("text", 0.3)] {
            replace(
                &directory,
                &mut whole,
                scorer,
                scores(scorer, 20, value),
                16,
            )
            .unwrap();
        }
        assert_eq!(manifest.parts, whole.parts);
        assert_eq!(rows(&directory, &manifest).len(), 80);
    }

    #[test]
    fn rows_out_of_order_are_refused() {
        let (_folder, directory) = new_run();
        let mut writer = ScoreWriter::new(&directory);
        let row = |case: &str| score("a", "m", case, 1.0);
        writer.extend([row("b"), row("c")]).unwrap();
        let error = writer.extend([row("a")]).unwrap_err();
        assert!(error.to_string().contains("'a'"), "{error}");
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
