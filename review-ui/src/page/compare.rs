//! `GET /compare`: headline numbers of several runs.

use askama::Template;
use askama_web::WebTemplate;
use axum::extract::State;

use crate::error::PageError;
use crate::link::Link;
use crate::params::Params;
use crate::shell::{Section, Shell};
use crate::view::number::{Moment, count};
use crate::view::text::{beginning, short};
use crate::view::words;
use crate::{AppState, RunView, Window};

mod matched;

use matched::{Block, blocks};

/// Most runs beside each other.
const MOST_RUNS: usize = 8;

/// Runs offered by the form.
const OFFERED: usize = 100;

/// The page.
#[derive(Debug, Template, WebTemplate)]
#[template(path = "compare.html")]
pub(crate) struct ComparePage {
    shell: Shell,
    choices: Vec<Choice>,
    runs: Vec<Head>,
    too_many: bool,
    unknown: Vec<String>,
    blocks: Vec<Block>,
}

#[derive(Debug)]
struct Choice {
    value: String,
    label: String,
    started: Moment,
    selected: bool,
}

/// One run of the comparison.
#[derive(Debug)]
struct Head {
    letter: char,
    name: String,
    address: String,
    started: Moment,
    status: &'static str,
    samples: String,
    incomplete: bool,
}

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    params: Params,
) -> Result<ComparePage, PageError> {
    params.only(&["run"])?;
    let mut wanted: Vec<&str> = Vec::new();
    for name in params.all("run") {
        if !wanted.contains(&name) {
            wanted.push(name);
        }
    }
    let too_many = wanted.len() > MOST_RUNS;
    wanted.truncate(MOST_RUNS);
    let window = Window::first(OFFERED);
    let offered = state.runs.runs(&window).await?;
    let mut views: Vec<RunView> = Vec::new();
    let mut unknown = Vec::new();
    for name in &wanted {
        match state.runs.run(name).await? {
            Some(view) => views.push(view),
            None => unknown.push(short(name)),
        }
    }
    Ok(ComparePage {
        shell: Shell::new("Compare runs", Section::Compare),
        choices: offered
            .runs
            .rows
            .iter()
            .map(|card| Choice {
                value: card.name.clone(),
                label: beginning(&card.name, 80),
                started: Moment::new(card.created_at),
                selected: wanted.contains(&card.name.as_str()),
            })
            .collect(),
        runs: views.iter().zip('A'..).map(head).collect(),
        too_many,
        unknown,
        blocks: blocks(&views),
    })
}

fn head((view, letter): (&RunView, char)) -> Head {
    let card = &view.card;
    Head {
        letter,
        name: short(&card.name),
        address: Link::run(&card.name).address(),
        started: Moment::new(card.created_at),
        status: words::status(card.status),
        samples: format!("{} of {}", count(card.finished()), count(card.planned)),
        incomplete: card.status != consilium_core::RunStatus::Complete || card.failed() > 0,
    }
}
