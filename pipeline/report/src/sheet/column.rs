//! Which columns a table has on the page, and how each is headed and aligned.

use consilium_core::{Cell, Column, Estimate, Table, Unit};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::{Entry, remark};
use crate::number::{NumberStyle, unit_suffix};
use crate::visible::one_line;

/// Which edge a column keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Alignment {
    Left,
    Right,
}

/// The head of a printed column.
#[derive(Debug, Serialize)]
pub(crate) struct Heading {
    pub title: String,
    pub alignment: Alignment,
    /// Some cell has an interval.
    pub interval: bool,
    /// Room for the widest interval, in widths of a figure.
    pub interval_room: f64,
    /// Widest cell in characters, heading excluded.
    pub width: usize,
    /// A bar is drawn beside the column.
    pub forest: bool,
}

/// Where a printed column comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// The cell itself.
    Cell(usize),
    /// The n of the estimate.
    Size(usize),
}

/// What the estimates of a column share; columns without estimates have the default.
#[derive(Debug, Default)]
pub(super) struct EstimateColumn {
    /// n of each row; `None` where the cell is no estimate.
    pub sizes: Vec<Option<u64>>,
    pub methods: Vec<String>,
    pub signatures: Vec<String>,
    pub share: bool,
    pub forest: bool,
}

impl EstimateColumn {
    fn new(table: &Table, index: usize) -> Self {
        let mut column = Self {
            share: table.columns[index].unit == Unit::Share,
            ..Self::default()
        };
        for row in &table.rows {
            let Cell::Estimate(estimate) = &row[index] else {
                column.sizes.push(None);
                continue;
            };
            column.sizes.push(Some(estimate.n));
            insert(&mut column.methods, estimate.method.as_deref());
            insert(&mut column.signatures, estimate.signature.as_deref());
        }
        column
    }

    /// Whether the column has estimates.
    pub(super) fn is_some(&self) -> bool {
        self.sizes.iter().any(Option::is_some)
    }

    /// The one n of all its estimates.
    pub(super) fn common_size(&self) -> Option<u64> {
        let mut sizes = self.sizes.iter().flatten();
        let first = *sizes.next()?;
        sizes.all(|size| *size == first).then_some(first)
    }

    /// Method and signature of one cell, where its column does not share them.
    pub(super) fn own_remark(&self, estimate: &Estimate) -> Option<String> {
        let method = (self.methods.len() > 1)
            .then_some(estimate.method.as_deref())
            .flatten();
        let signature = (self.signatures.len() > 1)
            .then_some(estimate.signature.as_deref())
            .flatten();
        remark::method_and_signature(method, signature)
    }
}

fn insert(known: &mut Vec<String>, text: Option<&str>) {
    if let Some(text) = text
        && !known.iter().any(|known| known == text)
    {
        known.push(text.to_owned());
    }
}

/// One entry per column of the table.
pub(super) fn estimate_columns(table: &Table) -> Vec<EstimateColumn> {
    let mut columns: Vec<_> = (0..table.columns.len())
        .map(|index| EstimateColumn::new(table, index))
        .collect();
    let mut with_estimates = columns
        .iter_mut()
        .enumerate()
        .filter(|(_, column)| column.is_some());
    // A bar says where a share lies; beside several shares it would not say which.
    if let (Some((index, only)), None) = (with_estimates.next(), with_estimates.next()) {
        only.forest = only.share && fits_bars(table, index);
    }
    columns
}

fn fits_bars(table: &Table, index: usize) -> bool {
    let mut some = false;
    for row in &table.rows {
        let Cell::Estimate(estimate) = &row[index] else {
            continue;
        };
        let numbers = [estimate.low, estimate.value, estimate.high];
        // A difference of shares may be negative and has no place on a scale from 0.
        if numbers
            .iter()
            .flatten()
            .any(|number| !(0.0..=1.0).contains(number))
        {
            return false;
        }
        some |= numbers.iter().all(Option::is_some);
    }
    some
}

/// Printed columns in order, with the number style of each column of the table.
pub(super) struct Layout {
    pub headings: Vec<Heading>,
    pub sources: Vec<Source>,
    pub styles: Vec<NumberStyle>,
}

/// Puts n beside the estimates where it varies: once if all columns agree row by row.
pub(super) fn layout(table: &Table, estimates: &[EstimateColumn]) -> Layout {
    let varying: Vec<usize> = (0..estimates.len())
        .filter(|index| estimates[*index].is_some() && estimates[*index].common_size().is_none())
        .collect();
    let shared = varying.first().is_some_and(|first| {
        varying
            .iter()
            .all(|i| estimates[*i].sizes == estimates[*first].sizes)
    });
    let mut layout = Layout {
        headings: Vec::new(),
        sources: Vec::new(),
        styles: Vec::new(),
    };
    for (index, column) in table.columns.iter().enumerate() {
        layout
            .styles
            .push(NumberStyle::choose(column.unit, &numbers(table, index)));
        if shared && varying.first() == Some(&index) {
            layout.headings.push(Heading::size("n".to_owned()));
            layout.sources.push(Source::Size(index));
        }
        layout
            .headings
            .push(Heading::new(table, index, &estimates[index]));
        layout.sources.push(Source::Cell(index));
        if !shared && varying.contains(&index) {
            layout
                .headings
                .push(Heading::size(format!("n, {}", plain_title(column))));
            layout.sources.push(Source::Size(index));
        }
    }
    layout
}

impl Layout {
    /// The style of one cell: that of its column, unless the column mixes metrics of different scales.
    pub(super) fn style(&self, table: &Table, index: usize, cell: &Cell) -> NumberStyle {
        match table.columns[index].unit {
            Unit::Score => NumberStyle::choose(Unit::Score, &cell_numbers(cell)),
            _ => self.styles[index],
        }
    }
}

impl Heading {
    fn new(table: &Table, index: usize, estimates: &EstimateColumn) -> Self {
        let column = &table.columns[index];
        let mut texts = table
            .rows
            .iter()
            .filter(|row| matches!(row[index], Cell::Text { .. }));
        let text = texts.next().is_some();
        let title = plain_title(column);
        let title = match unit_suffix(column.unit) {
            Some(suffix) if !text && !title.to_lowercase().contains(&suffix.to_lowercase()) => {
                format!("{title}, {suffix}")
            }
            _ => title,
        };
        // An empty table has no cells to judge by; a unit then speaks for numbers.
        let left = text || (table.rows.is_empty() && column.unit == Unit::Plain);
        Self {
            alignment: if left {
                Alignment::Left
            } else {
                Alignment::Right
            },
            forest: estimates.forest,
            ..Self::size(title)
        }
    }

    fn size(title: String) -> Self {
        Self {
            title,
            alignment: Alignment::Right,
            interval: false,
            interval_room: 0.0,
            width: 0,
            forest: false,
        }
    }
}

/// Heading of the column without its unit.
pub(super) fn plain_title(column: &Column) -> String {
    let title = one_line(&column.title);
    if title.is_empty() {
        one_line(&column.name)
    } else {
        title
    }
}

/// Fills in widths, known only once the cells are printed.
pub(super) fn measure(headings: &mut [Heading], rows: &[Vec<Entry>]) {
    for (index, heading) in headings.iter_mut().enumerate() {
        for row in rows {
            let entry = &row[index];
            let text_of_interval = entry.interval.as_deref().unwrap_or_default();
            let interval = text_of_interval.width();
            let text = entry
                .text
                .lines()
                .map(UnicodeWidthStr::width)
                .max()
                .unwrap_or(0);
            heading.interval |= interval > 0;
            heading.interval_room = heading.interval_room.max(room(text_of_interval));
            heading.width = heading
                .width
                .max(text + interval + usize::from(interval > 0));
        }
    }
}

/// Width of an interval: its brackets and points are about half as wide as a figure.
fn room(interval: &str) -> f64 {
    let half = |character: char| matches!(character, '(' | ')' | '.' | ',' | ' ' | 't');
    interval
        .chars()
        .map(|character| if half(character) { 0.55 } else { 1.0 })
        .sum()
}

fn numbers(table: &Table, index: usize) -> Vec<f64> {
    table
        .rows
        .iter()
        .flat_map(|row| cell_numbers(&row[index]))
        .collect()
}

fn cell_numbers(cell: &Cell) -> Vec<f64> {
    match cell {
        Cell::Number { value } => vec![*value],
        Cell::Estimate(estimate) => [estimate.value, estimate.low, estimate.high]
            .into_iter()
            .flatten()
            .collect(),
        Cell::Text { .. } | Cell::Integer { .. } | Cell::Missing { .. } => Vec::new(),
    }
}
