//! Which columns of a sheet the columns of a table become.

use consilium_core::{Cell, Table, Unit};
use rust_xlsxwriter::{Format, XlsxError};
use unicode_width::UnicodeWidthStr;

use super::grid::{Grid, Place};
use crate::number::NumberStyle;
use crate::visible::one_line;

/// What of a cell stands in a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Value,
    Low,
    High,
    Size,
    Method,
    Signature,
    Reason,
}

/// One column of the sheet.
pub(super) struct SheetColumn {
    pub(super) title: String,
    pub(super) width: f64,
    /// Index of the table's column.
    pub(super) source: usize,
    part: Part,
    number: Format,
}

/// Columns of the table, estimates spread over several; method, signature and reason only where some
/// cell has one of its own.
pub(super) fn columns(table: &Table) -> Vec<SheetColumn> {
    let mut columns = Vec::new();
    for (index, column) in table.columns.iter().enumerate() {
        let cells = || table.rows.iter().map(move |row| &row[index]);
        let title = one_line(if column.title.trim().is_empty() {
            &column.name
        } else {
            &column.title
        });
        let estimates = || {
            cells().filter_map(|cell| match cell {
                Cell::Estimate(estimate) => Some(estimate),
                _ => None,
            })
        };
        let mut parts = vec![Part::Value];
        if estimates().next().is_some() {
            parts.extend([Part::Low, Part::High, Part::Size]);
            let differs = |texts: Vec<Option<&str>>| texts.windows(2).any(|two| two[0] != two[1]);
            if differs(estimates().map(|one| one.method.as_deref()).collect()) {
                parts.push(Part::Method);
            }
            if differs(estimates().map(|one| one.signature.as_deref()).collect()) {
                parts.push(Part::Signature);
            }
        }
        let no_reason = |cell: &Cell| match cell {
            Cell::Estimate(estimate) => estimate.reason.is_none(),
            Cell::Missing { .. } => false,
            _ => true,
        };
        if !cells().all(no_reason) {
            parts.push(Part::Reason);
        }
        let text = cells().filter_map(|cell| match cell {
            Cell::Text { text } => text.lines().map(UnicodeWidthStr::width).max(),
            _ => None,
        });
        let widest = text.max().unwrap_or(8).min(60);
        for part in parts {
            let title = match suffix(part) {
                Some(suffix) => format!("{title}, {suffix}"),
                None => title.clone(),
            };
            let content = if part == Part::Value { widest } else { 8 };
            columns.push(SheetColumn {
                width: content.max(title.width()).min(60) as f64 + 3.0,
                title,
                source: index,
                part,
                number: number_format(column.unit, part, cells()),
            });
        }
    }
    columns
}

const fn suffix(part: Part) -> Option<&'static str> {
    match part {
        Part::Value => None,
        Part::Low => Some("low"),
        Part::High => Some("high"),
        Part::Size => Some("n"),
        Part::Method => Some("method"),
        Part::Signature => Some("signature"),
        Part::Reason => Some("reason"),
    }
}

/// How numbers are shown; the cell keeps every digit.
fn number_format<'a>(unit: Unit, part: Part, cells: impl Iterator<Item = &'a Cell>) -> Format {
    let format = Format::new();
    if part == Part::Size {
        return format.set_num_format("#,##0");
    }
    let numbers: Vec<f64> = cells
        .filter_map(|cell| match cell {
            Cell::Number { value } => Some(*value),
            Cell::Estimate(estimate) => estimate.value,
            _ => None,
        })
        .collect();
    let zeros = "0".repeat(NumberStyle::choose(unit, &numbers).decimals());
    let point = if zeros.is_empty() { "" } else { "." };
    match unit {
        Unit::Share => format.set_num_format("0.0%"),
        Unit::Score => format.set_num_format("0.000"),
        _ => format.set_num_format(format!("#,##0{point}{zeros}")),
    }
}

impl SheetColumn {
    pub(super) fn write(
        &self,
        grid: &mut Grid<'_>,
        place: Place,
        cell: &Cell,
    ) -> Result<(), XlsxError> {
        let plain = Format::new();
        let number = match (cell, self.part) {
            (Cell::Text { text }, Part::Value) => return grid.text(place, text, &plain),
            (Cell::Missing { reason }, Part::Reason) => return grid.text(place, reason, &plain),
            (Cell::Integer { value }, Part::Value) => {
                let count = Format::new().set_num_format("#,##0");
                return grid.number(place, *value as f64, &count);
            }
            (Cell::Number { value }, Part::Value) => Some(*value),
            (Cell::Estimate(estimate), part) => match part {
                Part::Value => estimate.value,
                Part::Low => estimate.low,
                Part::High => estimate.high,
                Part::Size => Some(estimate.n as f64),
                Part::Method => return optional(grid, place, estimate.method.as_deref()),
                Part::Signature => return optional(grid, place, estimate.signature.as_deref()),
                Part::Reason => return optional(grid, place, estimate.reason.as_deref()),
            },
            _ => None,
        };
        match number {
            Some(number) => grid.number(place, number, &self.number),
            None => Ok(()),
        }
    }
}

fn optional(grid: &mut Grid<'_>, place: Place, text: Option<&str>) -> Result<(), XlsxError> {
    grid.text(place, text.unwrap_or_default(), &Format::new())
}
