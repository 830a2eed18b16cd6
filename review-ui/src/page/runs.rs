//! `GET /` and `GET /runs`: the runs, the newest first.

use askama::Template;
use askama_web::WebTemplate;
use axum::extract::State;
use consilium_core::{RunStatus, Unit};

use crate::error::PageError;
use crate::link::Link;
use crate::params::Params;
use crate::place::{WINDOW_KEYS, window};
use crate::shell::{Section, Shell};
use crate::view::number::{Moment, count, usd};
use crate::view::pager::Pager;
use crate::view::sheet::{Entry, estimate_entry};
use crate::view::text::short;
use crate::view::words;
use crate::{AppState, Headline, RunCard, UnreadableRun};

const ROWS: usize = 25;

/// Most headline numbers shown of one run.
const HEADLINES: usize = 6;

/// The page.
#[derive(Debug, Template, WebTemplate)]
#[template(path = "runs.html")]
pub(crate) struct RunsPage {
    shell: Shell,
    rows: Vec<Row>,
    unreadable: Vec<UnreadableRun>,
    pager: Pager,
    first: bool,
}

#[derive(Debug)]
struct Row {
    name: String,
    full_name: String,
    address: String,
    study: String,
    started: Moment,
    status: &'static str,
    complete: bool,
    cases: String,
    samples: String,
    planned: Option<String>,
    ok: String,
    failed: u64,
    cost: Option<String>,
    headlines: Vec<HeadlineView>,
    more_headlines: usize,
}

/// A headline number with its interval.
#[derive(Clone, Debug)]
pub(crate) struct HeadlineView {
    pub system: String,
    pub dataset: String,
    pub title: String,
    pub unit: &'static str,
    pub entry: Entry,
}

impl HeadlineView {
    /// From a headline.
    pub(crate) fn new(headline: &Headline) -> Self {
        let unit = if headline.share {
            Unit::Share
        } else {
            Unit::Plain
        };
        Self {
            system: short(&headline.system),
            dataset: short(&headline.dataset),
            title: short(&headline.title),
            unit: if headline.share && headline.estimate.value.is_some() {
                " %"
            } else {
                ""
            },
            entry: estimate_entry(&headline.estimate, unit),
        }
    }
}

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    params: Params,
) -> Result<RunsPage, PageError> {
    params.only(&WINDOW_KEYS)?;
    let window = window::<String>(&params, ROWS)?;
    let list = state.runs.runs(&window).await?;
    let name = |card: Option<&RunCard>| card.map(|card| card.name.clone());
    let pager = Pager::around(
        &Link::to("/runs"),
        name(list.runs.rows.first()).as_ref(),
        name(list.runs.rows.last()).as_ref(),
        (list.runs.more_before, list.runs.more_after),
    );
    Ok(RunsPage {
        shell: Shell::new("Runs", Section::Runs),
        rows: list.runs.rows.iter().map(Row::new).collect(),
        first: window.edge == crate::Edge::Start,
        unreadable: list.unreadable,
        pager,
    })
}

impl Row {
    fn new(card: &RunCard) -> Self {
        let finished = card.finished();
        Self {
            name: short(&card.name),
            full_name: card.name.clone(),
            address: Link::run(&card.name).address(),
            study: short(&card.study),
            started: Moment::new(card.created_at),
            status: words::status(card.status),
            complete: card.status == RunStatus::Complete,
            cases: count(card.cases),
            samples: count(finished),
            planned: (finished != card.planned).then(|| count(card.planned)),
            ok: count(card.count(consilium_core::Outcome::Ok)),
            failed: card.failed(),
            cost: card.cost_usd.map(usd),
            headlines: card
                .headlines
                .iter()
                .take(HEADLINES)
                .map(HeadlineView::new)
                .collect(),
            more_headlines: card.headlines.len().saturating_sub(HEADLINES),
        }
    }
}
