//! The crates may depend on each other only along the edges of the design.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, MetadataCommand};

/// (crate, what it may depend on).
const ALLOWED: [(&str, &[&str]); 9] = [
    ("consilium-core", &[]),
    ("consilium-metrics", &["consilium-core"]),
    ("consilium-models", &["consilium-core"]),
    ("consilium-store", &["consilium-core"]),
    (
        "consilium-runner",
        &[
            "consilium-core",
            "consilium-metrics",
            "consilium-models",
            "consilium-store",
        ],
    ),
    (
        "consilium-query",
        &["consilium-core", "consilium-metrics", "consilium-store"],
    ),
    ("consilium-report", &["consilium-core"]),
    ("consilium-review", &["consilium-core", "consilium-metrics"]),
    (
        "consilium",
        &[
            "consilium-core",
            "consilium-query",
            "consilium-report",
            "consilium-review",
            "consilium-runner",
            "consilium-store",
        ],
    ),
];

#[test]
fn crates_depend_only_along_the_edges_of_the_design() {
    let metadata = MetadataCommand::new()
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .unwrap();
    let members: BTreeSet<String> = metadata
        .packages
        .iter()
        .map(|p| p.name.to_string())
        .collect();
    assert_eq!(
        members,
        ALLOWED.iter().map(|(name, _)| (*name).to_owned()).collect()
    );
    for package in &metadata.packages {
        let (_, allowed) = ALLOWED
            .iter()
            .find(|(name, _)| *name == package.name.as_str())
            .unwrap();
        for dependency in package
            .dependencies
            .iter()
            .filter(|d| d.kind == DependencyKind::Normal)
        {
            let ours = members.contains(&dependency.name);
            assert!(
                !ours || allowed.contains(&dependency.name.as_str()),
                "{} must not depend on {}",
                package.name,
                dependency.name
            );
        }
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
        ("reqwest", &["consilium-runner"]),
        ("candle-core", &["consilium-models"]),
        ("tantivy", &["consilium-runner"]),
        (
            "parquet",
            &["consilium-query", "consilium-runner", "consilium-store"],
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
