//! Scoring a run: offline, repeatable, from its recorded answers.

use anyhow::{Context as _, Result};
use consilium_core::RunManifest;
use consilium_core::study::Study;
use consilium_query::for_each_pair_batch;
use consilium_runner::scorer;
use consilium_store::{RunDirectory, ScoreSorter, SortedScores, replace_scores};

use crate::failure::hinted;

/// Computes the rows of the named scorers, all when none is named, and replaces theirs in the run.
///
/// The caller holds the run's lock. Returns (scorer, rows).
pub(crate) async fn score_run(
    directory: &RunDirectory,
    only: &[String],
) -> Result<Vec<(String, u64)>> {
    let mut manifest = directory.manifest()?;
    let mut counts = Vec::new();
    for (name, signature, rows) in compute_scores(directory, &manifest, only).await? {
        counts.push((name.clone(), rows.rows()));
        replace_scores(directory, &mut manifest, &name, rows)?;
        manifest.signatures.insert(name, signature);
        directory.write_manifest(&manifest)?;
    }
    Ok(counts)
}

/// The rows of the named scorers with their signatures, without writing anything.
pub(crate) async fn compute_scores(
    directory: &RunDirectory,
    manifest: &RunManifest,
    only: &[String],
) -> Result<Vec<(String, String, SortedScores)>> {
    let study: Study = serde_json::from_value(manifest.study.clone())
        .with_context(|| format!("read the study in the manifest of '{}'", manifest.run))?;
    if let Some(unknown) = only
        .iter()
        .find(|name| !study.scorer.iter().any(|spec| spec.display_name() == *name))
    {
        let known: Vec<&str> = study
            .scorer
            .iter()
            .map(consilium_core::study::ScorerSpec::display_name)
            .collect();
        return Err(hinted(
            format!("score run '{}': it has no scorer '{unknown}'", manifest.run),
            format!("there are {}", known.join(", ")),
        ));
    }
    let session = super::session_over(&[super::source(directory)?]).await?;
    let mut scored = Vec::new();
    for spec in &study.scorer {
        if !only.is_empty() && !only.iter().any(|name| name == spec.display_name()) {
            continue;
        }
        // Paths in a recorded study are absolute.
        let scorer = scorer::build(spec, std::path::Path::new("/"))?;
        let mut rows = ScoreSorter::default();
        for_each_pair_batch(&session, &spec.datasets, |pairs| {
            rows.extend(scorer.score_batch(&pairs))?;
            anyhow::Ok(())
        })
        .await?;
        scored.push((
            spec.display_name().to_owned(),
            scorer.signature().to_string(),
            rows.finish()?,
        ));
    }
    Ok(scored)
}
