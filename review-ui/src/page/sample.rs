//! `GET /runs/{run}/sample`: one sample turn by turn.

use askama::Template;
use askama_web::WebTemplate;
use axum::extract::{Path, State};
use consilium_core::{EventRow, SampleKey, SampleRow};

use crate::error::PageError;
use crate::library::Page;
use crate::link::Link;
use crate::params::{Params, SAMPLE_KEYS};
use crate::place::{WINDOW_KEYS, window};
use crate::shell::{Section, Shell};
use crate::view::call::{Call, CallLinks};
use crate::view::card::{self, Mark};
use crate::view::case::{CaseSheet, part};
use crate::view::number::{DASH, Moment, count, duration, usd};
use crate::view::pager::Pager;
use crate::view::text::{Budget, Text, short};
use crate::view::timeline::{Round, rounds};
use crate::view::{filter, words};
use crate::{AppState, AttemptCard, CallSelection, SampleFilter, SampleView, TextPart};

mod score;

use score::ScoreView;

/// Events of a page.
const EVENTS: usize = 50;

/// Calls that a page may show beside its events.
const CALLS: usize = 40;

/// Bytes after which no more events are read for a page.
const EVENT_BYTES: usize = 40_000;

/// Bytes after which no more calls are read for a page.
const CALL_BYTES: usize = 4_000_000;

/// Bytes that texts of events and calls take on the page.
const TEXT_BYTES: usize = 56_000;

const ANSWER_CHARACTERS: usize = 4_000;
const PAYLOAD_CHARACTERS: usize = 1_500;

/// The page.
#[derive(Debug, Template, WebTemplate)]
#[template(path = "sample.html")]
pub(crate) struct SamplePage {
    shell: Shell,
    case_id: String,
    dataset: String,
    system: String,
    epoch: u32,
    back: String,
    previous: Option<String>,
    next: Option<String>,
    filtered: bool,
    mark: Option<Mark>,
    ending: &'static str,
    ending_meaning: &'static str,
    error: Option<String>,
    facts: Vec<(&'static str, String)>,
    started: Moment,
    attempts: Vec<AttemptLink>,
    case: Option<CaseSheet>,
    answer: Option<Text>,
    payload: Option<Text>,
    scores: Vec<ScoreView>,
    rounds: Vec<Round>,
    loose: Vec<Call>,
    events: String,
    calls: String,
    all_calls: String,
    pager: Pager,
    first_page: bool,
    beside: String,
}

#[derive(Debug)]
struct AttemptLink {
    number: u32,
    ending: &'static str,
    started: Moment,
    time: String,
    address: String,
    current: bool,
}

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path(run): Path<String>,
    params: Params,
) -> Result<SamplePage, PageError> {
    params.only(&[&SAMPLE_KEYS[..], &["attempt", "in"], &WINDOW_KEYS].concat())?;
    let key = params.sample_key()?;
    let carried = params.get("in").map(Params::parse).transpose()?;
    if let Some(list) = &carried {
        list.only(&filter::FILTER_KEYS)?;
    }
    let list = carried
        .as_ref()
        .map_or_else(|| Ok(SampleFilter::default()), filter::parse)?;
    let runs = &state.runs;
    let (sample, neighbours) = futures::try_join!(
        runs.sample(&run, &key, params.number("attempt")?),
        runs.neighbours(&run, &list, &key)
    )?;
    let sample = sample.ok_or(PageError::NotFound("sample"))?;
    let attempt = sample.sample.attempt;
    let window = window::<u32>(&params, EVENTS)?;
    let page = runs
        .events(&run, &key, attempt, &window, EVENT_BYTES)
        .await?;
    let selection = selection(&page, sample.calls);
    let calls = runs
        .calls(&run, &key, attempt, &selection, CALL_BYTES)
        .await?;

    let inside = filter::carried(&list);
    let to = |key: &SampleKey| {
        card::transcript(&run, key)
            .pair_if("in", inside.as_deref())
            .address()
    };
    let neighbours = neighbours.unwrap_or_default();
    let links = Links::new(&run, &key, attempt, inside.as_deref());
    let lang = sample.case.as_ref().map(|case| case.view.language.as_str());
    let call_links = CallLinks {
        text: links.text.clone(),
        calls: links.calls.clone(),
        lang,
    };
    let mut budget = Budget::new(TEXT_BYTES);
    let (rounds, loose) = rounds(&page.rows, &calls.rows, &call_links, &mut budget);
    let first_page = !page.more_before;
    let row = &sample.sample;
    Ok(SamplePage {
        shell: Shell::of_run(&run, &card::heading(&key), Section::Samples),
        case_id: short(&key.case_id),
        dataset: short(&key.dataset),
        system: short(&key.system),
        epoch: key.epoch,
        back: back(&run, &list, &key),
        previous: neighbours.previous.as_ref().map(to),
        next: neighbours.next.as_ref().map(to),
        filtered: inside.is_some(),
        mark: score::headline(&sample.scores),
        ending: words::outcome(row.outcome),
        ending_meaning: words::outcome_meaning(row.outcome),
        error: row.error.as_deref().map(short),
        facts: facts(row),
        started: Moment::new(row.started_at),
        attempts: attempts(&sample, &links.sample),
        case: sample
            .case
            .as_ref()
            .filter(|_| first_page)
            .map(|case| CaseSheet::new(case, &links.text)),
        answer: row.answer.as_deref().map(|answer| {
            Text::new(
                answer,
                ANSWER_CHARACTERS,
                lang,
                part(&links.text, &TextPart::Answer),
            )
        }),
        payload: row
            .payload
            .as_deref()
            .filter(|_| first_page)
            .map(|payload| {
                Text::new(
                    payload,
                    PAYLOAD_CHARACTERS,
                    None,
                    part(&links.text, &TextPart::Payload),
                )
            }),
        scores: sample
            .scores
            .iter()
            .take(40)
            .map(|score| ScoreView::new(score, lang, &links.text))
            .collect(),
        rounds,
        loose,
        events: count(sample.events),
        calls: count(sample.calls),
        all_calls: links.calls.address(),
        pager: Pager::around(
            &links.sample.clone().pair("attempt", &attempt.to_string()),
            page.rows.first().map(|event| &event.seq),
            page.rows.last().map(|event| &event.seq),
            (page.more_before, page.more_after),
        ),
        first_page,
        beside: card::with_key(Link::run(&run).segment("pair"), &key).address(),
    })
}

/// Addresses about one attempt at a sample.
pub(super) struct Links {
    /// The sample itself.
    pub sample: Link,
    /// Its texts, without a part.
    pub text: Link,
    /// Its calls, without a place.
    pub calls: Link,
}

impl Links {
    /// Links that carry the list a reader came from.
    pub(super) fn new(run: &str, key: &SampleKey, attempt: u32, carried: Option<&str>) -> Self {
        let under = |segment: &str| {
            card::with_key(Link::run(run).segment(segment), key)
                .pair("attempt", &attempt.to_string())
        };
        Self {
            sample: card::transcript(run, key).pair_if("in", carried),
            text: under("text"),
            calls: under("calls").pair_if("in", carried),
        }
    }
}

/// The list with this sample at its beginning, or the whole list when it starts there anyway.
fn back(run: &str, list: &SampleFilter, key: &SampleKey) -> String {
    use crate::place::Place as _;
    filter::list(run, list)
        .pair("from", &key.to_text())
        .at(&card::anchor(key))
}

/// All calls when they are few; else those of the rounds on the page.
fn selection(page: &Page<EventRow>, calls: u64) -> CallSelection {
    let rounds = || page.rows.iter().filter_map(|event| event.round);
    let range = rounds().min().zip(rounds().max());
    let few = calls <= CALLS as u64;
    CallSelection {
        // A round that no call has: only calls without a round are asked for.
        rounds: (!few).then(|| range.unwrap_or((u32::MAX, u32::MAX))),
        unrounded: page.rows.iter().any(|event| event.round.is_none()) || page.rows.is_empty(),
        scorers: few,
        skip: 0,
        limit: CALLS,
    }
}

fn facts(row: &SampleRow) -> Vec<(&'static str, String)> {
    let number = |number: Option<u64>| number.map_or_else(|| DASH.to_owned(), count);
    let mut facts = vec![
        ("Time", duration(row.wall_ms as f64)),
        ("Calls", row.calls.to_string()),
        (
            "Tokens, prompt + reply",
            format!(
                "{} + {}",
                number(row.prompt_tokens),
                number(row.completion_tokens)
            ),
        ),
        (
            "Cost",
            row.cost_usd
                .map_or_else(|| "no price known".to_owned(), usd),
        ),
    ];
    let mut add = |label, value: Option<String>| facts.extend(value.map(|value| (label, value)));
    add("Rounds", row.rounds.map(|rounds| rounds.to_string()));
    add("Stopped because", row.stop_reason.as_deref().map(short));
    add(
        "Failure",
        row.error_kind.map(|kind| kind.as_str().replace('_', " ")),
    );
    facts
}

fn attempts(sample: &SampleView, link: &Link) -> Vec<AttemptLink> {
    let one = |card: &AttemptCard| AttemptLink {
        number: card.attempt,
        ending: words::outcome(card.outcome),
        started: Moment::new(card.started_at),
        time: duration(card.wall_ms as f64),
        address: link
            .clone()
            .pair("attempt", &card.attempt.to_string())
            .address(),
        current: card.attempt == sample.sample.attempt,
    };
    sample.attempts.iter().take(50).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_calls_are_asked_for_by_the_rounds_on_the_page() {
        let event = |seq, round| EventRow {
            dataset: String::new(),
            case_id: String::new(),
            system: String::new(),
            epoch: 1,
            attempt: 1,
            seq,
            round,
            agent: String::new(),
            kind: String::new(),
            content: None,
            payload: None,
        };
        let page = Page {
            rows: vec![event(0, Some(3)), event(1, Some(5))],
            more_before: true,
            more_after: true,
        };
        assert_eq!(selection(&page, 3).rounds, None);
        let many = selection(&page, 3_000);
        assert_eq!(
            (many.rounds, many.unrounded, many.scorers),
            (Some((3, 5)), false, false)
        );
        let page = Page {
            rows: vec![event(0, None)],
            ..page
        };
        let many = selection(&page, 3_000);
        assert_eq!(
            (many.rounds, many.unrounded),
            (Some((u32::MAX, u32::MAX)), true)
        );
    }
}
