//! From a report to files.

use thiserror::Error;

use crate::format::Format;
use crate::report::Report;
use crate::sheet::Page;
use crate::stem::stems;
use crate::workbook::workbook;
use crate::{comma, html, latex, markdown};

/// A file of the rendered report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedFile {
    /// Path below the report's folder, for example `report.md` or `tables/systems.csv`.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The report could not be rendered.
#[derive(Debug, Error)]
pub enum ReportError {
    /// A row is not as long as the header.
    #[error(
        "print table `{table}`: row {row} has {cells} cells for {columns} columns; \
         fix the query that gives the table"
    )]
    RowLength {
        /// Name of the table.
        table: String,
        /// The row, from 1.
        row: usize,
        /// Cells in it.
        cells: usize,
        /// Columns of the table.
        columns: usize,
    },
    /// The CSV writer failed.
    #[error("write table `{table}` as CSV")]
    Csv {
        /// Name of the table.
        table: String,
        /// The cause.
        #[source]
        source: csv::Error,
    },
    /// The page template failed.
    #[error("fill templates/report/report.html.jinja")]
    Html(#[source] minijinja::Error),
    /// The template of a case's page failed.
    #[error("fill templates/report/case.html.jinja")]
    CaseHtml(#[source] minijinja::Error),
    /// The workbook could not be written.
    #[error("write the report as XLSX")]
    Xlsx(#[source] rust_xlsxwriter::XlsxError),
    /// The report could not be serialised.
    #[error("write the report as JSON")]
    Json(#[source] serde_json::Error),
}

/// Renders the report in each format, in the given order; a repeated format counts once.
///
/// The same report gives the same bytes: no clock, no randomness, no hash order.
pub fn render(report: &Report, formats: &[Format]) -> Result<Vec<RenderedFile>, ReportError> {
    check_rows(report)?;
    let report = report.finite();
    let page = Page::new(&report);
    let mut files = Vec::new();
    for (index, format) in formats.iter().enumerate() {
        if formats[..index].contains(format) {
            continue;
        }
        match format {
            Format::Markdown => files.push(file("report.md", markdown::markdown(&page))),
            Format::Latex => {
                files.push(file("report.tex", latex::document(&page)));
                for sheet in &page.sheets {
                    files.push(file(
                        format!("tables/{}.tex", sheet.stem),
                        latex::table(sheet),
                    ));
                }
            }
            Format::Csv => files.extend(comma_files(&report)?),
            Format::Xlsx => files.push(file(
                "report.xlsx",
                workbook(&report, &page).map_err(ReportError::Xlsx)?,
            )),
            Format::Html => {
                files.push(file(
                    "report.html",
                    html::html(&page).map_err(ReportError::Html)?,
                ));
            }
            Format::Json => {
                let text = serde_json::to_string_pretty(&report).map_err(ReportError::Json)?;
                files.push(file("report.json", text + "\n"));
            }
        }
    }
    if formats.iter().any(|format| format.has_figures()) {
        let figures = page.sheets.iter().flat_map(|sheet| &sheet.figures);
        files.extend(
            figures
                .map(|figure| file(format!("figures/{}.svg", figure.stem), figure.file.as_str())),
        );
    }
    Ok(files)
}

fn file(path: impl Into<String>, content: impl Into<Vec<u8>>) -> RenderedFile {
    RenderedFile {
        path: path.into(),
        bytes: content.into(),
    }
}

fn comma_files(report: &Report) -> Result<Vec<RenderedFile>, ReportError> {
    let names = stems(report.tables.iter().map(|table| table.name.as_str()));
    let mut files = Vec::with_capacity(names.len());
    for (table, stem) in report.tables.iter().zip(names) {
        let bytes = comma::comma_separated(table).map_err(|source| ReportError::Csv {
            table: table.name.clone(),
            source,
        })?;
        files.push(file(format!("tables/{stem}.csv"), bytes));
    }
    Ok(files)
}

fn check_rows(report: &Report) -> Result<(), ReportError> {
    for table in &report.tables {
        let columns = table.columns.len();
        for (index, row) in table.rows.iter().enumerate() {
            if row.len() != columns {
                return Err(ReportError::RowLength {
                    table: table.name.clone(),
                    row: index + 1,
                    cells: row.len(),
                    columns,
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
