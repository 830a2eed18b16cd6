//! Seeded answers without a model, for determinism and load.
//!
//! The only place outside scorers that knows gold, by construction: the binary hands it an answer
//! key. Gold leaves it in right answers only.

mod answer;
mod fill;
mod offered;
mod phrase;

use std::sync::Arc;
use std::time::Duration;

use consilium_core::seed::derive_seed;
use consilium_core::study::BackendSpec;
use consilium_core::{AnswerForm, ErrorKind};
use futures::future::BoxFuture;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tokio::time::sleep;

use super::limited::text_tokens;
use super::{
    AnswerKey, Backend, CallFailure, CallIdentity, ChatRequest, Reply, ResponseFormat, Usage,
    configured_format,
};

pub use answer::guess;
pub use fill::Filler;
pub use phrase::{Language, prose_of, reply};

/// Spread of the latency: one in six replies takes more than 1.28 times the median.
const LATENCY_SIGMA: f64 = 0.25;
/// Field of a reply that says how sure the model is, in percent.
const CONFIDENCE_FIELD: &str = "confidence";
/// Half the width of the scatter of stated confidence.
const CONFIDENCE_SCATTER: f64 = 0.05;

/// A backend that answers from a seed and an answer key.
#[derive(Debug)]
pub(super) struct Simulated {
    spec: BackendSpec,
    model: String,
    seed: u64,
    answers: Option<Arc<dyn AnswerKey>>,
}

impl Simulated {
    pub(super) fn new(spec: &BackendSpec, seed: u64, answers: Option<Arc<dyn AnswerKey>>) -> Self {
        Self {
            model: spec.model.clone().unwrap_or_else(|| spec.name.clone()),
            spec: spec.clone(),
            seed,
            answers,
        }
    }

    /// Randomness of one call for one use, independent of every other use.
    ///
    /// The backend's name has no part in it: systems already differ by their names.
    fn random(&self, call: &CallIdentity, request: &ChatRequest, used_for: &str) -> ChaCha8Rng {
        let key = &call.key;
        ChaCha8Rng::seed_from_u64(derive_seed(
            self.seed,
            &[
                "simulated",
                used_for,
                &key.dataset,
                &key.case_id,
                &key.system,
                &key.epoch.to_string(),
                call.scorer.as_deref().unwrap_or_default(),
                &call.seq.to_string(),
                request
                    .schema
                    .as_ref()
                    .map_or("", |schema| schema.answer_field.as_str()),
            ],
        ))
    }

    fn latency(&self, random: &mut ChaCha8Rng) -> Duration {
        let median = self.spec.latency_ms.unwrap_or_default() as f64;
        // Twelve uniform draws make a normal one that has no far tails.
        let normal = (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0;
        Duration::from_secs_f64(median * (normal * LATENCY_SIGMA).exp() / 1e3)
    }

    /// Whether the call fails. The attempt is part of the draw, so that failed samples may
    /// succeed when they are run again; the tries of one call all share its fate.
    fn fails(&self, call: &CallIdentity, request: &ChatRequest) -> bool {
        let share = self.spec.error_rate.unwrap_or_default();
        let used_for = format!("failure {}", call.attempt);
        share > 0.0 && answer::draw(share, &mut self.random(call, request, &used_for))
    }

    fn content(&self, call: &CallIdentity, request: &ChatRequest) -> String {
        let prompt = request
            .messages
            .last()
            .map_or("", |message| message.content.as_str());
        let language = Language::of(prompt);
        let mut random = self.random(call, request, "answer");
        let case = self
            .answers
            .as_ref()
            .and_then(|answers| answers.answer(&call.key.dataset, &call.key.case_id));
        if let (Some(verdict), Some(schema)) = (call.verdict, &request.schema) {
            let setting = self.spec.accuracy.as_ref();
            let share = answer::share_of_right(setting, &call.key.system, case.as_ref());
            let said = verdict == answer::draw(share, &mut random);
            let mut prose = |random: &mut ChaCha8Rng| prose_of(language, 0, random);
            return Filler::new(&schema.schema, &mut random, &mut prose)
                .with_verdict(&schema.answer_field, said)
                .to_string();
        }
        let mut confidence = answer::DEFAULT_ACCURACY;
        let is_text = case
            .as_ref()
            .is_some_and(|case| case.answer_form == AnswerForm::Text);
        let answers = match case {
            Some(case) => {
                let share = answer::accuracy(self.spec.accuracy.as_ref(), &call.key.system, &case);
                confidence = share;
                let right = answer::draw(share, &mut random);
                answer::answers(&case, right, language, &mut random)
            }
            None => guess(prompt, language, &mut random),
        };
        if let Some(schema) = &request.schema {
            let mut prose = |random: &mut ChaCha8Rng| prose_of(language, 0, random);
            let mut value = Filler::new(&schema.schema, &mut random, &mut prose)
                .with_answer(&schema.answer_field, &answers);
            if let Some(stated) = value.get_mut(CONFIDENCE_FIELD) {
                *stated = self.stated_confidence(confidence, &mut random).into();
            }
            return value.to_string();
        }
        let first = answers.first().map(String::as_str).unwrap_or_default();
        if is_text {
            return first.to_owned();
        }
        reply(language, first, 0, &mut random)
    }

    /// Percent that a model with this chance of being right says it is sure, a little scattered.
    fn stated_confidence(&self, accuracy: f64, random: &mut ChaCha8Rng) -> u8 {
        let over = self.spec.overconfidence.unwrap_or_default();
        let scatter = random.random_range(-CONFIDENCE_SCATTER..=CONFIDENCE_SCATTER);
        let percent = ((accuracy + over + scatter) * 100.0).clamp(0.0, 100.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to 0 to 100"
        )]
        let percent = percent.round() as u8;
        percent
    }

    async fn answer(
        &self,
        call: &CallIdentity,
        request: &ChatRequest,
    ) -> Result<Reply, CallFailure> {
        let latency = self.latency(&mut self.random(call, request, "latency"));
        let deadline = Duration::try_from_secs_f64(self.spec.limits.timeout_s);
        if let Some(deadline) = deadline.ok().filter(|deadline| latency > *deadline) {
            sleep(deadline).await;
            let message = "no complete reply within the deadline";
            return Err(CallFailure {
                latency_ms: Some(deadline.as_secs_f64() * 1e3),
                ..CallFailure::new(ErrorKind::Timeout, message)
            });
        }
        if !latency.is_zero() {
            sleep(latency).await;
        }
        // The drawn latency is reported, not the measured one, so that runs repeat.
        let latency_ms = latency.as_secs_f64() * 1e3;
        if self.fails(call, request) {
            return Err(CallFailure {
                http_status: Some(503),
                latency_ms: Some(latency_ms),
                ..CallFailure::new(ErrorKind::Server, "HTTP 503 simulated failure")
            });
        }
        let content = self.content(call, request);
        let prompt = request
            .messages
            .iter()
            .map(|message| text_tokens(&message.content))
            .sum();
        Ok(Reply {
            usage: Usage {
                prompt_tokens: Some(prompt),
                cached_tokens: Some(0),
                completion_tokens: Some(text_tokens(&content)),
            },
            content: Some(content),
            finish_reason: Some("stop".to_owned()),
            model: Some(self.model.clone()),
            latency_ms,
            format: request
                .schema
                .as_ref()
                .map_or(ResponseFormat::Text, |_| self.effective_format()),
            ..Default::default()
        })
    }
}

impl Backend for Simulated {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn endpoint(&self) -> &'static str {
        "simulated:"
    }

    fn spec(&self) -> &BackendSpec {
        &self.spec
    }

    fn send<'a>(
        &'a self,
        call: &'a CallIdentity,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<Reply, CallFailure>> {
        Box::pin(self.answer(call, request))
    }

    fn probe(&self) -> BoxFuture<'_, Result<(), CallFailure>> {
        Box::pin(async { Ok(()) })
    }

    fn effective_format(&self) -> ResponseFormat {
        configured_format(self.spec.structured_output)
    }
}

#[cfg(test)]
mod tests;
