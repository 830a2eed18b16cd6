use consilium_core::{Cell, Column, Estimate, Unit};
use proptest::prelude::*;

use super::*;

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

fn table(name: &str, columns: Vec<Column>, rows: Vec<Vec<Cell>>) -> Table {
    Table {
        name: name.to_owned(),
        title: "Accuracy by specialty".to_owned(),
        columns,
        rows,
        sql: String::new(),
        notes: Vec::new(),
    }
}

fn flow(system: &str, paths: &[(&str, &str, i64)]) -> Table {
    let columns = ["system", "outcome", "result", "n"].map(|name| column(name, name, Unit::Plain));
    let rows = paths
        .iter()
        .map(|(outcome, result, value)| {
            vec![
                text(system),
                text(outcome),
                text(result),
                Cell::Integer { value: *value },
            ]
        })
        .collect();
    table("outcome-flow", columns.to_vec(), rows)
}

fn estimate(value: f64, low: f64, high: f64) -> Cell {
    Cell::Estimate(Estimate {
        value: Some(value),
        low: Some(low),
        high: Some(high),
        n: 60,
        method: None,
        signature: None,
        reason: None,
    })
}

fn forest(groups: usize) -> Table {
    let columns = vec![
        column("subgroup", "Specialty", Unit::Plain),
        column("cases", "Cases", Unit::Plain),
        column("share", "Of all cases", Unit::Share),
        column("a", "a", Unit::Share),
        column("b", "b", Unit::Share),
    ];
    let row = |name: String| {
        vec![
            text(&name),
            Cell::Integer { value: 20 },
            Cell::Number { value: 0.5 },
            estimate(0.552, 0.501, 0.602),
            Cell::Missing {
                reason: "not run".to_owned(),
            },
        ]
    };
    let mut rows: Vec<Vec<Cell>> = (1..groups).map(|group| row(format!("S{group}"))).collect();
    rows.push(row("All cases".to_owned()));
    table("accuracy-by-specialty", columns, rows)
}

fn drawn(table: &Table) -> Vec<Figure> {
    figures(table, &["Not validated.".to_owned()], &mut Stems::default())
}

/// Heights of the blocks, planned first.
fn heights(svg: &str) -> Vec<f64> {
    let blocks = svg.split("<rect x=").skip(1);
    // The paper behind a label is as wide as the label.
    let blocks = blocks.filter(|block| block.contains(" width=\"12\""));
    blocks
        .map(|block| {
            let (_, height) = block.split_once("height=\"").unwrap();
            height.split('"').next().unwrap().parse().unwrap()
        })
        .collect()
}

const PATHS: [(&str, &str, i64); 5] = [
    ("ok", "right", 60),
    ("ok", "wrong", 25),
    ("refused", "wrong", 5),
    ("error", "no score", 8),
    ("not run", "no score", 2),
];

#[test]
fn a_flow_looks_like_this() {
    insta::assert_snapshot!(drawn(&flow("local-direct", &PATHS))[0].file);
}

#[test]
fn a_forest_looks_like_this() {
    insta::assert_snapshot!(drawn(&forest(3))[0].file);
}

#[test]
fn one_count_has_one_height_in_every_column() {
    let figures = drawn(&flow("local-direct", &PATHS));
    let heights = heights(&figures[0].inline);
    // Planned; answered, no answer, not run; ok, refused, error, not run; right, wrong, no score.
    let counts = [100., 90., 8., 2., 85., 5., 8., 2., 60., 30., 10.];
    assert_eq!(heights.len(), counts.len());
    for (height, count) in heights.iter().zip(counts) {
        assert!(
            (height - count * heights[0] / 100.0).abs() < 0.02,
            "{height} for {count}"
        );
    }
}

#[test]
fn the_description_says_what_the_figure_shows() {
    let figure = &drawn(&flow("local-direct", &PATHS))[0];
    assert_eq!(
        figure.description,
        "Of 100 planned samples: answered 90, no answer 8, not run 2. By outcome: complete 85, refused 5, \
         error 8. By result: right 60, wrong 30, no score 10."
    );
    assert!(figure.file.contains("role=\"img\""));
    assert!(figure.file.contains(">Not validated.</text>"));
}

#[test]
fn many_subgroups_are_cut_and_say_so() {
    let figure = &drawn(&forest(40))[0];
    assert!(figure.file.contains("23 smaller subgroups are not drawn"));
    assert_eq!(
        figure.file.matches("55.2 (50.1–60.2), n 60</text>").count(),
        17
    );
    assert!(figure.file.find("All cases").unwrap() < figure.file.find("S1,").unwrap());
}

#[test]
fn figures_of_equal_names_stay_apart() {
    let mut stems = Stems::default();
    let first = figures(&flow("a/b", &PATHS), &[], &mut stems);
    let second = figures(&flow("a b", &PATHS), &[], &mut stems);
    assert_eq!(first[0].stem, "outcome-flow-a-b");
    assert_eq!(second[0].stem, "outcome-flow-a-b-2");
}

#[test]
fn other_tables_and_empty_ones_have_no_figure() {
    assert!(drawn(&flow("a", &[])).is_empty());
    assert!(drawn(&flow("a", &[("ok", "right", 0)])).is_empty());
    let mut other = forest(3);
    other.name = "accuracy".to_owned();
    assert!(drawn(&other).is_empty());
    assert!(drawn(&table("accuracy-by-specialty", Vec::new(), Vec::new())).is_empty());
}

proptest! {
    #[test]
    fn text_stays_text_in_a_figure(hostile in any::<String>()) {
        let hostile = format!("x{hostile}<script>$x^2$</script>\"&");
        let plain = drawn(&flow("x", &PATHS));
        let figure = &drawn(&flow(&hostile, &[("ok", &hostile, 9), ("ok", "right", 1)]))[0];
        let known = drawn(&flow("x", &[("ok", "partly right", 9), ("ok", "right", 1)]));
        for (svg, expected) in [(&figure.file, &known[0].file), (&figure.inline, &known[0].inline)] {
            prop_assert_eq!(svg.matches('<').count(), expected.matches('<').count());
            prop_assert_eq!(svg.matches('>').count(), expected.matches('>').count());
        }
        prop_assert!(!plain.is_empty());
    }

    #[test]
    fn no_number_of_a_figure_is_undefined(counts in proptest::collection::vec(0_i64..1_000_000, 5)) {
        let paths: Vec<(&str, &str, i64)> = PATHS
            .iter()
            .zip(&counts)
            .map(|((outcome, result, _), count)| (*outcome, *result, *count))
            .collect();
        for figure in drawn(&flow("a", &paths)) {
            prop_assert!(!figure.file.contains("NaN") && !figure.file.contains("inf"));
        }
    }
}
