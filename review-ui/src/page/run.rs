//! `GET /runs/{run}`: what was run, and what came out.

use askama::Template;
use askama_web::WebTemplate;
use axum::extract::{Path, State};
use consilium_core::{Outcome, RunManifest, Table};

use super::runs::HeadlineView;
use crate::error::PageError;
use crate::link::Link;
use crate::params::Params;
use crate::shell::{Section, Shell};
use crate::view::number::{DASH, Moment, count, share, usd};
use crate::view::sheet::Sheet;
use crate::view::text::{beginning, short};
use crate::view::{filter, words};
use crate::{AppState, ModelUse, RunView, SampleFilter};

mod warning;

/// Rows of a table that this page shows; its own page shows all.
const TABLE_ROWS: usize = 12;

/// Cells of all tables that this page shows.
const CELLS: usize = 260;

/// The page.
#[derive(Debug, Template, WebTemplate)]
#[template(path = "run.html")]
pub(crate) struct RunPage {
    shell: Shell,
    study: String,
    status: &'static str,
    started: Moment,
    finished: Option<Moment>,
    warnings: Vec<String>,
    headlines: Vec<HeadlineView>,
    facts: Vec<(&'static str, String)>,
    datasets: Vec<DatasetView>,
    outcomes: Outcomes,
    models: Vec<ModelView>,
    sheets: Vec<Sheet>,
    further: Vec<(String, String)>,
    figures: Vec<FigureView>,
    hashes: Vec<(String, String)>,
}

#[derive(Debug)]
struct DatasetView {
    name: String,
    selected: String,
    rows: String,
    malformed: u64,
    file: String,
    address: String,
}

/// Samples by system and outcome.
#[derive(Debug, Default)]
struct Outcomes {
    headings: Vec<(&'static str, &'static str)>,
    rows: Vec<OutcomeRow>,
}

#[derive(Debug)]
struct OutcomeRow {
    system: String,
    total: String,
    cells: Vec<Option<OutcomeCell>>,
}

#[derive(Debug)]
struct OutcomeCell {
    count: String,
    share: String,
    address: String,
}

#[derive(Debug)]
struct ModelView {
    backend: String,
    requested: String,
    returned: String,
    fingerprint: String,
    calls: String,
    scorer_calls: String,
}

#[derive(Debug)]
struct FigureView {
    title: String,
    description: String,
    address: String,
}

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path(run): Path<String>,
    params: Params,
) -> Result<RunPage, PageError> {
    params.only(&[])?;
    let runs = &state.runs;
    let (view, tables, figures) =
        futures::try_join!(runs.run(&run), runs.tables(&run), runs.figures(&run))?;
    let view = view.ok_or(PageError::NotFound("run"))?;
    let figures = figures
        .unwrap_or_default()
        .iter()
        .map(|figure| FigureView {
            title: beginning(&figure.title, 200),
            description: beginning(&figure.description, 600),
            address: Link::run(&run)
                .segment("figures")
                .segment(&figure.name)
                .address(),
        })
        .collect();
    let (sheets, further) = sheets(&run, &tables.unwrap_or_default());
    let card = &view.card;
    Ok(RunPage {
        shell: Shell::of_run(&run, "Overview", Section::Overview),
        study: short(&card.study),
        status: words::status(card.status),
        started: Moment::new(card.created_at),
        finished: card.finished_at.map(Moment::new),
        warnings: warning::warnings(&view),
        headlines: card.headlines.iter().map(HeadlineView::new).collect(),
        facts: facts(&view),
        datasets: datasets(&run, &view.manifest),
        outcomes: outcomes(&run, &view),
        models: view.models.iter().map(ModelView::new).collect(),
        sheets,
        further,
        figures,
        hashes: hashes(&view.manifest),
    })
}

/// Tables as far as the page holds them, and links to the rest.
fn sheets(run: &str, tables: &[Table]) -> (Vec<Sheet>, Vec<(String, String)>) {
    let mut left = CELLS;
    let mut shown = Vec::new();
    let mut further = Vec::new();
    for table in tables {
        let sheet = Sheet::new(run, table, 0, TABLE_ROWS);
        if sheet.cells() <= left {
            left -= sheet.cells();
            shown.push(sheet);
        } else {
            further.push((sheet.title, sheet.address));
        }
    }
    (shown, further)
}

fn facts(view: &RunView) -> Vec<(&'static str, String)> {
    let card = &view.card;
    let manifest = &view.manifest;
    let finished = card.finished();
    let mut facts = vec![
        ("Cases", count(card.cases)),
        (
            "Samples",
            format!("{} of {} planned", count(finished), count(card.planned)),
        ),
        ("Repetitions of each case", manifest.epochs.to_string()),
        ("Seed", manifest.seed.to_string()),
    ];
    let cost = match (card.cost_usd, card.unpriced_calls) {
        (None, _) => "unknown: no call has a price".to_owned(),
        (Some(sum), 0) => usd(sum),
        (Some(sum), unpriced) => {
            format!("{}, without {} unpriced calls", usd(sum), count(unpriced))
        }
    };
    facts.push(("Cost", cost));
    facts.push(("Consilium", short(&manifest.tool_version)));
    facts
}

fn datasets(run: &str, manifest: &RunManifest) -> Vec<DatasetView> {
    manifest
        .datasets
        .iter()
        .map(|entry| DatasetView {
            name: short(&entry.name),
            selected: count(entry.selected),
            rows: count(entry.rows),
            malformed: entry.malformed,
            file: short(file_name(&entry.source.path)),
            address: filter::list(
                run,
                &SampleFilter {
                    dataset: Some(entry.name.clone()),
                    ..SampleFilter::default()
                },
            )
            .address(),
        })
        .collect()
}

/// The last part of a path; folders say more about a machine than about a study.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn outcomes(run: &str, view: &RunView) -> Outcomes {
    let occurring: Vec<Outcome> = Outcome::ALL
        .into_iter()
        .filter(|outcome| {
            view.outcomes
                .iter()
                .flat_map(|(_, counts)| counts)
                .any(|(other, _)| other == outcome)
        })
        .collect();
    Outcomes {
        headings: occurring
            .iter()
            .map(|outcome| (words::outcome(*outcome), words::outcome_meaning(*outcome)))
            .collect(),
        rows: view
            .outcomes
            .iter()
            .map(|(system, counts)| {
                let total: u64 = counts.iter().map(|(_, n)| n).sum();
                OutcomeRow {
                    system: short(system),
                    total: count(total),
                    cells: occurring
                        .iter()
                        .map(|outcome| {
                            let n = counts.iter().find(|(other, _)| other == outcome)?.1;
                            Some(OutcomeCell {
                                count: count(n),
                                share: share(n, total),
                                address: filter::list(
                                    run,
                                    &SampleFilter {
                                        system: Some(system.clone()),
                                        outcome: Some(*outcome),
                                        ..SampleFilter::default()
                                    },
                                )
                                .address(),
                            })
                        })
                        .collect(),
                }
            })
            .collect(),
    }
}

impl ModelView {
    fn new(model: &ModelUse) -> Self {
        let text = |text: &Option<String>| text.as_deref().map_or_else(|| DASH.to_owned(), short);
        Self {
            backend: short(&model.backend),
            requested: short(&model.requested),
            returned: text(&model.returned),
            fingerprint: text(&model.fingerprint),
            calls: count(model.solver_calls),
            scorer_calls: count(model.scorer_calls),
        }
    }
}

fn hashes(manifest: &RunManifest) -> Vec<(String, String)> {
    let mut rows = vec![("Study".to_owned(), short(&manifest.study_sha256))];
    if let Some(revision) = &manifest.git_revision {
        rows.push(("Git revision".to_owned(), short(revision)));
    }
    for entry in &manifest.datasets {
        let name = short(&entry.name);
        rows.push((format!("Dataset {name}"), short(&entry.source.sha256)));
        rows.push((
            format!("Cases selected of {name}"),
            short(&entry.selected_sha256),
        ));
    }
    for (kind, map) in [
        ("Prompt", &manifest.prompts),
        ("Store", &manifest.stores),
        ("Scorer", &manifest.signatures),
    ] {
        let named = map.iter().take(100).map(|(name, hash)| {
            (
                format!("{kind} {}", short(file_name_of(kind, name))),
                short(hash),
            )
        });
        rows.extend(named);
    }
    rows
}

/// Stores are files; prompts and scorers have names of their own.
fn file_name_of<'a>(kind: &str, name: &'a str) -> &'a str {
    if kind == "Store" {
        file_name(name)
    } else {
        name
    }
}
