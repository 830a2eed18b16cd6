//! `GET /runs/{run}/pair`: two systems on one case, aligned by round.

use askama::Template;
use askama_web::WebTemplate;
use axum::extract::{Path, State};
use consilium_core::SampleKey;

use super::sample::Links;
use crate::error::PageError;
use crate::link::Link;
use crate::params::{Params, SAMPLE_KEYS};
use crate::shell::{Section, Shell};
use crate::view::card::Card;
use crate::view::case::{CaseSheet, part};
use crate::view::text::{Budget, Text, short};
use crate::{AppState, RunLibrary, SampleCard, TextPart, Window};

mod aligned;

use aligned::{Stretch, align};

/// Events read of each side.
const EVENTS: usize = 60;

/// Bytes after which no more events of a side are read.
const EVENT_BYTES: usize = 20_000;

/// Bytes that the texts of one side take on the page.
const SIDE_BYTES: usize = 26_000;

const ANSWER_CHARACTERS: usize = 3_000;

/// The page.
#[derive(Debug, Template, WebTemplate)]
#[template(path = "pair.html")]
pub(crate) struct PairPage {
    shell: Shell,
    action: String,
    case_id: String,
    dataset: String,
    epoch: u32,
    /// The key without the systems, for the form.
    hidden: Vec<(&'static str, String)>,
    systems: Vec<(String, String)>,
    left_system: String,
    right_system: String,
    pairs: String,
    case: Option<CaseSheet>,
    /// Left and right.
    sides: [Option<Side>; 2],
    stretches: Vec<Stretch>,
    cut: bool,
}

/// One system on the case.
#[derive(Debug)]
struct Side {
    card: Card,
    answer: Option<Text>,
    cut: bool,
    events: Vec<consilium_core::EventRow>,
    links: Link,
    lang: Option<String>,
    case: Option<CaseSheet>,
}

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path(run): Path<String>,
    params: Params,
) -> Result<PairPage, PageError> {
    params.only(&[&SAMPLE_KEYS[..], &["right"]].concat())?;
    let key = params.sample_key()?;
    let runs = state.runs.as_ref();
    let cards = runs
        .samples_of_case(&run, &key.dataset, &key.case_id)
        .await?
        .filter(|cards| !cards.is_empty())
        .ok_or(PageError::NotFound("case"))?;
    let systems = systems(&cards);
    let right_system = params
        .get("right")
        .map(str::to_owned)
        .or_else(|| systems.iter().find(|name| **name != *key.system).cloned())
        .unwrap_or_else(|| key.system.to_string());
    let (mut left, right) = futures::try_join!(
        side(runs, &run, &cards, &key, &key.system),
        side(runs, &run, &cards, &key, &right_system)
    )?;
    let case = left.as_mut().and_then(|side| side.case.take());
    let stretches = match (&left, &right) {
        (Some(left), Some(right)) => {
            let turns = |side: &Side| {
                aligned::turns(
                    &side.events,
                    &side.links,
                    side.lang.as_deref(),
                    &mut Budget::new(SIDE_BYTES),
                )
            };
            align(turns(left), turns(right))
        }
        _ => Vec::new(),
    };
    let sides = [left, right];
    Ok(PairPage {
        shell: Shell::of_run(
            &run,
            &format!("Side by side · {}", short(&key.case_id)),
            Section::Pairs,
        ),
        action: Link::run(&run).segment("pair").address(),
        case_id: short(&key.case_id),
        dataset: short(&key.dataset),
        epoch: key.epoch,
        hidden: vec![
            ("dataset", key.dataset.to_string()),
            ("case", key.case_id.to_string()),
            ("epoch", key.epoch.to_string()),
        ],
        systems: systems
            .iter()
            .map(|name| (name.clone(), short(name)))
            .collect(),
        pairs: Link::run(&run)
            .segment("pairs")
            .pair("left", &key.system)
            .pair("right", &right_system)
            .address(),
        left_system: key.system.to_string(),
        right_system,
        case,
        cut: sides.iter().flatten().any(|side| side.cut),
        stretches,
        sides,
    })
}

async fn side(
    runs: &dyn RunLibrary,
    run: &str,
    cards: &[SampleCard],
    key: &SampleKey,
    system: &str,
) -> Result<Option<Side>, PageError> {
    let found = |card: &&SampleCard| *card.key.system == *system && card.key.epoch == key.epoch;
    let Some(found) = cards.iter().find(found) else {
        return Ok(None);
    };
    let window = Window::first(EVENTS);
    let (sample, events) = futures::try_join!(
        runs.sample(run, &found.key, Some(found.attempt)),
        runs.events(run, &found.key, found.attempt, &window, EVENT_BYTES)
    )?;
    let Some(sample) = sample else {
        return Ok(None);
    };
    let links = Links::new(run, &found.key, found.attempt, None).text;
    let lang = sample.case.as_ref().map(|case| case.view.language.clone());
    Ok(Some(Side {
        card: Card::new(run, found, None),
        answer: sample.sample.answer.as_deref().map(|answer| {
            Text::new(
                answer,
                ANSWER_CHARACTERS,
                lang.as_deref(),
                part(&links, &TextPart::Answer),
            )
        }),
        cut: events.more_after,
        events: events.rows,
        case: sample
            .case
            .as_ref()
            .map(|case| CaseSheet::new(case, &links)),
        links,
        lang,
    }))
}

/// Systems that have a sample of the case, in order.
fn systems(cards: &[SampleCard]) -> Vec<String> {
    let mut systems: Vec<String> = cards
        .iter()
        .map(|card| card.key.system.to_string())
        .collect();
    systems.dedup();
    systems
}
