//! The crates may depend on each other only along the edges of the design.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// (crate, what it depends on): every edge that exists, and no other.
const EDGES: [(&str, &[&str]); 14] = [
    ("consilium-core", &[]),
    ("consilium-metrics", &[]),
    ("consilium-models", &["consilium-core"]),
    ("consilium-store", &["consilium-core"]),
    ("consilium-backends", &["consilium-core", "consilium-store"]),
    (
        "consilium-mock-server",
        &["consilium-backends", "consilium-core"],
    ),
    (
        "consilium-runner",
        &["consilium-backends", "consilium-core", "consilium-store"],
    ),
    (
        "consilium-solvers",
        &["consilium-backends", "consilium-core", "consilium-runner"],
    ),
    (
        "consilium-scorers",
        &[
            "consilium-backends",
            "consilium-core",
            "consilium-metrics",
            "consilium-models",
            "consilium-runner",
            "consilium-store",
        ],
    ),
    ("consilium-datasets", &["consilium-core", "consilium-store"]),
    (
        "consilium-query",
        &[
            "consilium-core",
            "consilium-datasets",
            "consilium-metrics",
            "consilium-store",
        ],
    ),
    ("consilium-report", &["consilium-core"]),
    ("consilium-review", &["consilium-core"]),
    (
        "consilium",
        &[
            "consilium-backends",
            "consilium-core",
            "consilium-datasets",
            "consilium-mock-server",
            "consilium-query",
            "consilium-report",
            "consilium-review",
            "consilium-runner",
            "consilium-scorers",
            "consilium-solvers",
            "consilium-store",
        ],
    ),
];

#[test]
fn crates_depend_along_the_edges_of_the_design_and_no_others() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .unwrap();
    let members: BTreeSet<&str> = metadata.packages.iter().map(|p| p.name.as_str()).collect();
    let found: BTreeMap<&str, BTreeSet<&str>> = metadata
        .packages
        .iter()
        .map(|package| {
            let ours = package
                .dependencies
                .iter()
                .filter(|d| d.kind == DependencyKind::Normal)
                .map(|d| d.name.as_str())
                .filter(|name| members.contains(name))
                .collect();
            (package.name.as_str(), ours)
        })
        .collect();
    let expected = EDGES
        .iter()
        .map(|(name, edges)| (*name, edges.iter().copied().collect()))
        .collect();
    assert_eq!(found, expected);
}

/// A solver that reads answers like a scorer, or a scorer that asks like a solver, would join two
/// rooms that must change apart.
#[test]
fn solvers_and_scorers_do_not_know_each_other() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for (room, other) in [
        ("solvers", "consilium_scorers"),
        ("scorers", "consilium_solvers"),
    ] {
        let mut folders = vec![std::path::PathBuf::from(format!("{root}/{room}/src"))];
        let mut files = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    files += 1;
                    let text = std::fs::read_to_string(&path).unwrap();
                    assert!(!text.contains(other), "{} names {other}", path.display());
                }
            }
        }
        assert!(files > 5, "{room} holds {files} files");
    }
}

#[test]
fn heavy_libraries_stay_where_they_belong() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .unwrap();
    for (library, users) in [
        ("datafusion", &["consilium-query"] as &[&str]),
        ("reqwest", &["consilium-backends"]),
        (
            "axum",
            &["consilium", "consilium-mock-server", "consilium-review"],
        ),
        ("candle-core", &["consilium-models"]),
        ("tantivy", &["consilium-solvers"]),
        (
            "parquet",
            &[
                "consilium-backends",
                "consilium-datasets",
                "consilium-query",
                "consilium-store",
            ],
        ),
    ] {
        let found: BTreeSet<&str> = metadata
            .packages
            .iter()
            .filter(|p| {
                p.dependencies
                    .iter()
                    .any(|d| d.name == library && d.kind == DependencyKind::Normal)
            })
            .map(|p| p.name.as_str())
            .collect();
        assert_eq!(found, users.iter().copied().collect(), "{library}");
    }
}
