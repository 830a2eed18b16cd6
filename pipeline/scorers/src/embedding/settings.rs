//! What a study says of a scorer of kind `embedding`.

use std::path::Path;

use consilium_core::study::ScorerSpec;

use super::similarity::Similarity;
use crate::ScorerError;
use crate::encoder::{Baseline, BertScoreOptions, Encoder, EncoderLibrary};

/// Checks an entry without asking a server; a local encoder is read.
pub(crate) fn check(spec: &ScorerSpec, study_folder: &Path) -> Result<(), ScorerError> {
    match &spec.encoder {
        Some(name) => {
            let encoder = open(spec, name, &EncoderLibrary::default())?;
            bert_score_options(spec, &encoder, study_folder)?;
            similarities(spec, true)?;
        }
        None => {
            similarities(spec, false)?;
        }
    }
    Ok(())
}

/// The local encoder of an entry.
pub(super) fn open(
    spec: &ScorerSpec,
    name: &str,
    library: &EncoderLibrary,
) -> Result<Encoder, ScorerError> {
    let found = library.open(name).map(Encoder::Local);
    found.map_err(|source| ScorerError::Encoder {
        scorer: spec.display_name().to_owned(),
        source,
    })
}

/// What is to be computed: everything the encoder can say where the study names nothing.
pub(super) fn similarities(
    spec: &ScorerSpec,
    is_local: bool,
) -> Result<Vec<Similarity>, ScorerError> {
    let scorer = || spec.display_name().to_owned();
    let mut found = Similarity::find_all(&spec.metrics).map_err(|source| ScorerError::Metric {
        scorer: scorer(),
        source,
    })?;
    if found.is_empty() {
        found.push(Similarity::Cosine);
        if is_local {
            found.push(Similarity::BertScore);
        }
    }
    let has_tokens = found.contains(&Similarity::BertScore);
    if has_tokens && !is_local {
        return Err(ScorerError::MissingKey {
            scorer: scorer(),
            kind: "embedding with bertscore",
            key: "encoder",
        });
    }
    let unused = [
        ("layer", spec.layer.is_some()),
        ("idf", spec.idf),
        ("baseline", spec.baseline.is_some()),
    ];
    match unused.into_iter().find(|(_, given)| *given && !has_tokens) {
        Some((key, _)) => Err(ScorerError::UnusedKey {
            scorer: scorer(),
            kind: "embedding without bertscore",
            key,
        }),
        None => Ok(found),
    }
}

/// How `BERTScore` is computed, but for the weights, which differ from dataset to dataset.
pub(super) fn bert_score_options(
    spec: &ScorerSpec,
    encoder: &Encoder,
    study_folder: &Path,
) -> Result<Option<BertScoreOptions>, ScorerError> {
    let Encoder::Local(encoder) = encoder else {
        return Ok(None);
    };
    let wrong = |source| ScorerError::Encoder {
        scorer: spec.display_name().to_owned(),
        source,
    };
    let layer = spec.layer.unwrap_or_else(|| encoder.usual_layer());
    encoder.check_layer(layer).map_err(wrong)?;
    let baseline = spec
        .baseline
        .as_ref()
        .map(|path| Baseline::read(&study_folder.join(path), layer))
        .transpose()
        .map_err(wrong)?;
    Ok(Some(BertScoreOptions {
        baseline,
        ..BertScoreOptions::of_layer(layer)
    }))
}
