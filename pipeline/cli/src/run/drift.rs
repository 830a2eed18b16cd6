//! Whether the models of a run stayed the same while they were asked.

use anyhow::{Context as _, Result};
use consilium_core::study::BackendKind;
use consilium_core::{CanaryAnswer, RunManifest, ServedModel};
use consilium_query::served_models;
use consilium_runner::executor::{Progress, ask_canaries};
use consilium_store::{RunDirectory, RunLock};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::printer;

/// Puts the fixed questions to every backend in use that is a server.
pub(super) async fn canaries(
    progress: &Progress,
    count: u32,
    cancel: &CancellationToken,
) -> Vec<CanaryAnswer> {
    let mut answers = Vec::new();
    let servers = progress
        .backends()
        .iter()
        .filter(|backend| backend.backend().spec().kind == BackendKind::Openai);
    for backend in servers {
        answers.extend(ask_canaries(backend, count, cancel).await);
    }
    answers
}

/// Writes into the manifest which models answered, and says what has changed.
pub(super) async fn record_drift(
    directory: &RunDirectory,
    canaries: Vec<CanaryAnswer>,
) -> Result<()> {
    let session = super::session_over(&[super::source(directory)?]).await?;
    let served = served_models(&session)
        .await
        .context("find which models answered")?;
    let _lock = RunLock::acquire(directory)?;
    let mut manifest = directory.manifest()?;
    manifest.drift.served = served;
    manifest.drift.canaries.extend(canaries);
    directory.write_manifest(&manifest)?;
    for note in drift_notes(&manifest) {
        printer::note(&format!("warning: {note}"));
    }
    Ok(())
}

/// What a reader must know of models that changed in the middle of a run.
pub(super) fn drift_notes(manifest: &RunManifest) -> Vec<String> {
    let drift = &manifest.drift;
    let mut notes: Vec<String> = drift
        .changed()
        .into_iter()
        .map(|(backend, models)| {
            let models: Vec<String> = models.into_iter().map(described).collect();
            format!(
                "Backend '{backend}' did not stay the same during the run: {}.",
                models.join("; ")
            )
        })
        .collect();
    for (backend, question) in drift.changed_canaries() {
        notes.push(format!(
            "Backend '{backend}' answered fixed question {question} differently in the course of the run."
        ));
    }
    notes
}

/// When the answers of a run were collected.
pub(super) fn collected(manifest: &RunManifest) -> Option<String> {
    let served = &manifest.drift.served;
    let first = served.iter().map(|model| model.first_at).min()?;
    let last = served.iter().map(|model| model.last_at).max()?;
    Some(format!("{} to {}", day(first), day(last)))
}

fn described(served: &ServedModel) -> String {
    let fingerprint = served
        .fingerprint
        .as_ref()
        .map_or_else(String::new, |fingerprint| {
            format!(" (fingerprint {fingerprint})")
        });
    format!(
        "{}{fingerprint}, {} calls from {} to {}",
        served.model.as_deref().unwrap_or("a model without a name"),
        served.calls,
        day(served.first_at),
        day(served.last_at)
    )
}

fn day(micros: i64) -> String {
    Timestamp::from_microsecond(micros).map_or_else(
        |_| "unknown".to_owned(),
        |moment| moment.strftime("%Y-%m-%d %H:%M UTC").to_string(),
    )
}
