//! Result tables as pages show them.

use consilium_core::{Cell, Estimate, Table, Unit};

use super::number::{DASH, count, interval, unit_name, value};
use super::text::{beginning, visible};
use crate::link::Link;

/// Most characters of a text in a cell.
const CELL_CHARACTERS: usize = 200;

/// Most characters of the query behind a table.
const QUERY_CHARACTERS: usize = 6_000;

/// A result table ready for a template.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// Anchor on its page.
    pub anchor: String,
    /// Heading.
    pub title: String,
    /// Columns.
    pub headings: Vec<Heading>,
    /// Rows shown.
    pub rows: Vec<Vec<Entry>>,
    /// Rows shown and in all, where not all are.
    pub shown: Option<(String, String)>,
    /// Address of the table on a page of its own.
    pub address: String,
    /// Remarks below.
    pub notes: Vec<String>,
    /// Numbered remarks, from 1: methods that differ, reasons of what is missing.
    pub footnotes: Vec<String>,
    /// The method of all numbers, where they share one.
    pub method: Option<String>,
    /// Signatures of the scores behind the numbers.
    pub signatures: Vec<String>,
    /// The query.
    pub sql: String,
}

/// Heading of a column.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    /// Text.
    pub title: String,
    /// Unit of its numbers.
    pub unit: Option<&'static str>,
    /// Whether its cells are numbers.
    pub numeric: bool,
}

/// A cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    /// Text.
    pub text: String,
    /// Interval.
    pub interval: Option<String>,
    /// Number of samples.
    pub n: Option<String>,
    /// Numbers of its footnotes.
    pub marks: Vec<usize>,
    /// Whether it is a number.
    pub numeric: bool,
}

impl Sheet {
    /// The rows of a table from `from` on, at most `limit`.
    pub(crate) fn new(run: &str, table: &Table, from: usize, limit: usize) -> Self {
        let methods = distinct(table, |estimate| estimate.method.as_deref());
        let mut footnotes = Footnotes::default();
        let whole = table.rows.len();
        let rows: Vec<Vec<Entry>> = table
            .rows
            .iter()
            .skip(from)
            .take(limit)
            .map(|row| {
                table
                    .columns
                    .iter()
                    .zip(row)
                    .map(|(column, cell)| {
                        entry(cell, column.unit, methods.len() > 1, &mut footnotes)
                    })
                    .collect()
            })
            .collect();
        let headings = table
            .columns
            .iter()
            .enumerate()
            .map(|(index, column)| Heading {
                title: beginning(&column.title, CELL_CHARACTERS),
                unit: unit_name(column.unit),
                numeric: table
                    .rows
                    .iter()
                    .filter_map(|row| row.get(index))
                    .all(|cell| !matches!(cell, Cell::Text { .. })),
            })
            .collect();
        Self {
            anchor: format!("t{:08x}", crate::assets::fingerprint(&table.name) >> 32),
            title: beginning(&table.title, CELL_CHARACTERS),
            headings,
            shown: (rows.len() < whole).then(|| (count(rows.len() as u64), count(whole as u64))),
            rows,
            address: Link::run(run)
                .segment("tables")
                .segment(&table.name)
                .address(),
            notes: table
                .notes
                .iter()
                .map(|note| beginning(note, 1_000))
                .collect(),
            footnotes: footnotes.0,
            method: (methods.len() == 1).then(|| beginning(methods[0], 400)),
            signatures: distinct(table, |estimate| estimate.signature.as_deref())
                .into_iter()
                .map(|signature| beginning(signature, 400))
                .collect(),
            sql: visible(&table.sql.chars().take(QUERY_CHARACTERS).collect::<String>())
                .0
                .trim()
                .to_owned(),
        }
    }

    /// Cells on the page.
    pub(crate) fn cells(&self) -> usize {
        self.rows.len() * self.headings.len()
    }
}

/// An estimate as one cell, with its reason when it is missing.
pub(crate) fn estimate_entry(estimate: &Estimate, unit: Unit) -> Entry {
    Entry {
        text: estimate
            .value
            .map_or_else(|| DASH.to_owned(), |number| value(number, unit)),
        interval: interval(estimate.low, estimate.high, unit),
        n: Some(count(estimate.n)),
        marks: Vec::new(),
        numeric: true,
    }
}

fn entry(cell: &Cell, unit: Unit, methods_differ: bool, footnotes: &mut Footnotes) -> Entry {
    match cell {
        Cell::Text { text } => Entry {
            text: beginning(text, CELL_CHARACTERS),
            ..Entry::default()
        },
        Cell::Integer { value: number } if unit == Unit::Share => {
            numeric(value(*number as f64, unit))
        }
        Cell::Integer { value: number } => {
            let sign = if *number < 0 { "−" } else { "" };
            numeric(format!("{sign}{}", count(number.unsigned_abs())))
        }
        Cell::Number { value: number } => numeric(value(*number, unit)),
        Cell::Estimate(estimate) => {
            let mut entry = estimate_entry(estimate, unit);
            if let Some(reason) = &estimate.reason {
                entry.marks.push(footnotes.mark(reason));
            } else if estimate.value.is_none() {
                entry.marks.push(footnotes.mark("no reason given"));
            }
            if let Some(method) = estimate.method.as_deref().filter(|_| methods_differ) {
                entry.marks.push(footnotes.mark(method));
            }
            entry
        }
        Cell::Missing { reason } => Entry {
            marks: vec![footnotes.mark(reason)],
            ..numeric(DASH.to_owned())
        },
    }
}

fn numeric(text: String) -> Entry {
    Entry {
        text,
        numeric: true,
        ..Entry::default()
    }
}

/// Texts of estimates that differ, in order of appearance.
fn distinct<'a>(table: &'a Table, text: impl Fn(&'a Estimate) -> Option<&'a str>) -> Vec<&'a str> {
    let mut found = Vec::new();
    for cell in table.rows.iter().flatten() {
        if let Cell::Estimate(estimate) = cell
            && let Some(text) = text(estimate)
            && !found.contains(&text)
        {
            found.push(text);
        }
    }
    found
}

/// Remarks by number, each once.
#[derive(Debug, Default)]
struct Footnotes(Vec<String>);

impl Footnotes {
    fn mark(&mut self, text: &str) -> usize {
        let text = beginning(text, 400);
        if let Some(index) = self.0.iter().position(|known| *known == text) {
            return index + 1;
        }
        self.0.push(text);
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consilium_core::Column;

    fn estimate(value: Option<f64>, method: &str) -> Cell {
        Cell::Estimate(Estimate {
            value,
            low: value.map(|v| v - 0.1),
            high: value.map(|v| v + 0.1),
            n: 12_000,
            method: Some(method.to_owned()),
            signature: Some("choice|rev:2".to_owned()),
            reason: value.is_none().then(|| "one class only".to_owned()),
        })
    }

    fn table(cells: Vec<Cell>) -> Table {
        Table {
            name: "accuracy".to_owned(),
            title: "Accuracy".to_owned(),
            columns: vec![Column {
                name: "a".to_owned(),
                title: "Accuracy".to_owned(),
                unit: Unit::Share,
            }],
            rows: cells.into_iter().map(|cell| vec![cell]).collect(),
            sql: "SELECT 1".to_owned(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn a_shared_method_stands_once_and_differing_ones_are_marked() {
        let one = Sheet::new("r", &table(vec![estimate(Some(0.5), "Wilson 95 %")]), 0, 9);
        assert_eq!(one.method.as_deref(), Some("Wilson 95 %"));
        assert!(one.rows[0][0].marks.is_empty());
        let two = table(vec![estimate(Some(0.5), "a"), estimate(Some(0.5), "b")]);
        let two = Sheet::new("r", &two, 0, 9);
        assert_eq!(two.method, None);
        assert_eq!(two.rows[1][0].marks, [2]);
        assert_eq!(two.footnotes, ["a", "b"]);
    }

    #[test]
    fn value_interval_and_n_stand_together_and_a_missing_value_has_its_reason() {
        let sheet = table(vec![estimate(Some(0.5), "a"), estimate(None, "a")]);
        let sheet = Sheet::new("r", &sheet, 0, 9);
        let entry = &sheet.rows[0][0];
        assert_eq!(entry.text, "50.0");
        assert_eq!(entry.interval.as_deref(), Some("40.0–60.0"));
        assert_eq!(entry.n.as_deref(), Some("12,000"));
        assert_eq!(sheet.rows[1][0].text, DASH);
        assert_eq!(sheet.footnotes, ["one class only"]);
    }

    #[test]
    fn a_cut_table_says_how_much_is_shown() {
        let sheet = table((0..5).map(|_| estimate(Some(0.5), "a")).collect());
        let sheet = Sheet::new("r", &sheet, 3, 1);
        assert_eq!(sheet.shown, Some(("1".to_owned(), "5".to_owned())));
    }
}
