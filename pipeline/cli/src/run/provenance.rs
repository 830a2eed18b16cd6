//! Where the answers and cases of a run come from, and what must be said about them.

use consilium_core::RunManifest;
use consilium_core::manifest::DatasetEntry;
use consilium_datasets::terms_of_file;
use consilium_query::RunSource;

/// Words of a card's terms that must stand wherever its cases are shown.
const MARKED: &str = "not clinically validated";

/// The condition that keeps one of several runs, empty for the only one.
pub(super) fn only(runs: &[RunSource], run: &RunSource) -> String {
    if runs.len() > 1 {
        format!(" WHERE run = '{}'", run.manifest.run.replace('\'', "''"))
    } else {
        String::new()
    }
}

/// Terms of a dataset: as recorded, else of the card whose file it is.
pub(super) fn terms(dataset: &DatasetEntry) -> Option<String> {
    dataset
        .terms
        .clone()
        .or_else(|| terms_of_file(&dataset.source.sha256))
}

/// What must be said of a run whose study was run before.
pub(crate) fn rerun_note(manifest: &RunManifest) -> Option<String> {
    let first = manifest.rerun_of.first()?;
    Some(format!(
        "Sensitivity set: the study was run before as {}; the headline numbers are those of {first}.",
        manifest.rerun_of.join(", ")
    ))
}

/// What must be said wherever cases of these runs are shown.
pub(crate) fn marks<'a>(manifests: impl Iterator<Item = &'a RunManifest>) -> Vec<String> {
    let mut marked: Vec<(String, Vec<&str>)> = Vec::new();
    for dataset in manifests.flat_map(|manifest| &manifest.datasets) {
        let Some(terms) = terms(dataset).filter(|terms| terms.contains(MARKED)) else {
            continue;
        };
        let name = dataset.name.as_str();
        match marked.iter_mut().find(|(known, _)| *known == terms) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => marked.push((terms, vec![name])),
        }
    }
    marked
        .into_iter()
        .map(|(terms, names)| format!("Cases of {}: {terms}.", names.join(", ")))
        .collect()
}
