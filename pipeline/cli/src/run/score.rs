//! Scoring a run: repeatable, from its recorded answers; only a judge and embeddings of a backend ask a server.

use std::path::Path;

use anyhow::{Context as _, Result};
use consilium_core::RunManifest;
use consilium_core::study::{ScorerKind, ScorerSpec, Study};
use consilium_query::{SessionContext, pair_batches, recorded_batches};
use consilium_runner::scorer;
use consilium_store::{RunDirectory, RunLock, ScoreSorter, SortedScores, replace_scores};
use futures::StreamExt as _;

use super::judge::{judge_run, recorded_verdicts, remember_policy};
use super::similarity::similarity_scores;
use crate::failure::hinted;
use crate::printer;

/// Computes the rows of the named scorers, all when none is named, and replaces theirs in the run.
///
/// Gives the lock back with (scorer, rows).
pub(crate) async fn score_run(
    directory: &RunDirectory,
    mut lock: RunLock,
    only: &[String],
) -> Result<(RunLock, Vec<(String, u64)>)> {
    let study = recorded_study(&directory.manifest()?)?;
    let mut counts = Vec::new();
    // Judges first: they may find finished samples in the journal that the others are to score too.
    let mut specs = selected(&study, only, directory)?;
    specs.sort_by_key(|spec| spec.kind != ScorerKind::Judge);
    for spec in specs {
        let name = spec.display_name().to_owned();
        let (signature, rows, policy) = if spec.kind == ScorerKind::Judge {
            let judged = judge_run(directory, lock, &study, spec).await?;
            lock = judged.lock;
            (judged.signature, judged.rows, Some(judged.policy))
        } else {
            let session = super::session_over(&[super::source(directory)?]).await?;
            let (signature, rows) = if spec.kind == ScorerKind::Embedding {
                similarity_scores(directory, &session, &study, spec).await?
            } else {
                offline_scores(&session, spec).await?
            };
            (signature, rows, None)
        };
        counts.push((name.clone(), rows.rows()));
        let mut manifest = directory.manifest()?;
        replace_scores(directory, &mut manifest, &name, rows)?;
        manifest.signatures.insert(name, signature);
        if let Some(policy) = policy {
            remember_policy(&mut manifest, policy);
        }
        directory.write_manifest(&manifest)?;
    }
    Ok((lock, counts))
}

/// The rows of the named scorers with their signatures, without asking or writing anything: a judge's
/// follow from its recorded calls. What a server would have to be asked for is left out.
pub(crate) async fn compute_scores(
    directory: &RunDirectory,
    manifest: &RunManifest,
    only: &[String],
) -> Result<Vec<(String, String, SortedScores)>> {
    let study = recorded_study(manifest)?;
    let session = super::session_over(&[super::source(directory)?]).await?;
    let mut scored = Vec::new();
    for spec in selected(&study, only, directory)? {
        let (signature, rows) = match spec.kind {
            ScorerKind::Judge => recorded_verdicts(&session, &study, spec).await?,
            ScorerKind::Embedding if spec.encoder.is_none() => {
                printer::note(&format!(
                    "scorer '{}' asks backend '{}' for embeddings; its values were not computed again",
                    spec.display_name(),
                    spec.backend.as_deref().unwrap_or_default(),
                ));
                continue;
            }
            ScorerKind::Embedding => similarity_scores(directory, &session, &study, spec).await?,
            _ => offline_scores(&session, spec).await?,
        };
        scored.push((spec.display_name().to_owned(), signature, rows));
    }
    Ok(scored)
}

fn recorded_study(manifest: &RunManifest) -> Result<Study> {
    serde_json::from_value(manifest.study.clone())
        .with_context(|| format!("read the study in the manifest of '{}'", manifest.run))
}

fn selected<'a>(
    study: &'a Study,
    only: &[String],
    directory: &RunDirectory,
) -> Result<Vec<&'a ScorerSpec>> {
    if let Some(unknown) = only
        .iter()
        .find(|name| !study.scorer.iter().any(|spec| spec.display_name() == *name))
    {
        let known: Vec<&str> = study.scorer.iter().map(ScorerSpec::display_name).collect();
        return Err(hinted(
            format!(
                "score run '{}': it has no scorer '{unknown}'",
                directory.name()
            ),
            format!("there are {}", known.join(", ")),
        ));
    }
    Ok(study
        .scorer
        .iter()
        .filter(|spec| only.is_empty() || only.iter().any(|name| name == spec.display_name()))
        .collect())
}

async fn offline_scores(
    session: &SessionContext,
    spec: &ScorerSpec,
) -> Result<(String, SortedScores)> {
    // Paths in a recorded study are absolute.
    let scorer = scorer::build(spec, Path::new("/"))?;
    let mut rows = ScoreSorter::default();
    let mut batches = if spec.kind == ScorerKind::Recorded {
        recorded_batches(session, &spec.datasets).await?
    } else {
        pair_batches(session, &spec.datasets).await?
    };
    while let Some(pairs) = batches.next().await {
        rows.extend(scorer.score_batch(&pairs?))?;
    }
    Ok((scorer.signature().to_string(), rows.finish()?))
}
