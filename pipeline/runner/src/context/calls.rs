//! Calls in program order: positions first, then the requests, then one join.

use consilium_core::{Outcome, RunStopped};
use futures::future::join_all;
use serde_json::json;

use super::SolverContext;
use super::end::{Ending, SampleEnd};
use super::perform::{IssuedCall, PerformedCall, perform};
use super::reading::Reading;
use super::recorded::Found;
use super::spec::{CallSpec, Completion, Event};
use consilium_backends::{CacheKey, CallIdentity, ChatRequest, Message};

/// Purpose of the call that asks once more for a structured reply.
pub(super) const REPAIR: &str = "repair";

/// Prompt of that call.
pub const REPAIR_PROMPT: &str = "shared/repair";

/// A first reply, or the call that repairs it.
enum Joined {
    Done(Completion),
    Repair { text: String, call: CallSpec },
}

impl SolverContext {
    pub(super) async fn join_calls(
        &mut self,
        calls: Vec<CallSpec>,
    ) -> Result<Vec<Completion>, SampleEnd> {
        let performed = self.perform_all(&calls).await?;
        let mut joined = Vec::with_capacity(calls.len());
        for (spec, call) in calls.into_iter().zip(performed) {
            joined.push(match call.reading {
                Reading::Usable {
                    text,
                    value,
                    truncated,
                    ..
                } => Joined::Done(Completion {
                    text,
                    value,
                    truncated,
                    seq: call.seq,
                }),
                Reading::Invalid { text, fault } => {
                    let call = self.repair(spec, &text, &fault)?;
                    Joined::Repair { text, call }
                }
                Reading::End(ending) => return Err(ending.into()),
            });
        }
        let repairs: Vec<CallSpec> = joined
            .iter()
            .filter_map(|joined| match joined {
                Joined::Repair { call, .. } => Some(call.clone()),
                Joined::Done(_) => None,
            })
            .collect();
        let mut repaired = self.perform_all(&repairs).await?.into_iter();
        joined
            .into_iter()
            .map(|joined| match joined {
                Joined::Done(completion) => Ok(completion),
                Joined::Repair { text, .. } => match repaired.next() {
                    Some(call) => after_repair(call, text),
                    None => Err(malformed(text, "no repair was made".to_owned())),
                },
            })
            .collect()
    }

    /// Gives positions to calls, makes them, and adds them up in order.
    async fn perform_all(&mut self, calls: &[CallSpec]) -> Result<Vec<PerformedCall>, SampleEnd> {
        if let Some(limit) = self.surroundings.sample_limits.calls
            && u64::from(self.next_seq) + calls.len() as u64 > u64::from(limit)
        {
            return Err(SampleEnd::failure(
                consilium_core::ErrorKind::Budget,
                format!("the sample asks for more than sample_calls = {limit} calls"),
            ));
        }
        let mut issued = Vec::with_capacity(calls.len());
        for call in calls {
            issued.push(self.issue(call)?);
        }
        let surroundings = &*self.surroundings;
        let results = join_all(issued.iter().map(|call| perform(call, surroundings))).await;
        // An end of the run comes before any end of the sample: nothing is decided then.
        let performed = results
            .into_iter()
            .collect::<Result<Vec<_>, RunStopped>>()?;
        for call in &performed {
            self.tally.add(&call.tally);
        }
        Ok(performed)
    }

    fn issue(&mut self, call: &CallSpec) -> Result<IssuedCall, SampleEnd> {
        let backend = self
            .surroundings
            .backends
            .get(&call.role)
            .cloned()
            .ok_or_else(|| {
                SampleEnd::solver(format!("find the backend of role '{}'", call.role))
            })?;
        let (seq, seed) = self.take_seq();
        let generation = backend
            .backend()
            .spec()
            .generation
            .overlaid(&self.surroundings.generation)
            .overlaid(&call.generation);
        let request = ChatRequest {
            model: backend.backend().model().to_owned(),
            messages: call.messages.clone(),
            generation,
            seed: Some(seed),
            schema: call.schema.clone(),
        };
        let messages = request.messages_json();
        let parameters = request.plain_parameters_json();
        let request_sha256 = request.sha256_with(&messages, &parameters);
        let parameters = request.parameters_json_of(parameters);
        let recorded = match self.recorded.take(seq, &request_sha256) {
            Found::Same(row) => Some(row),
            Found::Nothing => None,
            Found::Different { discarded } => {
                self.emit(Event {
                    agent: call.agent.clone(),
                    kind: "resume_mismatch".to_owned(),
                    round: call.round,
                    content: Some(format!(
                        "call {seq} differs from the recorded one; recorded calls from there on \
                         are made anew"
                    )),
                    payload: Some(json!({"seq": seq, "discarded": discarded})),
                });
                None
            }
        };
        let identity = CallIdentity {
            key: self.item.key.clone(),
            attempt: self.item.attempt,
            scorer: self.scorer.clone(),
            seq,
            round: call.round,
            agent: call.agent.as_str().into(),
            purpose: call.purpose.as_str().into(),
            role: call.role.as_str().into(),
            verdict: call.verdict,
        };
        let cache_key = if backend.is_cached() {
            let ordinal = self.ordinal(&request_sha256);
            let epoch = self.item.key.epoch;
            let backend = backend.backend();
            let key = CacheKey::new(&**backend, &request, &request_sha256, epoch, ordinal);
            Some(key)
        } else {
            None
        };
        Ok(IssuedCall {
            identity,
            request,
            messages,
            parameters,
            request_sha256,
            backend,
            cache_key,
            deadline: self.deadline,
            recorded,
        })
    }

    /// The call that asks once more, with the faulty reply and what is wrong with it.
    fn repair(&self, call: CallSpec, text: &str, fault: &str) -> Result<CallSpec, SampleEnd> {
        let mut messages = call.messages;
        messages.push(Message::assistant(text));
        messages.extend(self.prompt(REPAIR_PROMPT, &json!({"fault": fault}))?);
        Ok(CallSpec {
            messages,
            purpose: REPAIR.to_owned(),
            ..call
        })
    }
}

fn after_repair(call: PerformedCall, first: String) -> Result<Completion, SampleEnd> {
    match call.reading {
        Reading::Usable {
            text,
            value,
            truncated,
            ..
        } => Ok(Completion {
            text,
            value,
            truncated,
            seq: call.seq,
        }),
        Reading::Invalid { fault, .. } => Err(malformed(first, fault)),
        Reading::End(ending) => Err(ending.into()),
    }
}

fn malformed(answer: String, fault: String) -> SampleEnd {
    SampleEnd::Ended {
        ending: Ending {
            outcome: Outcome::Malformed,
            error_kind: Some(consilium_core::ErrorKind::SchemaMismatch),
            message: Some(fault),
            answer: Some(answer),
        },
    }
}
