use consilium_core::{Cell, Column, Estimate, Table, Unit};
use proptest::prelude::*;

use super::*;

const HOSTILE: &str = "<script>alert('x')</script> | `code` & \\input{secret} $x_1$ 100 % #tag\n# head {a} [b](http://c) 患者~^";

fn text(text: &str) -> Cell {
    Cell::Text {
        text: text.to_owned(),
    }
}

fn column(name: &str, title: &str, unit: Unit) -> Column {
    Column {
        name: name.to_owned(),
        title: title.to_owned(),
        unit,
    }
}

fn estimate(value: f64, low: f64, high: f64, n: u64) -> Estimate {
    Estimate {
        value: Some(value),
        low: Some(low),
        high: Some(high),
        n,
        method: Some("Wilson 95 %".to_owned()),
        signature: Some("choice|rev:1|aliases:none".to_owned()),
        reason: None,
    }
}

/// One column of estimates with intervals, hostile text, every kind of gap.
fn systems() -> Table {
    let undefined = Estimate {
        value: None,
        low: None,
        high: None,
        method: None,
        signature: None,
        reason: Some("no answered sample".to_owned()),
        ..estimate(0.0, 0.0, 0.0, 0)
    };
    Table {
        name: "systems".to_owned(),
        title: "Accuracy by system".to_owned(),
        columns: vec![
            column("system", "System", Unit::Plain),
            column("accuracy", "Accuracy", Unit::Share),
            column("cost", "Cost", Unit::Usd),
            column("calls", "Calls", Unit::Plain),
        ],
        rows: vec![
            vec![
                text("local-direct"),
                Cell::Estimate(estimate(0.552, 0.508, 0.595, 500)),
                Cell::Number { value: 1.25 },
                Cell::Integer { value: 12_500 },
            ],
            vec![
                text(HOSTILE),
                Cell::Estimate(estimate(0.082, 0.061, 0.11, 490)),
                Cell::Missing {
                    reason: "no price for this backend".to_owned(),
                },
                Cell::Integer { value: 500 },
            ],
            vec![
                text("=SUM(A1)"),
                Cell::Estimate(undefined),
                Cell::Missing {
                    reason: "no price for this backend".to_owned(),
                },
                Cell::Integer { value: 0 },
            ],
        ],
        sql: "SELECT system, accuracy -- ```\nFROM scores\nWHERE note <> '</pre>\\end{document}'"
            .to_owned(),
        notes: vec![
            "Refused and empty answers count as wrong.".to_owned(),
            "# not a head".to_owned(),
        ],
    }
}

/// Two methods in one column, a difference with a sign.
fn differences() -> Table {
    let bootstrap = Estimate {
        method: Some("bootstrap 95 %, 2000 resamples".to_owned()),
        ..estimate(0.031, -0.012, 0.074, 500)
    };
    Table {
        name: "differences".to_owned(),
        title: "Difference to the baseline".to_owned(),
        columns: vec![
            column("system", "System", Unit::Plain),
            column("difference", "Difference", Unit::Share),
            column("p", "p (Holm)", Unit::Plain),
        ],
        rows: vec![
            vec![
                text("a"),
                Cell::Estimate(bootstrap),
                Cell::Number { value: 0.21 },
            ],
            vec![
                text("b"),
                Cell::Estimate(estimate(-0.2, -0.25, -0.15, 500)),
                Cell::Number { value: 0.000_01 },
            ],
        ],
        sql: "SELECT 1".to_owned(),
        notes: Vec::new(),
    }
}

fn empty() -> Table {
    Table {
        name: "../empty".to_owned(),
        title: "Failures by kind".to_owned(),
        columns: vec![
            column("kind", "Kind", Unit::Plain),
            column("share", "Share", Unit::Share),
        ],
        rows: Vec::new(),
        sql: String::new(),
        notes: vec!["No sample failed.".to_owned()],
    }
}

fn report() -> Report {
    Report {
        title: "PubMedQA <two> models".to_owned(),
        facts: vec![
            (
                "Run".to_owned(),
                "pubmedqa_two-20261130-0933-ab12".to_owned(),
            ),
            ("Seed".to_owned(), "20261130".to_owned()),
        ],
        warnings: vec![
            "Run incomplete: 10 of 500 samples".to_owned(),
            "single run".to_owned(),
        ],
        marks: vec!["Cases of sample: not clinically validated.".to_owned()],
        tables: vec![systems(), differences(), empty()],
    }
}

fn rendered(report: &Report, format: Format) -> String {
    let files = render(report, &[format]).unwrap();
    let print = |file: &RenderedFile| {
        let content = std::str::from_utf8(&file.bytes).unwrap();
        format!("===== {}\n{content}", file.path)
    };
    files.iter().map(print).collect()
}

#[test]
fn markdown() {
    insta::assert_snapshot!(rendered(&report(), Format::Markdown));
}

#[test]
fn latex() {
    insta::assert_snapshot!(rendered(&report(), Format::Latex));
}

#[test]
fn comma_separated() {
    insta::assert_snapshot!(rendered(&report(), Format::Csv));
}

#[test]
fn json() {
    insta::assert_snapshot!(rendered(&report(), Format::Json));
}

#[test]
fn html() {
    let page = rendered(&report(), Format::Html);
    // The style sheet is a file of its own and would only blur the snapshot.
    let (before, rest) = page.split_once("<style>").unwrap();
    let (_, after) = rest.split_once("</style>").unwrap();
    insta::assert_snapshot!(format!("{before}<style></style>{after}"));
}

const EVERY: [Format; 6] = Format::ALL;

#[test]
fn the_same_report_gives_the_same_bytes() {
    let files = render(&report(), &EVERY).unwrap();
    let json = files
        .iter()
        .find(|file| file.path == "report.json")
        .unwrap();
    let again: Report = serde_json::from_slice(&json.bytes).unwrap();
    assert_eq!(render(&again, &EVERY).unwrap(), files);
}

#[test]
fn paths_are_distinct_and_stay_below_the_folder() {
    let mut twice = report();
    twice.tables.push(empty());
    let mut paths: Vec<String> = render(&twice, &EVERY)
        .unwrap()
        .into_iter()
        .map(|file| file.path)
        .collect();
    assert!(
        paths.contains(&"tables/empty-2.csv".to_owned()),
        "{paths:?}"
    );
    assert!(
        paths
            .iter()
            .all(|path| !path.contains("..") && !path.starts_with('/')),
        "{paths:?}"
    );
    let all = paths.len();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), all);
}

#[test]
fn a_short_row_is_refused_with_its_place() {
    let mut report = report();
    report.tables[1].rows[1].pop();
    let message = render(&report, &[Format::Csv]).unwrap_err().to_string();
    assert!(
        message.contains("`differences`: row 2 has 2 cells for 3 columns"),
        "{message}"
    );
}

#[test]
fn the_page_loads_and_runs_nothing() {
    let page = rendered(&report(), Format::Html);
    for forbidden in [
        "<script", "<link", "<img", "<iframe", "url(", "@import", " src=", "onload=",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
}

/// A confusion matrix of 170 classes.
fn matrix() -> Table {
    let classes: Vec<String> = (1..=170)
        .map(|class| format!("Diagnosis {class}"))
        .collect();
    let mut columns = vec![column("truth", "Truth", Unit::Plain)];
    columns.extend(
        classes
            .iter()
            .map(|class| column(class, class, Unit::Plain)),
    );
    let row = |class: &String| {
        let mut row = vec![text(class)];
        row.extend((0..170).map(|value| Cell::Integer { value: value % 7 }));
        row
    };
    Table {
        name: "confusion".to_owned(),
        title: "Confusion matrix".to_owned(),
        rows: classes.iter().map(row).collect(),
        columns,
        sql: String::new(),
        notes: Vec::new(),
    }
}

#[test]
fn a_wide_matrix_keeps_every_cell_in_latex() {
    let report = Report {
        tables: vec![matrix()],
        ..Report::default()
    };
    let files = render(&report, &[Format::Latex]).unwrap();
    let table = std::str::from_utf8(&files[1].bytes).unwrap();
    let mut cells = 0;
    for panel in table.split("\\endfoot\n").skip(1) {
        let body = panel.split("\\end{longtable}").next().unwrap();
        let rows: Vec<&str> = body.lines().filter(|line| line.ends_with("\\\\")).collect();
        assert_eq!(rows.len(), 170);
        cells += rows
            .iter()
            .map(|row| row.matches(" & ").count())
            .sum::<usize>();
    }
    assert_eq!(cells, 170 * 170);
}

#[test]
fn every_latex_panel_names_its_rows_in_full() {
    let mut columns = vec![
        column("dataset", "Dataset", Unit::Plain),
        column("system", "System", Unit::Plain),
    ];
    columns.extend((0..20).map(|index| {
        let title = format!("Outcome {index}");
        column(&title, &title, Unit::Plain)
    }));
    let mut row = vec![text("choice"), text("direct")];
    row.extend((0..20).map(|value| Cell::Integer { value }));
    let report = Report {
        tables: vec![Table {
            name: "outcomes".to_owned(),
            title: "Outcomes".to_owned(),
            columns,
            rows: vec![row],
            sql: String::new(),
            notes: Vec::new(),
        }],
        ..Report::default()
    };
    let files = render(&report, &[Format::Latex]).unwrap();
    let table = std::str::from_utf8(&files[1].bytes).unwrap();
    let panels = table.matches("\\begin{tabular}").count();
    assert!(panels > 1, "{table}");
    assert_eq!(table.matches("choice & direct").count(), panels, "{table}");
}

/// A report with the text in every place a text can be.
fn filled(text: &str) -> Report {
    let missing = Estimate {
        value: None,
        reason: Some(text.to_owned()),
        ..estimate(0., 0., 0., 1)
    };
    let own = Estimate {
        method: Some(text.to_owned()),
        signature: Some(text.to_owned()),
        ..estimate(0.5, 0.4, 0.6, 1)
    };
    Report {
        title: text.to_owned(),
        facts: vec![(text.to_owned(), text.to_owned())],
        warnings: vec![text.to_owned()],
        marks: vec![text.to_owned()],
        tables: vec![Table {
            name: "t".to_owned(),
            title: text.to_owned(),
            columns: vec![
                column("a", text, Unit::Plain),
                column("b", text, Unit::Plain),
                column("c", text, Unit::Plain),
            ],
            rows: vec![
                vec![self::text(text), self::text(text), Cell::Estimate(missing)],
                vec![self::text(text), self::text(text), Cell::Estimate(own)],
            ],
            sql: text.to_owned(),
            notes: vec![text.to_owned()],
        }],
    }
}

fn unescaped(html: &str) -> String {
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ];
    entities
        .iter()
        .fold(html.to_owned(), |html, (entity, text)| {
            html.replace(entity, text)
        })
}

proptest! {
    #[test]
    fn text_stays_text_in_html(tail in any::<String>()) {
        // A letter in front: an empty text leaves out elements, which is not what is tested.
        let hostile = format!("x{tail}");
        let page = rendered(&filled(&hostile), Format::Html);
        let plain = rendered(&filled("x"), Format::Html);
        prop_assert_eq!(page.matches('<').count(), plain.matches('<').count());
        prop_assert_eq!(page.matches('"').count(), plain.matches('"').count());
        let (_, cell) = page.split_once("<td class=\"left\" dir=\"auto\"><span class=\"cell\"").unwrap();
        let (_, cell) = cell.split_once('>').unwrap();
        let (cell, _) = cell.split_once("</span>").unwrap();
        let expected = crate::visible::visible(&hostile);
        prop_assert_eq!(unescaped(cell), expected.trim());
    }

    #[test]
    fn every_number_survives_json(value in any::<f64>()) {
        let mut report = filled("x");
        report.tables[0].rows[0][1] = Cell::Number { value };
        let files = render(&report, &[Format::Json, Format::Csv]).unwrap();
        let again: Report = serde_json::from_slice(&files[0].bytes).unwrap();
        prop_assert_eq!(render(&again, &[Format::Json, Format::Csv]).unwrap(), files);
    }

    #[test]
    fn text_cannot_add_cells_or_lines_in_markdown(tail in any::<String>()) {
        let hostile = format!("x{}", tail.replace('\n', "|"));
        let page = rendered(&filled(&hostile), Format::Markdown);
        let grid: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
        // The SQL is printed as it is and may have such a line itself.
        prop_assert!(grid.len() >= 4);
        for line in &grid[..4] {
            let mut bars = 0;
            let mut characters = line.chars();
            while let Some(character) = characters.next() {
                match character {
                    '\\' => { characters.next(); }
                    '|' => bars += 1,
                    _ => {}
                }
            }
            prop_assert_eq!(bars, 4, "{}", line);
            prop_assert!(!line.replace("<br>", "").contains('<'), "{}", line);
        }
    }
}
