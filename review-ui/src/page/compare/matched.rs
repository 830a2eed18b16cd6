//! Which numbers of several runs may be compared.

use consilium_core::Unit;

use crate::view::sheet::{Entry, estimate_entry};
use crate::view::text::{beginning, short};
use crate::{Headline, RunView};

/// The numbers of one dataset and measure.
#[derive(Debug)]
pub(crate) struct Block {
    /// Dataset and measure.
    pub title: String,
    /// Unit of the numbers.
    pub unit: Option<&'static str>,
    /// Systems.
    pub rows: Vec<Row>,
    /// Ways of measuring that occur, the most common first; one only when all may be compared.
    pub grounds: Vec<Ground>,
}

/// One system over the runs.
#[derive(Debug)]
pub(crate) struct Row {
    /// System.
    pub system: String,
    /// One per run; `None` where the run has no such number.
    pub cells: Vec<Option<Cell>>,
}

/// A number of a run.
#[derive(Debug)]
pub(crate) struct Cell {
    /// The number.
    pub entry: Entry,
    /// Its ground, from 1.
    pub ground: usize,
    /// Whether it may not be compared with the numbers of ground 1.
    pub apart: bool,
}

/// What must be equal before two numbers may be compared.
#[derive(Debug)]
pub(crate) struct Ground {
    /// Number, from 1.
    pub number: usize,
    /// Signature of the scores.
    pub signature: String,
    /// Beginning of the hash of the cases selected.
    pub cases: String,
}

/// Signature and selected cases.
type Basis<'a> = (Option<&'a str>, Option<&'a str>);

/// Blocks in the order in which datasets and measures first occur.
pub(super) fn blocks(views: &[RunView]) -> Vec<Block> {
    let mut names: Vec<(&str, &str)> = Vec::new();
    for headline in views.iter().flat_map(|view| &view.card.headlines) {
        let name = (headline.dataset.as_str(), headline.title.as_str());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|name| block(views, name)).collect()
}

fn block(views: &[RunView], name: (&str, &str)) -> Block {
    let headlines: Vec<Vec<(&Headline, Basis<'_>)>> = views
        .iter()
        .map(|view| {
            view.card
                .headlines
                .iter()
                .filter(|one| (one.dataset.as_str(), one.title.as_str()) == name)
                .map(|one| (one, basis(view, one)))
                .collect()
        })
        .collect();
    let bases = ranked(&headlines);
    let mut systems: Vec<&str> = Vec::new();
    for (headline, _) in headlines.iter().flatten() {
        if !systems.contains(&headline.system.as_str()) {
            systems.push(&headline.system);
        }
    }
    let share = headlines
        .iter()
        .flatten()
        .all(|(headline, _)| headline.share);
    let unit = if share { Unit::Share } else { Unit::Plain };
    let cell = |headlines: &Vec<(&Headline, Basis<'_>)>, system: &str| {
        let (headline, basis) = headlines.iter().find(|(h, _)| h.system == system)?;
        let index = bases.iter().position(|other| other == basis)?;
        Some(Cell {
            entry: estimate_entry(&headline.estimate, unit),
            ground: index + 1,
            apart: index > 0,
        })
    };
    Block {
        title: format!("{} · {}", short(name.0), short(name.1)),
        unit: share.then_some("%"),
        rows: systems
            .into_iter()
            .map(|system| Row {
                system: short(system),
                cells: headlines.iter().map(|one| cell(one, system)).collect(),
            })
            .collect(),
        grounds: bases
            .iter()
            .zip(1..)
            .map(|((signature, cases), number)| Ground {
                number,
                signature: signature
                    .map_or_else(|| "not recorded".to_owned(), |s| beginning(s, 300)),
                cases: cases.map_or_else(
                    || "not recorded".to_owned(),
                    |c| c.chars().take(12).collect(),
                ),
            })
            .collect(),
    }
}

fn basis<'a>(view: &'a RunView, headline: &'a Headline) -> Basis<'a> {
    let cases = view
        .manifest
        .datasets
        .iter()
        .find(|entry| entry.name == headline.dataset)
        .map(|entry| entry.selected_sha256.as_str());
    (headline.estimate.signature.as_deref(), cases)
}

/// Bases that occur, the most common first, equals in order of appearance.
fn ranked<'a>(headlines: &[Vec<(&'a Headline, Basis<'a>)>]) -> Vec<Basis<'a>> {
    let mut counted: Vec<(Basis<'a>, usize)> = Vec::new();
    for (_, basis) in headlines.iter().flatten() {
        match counted.iter_mut().find(|(other, _)| other == basis) {
            Some((_, count)) => *count += 1,
            None => counted.push((*basis, 1)),
        }
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counted.into_iter().map(|(basis, _)| basis).collect()
}
