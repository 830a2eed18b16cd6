//! One call: from the journal, else from the cache, else from the backend.

use std::sync::Arc;

use consilium_core::canonical::canonical_value_json;
use consilium_core::{CallRow, ErrorKind, RunStopped, SampleKey};
use serde_json::Value;
use tokio::time::Instant;

use super::Surroundings;
use super::end::Ending;
use super::reading::{Reading, Received, refusal_as_raw};
use super::tally::Tally;
use consilium_backends::{
    Adaptation, CacheKey, CallIdentity, ChatRequest, LimitedBackend, SentCall,
};

/// A call with its position, ready to be made.
#[derive(Debug)]
pub(super) struct IssuedCall {
    pub(super) identity: CallIdentity,
    pub(super) request: ChatRequest,
    /// The messages as canonical JSON.
    pub(super) messages: String,
    /// Parameters, seed and schema as canonical JSON.
    pub(super) parameters: String,
    pub(super) request_sha256: String,
    pub(super) backend: Arc<LimitedBackend>,
    /// Where replies are kept between runs, what this one is kept under.
    pub(super) cache_key: Option<CacheKey>,
    /// When the sample's time is used up.
    pub(super) deadline: Option<Instant>,
    /// The same call, finished by an earlier process.
    pub(super) recorded: Option<Box<CallRow>>,
}

/// A call that was made.
#[derive(Debug)]
pub(super) struct PerformedCall {
    pub(super) seq: u32,
    pub(super) tally: Tally,
    pub(super) reading: Reading,
}

/// Makes a call and records it as soon as it is finished.
pub(super) async fn perform(
    call: &IssuedCall,
    surroundings: &Surroundings,
) -> Result<PerformedCall, RunStopped> {
    if let Some(recorded) = &call.recorded {
        return replay(call, recorded, surroundings);
    }
    let sent = match &call.cache_key {
        Some(key) => match call.backend.cached(key).await {
            Some(hit) => hit,
            None => ask(call, surroundings).await,
        },
        None => ask(call, surroundings).await,
    };
    if let Err(failure) = &sent.reply {
        // None of these is recorded: the next process must ask again instead of replaying it.
        if failure.kind == ErrorKind::Cancelled {
            return Err(RunStopped::Interrupted);
        }
        if failure.kind == ErrorKind::Budget {
            return Err(RunStopped::Budget {
                message: failure.message.clone(),
            });
        }
        if failure.is_for_good() {
            return Err(RunStopped::Backend {
                backend: call.backend.backend().name().to_owned(),
                message: failure.message.clone(),
            });
        }
    }
    let reading = read(call, &sent);
    let new_reply = call.cache_key.as_ref().filter(|_| !sent.cache_hit);
    let new_reply = new_reply.and_then(|key| Some((key.clone(), sent.reply.clone().ok()?)));
    let row = row(call, sent, &reading);
    surroundings.progress.add_call(&row);
    let performed = PerformedCall {
        seq: row.seq,
        tally: Tally::of(&row),
        reading,
    };
    surroundings.recorder.append_call(row)?;
    if let Some((key, reply)) = new_reply {
        call.backend.keep(key, &reply).await;
    }
    Ok(performed)
}

async fn ask(call: &IssuedCall, surroundings: &Surroundings) -> SentCall {
    call.backend
        .call_before(
            &call.identity,
            &call.request,
            &surroundings.cancel,
            call.deadline,
        )
        .await
}

fn replay(
    call: &IssuedCall,
    recorded: &CallRow,
    surroundings: &Surroundings,
) -> Result<PerformedCall, RunStopped> {
    let mut row = recorded.clone();
    row.tries = 0;
    if row.attempt != call.identity.attempt {
        // Finished in an attempt that failed later: this attempt's record must be complete too.
        row.attempt = call.identity.attempt;
        if row.messages.is_empty() {
            // Held without what the request says as well.
            row.messages.clone_from(&call.messages);
            row.parameters.clone_from(&call.parameters);
        }
        surroundings.recorder.append_call(row.clone())?;
    }
    let reading = match Received::from_row(&row) {
        Some(received) => received.read(call.request.schema.as_deref()),
        None => Reading::End(failed(
            row.error_kind.unwrap_or(ErrorKind::BadReply),
            row.error.clone().unwrap_or_default(),
        )),
    };
    Ok(PerformedCall {
        seq: row.seq,
        tally: Tally::of(&row),
        reading,
    })
}

fn read(call: &IssuedCall, sent: &SentCall) -> Reading {
    match &sent.reply {
        Ok(reply) => {
            let repair = &*call.identity.purpose == super::calls::REPAIR;
            Received::from_reply(reply, repair).read(call.request.schema.as_deref())
        }
        Err(failure) => Reading::End(failed(failure.kind, failure.message.clone())),
    }
}

fn failed(kind: ErrorKind, message: String) -> Ending {
    Ending {
        outcome: kind.outcome(),
        error_kind: Some(kind),
        message: Some(message),
        answer: None,
    }
}

fn row(call: &IssuedCall, sent: SentCall, reading: &Reading) -> CallRow {
    let IssuedCall {
        identity,
        request,
        backend,
        ..
    } = call;
    let SampleKey {
        dataset,
        case_id,
        system,
        epoch,
    } = &identity.key;
    let failure = sent.reply.as_ref().err().cloned();
    let adaptation = match &sent.reply {
        Ok(reply) => reply.adaptation,
        Err(failure) => failure.adaptation,
    };
    let http_status = match &sent.reply {
        Ok(reply) => reply.http_status,
        Err(failure) => failure.http_status,
    };
    let latency_ms = match &sent.reply {
        Ok(reply) => Some(reply.latency_ms),
        Err(failure) => failure.latency_ms,
    };
    let reply = sent.reply.unwrap_or_default();
    let usage = reply.usage;
    let cost_usd = backend.backend().spec().price.as_ref().and_then(|price| {
        if sent.cache_hit {
            return Some(0.0);
        }
        let (prompt, completion) = usage.prompt_tokens.zip(usage.completion_tokens)?;
        Some(price.cost_usd(prompt, usage.cached_tokens.unwrap_or(0), completion))
    });
    CallRow {
        dataset: dataset.to_string(),
        case_id: case_id.to_string(),
        system: system.to_string(),
        epoch: *epoch,
        attempt: identity.attempt,
        scorer: identity.scorer.as_deref().map(str::to_owned),
        seq: identity.seq,
        round: identity.round,
        agent: identity.agent.to_string(),
        purpose: identity.purpose.to_string(),
        backend: backend.backend().name().to_owned(),
        model_requested: request.model.clone(),
        model_returned: reply.model.clone(),
        fingerprint: reply.fingerprint.clone(),
        request_id: reply.request_id.clone(),
        request_sha256: call.request_sha256.clone(),
        parameters: parameters(&call.parameters, adaptation),
        messages: call.messages.clone(),
        raw: reply
            .raw
            .clone()
            .or_else(|| reply.refusal.as_deref().map(refusal_as_raw)),
        response: reply.content,
        reasoning: reply.reasoning,
        finish_reason: reply.finish_reason,
        parse_status: reading.parse_status(),
        tries: sent.tries,
        http_status,
        latency_ms,
        prompt_tokens: usage.prompt_tokens,
        cached_tokens: usage.cached_tokens,
        completion_tokens: usage.completion_tokens,
        cost_usd,
        cache_hit: sent.cache_hit,
        started_at: sent.started_at,
        error_kind: failure.as_ref().map(|failure| failure.kind),
        error: failure.map(|failure| failure.message),
    }
}

/// The parameters as sent: a seed that the server refuses is unknown, a length limit has the name it was sent
/// under, and a schema that the server does not enforce says how it was asked for.
fn parameters(asked: &str, adaptation: Adaptation) -> String {
    if adaptation == Adaptation::default() {
        return asked.to_owned();
    }
    let Ok(Value::Object(mut fields)) = serde_json::from_str(asked) else {
        return asked.to_owned();
    };
    adaptation.apply(&mut fields);
    if adaptation.without_seed {
        fields.insert("seed".to_owned(), Value::Null);
    }
    if let (Some(format), Some(Value::Object(schema))) =
        (adaptation.schema_as, fields.get_mut("schema"))
    {
        schema.insert("in_words_with".to_owned(), format.as_str().into());
    }
    canonical_value_json(&Value::Object(fields)).unwrap_or_else(|_| asked.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use consilium_backends::ResponseFormat;

    #[test]
    fn parameters_say_what_was_sent() {
        let asked = r#"{"max_tokens":64,"schema":{"name":"a","schema":{}},"seed":5}"#;
        assert_eq!(parameters(asked, Adaptation::default()), asked);
        let adapted = Adaptation {
            without_seed: true,
            max_completion_tokens: true,
            schema_as: Some(ResponseFormat::JsonObject),
        };
        assert_eq!(
            parameters(asked, adapted),
            r#"{"max_completion_tokens":64,"schema":{"in_words_with":"json_object","name":"a","schema":{}},"seed":null}"#
        );
        let both = r#"{"max_completion_tokens":7,"max_tokens":64,"seed":5}"#;
        let renamed = Adaptation {
            max_completion_tokens: true,
            ..Adaptation::default()
        };
        assert_eq!(
            parameters(both, renamed),
            r#"{"max_completion_tokens":7,"seed":5}"#
        );
    }
}
