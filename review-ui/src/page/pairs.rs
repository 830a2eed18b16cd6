//! `GET /runs/{run}/pairs`: cases on which two systems can be compared.

use askama::Template;
use askama_web::WebTemplate;
use axum::extract::{Path, State};

use crate::error::PageError;
use crate::link::Link;
use crate::params::Params;
use crate::place::window;
use crate::shell::{Section, Shell};
use crate::view::card::{Card, with_key};
use crate::view::pager::Pager;
use crate::view::text::short;
use crate::view::words;
use crate::{Agreement, AppState, Edge, Facets, Page, Pair, PairFilter, PairPlace};

const ROWS: usize = 40;

/// The page.
#[derive(Debug, Template, WebTemplate)]
#[template(path = "pairs.html")]
pub(crate) struct PairsPage {
    shell: Shell,
    action: String,
    fields: Vec<ChoiceField>,
    left: String,
    right: String,
    /// Whether two systems were named and they differ.
    ready: bool,
    alone: bool,
    rows: Vec<Row>,
    pager: Pager,
    first: bool,
    start: String,
}

#[derive(Debug)]
struct ChoiceField {
    name: &'static str,
    label: &'static str,
    /// Value, label, whether it is in effect.
    choices: Vec<(String, String, bool)>,
    any: bool,
}

#[derive(Debug)]
struct Row {
    address: String,
    /// What both share is told from the left one.
    case: Card,
    /// Left and right.
    sides: [Card; 2],
}

/// Keys of the address: the filter and the place in the list.
const KEYS: [&str; 8] = [
    "left",
    "right",
    "dataset",
    "specialty",
    "agreement",
    "from",
    "after",
    "before",
];

/// The handler.
pub(crate) async fn show(
    State(state): State<AppState>,
    Path(run): Path<String>,
    params: Params,
) -> Result<PairsPage, PageError> {
    params.only(&KEYS)?;
    let runs = &state.runs;
    let facets = runs.facets(&run).await?.ok_or(PageError::NotFound("run"))?;
    let filter = filter(&params, &facets)?;
    let window = window::<PairPlace>(&params, ROWS)?;
    let ready = !filter.left.is_empty() && !filter.right.is_empty() && filter.left != filter.right;
    let page = if ready {
        runs.pairs(&run, &filter, &window)
            .await?
            .ok_or(PageError::NotFound("run"))?
    } else {
        Page::empty()
    };
    let base = pairs(&filter)
        .iter()
        .fold(Link::run(&run).segment("pairs"), |link, (key, value)| {
            link.pair(key, value)
        });
    Ok(PairsPage {
        shell: Shell::of_run(&run, "Side by side", Section::Pairs),
        action: Link::run(&run).segment("pairs").address(),
        fields: fields(&filter, &facets),
        left: short(&filter.left),
        right: short(&filter.right),
        ready,
        alone: facets.systems.len() < 2,
        pager: Pager::around(
            &base,
            page.rows.first().map(Pair::place).as_ref(),
            page.rows.last().map(Pair::place).as_ref(),
            (page.more_before, page.more_after),
        ),
        rows: page.rows.iter().map(|pair| row(&run, pair)).collect(),
        first: window.edge == Edge::Start,
        start: base.address(),
    })
}

fn row(run: &str, pair: &Pair) -> Row {
    let link = with_key(Link::run(run).segment("pair"), &pair.left.key);
    let left = Card::new(run, &pair.left, None);
    Row {
        address: link.pair("right", &pair.right.key.system).address(),
        case: left.clone(),
        sides: [left, Card::new(run, &pair.right, None)],
    }
}

/// The first two systems when none are named.
fn filter(params: &Params, facets: &Facets) -> Result<PairFilter, PageError> {
    let system = |key, index: usize| {
        params
            .get(key)
            .or(facets.systems.get(index).map(String::as_str))
            .unwrap_or_default()
            .to_owned()
    };
    Ok(PairFilter {
        left: system("left", 0),
        right: system("right", 1),
        dataset: params.get("dataset").map(str::to_owned),
        specialty: params.get("specialty").map(str::to_owned),
        agreement: params
            .get("agreement")
            .map(|name| {
                Agreement::parse(name).ok_or(PageError::Bad("There is no such comparison."))
            })
            .transpose()?,
    })
}

fn pairs(filter: &PairFilter) -> Vec<(&'static str, &str)> {
    let mut pairs = vec![
        ("left", filter.left.as_str()),
        ("right", filter.right.as_str()),
    ];
    pairs.extend(filter.dataset.as_deref().map(|value| ("dataset", value)));
    pairs.extend(
        filter
            .specialty
            .as_deref()
            .map(|value| ("specialty", value)),
    );
    pairs.extend(filter.agreement.map(|value| ("agreement", value.as_str())));
    pairs
}

fn fields(filter: &PairFilter, facets: &Facets) -> Vec<ChoiceField> {
    let choices = |values: &[String], current: Option<&str>| {
        values
            .iter()
            .take(300)
            .map(|value| (value.clone(), short(value), current == Some(value)))
            .collect()
    };
    let agreements = Agreement::ALL
        .iter()
        .map(|one| {
            (
                one.as_str().to_owned(),
                words::agreement(*one).to_owned(),
                filter.agreement == Some(*one),
            )
        })
        .collect();
    let field = |name, label, choices, any| ChoiceField {
        name,
        label,
        choices,
        any,
    };
    vec![
        field(
            "left",
            "Left",
            choices(&facets.systems, Some(&filter.left)),
            false,
        ),
        field(
            "right",
            "Right",
            choices(&facets.systems, Some(&filter.right)),
            false,
        ),
        field("agreement", "Results", agreements, true),
        field(
            "dataset",
            "Dataset",
            choices(&facets.datasets, filter.dataset.as_deref()),
            true,
        ),
        field(
            "specialty",
            "Specialty",
            choices(&facets.specialties, filter.specialty.as_deref()),
            true,
        ),
    ]
}
