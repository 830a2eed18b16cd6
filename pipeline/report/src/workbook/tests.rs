use std::io::Read as _;

use consilium_core::{Cell, Column, Estimate, Unit};

use super::*;

/// One part of the file, unpacked: the central directory is read, as Excel does.
fn part(file: &[u8], wanted: &str) -> String {
    let short = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
    let long = |at: usize| short(at) | short(at + 2) << 16;
    let mut at = 0;
    while let Some(found) = file[at..].windows(4).position(|four| four == b"PK\x01\x02") {
        let entry = at + found;
        at = entry + 46 + short(entry + 28);
        if file[entry + 46..at] == *wanted.as_bytes() {
            let local = long(entry + 42);
            let data = local + 30 + short(local + 26) + short(local + 28);
            let mut text = String::new();
            flate2::read::DeflateDecoder::new(&file[data..data + long(entry + 20)])
                .read_to_string(&mut text)
                .unwrap();
            return text;
        }
    }
    panic!("the workbook has no {wanted}")
}

fn report(text: &str) -> Report {
    let column = |name: &str, title: &str, unit: Unit| Column {
        name: name.to_owned(),
        title: title.to_owned(),
        unit,
    };
    Report {
        title: "Two models".to_owned(),
        facts: vec![("Seed".to_owned(), "7".to_owned())],
        warnings: vec!["Single run.".to_owned()],
        marks: vec!["Not validated.".to_owned()],
        tables: vec![Table {
            name: "systems".to_owned(),
            title: "Accuracy by system".to_owned(),
            columns: vec![
                column("system", "System", Unit::Plain),
                column("accuracy", "Accuracy", Unit::Share),
                column("calls", "Calls", Unit::Plain),
            ],
            rows: vec![vec![
                Cell::Text {
                    text: text.to_owned(),
                },
                Cell::Estimate(Estimate {
                    value: Some(0.551_234),
                    low: Some(0.5),
                    high: None,
                    n: 500,
                    method: Some("Wilson 95 %".to_owned()),
                    signature: Some("choice|rev:1".to_owned()),
                    reason: Some("no upper end".to_owned()),
                }),
                Cell::Integer { value: 12_500 },
            ]],
            sql: "-- The query\nSELECT 1".to_owned(),
            notes: vec!["Refused answers count as wrong.".to_owned()],
        }],
    }
}

fn file(report: &Report) -> Vec<u8> {
    workbook(report, &Page::new(report)).unwrap()
}

#[test]
fn numbers_are_numbers_with_every_digit() {
    let sheet = part(&file(&report("a")), "xl/worksheets/sheet2.xml");
    for cell in [
        "<v>0.551234</v>",
        "<v>0.5</v>",
        "<v>500</v>",
        "<v>12500</v>",
    ] {
        assert!(sheet.contains(cell), "{cell}: {sheet}");
    }
    assert!(sheet.contains("state=\"frozen\""), "{sheet}");
}

#[test]
fn a_formula_is_text() {
    for hostile in ["=HYPERLINK(\"http://x\")", "+1", "-1", "@x", "＝1"] {
        let file = file(&report(hostile));
        let sheet = part(&file, "xl/worksheets/sheet2.xml");
        assert!(!sheet.contains("<f>"), "{sheet}");
        let strings = part(&file, "xl/sharedStrings.xml");
        let escaped = hostile.replace('"', "&quot;");
        assert!(
            strings.contains(hostile) || strings.contains(&escaped),
            "{strings}"
        );
        assert!(part(&file, "xl/styles.xml").contains("quotePrefix=\"1\""));
    }
}

#[test]
fn everything_that_makes_a_number_quotable_stands_in_the_workbook() {
    let strings = part(&file(&report("a")), "xl/sharedStrings.xml");
    for text in [
        "Two models",
        "Seed",
        "Single run.",
        "Accuracy, low",
        "Accuracy, high",
        "Accuracy, n",
        "Accuracy, reason",
        "no upper end",
        "Accuracy: Wilson 95 %, n = 500, signature choice|rev:1.",
        "Refused answers count as wrong.",
        "Not validated.",
        "-- The query",
        "SELECT 1",
    ] {
        assert!(
            strings.contains(&format!(">{text}</t>")),
            "{text}: {strings}"
        );
    }
}

#[test]
fn the_time_of_writing_leaves_no_trace() {
    let core = part(&file(&report("a")), "docProps/core.xml");
    assert!(core.contains("2000-01-01T00:00:00Z"), "{core}");
    let year = |time: &str| core.matches(time).count();
    assert_eq!(year("2000-"), year("Z</dcterms"), "{core}");
}

#[test]
fn names_of_sheets_are_short_and_distinct() {
    let long = "a-table-whose-name-is-longer-than-excel-allows";
    let names = sheet_names([long, "index", long, "history"].into_iter());
    assert_eq!(
        names,
        [
            "a-table-whose-name-is-longer-th",
            "index-2",
            "a-table-whose-name-is-longer-2",
            "history-2"
        ]
    );
}
