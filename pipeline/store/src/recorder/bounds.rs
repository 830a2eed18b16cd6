//! Numbers no column can hold.
//!
//! They come from servers that count wrong. Missing is NULL: one absurd count must not end a run.

use consilium_core::{CallRow, SampleRow};

pub(super) fn fit_call(mut call: CallRow) -> CallRow {
    call.prompt_tokens = count(call.prompt_tokens);
    call.cached_tokens = count(call.cached_tokens);
    call.completion_tokens = count(call.completion_tokens);
    call.cost_usd = call.cost_usd.filter(|cost| cost.is_finite());
    call.latency_ms = call.latency_ms.filter(|latency| latency.is_finite());
    call
}

pub(super) fn fit_sample(mut sample: SampleRow) -> SampleRow {
    sample.prompt_tokens = count(sample.prompt_tokens);
    sample.completion_tokens = count(sample.completion_tokens);
    sample.cost_usd = sample.cost_usd.filter(|cost| cost.is_finite());
    sample
}

fn count(tokens: Option<u64>) -> Option<u64> {
    tokens.filter(|tokens| i64::try_from(*tokens).is_ok())
}
