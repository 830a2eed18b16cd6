//! Embeddings of an OpenAI-compatible server, with limits, retries and a cache.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use consilium_core::ErrorKind;
use consilium_core::seed::derive_seed;
use consilium_core::study::{BackendKind, BackendSpec};
use futures::stream::{self, StreamExt, TryStreamExt};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::limited::verdict;
use super::{Backend as _, BackendError, CallFailure, openai, text_tokens};
use crate::limit::{Gate, Verdict};
use crate::retry::Backoff;
use crate::vector_cache::{VectorCache, vector_cache};

/// Texts sent at once; a server that takes fewer is sent halves.
const TEXTS_AT_ONCE: usize = 32;

/// Bytes of vectors that are kept.
const CACHE_BYTES: u64 = 128 << 20;

type Vector = Arc<[f32]>;

/// The `/embeddings` of a study's backend.
///
/// The limits of its entry hold for embeddings alone: a server that also chats is better given two
/// entries. Fields of `generation.extra`, such as `dimensions`, are sent along.
#[derive(Debug)]
pub struct EmbeddingBackend {
    client: openai::OpenAi,
    gate: Gate,
    seed: u64,
    failed: OnceLock<CallFailure>,
    cache: VectorCache<Arc<str>>,
}

impl EmbeddingBackend {
    /// Sets up a study entry of kind `openai`; `seed` is the study's.
    ///
    /// # Errors
    /// When the entry is of another kind, or names a key or address that cannot be used.
    pub fn new(spec: &BackendSpec, seed: u64) -> Result<Self, BackendError> {
        let kind = match spec.kind {
            BackendKind::Openai => None,
            BackendKind::Simulated => Some("simulated"),
            BackendKind::Replay => Some("replay"),
        };
        if let Some(kind) = kind {
            return Err(BackendError::NoEmbeddings {
                backend: spec.name.clone(),
                kind,
            });
        }
        Ok(Self {
            client: openai::OpenAi::new(spec)?,
            gate: Gate::new(&spec.limits),
            seed,
            failed: OnceLock::new(),
            cache: vector_cache(CACHE_BYTES),
        })
    }

    /// Name in the study.
    pub fn name(&self) -> &str {
        self.client.name()
    }

    /// Model and address, for signatures.
    pub fn signature(&self) -> String {
        let mut settings = vec![
            format!("model:{}", self.client.model()),
            format!("endpoint:{}", self.client.endpoint()),
        ];
        let extra = &self.client.spec().generation.extra;
        settings.extend(extra.iter().map(|(name, value)| format!("{name}:{value}")));
        settings.join("|")
    }

    /// The vectors of texts, in their order; each distinct text is sent once. Empty texts, which
    /// servers refuse, have none.
    ///
    /// # Errors
    /// With the failure of the first request that failed for good or too often.
    pub async fn embed(
        &self,
        texts: &[&str],
        cancel: &CancellationToken,
    ) -> Result<Vec<Option<Vector>>, CallFailure> {
        let distinct: BTreeSet<&str> = texts
            .iter()
            .copied()
            .filter(|text| !text.trim().is_empty())
            .collect();
        let mut known: HashMap<&str, Vector> = HashMap::new();
        let mut missing = Vec::new();
        for text in distinct {
            match self.cache.get(text) {
                Some(vector) => {
                    known.insert(text, vector);
                }
                None => missing.push(text),
            }
        }
        let concurrency = self.client.spec().limits.concurrency.max(1);
        // A list, because a closure in the stream would keep the future from moving between threads.
        let requests: Vec<_> = missing
            .chunks(TEXTS_AT_ONCE)
            .map(|batch| self.embed_batch(batch))
            .collect();
        let sending = stream::iter(requests)
            .buffered(usize::try_from(concurrency).unwrap_or(usize::MAX))
            .try_concat();
        let sent = cancel
            .run_until_cancelled(sending)
            .await
            .unwrap_or_else(|| {
                Err(CallFailure::new(
                    ErrorKind::Cancelled,
                    "the run was stopped",
                ))
            })?;
        for (text, vector) in missing.into_iter().zip(sent) {
            self.cache.insert(Arc::from(text), Arc::clone(&vector));
            known.insert(text, vector);
        }
        Ok(texts.iter().map(|text| known.get(text).cloned()).collect())
    }

    /// Embeds a batch, in halves where the server takes no more at once.
    async fn embed_batch(&self, texts: &[&str]) -> Result<Vec<Vector>, CallFailure> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut left = vec![texts];
        while let Some(part) = left.pop() {
            match self.embed_until_final(part).await {
                Ok(new) => vectors.extend(new),
                Err(failure)
                    if part.len() > 1
                        && !failure.is_for_good()
                        && matches!(
                            failure.kind,
                            ErrorKind::BadRequest | ErrorKind::ContextOverflow
                        ) =>
                {
                    let (first, second) = part.split_at(part.len() / 2);
                    left.extend([second, first]);
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(vectors)
    }

    async fn embed_until_final(&self, texts: &[&str]) -> Result<Vec<Vector>, CallFailure> {
        let spec = self.client.spec();
        let seed = derive_seed(
            self.seed,
            &[&["embeddings", &spec.name][..], texts].concat(),
        );
        let mut backoff = Backoff::seeded(seed, spec.limits.retries);
        let estimate: u64 = texts.iter().map(|text| text_tokens(text)).sum();
        let lane: Arc<str> = "embeddings".into();
        loop {
            let pass = self.gate.enter(&lane, estimate).await;
            if let Some(failure) = self.failed.get() {
                return Err(failure.clone());
            }
            let failure = match self.client.embed(texts, &spec.generation).await {
                Ok(reply) => {
                    self.gate.settle(&pass, reply.tokens);
                    self.gate.learn(&pass, Verdict::Answered, None);
                    return Ok(reply.vectors.into_iter().map(Vector::from).collect());
                }
                Err(failure) => failure,
            };
            // A refused request costs nothing; of a broken one nobody knows.
            let is_refused = failure.http_status.is_some_and(|status| status >= 400);
            self.gate.settle(&pass, is_refused.then_some(0));
            self.gate
                .learn(&pass, verdict(&failure), failure.limits.as_deref());
            drop(pass);
            if failure.is_for_good() {
                return Err(self.failed.get_or_init(|| failure).clone());
            }
            match backoff.after(&failure) {
                Some(wait) => sleep(wait).await,
                None => return Err(failure),
            }
        }
    }
}
