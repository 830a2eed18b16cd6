use consilium_core::{CallRow, SampleRow};

use super::*;
use crate::fixtures::{call, manifest, new_run, sample};
use crate::rows::{decode_calls, decode_samples};
use crate::write_table;

/// Three parts of calls, two for each case, cases in no order.
fn calls() -> Vec<CallRow> {
    (0..10_000_u32)
        .flat_map(|number| {
            let case = format!("case-{}", number.wrapping_mul(7919) % 10_000);
            [call(&case, 1, 0), call(&case, 1, 1)]
        })
        .collect()
}

fn key(case_id: &str) -> RowKey<'_> {
    RowKey {
        dataset: "pubmedqa",
        case_id,
        sample: Some(("direct", 1)),
    }
}

#[test]
fn every_row_of_a_key_is_found_and_no_other() {
    let (_folder, directory) = new_run();
    let rows = calls();
    let parts = write_table(&directory, None, 0, 18_000, rows.clone()).unwrap();
    let manifest = RunManifest {
        parts,
        ..manifest()
    };
    let table = TableParts::open(&directory, &manifest, RunTable::Calls).unwrap();
    assert_eq!(table.rows(), 20_000);
    for case in ["case-0", "case-4321", "case-9999"] {
        let found = table.find(key(case)).unwrap();
        assert!(found.iter().all(|row| row.attempt == 1));
        let places: Vec<RowPlace> = found.iter().map(|row| row.place).collect();
        let whole = decode_calls(&table.take(&places, None).unwrap()).unwrap();
        let expected: Vec<CallRow> = rows
            .iter()
            .filter(|row| row.case_id == case)
            .cloned()
            .collect();
        assert_eq!(whole, expected);
    }
    for absent in [
        key("case-10000"),
        key(""),
        RowKey {
            sample: Some(("direct", 2)),
            ..key("case-1")
        },
        RowKey {
            sample: Some(("other", 1)),
            ..key("case-1")
        },
        RowKey {
            dataset: "medqa",
            ..key("case-1")
        },
    ] {
        assert_eq!(table.find(absent).unwrap(), [], "{absent:?}");
    }
}

#[test]
fn rows_are_taken_in_the_order_of_their_places() {
    let (_folder, directory) = new_run();
    let rows: Vec<SampleRow> = (0..40_000)
        .map(|number| sample(&format!("c{number}"), 1, number))
        .collect();
    let parts = write_table(&directory, None, 0, 30_000, rows.clone()).unwrap();
    let manifest = RunManifest {
        parts,
        ..manifest()
    };
    let table = TableParts::open(&directory, &manifest, RunTable::Samples).unwrap();
    let wanted = [39_999, 0, 16_383, 16_384, 30_000, 29_999, 0];
    let places: Vec<RowPlace> = wanted
        .iter()
        .map(|&row| RowPlace {
            part: u32::from(row >= 30_000),
            row: if row >= 30_000 { row - 30_000 } else { row },
        })
        .collect();
    let taken = decode_samples(&table.take(&places, None).unwrap()).unwrap();
    let expected: Vec<SampleRow> = wanted
        .iter()
        .map(|&row| rows[row as usize].clone())
        .collect();
    assert_eq!(taken, expected);
    let none = table.take(&[], Some(&["answer"])).unwrap();
    assert_eq!((none.num_rows(), none.num_columns()), (0, 1));
}

#[test]
fn a_scan_gives_every_row_with_its_position() {
    let (_folder, directory) = new_run();
    let rows = (0..40_000).map(|number| sample("c", 1, number));
    let parts = write_table(&directory, None, 0, 30_000, rows).unwrap();
    let manifest = RunManifest {
        parts,
        ..manifest()
    };
    let table = TableParts::open(&directory, &manifest, RunTable::Samples).unwrap();
    let positions = |part: &PartRows| (part.part, part.first, part.batch.num_rows());
    let mut next = 0;
    for rows in table.scan(&["calls"]) {
        let rows = rows.unwrap();
        let (part, first, count) = positions(&rows);
        assert_eq!(part as usize * 30_000 + first, next);
        next += count;
    }
    assert_eq!(next, 40_000);
    let some = [(0, 16_000..17_000), (1, 5..6)];
    let read: Vec<_> = table
        .scan_ranges(&some, &["calls"])
        .map(|rows| positions(&rows.unwrap()))
        .collect();
    assert_eq!(read.iter().map(|(.., count)| count).sum::<usize>(), 1001);
    assert_eq!(read.last(), Some(&(1, 5, 1)));
}
