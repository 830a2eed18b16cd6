//! `GET /runs/{run}/samples`: samples of a run, filtered and paged.

use askama::Template;
use askama_web::WebTemplate;
use axum::extract::{Path, State};
use consilium_core::{Outcome, SampleKey};

use crate::error::PageError;
use crate::link::Link;
use crate::params::Params;
use crate::place::{WINDOW_KEYS, window};
use crate::shell::{Section, Shell};
use crate::view::card::Card;
use crate::view::filter::{self, Condition, Field, SEARCH_CHARACTERS};
use crate::view::number::{count, share};
use crate::view::pager::Pager;
use crate::view::words;
use crate::{AppState, Counts, Edge, SampleFilter, Verdict};

const ROWS: usize = 50;

/// The page.
#[derive(Debug, Template, WebTemplate)]
#[template(path = "samples.html")]
pub(crate) struct SamplesPage {
    shell: Shell,
    action: String,
    fields: Vec<Field>,
    search: String,
    search_characters: usize,
    conditions: Vec<Condition>,
    total: String,
    verdicts: Vec<Tally>,
    outcomes: Vec<Tally>,
    rows: Vec<Card>,
    pager: Pager,
    first: bool,
    start: String,
}

/// How many samples of the filter ended in one way.
#[derive(Debug)]
struct Tally {
    class: &'static str,
    sign: &'static str,
    word: &'static str,
    meaning: &'static str,
    count: String,
    share: String,
    address: String,
    current: bool,
}

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path(run): Path<String>,
    params: Params,
) -> Result<SamplesPage, PageError> {
    params.only(&[&filter::FILTER_KEYS[..], &WINDOW_KEYS].concat())?;
    let filter = filter::parse(&params)?;
    let window = window::<SampleKey>(&params, ROWS)?;
    let runs = &state.runs;
    let (facets, page, counts) = futures::try_join!(
        runs.facets(&run),
        runs.samples(&run, &filter, &window),
        runs.counts(&run, &filter)
    )?;
    let (Some(facets), Some(page), Some(counts)) = (facets, page, counts) else {
        return Err(PageError::NotFound("run"));
    };
    let carried = filter::carried(&filter);
    let key = |row: Option<&crate::SampleCard>| row.map(|row| row.key.clone());
    let list = filter::list(&run, &filter);
    Ok(SamplesPage {
        shell: Shell::of_run(&run, "Samples", Section::Samples),
        action: Link::run(&run).segment("samples").address(),
        fields: filter::fields(&filter, &facets),
        search: filter.text.clone().unwrap_or_default(),
        search_characters: SEARCH_CHARACTERS,
        conditions: filter::conditions(&run, &filter),
        total: count(counts.total()),
        verdicts: verdicts(&run, &filter, &counts),
        outcomes: outcomes(&run, &filter, &counts),
        pager: Pager::around(
            &list,
            key(page.rows.first()).as_ref(),
            key(page.rows.last()).as_ref(),
            (page.more_before, page.more_after),
        ),
        rows: page
            .rows
            .iter()
            .map(|row| Card::new(&run, row, carried.as_deref()))
            .collect(),
        first: window.edge == Edge::Start,
        start: list.address(),
    })
}

fn verdicts(run: &str, filter: &SampleFilter, counts: &Counts) -> Vec<Tally> {
    let total = counts.total();
    counts
        .verdicts
        .iter()
        .map(|&(verdict, n)| Tally {
            class: verdict.as_str(),
            sign: words::verdict_sign(verdict),
            word: words::verdict(verdict),
            meaning: words::verdict_meaning(verdict),
            count: count(n),
            share: share(n, total),
            address: with_verdict(run, filter, verdict),
            current: filter.verdict == Some(verdict),
        })
        .collect()
}

fn outcomes(run: &str, filter: &SampleFilter, counts: &Counts) -> Vec<Tally> {
    let total = counts.total();
    counts
        .outcomes
        .iter()
        .map(|&(outcome, n)| Tally {
            class: "outcome",
            sign: "",
            word: words::outcome(outcome),
            meaning: words::outcome_meaning(outcome),
            count: count(n),
            share: share(n, total),
            address: with_outcome(run, filter, outcome),
            current: filter.outcome == Some(outcome),
        })
        .collect()
}

fn with_verdict(run: &str, filter: &SampleFilter, verdict: Verdict) -> String {
    let filter = SampleFilter {
        verdict: Some(verdict),
        ..filter.clone()
    };
    filter::list(run, &filter).address()
}

fn with_outcome(run: &str, filter: &SampleFilter, outcome: Outcome) -> String {
    let filter = SampleFilter {
        outcome: Some(outcome),
        ..filter.clone()
    };
    filter::list(run, &filter).address()
}
