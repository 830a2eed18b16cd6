//! One Excel workbook: an index, and a sheet per table with numbers as numbers.

mod columns;
mod grid;

use consilium_core::Table;
use rust_xlsxwriter::{
    DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Url, Workbook, Worksheet,
    XlsxError,
};

use crate::report::Report;
use crate::sheet::{Page, Sheet};
use grid::{Grid, Place};

/// Longest name of a sheet.
const LONGEST_NAME: usize = 31;
const INDEX: &str = "Index";

/// The report as the bytes of an `.xlsx` file.
pub(crate) fn workbook(report: &Report, page: &Page) -> Result<Vec<u8>, XlsxError> {
    let names = sheet_names(page.sheets.iter().map(|sheet| sheet.stem.as_str()));
    let mut workbook = Workbook::new();
    // The time of writing would make each file different.
    let created = ExcelDateTime::from_ymd(2000, 1, 1)?;
    workbook.set_properties(
        &DocProperties::new()
            .set_title(&page.title)
            .set_author("Consilium")
            .set_creation_datetime(&created),
    );
    index(workbook.add_worksheet(), page, &names)?;
    for ((table, sheet), name) in report.tables.iter().zip(&page.sheets).zip(&names) {
        let worksheet = workbook.add_worksheet();
        worksheet.set_name(name)?;
        table_sheet(worksheet, table, sheet)?;
    }
    workbook.save_to_buffer()
}

fn index(worksheet: &mut Worksheet, page: &Page, names: &[String]) -> Result<(), XlsxError> {
    worksheet.set_name(INDEX)?;
    worksheet.set_column_width(0, 28)?;
    worksheet.set_column_width(1, 90)?;
    let mut grid = Grid::new(worksheet);
    let (bold, wrapped) = (
        bold(),
        Format::new().set_text_wrap().set_align(FormatAlign::Top),
    );
    let top = Format::new().set_align(FormatAlign::Top);
    grid.text(Place::new(0, 0), &page.title, &bold)?;
    let mut row = 2;
    for (label, value) in &page.facts {
        grid.text(Place::new(row, 0), label, &top)?;
        grid.text(Place::new(row, 1), value, &wrapped)?;
        row += 1;
    }
    for warning in &page.warnings {
        grid.text(Place::new(row, 0), "Warning", &top)?;
        grid.text(Place::new(row, 1), warning, &wrapped)?;
        row += 1;
    }
    row += 1;
    grid.text(Place::new(row, 0), "Sheet", &head())?;
    grid.text(Place::new(row, 1), "Table", &head())?;
    for (sheet, name) in page.sheets.iter().zip(names) {
        row += 1;
        // Names hold only letters, digits and hyphens: nothing to quote.
        let link = Url::new(format!("internal:'{name}'!A1")).set_text(name);
        grid.sheet().write_url(row, 0, link)?;
        grid.text(Place::new(row, 1), &sheet.title, &Format::new())?;
    }
    Ok(())
}

fn table_sheet(worksheet: &mut Worksheet, table: &Table, sheet: &Sheet) -> Result<(), XlsxError> {
    let columns = columns::columns(table);
    worksheet.set_freeze_panes(1, 0)?;
    let mut grid = Grid::new(worksheet);
    for (index, column) in (0_u16..).zip(&columns) {
        grid.text(Place::new(0, index), &column.title, &head())?;
        grid.sheet().set_column_width(index, column.width)?;
    }
    let mut row = 0;
    for cells in &table.rows {
        row += 1;
        for (index, column) in (0_u16..).zip(&columns) {
            column.write(&mut grid, Place::new(row, index), &cells[column.source])?;
        }
    }
    if !columns.is_empty() && row > 0 {
        let last = u16::try_from(columns.len() - 1).unwrap_or(u16::MAX);
        grid.sheet().autofilter(0, 0, row, last)?;
    }
    row += 2;
    let plain = Format::new();
    grid.text(Place::new(row, 0), &sheet.title, &bold())?;
    for text in remarks(sheet) {
        row += 1;
        grid.text(Place::new(row, 0), &text, &plain)?;
    }
    let code = Format::new().set_font_name("Consolas");
    if !sheet.sql.is_empty() {
        row += 2;
        grid.text(Place::new(row, 0), "Query", &bold())?;
        for line in sheet.sql.lines() {
            row += 1;
            grid.text(Place::new(row, 0), line, &code)?;
        }
    }
    Ok(())
}

/// What stands below the table on every page.
fn remarks(sheet: &Sheet) -> Vec<String> {
    let remarks = sheet.remarks.iter().map(|remark| {
        let n = remark.n.as_deref().map(|n| format!("n = {n}"));
        let signature = remark
            .signature
            .as_deref()
            .map(|signature| format!("signature {signature}"));
        let parts: Vec<String> = [remark.method.clone(), n, signature]
            .into_iter()
            .flatten()
            .collect();
        format!("{}: {}.", remark.columns, parts.join(", "))
    });
    remarks.chain(sheet.notes.iter().cloned()).collect()
}

fn bold() -> Format {
    Format::new().set_bold()
}

fn head() -> Format {
    bold().set_border_bottom(FormatBorder::Thin)
}

/// Distinct names of sheets, none of them the index's nor one that Excel keeps for itself.
fn sheet_names<'a>(stems: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = vec![INDEX.to_ascii_lowercase(), "history".to_owned()];
    stems
        .map(|stem| {
            let short = |room: usize| stem.chars().take(room).collect::<String>();
            let mut name = short(LONGEST_NAME);
            let mut copy = 1_u32;
            while taken.contains(&name.to_ascii_lowercase()) {
                copy += 1;
                let end = format!("-{copy}");
                name = short(LONGEST_NAME - end.len())
                    .trim_end_matches('-')
                    .to_owned()
                    + &end;
            }
            taken.push(name.to_ascii_lowercase());
            name
        })
        .collect()
}

#[cfg(test)]
mod tests;
