//! Scoring a run: repeatable, from its recorded answers; only a judge and embeddings of a backend ask a server.

use std::path::Path;

use anyhow::{Context as _, Result};
use consilium_core::RunManifest;
use consilium_core::study::{ScorerKind, ScorerSpec, Study};
use consilium_query::{SessionContext, pair_batches, recorded_batches};
use consilium_runner::scorer;
use consilium_store::{
    RunDirectory, RunLock, ScoreSorter, ScoreWriter, SortedScores, replace_scores,
};
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
    let (mut by_models, others): (Vec<_>, Vec<_>) = selected(&study, only, directory)?
        .into_iter()
        .partition(|spec| matches!(spec.kind, ScorerKind::Judge | ScorerKind::Embedding));
    // Judges first: they may find finished samples in the journal that the others are to score too.
    by_models.sort_by_key(|spec| spec.kind != ScorerKind::Judge);
    for spec in by_models {
        let name = spec.display_name().to_owned();
        let (signature, rows, policy) = if spec.kind == ScorerKind::Judge {
            let judged = judge_run(directory, lock, &study, spec).await?;
            lock = judged.lock;
            (judged.signature, judged.rows, Some(judged.policy))
        } else {
            let session = super::session_over(&[super::source(directory)?]).await?;
            let (signature, rows) = similarity_scores(directory, &session, &study, spec).await?;
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
    if !others.is_empty() {
        counts.extend(score_offline(directory, &others).await?);
    }
    Ok((lock, counts))
}

/// Scores by everything that asks no model: the answers are read once for all of it.
async fn score_offline(
    directory: &RunDirectory,
    specs: &[&ScorerSpec],
) -> Result<Vec<(String, u64)>> {
    let session = super::session_over(&[super::source(directory)?]).await?;
    let mut writer = ScoreWriter::new(directory);
    let mut counts = Vec::new();
    let mut manifest = directory.manifest()?;
    for recorded in [false, true] {
        let fed = specs
            .iter()
            .filter(|spec| (spec.kind == ScorerKind::Recorded) == recorded);
        let mut scorers = Vec::new();
        for spec in fed {
            // Paths in a recorded study are absolute.
            let scorer = scorer::build(spec, Path::new("/"))?;
            let name = spec.display_name().to_owned();
            manifest
                .signatures
                .insert(name.clone(), scorer.signature().to_string());
            scorers.push((scorer, &spec.datasets, (name, 0)));
        }
        let mut datasets: Vec<String> = scorers
            .iter()
            .flat_map(|(_, datasets, _)| datasets.iter().cloned())
            .collect();
        datasets.sort();
        datasets.dedup();
        let mut batches = if recorded {
            recorded_batches(&session, &datasets).await?
        } else {
            pair_batches(&session, &datasets).await?
        };
        while let Some(pairs) = batches.next().await {
            let pairs = pairs?;
            for of_dataset in pairs.chunk_by(|(left, _), (right, _)| left.dataset == right.dataset)
            {
                for (scorer, datasets, (_, rows)) in &mut scorers {
                    if datasets.contains(&of_dataset[0].0.dataset) {
                        let scored = scorer.score_batch(of_dataset);
                        *rows += scored.len() as u64;
                        writer.extend(scored)?;
                    }
                }
            }
        }
        counts.extend(scorers.into_iter().map(|(_, _, counted)| counted));
    }
    let names: Vec<&str> = specs.iter().map(|spec| spec.display_name()).collect();
    writer.replace(&mut manifest, &names)?;
    Ok(counts)
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
