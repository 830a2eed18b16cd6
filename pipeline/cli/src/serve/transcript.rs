//! One sample: case, attempts, scores, events, calls, and its texts in full.

use consilium_core::{CallRow, EventRow, SampleKey};
use consilium_query::browse::{BrowseError, CallChoice, Edge as Place, OpenRun, Portion};
use consilium_review::{
    AttemptCard, CallField, CallSelection, Edge, Page, SampleView, TextPart, Window,
};

/// One sample in full.
pub(super) fn sample(
    run: &OpenRun,
    key: &SampleKey,
    attempt: Option<u32>,
) -> Result<Option<SampleView>, BrowseError> {
    let Some(record) = run.sample(key, attempt)? else {
        return Ok(None);
    };
    Ok(Some(SampleView {
        sample: record.sample().clone(),
        attempts: record
            .attempts
            .iter()
            .map(|row| AttemptCard {
                attempt: row.attempt,
                outcome: row.outcome,
                started_at: row.started_at,
                wall_ms: row.wall_ms,
            })
            .collect(),
        case: record.case,
        scores: record.scores,
        events: record.events,
        calls: record.calls,
    }))
}

/// Events of an attempt.
pub(super) fn events(
    run: &OpenRun,
    key: &SampleKey,
    attempt: u32,
    window: &Window<u32>,
    bytes: usize,
) -> Result<Page<EventRow>, BrowseError> {
    let edge = match window.edge {
        Edge::Start => Place::From(0),
        Edge::From(seq) => Place::From(seq as usize),
        Edge::After(seq) => Place::From(seq as usize + 1),
        Edge::Before(seq) => Place::Before(seq as usize),
    };
    run.events(key, attempt, edge, window.limit, bytes)
        .map(page)
}

/// Calls of an attempt.
pub(super) fn calls(
    run: &OpenRun,
    key: &SampleKey,
    attempt: u32,
    selection: &CallSelection,
    bytes: usize,
) -> Result<Page<CallRow>, BrowseError> {
    let choice = CallChoice {
        rounds: selection.rounds,
        unrounded: selection.unrounded,
        scorers: selection.scorers,
        skip: selection.skip,
        limit: selection.limit,
    };
    run.calls(key, attempt, &choice, bytes).map(page)
}

fn page<T>(portion: Portion<T>) -> Page<T> {
    Page {
        rows: portion.rows,
        more_before: portion.more_before,
        more_after: portion.more_after,
    }
}

/// One text in full.
pub(super) fn text(
    run: &OpenRun,
    key: &SampleKey,
    attempt: u32,
    part: &TextPart,
) -> Result<Option<String>, BrowseError> {
    let sample = || -> Result<_, BrowseError> {
        let attempts = run.attempts(key)?;
        Ok(attempts.into_iter().find(|row| row.attempt == attempt))
    };
    let case = || run.case(&key.dataset, &key.case_id);
    Ok(match part {
        TextPart::Answer => sample()?.and_then(|row| row.answer),
        TextPart::Payload => sample()?.and_then(|row| row.payload),
        TextPart::Reference => case()?.and_then(|case| case.reference),
        TextPart::Input { field } => case()?.and_then(|case| case.view.input_text(field)),
        TextPart::EventContent { seq } => run
            .event(key, attempt, *seq)?
            .and_then(|event| event.content),
        TextPart::EventPayload { seq } => run
            .event(key, attempt, *seq)?
            .and_then(|event| event.payload),
        TextPart::Call { scorer, seq, field } => run
            .call(key, attempt, scorer.as_deref(), *seq)?
            .and_then(|call| match field {
                CallField::Messages => Some(call.messages),
                CallField::Parameters => Some(call.parameters),
                CallField::Response => call.response,
                CallField::Reasoning => call.reasoning,
                CallField::Raw => call.raw,
            }),
        TextPart::Explanation { scorer, metric } => run
            .scores(key, attempt)?
            .into_iter()
            .find(|score| score.scorer == *scorer && score.metric == *metric)
            .and_then(|score| score.explanation),
    })
}
