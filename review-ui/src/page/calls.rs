//! `GET /runs/{run}/calls`: every model call of a sample.

use askama::Template;
use askama_web::WebTemplate;
use axum::extract::{Path, State};

use super::sample::Links;
use crate::error::PageError;
use crate::params::{Params, SAMPLE_KEYS};
use crate::shell::{Section, Shell};
use crate::view::call::{Call, CallLinks};
use crate::view::card;
use crate::view::number::count;
use crate::view::pager::Pager;
use crate::view::text::{Budget, short};
use crate::{AppState, CallSelection};

const CALLS: usize = 20;

/// Bytes after which no more calls are read for a page.
const CALL_BYTES: usize = 2_000_000;

/// Bytes that texts take on the page.
const TEXT_BYTES: usize = 70_000;

/// The page.
#[derive(Debug, Template, WebTemplate)]
#[template(path = "calls.html")]
pub(crate) struct CallsPage {
    shell: Shell,
    case_id: String,
    system: String,
    back: String,
    total: String,
    calls: Vec<Call>,
    pager: Pager,
}

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path(run): Path<String>,
    params: Params,
) -> Result<CallsPage, PageError> {
    params.only(&[&SAMPLE_KEYS[..], &["attempt", "skip", "in"]].concat())?;
    let key = params.sample_key()?;
    let skip = params.number("skip")?.unwrap_or(0) as usize;
    let runs = &state.runs;
    let sample = runs
        .sample(&run, &key, params.number("attempt")?)
        .await?
        .ok_or(PageError::NotFound("sample"))?;
    let attempt = sample.sample.attempt;
    let selection = CallSelection {
        rounds: None,
        unrounded: true,
        scorers: true,
        skip,
        limit: CALLS,
    };
    let page = runs
        .calls(&run, &key, attempt, &selection, CALL_BYTES)
        .await?;
    let links = Links::new(&run, &key, attempt, params.get("in"));
    let call_links = CallLinks {
        text: links.text,
        calls: links.calls.clone(),
        lang: sample.case.as_ref().map(|case| case.view.language.as_str()),
    };
    let mut budget = Budget::new(TEXT_BYTES);
    let calls = page
        .rows
        .iter()
        .enumerate()
        .map(|(index, row)| {
            Call::new(
                row,
                Some(skip + index),
                &call_links,
                &mut budget,
                index == 0,
            )
        })
        .collect();
    let to = |skip: usize| {
        links
            .calls
            .clone()
            .pair("skip", &skip.to_string())
            .address()
    };
    Ok(CallsPage {
        shell: Shell::of_run(
            &run,
            &format!("Calls · {}", card::heading(&key)),
            Section::Samples,
        ),
        case_id: short(&key.case_id),
        system: short(&key.system),
        back: links.sample.pair("attempt", &attempt.to_string()).address(),
        total: count(sample.calls),
        calls,
        pager: Pager {
            previous: (skip > 0).then(|| to(skip.saturating_sub(CALLS))),
            next: page.more_after.then(|| to(skip + page.rows.len())),
        },
    })
}
