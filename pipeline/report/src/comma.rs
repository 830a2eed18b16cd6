//! Comma-separated values for a spreadsheet or a script: raw numbers, one file per table.

use consilium_core::{Cell, Estimate, Table};

/// Columns an estimate is spread over, behind its value.
const PARTS: [&str; 6] = ["low", "high", "n", "method", "signature", "reason"];

/// Which columns of the file one column of the table becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plain,
    /// Some cell is missing: a `_reason` column follows.
    WithReason,
    Estimate,
}

/// The table as RFC 4180 text, UTF-8 without a byte order mark.
pub(crate) fn comma_separated(table: &Table) -> Result<Vec<u8>, csv::Error> {
    let shapes: Vec<Shape> = (0..table.columns.len())
        .map(|index| shape(table, index))
        .collect();
    let mut writer = csv::WriterBuilder::new()
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    if table.columns.is_empty() {
        return Ok(Vec::new());
    }
    let mut head = Vec::new();
    for (column, shape) in table.columns.iter().zip(&shapes) {
        head.push(guarded(&column.name));
        let parts: &[&str] = match shape {
            Shape::Plain => &[],
            Shape::WithReason => &["reason"],
            Shape::Estimate => &PARTS,
        };
        head.extend(
            parts
                .iter()
                .map(|part| guarded(&format!("{}_{part}", column.name))),
        );
    }
    writer.write_record(&head)?;
    for row in &table.rows {
        let mut fields = Vec::with_capacity(head.len());
        for (cell, shape) in row.iter().zip(&shapes) {
            push(&mut fields, cell, *shape);
        }
        writer.write_record(&fields)?;
    }
    writer
        .into_inner()
        .map_err(|error| error.into_error().into())
}

fn shape(table: &Table, index: usize) -> Shape {
    let mut cells = table.rows.iter().map(|row| &row[index]);
    if cells.clone().any(|cell| matches!(cell, Cell::Estimate(_))) {
        Shape::Estimate
    } else if cells.any(|cell| matches!(cell, Cell::Missing { .. })) {
        Shape::WithReason
    } else {
        Shape::Plain
    }
}

fn push(fields: &mut Vec<String>, cell: &Cell, shape: Shape) {
    let (value, reason) = match cell {
        Cell::Estimate(estimate) => return fields.extend(spread(estimate)),
        Cell::Text { text } => (guarded(text), String::new()),
        Cell::Integer { value } => (value.to_string(), String::new()),
        Cell::Number { value } => (value.to_string(), String::new()),
        Cell::Missing { reason } => (String::new(), guarded(reason)),
    };
    fields.push(value);
    match shape {
        Shape::Plain => {}
        Shape::WithReason => fields.push(reason),
        Shape::Estimate => {
            fields.extend(std::iter::repeat_n(String::new(), PARTS.len() - 1));
            fields.push(reason);
        }
    }
}

fn spread(estimate: &Estimate) -> [String; PARTS.len() + 1] {
    let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
    let text = |text: &Option<String>| text.as_deref().map(guarded).unwrap_or_default();
    [
        number(estimate.value),
        number(estimate.low),
        number(estimate.high),
        estimate.n.to_string(),
        text(&estimate.method),
        text(&estimate.signature),
        text(&estimate.reason),
    ]
}

/// Text that a spreadsheet would run as a formula gets an apostrophe in front.
fn guarded(text: &str) -> String {
    let formula = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    if text.starts_with(formula) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use consilium_core::{Column, Unit};

    fn table(rows: Vec<Vec<Cell>>) -> Table {
        let column = |name: &str| Column {
            name: name.to_owned(),
            title: name.to_owned(),
            unit: Unit::Plain,
        };
        Table {
            name: "t".to_owned(),
            title: "T".to_owned(),
            columns: vec![column("answer"), column("count")],
            rows,
            sql: String::new(),
            notes: Vec::new(),
        }
    }

    #[test]
    fn formulas_are_defused_and_numbers_are_not_touched() {
        let rows = vec![vec![
            Cell::Text {
                text: "=HYPERLINK(\"http://x\",\"a\")".to_owned(),
            },
            Cell::Integer { value: -3 },
        ]];
        let bytes = comma_separated(&table(rows)).unwrap();
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "answer,count\r\n\"'=HYPERLINK(\"\"http://x\"\",\"\"a\"\")\",-3\r\n"
        );
    }

    #[test]
    fn text_comes_back_as_it_was() {
        let hostile = "a,\"b\"\r\n患者\u{0}";
        let rows = vec![vec![
            Cell::Text {
                text: hostile.to_owned(),
            },
            Cell::Missing {
                reason: "none".to_owned(),
            },
        ]];
        let bytes = comma_separated(&table(rows)).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let record = reader.records().next().unwrap().unwrap();
        assert_eq!(record.iter().collect::<Vec<_>>(), [hostile, "", "none"]);
    }
}
