//! Likeness of answers and references as an encoder sees it.

mod corpus;
mod settings;
mod similarity;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use consilium_core::study::{ScorerSpec, TextTarget};
use consilium_core::{AnswerForm, Case, SampleRow, ScoreRow, Signature};
use tokio_util::sync::CancellationToken;

use super::ScorerError;
use super::comparison::{Comparison, references};
use super::row::empty_row;
use crate::encoder::{
    BertScoreOptions, Encoder, EncoderError, EncoderLibrary, Reading, UNKNOWN_SHARE_LIMIT, cosine,
};
use consilium_backends::EmbeddingBackend;
use consilium_runner::Scorer;

use corpus::Corpus;
pub(super) use settings::check;
use similarity::Similarity;

/// The encoder does not know too many tokens of the dataset's references.
const UNREADABLE_REFERENCES: &str = "unreadable_references";

/// The encoder does not know too many tokens of the answer; the value is computed all the same.
const UNREADABLE_ANSWER: &str = "unreadable_answer";

/// Nothing has been asked of the encoder yet.
const NOT_COMPARED: &str = "not_compared";

/// Scores answers by what an encoder makes of them: cosine of embeddings and `BERTScore`.
///
/// First every reference is read, [`Self::read_references`], then answers are compared. Where the
/// vocabulary does not know a dataset's references, as an English one does not know Chinese, no
/// answer of that dataset has a value.
#[derive(Debug)]
pub struct EmbeddingScorer {
    name: String,
    encoder: Encoder,
    similarities: Vec<Similarity>,
    against: Option<TextTarget>,
    options: Option<BertScoreOptions>,
    is_weighted: bool,
    corpora: BTreeMap<Arc<str>, Corpus>,
}

/// Scores of answers, with how well the encoder reads the texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedAnswers {
    /// Rows in the order of the answers.
    pub rows: Vec<ScoreRow>,
    /// The texts that were compared; of a server's vocabulary nothing is known.
    pub reading: Reading,
}

impl EmbeddingScorer {
    /// A scorer with a local encoder; relative paths are resolved against `study_folder`.
    ///
    /// # Errors
    /// When the encoder or a file cannot be used, or a key is missing, unknown or not used.
    pub fn local(
        spec: &ScorerSpec,
        study_folder: &Path,
        library: &EncoderLibrary,
    ) -> Result<Self, ScorerError> {
        let name = spec.encoder.as_deref().unwrap_or_default();
        let encoder = settings::open(spec, name, library)?;
        Self::new(spec, study_folder, encoder)
    }

    /// A scorer that asks a server.
    ///
    /// # Errors
    /// When a key is missing, unknown or not used.
    pub fn remote(
        spec: &ScorerSpec,
        study_folder: &Path,
        backend: EmbeddingBackend,
    ) -> Result<Self, ScorerError> {
        Self::new(spec, study_folder, Encoder::Remote(Arc::new(backend)))
    }

    fn new(spec: &ScorerSpec, study_folder: &Path, encoder: Encoder) -> Result<Self, ScorerError> {
        super::check_keys(spec)?;
        let is_local = matches!(encoder, Encoder::Local(_));
        Ok(Self {
            name: spec.display_name().to_owned(),
            similarities: settings::similarities(spec, is_local)?,
            options: settings::bert_score_options(spec, &encoder, study_folder)?,
            against: spec.against,
            is_weighted: spec.idf,
            corpora: BTreeMap::new(),
            encoder,
        })
    }

    /// Reads what the answers to a case are compared with.
    ///
    /// # Errors
    /// When a text cannot be split into tokens.
    pub fn read_references(&mut self, case: &Case) -> Result<(), EncoderError> {
        let (_, references) = references(self.against, case);
        self.corpora
            .entry(Arc::clone(&case.view.dataset))
            .or_default()
            .add(&self.encoder, &references, self.is_weighted)
    }

    /// To be called when every reference is read. Tells of the datasets that the encoder cannot read.
    ///
    /// # Errors
    /// When a text cannot be split into tokens.
    pub fn finish_references(&mut self) -> Result<Vec<(Arc<str>, String)>, EncoderError> {
        let mut refused = Vec::new();
        for (dataset, corpus) in &mut self.corpora {
            corpus.weigh(&self.encoder)?;
            refused.extend(corpus.refusal().map(|why| (Arc::clone(dataset), why)));
        }
        Ok(refused)
    }

    /// Scores answers.
    ///
    /// # Errors
    /// When the encoder or its server fails.
    pub async fn compare(
        &self,
        pairs: &[(SampleRow, Case)],
        cancel: &CancellationToken,
    ) -> Result<ComparedAnswers, EncoderError> {
        let comparisons: Vec<Comparison<'_>> = pairs
            .iter()
            .map(|(sample, case)| Comparison::of(self.against, sample, case))
            .collect();
        let mut compared = ComparedAnswers::default();
        let mut values: Vec<Vec<Option<f64>>> = vec![Vec::new(); pairs.len()];
        for (dataset, places) in self.readable(pairs, &comparisons) {
            let chosen: Vec<&Comparison<'_>> =
                places.iter().map(|place| &comparisons[*place]).collect();
            for similarity in &self.similarities {
                let (found, reading) = match similarity {
                    Similarity::Cosine => self.cosines(&chosen, cancel).await?,
                    Similarity::BertScore => self.bert_scores(&dataset, &chosen).await?,
                };
                // Every similarity reads the same texts.
                if *similarity == self.similarities[0] {
                    compared.reading.merge(&reading);
                }
                for (place, found) in places.iter().zip(found) {
                    values[*place].extend(found);
                }
            }
        }
        for (((sample, case), comparison), values) in pairs.iter().zip(&comparisons).zip(values) {
            let rows = self.rows(sample, case, comparison, &values)?;
            compared.rows.extend(rows);
        }
        Ok(compared)
    }

    /// Which answers can be compared, by dataset.
    fn readable(
        &self,
        pairs: &[(SampleRow, Case)],
        comparisons: &[Comparison<'_>],
    ) -> BTreeMap<Arc<str>, Vec<usize>> {
        let mut readable: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
        for (place, ((_, case), comparison)) in pairs.iter().zip(comparisons).enumerate() {
            if comparison.missing.is_none()
                && comparison.is_read()
                && !comparison.answer.trim().is_empty()
                && !self.is_refused(case)
            {
                readable
                    .entry(Arc::clone(&case.view.dataset))
                    .or_default()
                    .push(place);
            }
        }
        readable
    }

    fn is_refused(&self, case: &Case) -> bool {
        let corpus = self.corpora.get(&case.view.dataset);
        corpus.is_some_and(|corpus| corpus.refusal().is_some())
    }

    async fn cosines(
        &self,
        comparisons: &[&Comparison<'_>],
        cancel: &CancellationToken,
    ) -> Result<(Vec<Vec<Option<f64>>>, Reading), EncoderError> {
        let mut texts: Vec<&str> = Vec::new();
        for comparison in comparisons {
            texts.push(&comparison.answer);
            texts.extend(&comparison.references);
        }
        let embedded = self.encoder.embed(&texts, cancel).await?;
        let mut vectors = embedded.vectors.iter();
        let values = comparisons
            .iter()
            .map(|comparison| {
                let answer = vectors.next().and_then(Option::as_deref);
                let greatest = vectors
                    .by_ref()
                    .take(comparison.references.len())
                    .filter_map(|reference| cosine(answer?, reference.as_deref()?))
                    .reduce(f64::max);
                vec![greatest]
            })
            .collect();
        Ok((values, embedded.reading))
    }

    async fn bert_scores(
        &self,
        dataset: &str,
        comparisons: &[&Comparison<'_>],
    ) -> Result<(Vec<Vec<Option<f64>>>, Reading), EncoderError> {
        let pairs: Vec<(&str, &[&str])> = comparisons
            .iter()
            .map(|comparison| (&*comparison.answer, comparison.references.as_slice()))
            .collect();
        let Some(options) = self.options_of(dataset) else {
            return Ok((vec![vec![None; 3]; pairs.len()], Reading::default()));
        };
        let scored = self.encoder.bert_scores(&pairs, &options).await?;
        let values = scored
            .scores
            .iter()
            .map(|score| {
                // The reference implementation makes F 0 where P or R is undefined; here it is missing too.
                let is_defined = !score.precision.is_nan() && !score.recall.is_nan();
                let f1 = is_defined.then_some(score.f1);
                vec![Some(score.precision), Some(score.recall), f1]
            })
            .collect();
        Ok((values, scored.reading))
    }

    fn options_of(&self, dataset: &str) -> Option<BertScoreOptions> {
        let options = self.options.as_ref()?;
        let corpus = self.corpora.get(dataset);
        Some(corpus.map_or_else(|| options.clone(), |corpus| corpus.options(options)))
    }

    /// The rows of one answer; without values, those that follow without the encoder.
    fn rows(
        &self,
        sample: &SampleRow,
        case: &Case,
        comparison: &Comparison<'_>,
        values: &[Option<f64>],
    ) -> Result<Vec<ScoreRow>, EncoderError> {
        let is_unreadable = !values.is_empty() && self.is_unreadable(&comparison.answer)?;
        let mut values = values.iter();
        let mut rows = Vec::new();
        for similarity in &self.similarities {
            let signature = self.row_signature(*similarity, &case.view.dataset, comparison.target);
            for metric in similarity.rows() {
                let mut row = empty_row(self, sample, metric);
                row.signature.clone_from(&signature);
                if comparison.missing.is_some() {
                    row.reason.clone_from(&comparison.missing);
                } else if self.is_refused(case) {
                    row.reason = Some(UNREADABLE_REFERENCES.to_owned());
                } else if let Some(value) = values.next() {
                    comparison.fill(&mut row, value.unwrap_or(f64::NAN));
                    if is_unreadable && row.reason.is_none() {
                        row.reason = Some(UNREADABLE_ANSWER.to_owned());
                    }
                } else if comparison.is_read() && !comparison.answer.trim().is_empty() {
                    row.reason = Some(NOT_COMPARED.to_owned());
                } else {
                    comparison.fill(&mut row, 0.0);
                    if row.reason.is_none() {
                        row.reason = Some("empty".to_owned());
                    }
                }
                rows.push(row);
            }
        }
        Ok(rows)
    }

    fn is_unreadable(&self, answer: &str) -> Result<bool, EncoderError> {
        Ok(match &self.encoder {
            Encoder::Local(encoder) => {
                encoder.tokenize(answer)?.unknown_share() > UNKNOWN_SHARE_LIMIT
            }
            Encoder::Remote(_) => false,
        })
    }

    fn row_signature(&self, similarity: Similarity, dataset: &str, target: TextTarget) -> String {
        let against = target.as_str();
        match (similarity, &self.encoder, self.options_of(dataset)) {
            (Similarity::BertScore, Encoder::Local(encoder), Some(options)) => {
                format!("{}|against:{against}", options.signature(encoder))
            }
            _ => format!(
                "{}|rev:1|{}|against:{against}",
                similarity.name(),
                self.encoder.signature()
            ),
        }
    }
}

impl Scorer for EmbeddingScorer {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> &'static str {
        "embedding"
    }

    fn signature(&self) -> Signature {
        let names: Vec<&str> = self.similarities.iter().map(|one| one.name()).collect();
        let signature = Signature::new("embedding", 1)
            .with("metrics", names.join(","))
            .with("against", self.against.map_or("auto", TextTarget::as_str))
            .with("encoder", self.encoder.signature());
        match (&self.options, &self.encoder) {
            (Some(options), Encoder::Local(encoder))
                if self.similarities.contains(&Similarity::BertScore) =>
            {
                let weights = if self.is_weighted { "references" } else { "no" };
                signature
                    .with("bertscore", options.signature(encoder))
                    .with("idf", weights)
            }
            _ => signature,
        }
    }

    fn applies(&self, answer_form: AnswerForm) -> bool {
        answer_form == AnswerForm::Text
    }

    /// The score as far as it follows without the encoder; missing where it would be asked.
    fn score(&self, sample: &SampleRow, case: &Case) -> Vec<ScoreRow> {
        let comparison = Comparison::of(self.against, sample, case);
        // Without values nothing is split into tokens, so that nothing can fail.
        self.rows(sample, case, &comparison, &[])
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
