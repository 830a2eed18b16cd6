//! A table as it is printed, before any markup: what Markdown, LaTeX and HTML have in common.
//!
//! Text here is visible but not escaped; escaping belongs to each format.

mod column;
mod remark;

use consilium_core::{Cell, Estimate, Table};
use serde::Serialize;

use crate::chart::{Figure, figures};
use crate::footnote::Footnotes;
use crate::number::{DASH, NumberStyle, print_count};
use crate::report::Report;
use crate::stem::{Stems, stems};
use crate::visible::{one_line, visible};
use column::EstimateColumn;
pub(crate) use column::{Alignment, Heading};
pub(crate) use remark::Remark;

/// A report as it is printed.
#[derive(Debug, Serialize)]
pub(crate) struct Page {
    pub title: String,
    pub facts: Vec<(String, String)>,
    pub warnings: Vec<String>,
    pub sheets: Vec<Sheet>,
}

/// A table as it is printed.
#[derive(Debug, Serialize)]
pub(crate) struct Sheet {
    /// File stem and anchor.
    pub stem: String,
    pub title: String,
    pub headings: Vec<Heading>,
    pub rows: Vec<Vec<Entry>>,
    /// Method, n and signature of the estimates, where a whole column shares them.
    pub remarks: Vec<Remark>,
    pub footnotes: Vec<String>,
    pub notes: Vec<String>,
    pub sql: String,
    pub figures: Vec<Figure>,
    /// Too long to show at once.
    pub long: bool,
    /// Wider than a page in portrait.
    pub wide: bool,
}

/// A cell as it is printed.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Entry {
    pub text: String,
    pub interval: Option<String>,
    /// Numbers of its footnotes, from 1.
    pub marks: Vec<usize>,
    /// n, method and signature of this number, for a tooltip.
    pub hint: Option<String>,
    pub bar: Option<Bar>,
    pub missing: bool,
}

/// Positions of dot and whisker, in pixels on a scale of [`SCALE`].
#[derive(Debug, Serialize)]
pub(crate) struct Bar {
    pub low: String,
    pub value: String,
    pub high: String,
}

/// Length of the scale from 0 to 100 %; the template draws its ticks for it.
const SCALE: f64 = 200.0;

/// Characters that fit a page in portrait, headings and gaps included.
const PAGE_CHARACTERS: usize = 110;

/// Rows that a page shows without a scroll region of their own.
const MOST_ROWS: usize = 40;

impl Page {
    pub(crate) fn new(report: &Report) -> Self {
        let names = stems(report.tables.iter().map(|table| table.name.as_str()));
        let mut figure_stems = Stems::default();
        let marks: Vec<String> = report.marks.iter().map(|mark| one_line(mark)).collect();
        Self {
            title: one_line(&report.title),
            facts: report
                .facts
                .iter()
                .map(|(k, v)| (one_line(k), one_line(v)))
                .collect(),
            warnings: report
                .warnings
                .iter()
                .map(|warning| one_line(warning))
                .collect(),
            sheets: report
                .tables
                .iter()
                .zip(names)
                .map(|(t, stem)| Sheet::new(t, stem, &marks, &mut figure_stems))
                .collect(),
        }
    }
}

impl Sheet {
    fn new(table: &Table, stem: String, marks: &[String], figure_stems: &mut Stems) -> Self {
        let estimates = column::estimate_columns(table);
        let layout = column::layout(table, &estimates);
        let mut footnotes = Footnotes::default();
        let rows = table
            .rows
            .iter()
            .map(|row| {
                let place = |source: &column::Source| match *source {
                    column::Source::Cell(index) => entry(
                        &row[index],
                        &layout.style(table, index, &row[index]),
                        &estimates[index],
                        &mut footnotes,
                    ),
                    column::Source::Size(index) => size_entry(&row[index]),
                };
                layout.sources.iter().map(place).collect::<Vec<_>>()
            })
            .collect::<Vec<_>>();
        let mut headings = layout.headings;
        column::measure(&mut headings, &rows);
        let wide = headings
            .iter()
            .map(|heading| heading.width.min(40) + 3)
            .sum::<usize>()
            > PAGE_CHARACTERS;
        Self {
            stem,
            title: one_line(&table.title),
            headings,
            rows,
            remarks: remark::remarks(table, &estimates),
            footnotes: footnotes.into_texts(),
            notes: table
                .notes
                .iter()
                .map(|note| one_line(note))
                .chain(marks.iter().cloned())
                .collect(),
            figures: figures(table, marks, figure_stems),
            long: table.rows.len() > MOST_ROWS,
            sql: visible(&table.sql).trim_end().to_owned(),
            wide,
        }
    }
}

fn entry(
    cell: &Cell,
    style: &NumberStyle,
    column: &EstimateColumn,
    footnotes: &mut Footnotes,
) -> Entry {
    match cell {
        Cell::Text { text } => Entry {
            text: visible(text).trim().to_owned(),
            ..Entry::default()
        },
        Cell::Integer { value } if column.share => Entry {
            text: style.print_bounded(*value as f64),
            ..Entry::default()
        },
        Cell::Integer { value } => Entry {
            text: print_count(*value),
            ..Entry::default()
        },
        Cell::Number { value } => Entry {
            text: style.print_bounded(*value),
            ..Entry::default()
        },
        Cell::Estimate(estimate) => estimate_entry(estimate, *style, column, footnotes),
        Cell::Missing { reason } => Entry {
            text: DASH.to_owned(),
            marks: vec![footnotes.mark(given(reason))],
            missing: true,
            ..Entry::default()
        },
    }
}

fn estimate_entry(
    estimate: &Estimate,
    style: NumberStyle,
    column: &EstimateColumn,
    footnotes: &mut Footnotes,
) -> Entry {
    let mut marks = Vec::new();
    match (&estimate.reason, estimate.value) {
        (Some(reason), _) => marks.push(footnotes.mark(given(reason))),
        (None, None) => marks.push(footnotes.mark(given(""))),
        (None, Some(_)) => {}
    }
    let own = column.own_remark(estimate);
    if let Some(own) = own {
        marks.push(footnotes.mark(own));
    }
    let bar = match (estimate.low, estimate.value, estimate.high) {
        (Some(low), Some(value), Some(high)) if column.forest => {
            let place = |share: f64| format!("{:.1}", share.clamp(0.0, 1.0) * SCALE);
            Some(Bar {
                low: place(low),
                value: place(value),
                high: place(high),
            })
        }
        _ => None,
    };
    Entry {
        text: estimate
            .value
            .map_or_else(|| DASH.to_owned(), |value| style.print(value)),
        interval: style.print_interval(estimate.low, estimate.high),
        marks,
        hint: Some(remark::hint(estimate)),
        bar,
        missing: estimate.value.is_none(),
    }
}

fn size_entry(cell: &Cell) -> Entry {
    let text = match cell {
        Cell::Estimate(estimate) => print_size(estimate.n),
        _ => String::new(),
    };
    Entry {
        text,
        ..Entry::default()
    }
}

fn print_size(n: u64) -> String {
    print_count(i64::try_from(n).unwrap_or(i64::MAX))
}

fn given(reason: &str) -> String {
    let reason = one_line(reason);
    if reason.is_empty() {
        "no reason given".to_owned()
    } else {
        reason
    }
}
