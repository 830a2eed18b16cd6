//! Cuts a table that is wider than the page into panels, each with the columns that name its rows.

use unicode_width::UnicodeWidthStr;

use crate::sheet::{Alignment, Heading, Sheet};

/// Characters of `\footnotesize` on a line of A4.
const LINE: usize = 104;
/// A column of text wider than this is wrapped.
const WRAP: usize = 34;
/// Gap between two columns, in characters.
const GAP: usize = 3;
/// Lines that fit a page below a caption and above notes.
const PAGE_LINES: usize = 42;

/// Indices of the columns of each panel.
pub(super) fn panels(sheet: &Sheet) -> Vec<Vec<usize>> {
    let keys = key_columns(sheet);
    let mut panels = Vec::new();
    let mut panel: Vec<usize> = Vec::new();
    let mut used = 0;
    for (index, heading) in sheet.headings.iter().enumerate() {
        let need = set_width(heading) + GAP;
        if panel.len() > keys && used + need > LINE {
            panels.push(std::mem::replace(&mut panel, (0..keys).collect()));
            used = sheet.headings[..keys]
                .iter()
                .map(|key| set_width(key) + GAP)
                .sum();
        }
        panel.push(index);
        used += need;
    }
    panels.push(panel);
    panels
}

/// How many leading columns name a row: those of text, as long as they leave room for values.
fn key_columns(sheet: &Sheet) -> usize {
    let keys = sheet
        .headings
        .iter()
        .take_while(|heading| heading.alignment == Alignment::Left)
        .count();
    let width: usize = sheet.headings[..keys]
        .iter()
        .map(|key| set_width(key) + GAP)
        .sum();
    if keys > 0 && width <= LINE / 2 {
        keys
    } else {
        1
    }
}

/// Width of the column as it is set.
pub(super) fn set_width(heading: &Heading) -> usize {
    let title = heading.title.width();
    if wraps(heading) {
        WRAP
    } else {
        heading.width.max(title.min(WRAP))
    }
}

/// Whether the cells of the column are broken into lines.
pub(super) fn wraps(heading: &Heading) -> bool {
    heading.alignment == Alignment::Left && heading.width.max(heading.title.width()) > WRAP
}

/// Share of the line a wrapped column takes, in hundredths.
pub(super) fn wrapped_share() -> usize {
    WRAP * 100 / LINE
}

/// Whether the table needs more than one page.
pub(super) fn is_long(sheet: &Sheet) -> bool {
    let lines = |row: &Vec<crate::sheet::Entry>| {
        let wrapped = row
            .iter()
            .zip(&sheet.headings)
            .filter(|(_, heading)| wraps(heading));
        wrapped
            .map(|(entry, _)| entry.text.width().div_ceil(WRAP))
            .max()
            .unwrap_or(1)
            .max(1)
    };
    sheet.rows.iter().map(lines).sum::<usize>() > PAGE_LINES
}
