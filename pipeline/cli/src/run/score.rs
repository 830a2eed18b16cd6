//! Scoring a run: repeatable, from its recorded answers; only a judge and embeddings of a backend ask a server.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use consilium_core::study::{ScorerKind, ScorerSpec, Study};
use consilium_core::{RunManifest, ScoreRow};
use consilium_runner::Scorer;

use consilium_store::{
    RecordedAnswers, RunDirectory, RunLock, RunTable, ScoreSorter, ScoreWriter, SortedScores,
    StoreError, check_parts, leave_out_damaged, read_ahead, replace_scores,
};

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
    let mut manifest = directory.manifest()?;
    if only.is_empty() {
        // They follow from what else is recorded, and all of them are made again.
        let damaged = leave_out_damaged(directory, &mut manifest, RunTable::Scores);
        if damaged > 0 {
            printer::note(&format!(
                "{damaged} missing or damaged parts of scores are made again"
            ));
            directory.write_manifest(&manifest)?;
        }
    }
    check_parts(directory, &manifest)?;
    let study = recorded_study(&manifest)?;
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
            let (signature, rows) = similarity_scores(directory, &study, spec).await?;
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

/// Scores by everything that asks no model.
async fn score_offline(
    directory: &RunDirectory,
    specs: &[&ScorerSpec],
) -> Result<Vec<(String, u64)>> {
    let mut manifest = directory.manifest()?;
    let mut writer = ScoreWriter::new(directory);
    let mut counts = vec![0; specs.len()];
    let signatures = offline_rows(directory, &manifest, specs, |place, rows| {
        counts[place] += rows.len() as u64;
        writer.extend(rows)
    })
    .await?;
    let names: Vec<&str> = specs.iter().map(|spec| spec.display_name()).collect();
    for (name, signature) in names.iter().zip(signatures) {
        manifest.signatures.insert((*name).to_owned(), signature);
    }
    writer.replace(&mut manifest, &names)?;
    let counted = names.into_iter().map(str::to_owned).zip(counts);
    Ok(counted.collect())
}

/// Hands over the rows of scorers that ask no model, by the scorer's place in `specs` and in the order of
/// their keys, and returns the signatures. The answers are read once for all of them, and once more where
/// scores were recorded: those stand in payloads, which may be long.
async fn offline_rows(
    directory: &RunDirectory,
    manifest: &RunManifest,
    specs: &[&ScorerSpec],
    mut take: impl FnMut(usize, Vec<ScoreRow>) -> Result<(), StoreError>,
) -> Result<Vec<String>> {
    let mut signatures = vec![String::new(); specs.len()];
    for recorded in [false, true] {
        let mut scorers: Vec<(usize, Box<dyn Scorer>, &[String])> = Vec::new();
        for (place, spec) in specs.iter().enumerate() {
            if (spec.kind == ScorerKind::Recorded) != recorded {
                continue;
            }
            // Paths in a recorded study are absolute.
            let scorer = consilium_scorers::build(spec, Path::new("/"))?;
            signatures[place] = scorer.signature().to_string();
            scorers.push((place, scorer, &spec.datasets));
        }
        if scorers.is_empty() {
            continue;
        }
        let datasets = scorers.iter().flat_map(|(_, _, datasets)| *datasets);
        let datasets: Vec<String> = datasets.cloned().collect();
        let answers = if recorded {
            RecordedAnswers::open_with_payload(directory, manifest, &datasets)?
        } else {
            RecordedAnswers::open(directory, manifest, &datasets)?
        };
        for pairs in read_ahead(answers) {
            let pairs = pairs?;
            for of_dataset in pairs.chunk_by(|(left, _), (right, _)| left.dataset == right.dataset)
            {
                for (place, scorer, datasets) in &scorers {
                    if datasets.contains(&of_dataset[0].0.dataset) {
                        take(*place, scorer.score_batch(of_dataset))?;
                    }
                }
            }
            // Whoever waits for a signal beside this gets a turn.
            tokio::task::yield_now().await;
        }
    }
    Ok(signatures)
}

/// The rows of the named scorers with their signatures, without asking or writing anything: a judge's
/// follow from its recorded calls. What a server would have to be asked for is left out.
pub(crate) async fn compute_scores(
    directory: &RunDirectory,
    manifest: &RunManifest,
    only: &[String],
) -> Result<Vec<(String, String, SortedScores)>> {
    let study = recorded_study(manifest)?;
    let specs = selected(&study, only, directory)?;
    let mut offline = offline_scores(directory, manifest, &specs).await?;
    let mut scored = Vec::new();
    for spec in specs {
        let name = spec.display_name();
        let (signature, rows) = match spec.kind {
            ScorerKind::Judge => {
                let session = super::session_over(&[super::source(directory)?]).await?;
                recorded_verdicts(&session, &study, spec).await?
            }
            ScorerKind::Embedding if spec.encoder.is_none() => {
                printer::note(&format!(
                    "scorer '{name}' asks backend '{}' for embeddings; its values were not computed again",
                    spec.backend.as_deref().unwrap_or_default(),
                ));
                continue;
            }
            ScorerKind::Embedding => similarity_scores(directory, &study, spec).await?,
            _ => offline
                .remove(name)
                .with_context(|| format!("score by '{name}'"))?,
        };
        scored.push((name.to_owned(), signature, rows));
    }
    Ok(scored)
}

/// By name of the scorer: its signature and its rows.
async fn offline_scores(
    directory: &RunDirectory,
    manifest: &RunManifest,
    specs: &[&ScorerSpec],
) -> Result<BTreeMap<String, (String, SortedScores)>> {
    let specs: Vec<&ScorerSpec> = specs
        .iter()
        .copied()
        .filter(|spec| !matches!(spec.kind, ScorerKind::Judge | ScorerKind::Embedding))
        .collect();
    let mut sorters: Vec<ScoreSorter> = specs.iter().map(|_| ScoreSorter::default()).collect();
    let signatures = offline_rows(directory, manifest, &specs, |place, rows| {
        sorters[place].extend(rows)
    })
    .await?;
    let mut scored = BTreeMap::new();
    for ((spec, signature), sorter) in specs.iter().zip(signatures).zip(sorters) {
        let name = spec.display_name().to_owned();
        scored.insert(name, (signature, sorter.finish()?));
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
