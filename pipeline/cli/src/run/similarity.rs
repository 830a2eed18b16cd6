//! Scoring by an encoder: local, or the embeddings of a backend.

use std::path::Path;

use anyhow::{Context as _, Result};
use consilium_backends::EmbeddingBackend;
use consilium_core::Case;
use consilium_core::study::{ScorerSpec, Study};
use consilium_runner::Scorer as _;
use consilium_scorers::EmbeddingScorer;
use consilium_scorers::encoder::{EncoderError, EncoderLibrary, Reading};
use consilium_store::{
    CaseRow, RecordedAnswers, RunDirectory, ScoreSorter, SortedScores, read_ahead, read_rows,
};
use tokio_util::sync::CancellationToken;

use crate::failure::unfinished;
use crate::printer;

/// Paths in a recorded study are absolute.
const ROOT: &str = "/";

/// The scores of every answer with the signature of the scorer; tells what the encoder cannot read.
pub(super) async fn similarity_scores(
    directory: &RunDirectory,
    study: &Study,
    spec: &ScorerSpec,
) -> Result<(String, SortedScores)> {
    let mut scorer = set_up(study, spec)?;
    let name = spec.display_name();
    let manifest = directory.manifest()?;
    for row in read_rows::<CaseRow>(directory, &manifest) {
        let row = row?;
        if spec.datasets.contains(&row.dataset) {
            scorer.read_references(&Case::try_from(row)?)?;
        }
    }
    for (dataset, why) in scorer.finish_references()? {
        printer::note(&format!(
            "scorer '{name}' gives no values for dataset '{dataset}': {why}"
        ));
    }
    let (mut rows, mut reading) = (ScoreSorter::default(), Reading::default());
    let cancel = CancellationToken::new();
    let answers = RecordedAnswers::open(directory, &manifest, &spec.datasets)?;
    for pairs in read_ahead(answers) {
        let compared = scorer.compare(&pairs?, &cancel).await;
        let compared = compared.map_err(|error| stopped(directory.name(), name, &error))?;
        reading.merge(&compared.reading);
        rows.extend(compared.rows)?;
    }
    tell(name, &reading);
    Ok((scorer.signature_text(), rows.finish()?))
}

fn set_up(study: &Study, spec: &ScorerSpec) -> Result<EmbeddingScorer> {
    if spec.encoder.is_some() {
        let library = EncoderLibrary::default();
        return Ok(EmbeddingScorer::local(spec, Path::new(ROOT), &library)?);
    }
    let backend = study
        .backend
        .iter()
        .find(|backend| Some(&backend.name) == spec.backend.as_ref())
        .with_context(|| format!("find the backend of scorer '{}'", spec.display_name()))?;
    let backend = EmbeddingBackend::new(backend, study.study.seed)?;
    Ok(EmbeddingScorer::remote(spec, Path::new(ROOT), backend)?)
}

fn stopped(run: &str, scorer: &str, error: &EncoderError) -> anyhow::Error {
    let why = std::error::Error::source(error).map_or(String::new(), |why| format!(": {why}"));
    unfinished(
        format!("score run '{run}' with '{scorer}': {error}{why}"),
        "every answer is recorded; consilium score RUN goes on from there",
    )
}

/// What a reader of the values should know of how the encoder saw the texts.
fn tell(scorer: &str, reading: &Reading) {
    if let Some(why) = reading.refusal() {
        printer::note(&format!("scorer '{scorer}': {why}"));
    }
    if reading.truncated_texts > 0 {
        printer::note(&format!(
            "scorer '{scorer}': {} of {} texts are longer than the encoder reads; {} of {} tokens were \
             left out",
            reading.truncated_texts, reading.texts, reading.truncated_tokens, reading.tokens
        ));
    }
}
