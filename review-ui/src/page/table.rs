//! `GET /runs/{run}/tables/{table}`: one result table in full.

use askama::Template;
use askama_web::WebTemplate;
use axum::extract::{Path, State};

use crate::AppState;
use crate::error::PageError;
use crate::link::Link;
use crate::params::Params;
use crate::shell::{Section, Shell};
use crate::view::pager::Pager;
use crate::view::sheet::Sheet;

/// Cells of a page; the rows follow from the width.
const CELLS: usize = 360;

/// The page.
#[derive(Debug, Template, WebTemplate)]
#[template(path = "table.html")]
pub(crate) struct TablePage {
    shell: Shell,
    overview: String,
    sheet: Sheet,
    pager: Pager,
}

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path((run, name)): Path<(String, String)>,
    params: Params,
) -> Result<TablePage, PageError> {
    params.only(&["skip"])?;
    let tables = state
        .runs
        .tables(&run)
        .await?
        .ok_or(PageError::NotFound("run"))?;
    let table = tables
        .iter()
        .find(|table| table.name == name)
        .ok_or(PageError::NotFound("table"))?;
    let rows = (CELLS / table.columns.len().max(1)).max(10);
    // A table is held whole and never changes, so a row is found by its number.
    let skip = params.number("skip")?.unwrap_or(0) as usize;
    let base = Link::run(&run).segment("tables").segment(&name);
    let to = |skip: usize| base.clone().pair("skip", &skip.to_string()).address();
    Ok(TablePage {
        shell: Shell::of_run(&run, &table.title, Section::Overview),
        overview: Link::run(&run).address(),
        sheet: Sheet::new(&run, table, skip, rows),
        pager: Pager {
            previous: (skip > 0).then(|| to(skip.saturating_sub(rows))),
            next: (skip + rows < table.rows.len()).then(|| to(skip + rows)),
        },
    })
}
