//! The first thing anyone runs.

use crate::program::Workplace;

/// 304 cases of five datasets by three systems, and three more systems on 80 of them; three epochs.
const QUICKSTART_SAMPLES: i64 = (304 * 3 + 80 * 3) * 3;

#[test]
fn quickstart_runs_scores_reports_and_verifies_from_an_empty_folder() {
    let place = Workplace::new();
    let first = place.run(&["quickstart"]);
    assert_eq!(first.code, 0, "{first:?}");
    for file in [
        "report.md",
        "report.tex",
        "report.html",
        "report.json",
        "tables/accuracy.csv",
    ] {
        assert!(
            place.path(&format!("reports/quickstart/{file}")).is_file(),
            "{file}"
        );
    }
    let run = first
        .stdout
        .lines()
        .next()
        .unwrap()
        .trim_start_matches("Run")
        .trim();
    assert_eq!(
        place.count(run, "SELECT count(*) FROM samples"),
        QUICKSTART_SAMPLES
    );

    let verified = place.run(&["verify", run, "--report", "reports/quickstart"]);
    assert_eq!(
        (verified.code, verified.stdout.as_str()),
        (0, "ok\n"),
        "{verified:?}"
    );

    // A number changed by hand in any file of the report is found.
    for file in ["report.md", "report.html", "tables/accuracy.csv"] {
        let path = place.path(&format!("reports/quickstart/{file}"));
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen('8', "9", 1)).unwrap();
        let changed = place.run(&["verify", run, "--report", "reports/quickstart"]);
        assert_eq!(changed.code, 1, "{changed:?}");
        assert!(changed.stdout.contains(file), "{changed:?}");
        std::fs::write(&path, text).unwrap();
    }

    let again = place.run(&["quickstart"]);
    assert_eq!(again.code, 0);
    assert!(
        again
            .stderr
            .contains("0 samples to execute, 3456 of 3456 recorded"),
        "{}",
        again.stderr
    );
}

#[test]
fn the_same_study_and_seed_give_the_same_scores_and_tables_byte_for_byte() {
    let place = Workplace::new();
    assert_eq!(place.run(&["quickstart"]).code, 0);
    let study = "runs/studies/quickstart.toml";
    let runs: Vec<String> = (0..2)
        .map(|_| place.run(&["run", study, "--new-run"]).run().to_owned())
        .collect();
    let files = |run: &str, folder: &str| {
        let mut files: Vec<(String, Vec<u8>)> = std::fs::read_dir(place.path(run).join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            // Latencies are measured; everything else is derived.
            .filter(|path| {
                !path
                    .file_stem()
                    .unwrap()
                    .to_string_lossy()
                    .starts_with("timing")
            })
            .map(|path| {
                (
                    path.file_name().unwrap().to_string_lossy().into_owned(),
                    std::fs::read(&path).unwrap(),
                )
            })
            .collect();
        files.sort();
        files
    };
    for folder in ["scores", "tables"] {
        let (left, right) = (files(&runs[0], folder), files(&runs[1], folder));
        assert!(!left.is_empty());
        for (left, right) in left.iter().zip(&right) {
            assert!(
                left == right,
                "{folder}/{} differs from {}",
                left.0,
                right.0
            );
        }
        assert_eq!(left.len(), right.len(), "{folder}");
    }
}

/// Value and interval of an estimate in the run's table, found by the row's leading cells.
fn interval(place: &Workplace, run: &str, table: &str, row: &[&str], column: &str) -> (f64, f64) {
    let path = place.path(&format!("{run}/tables/{table}.json"));
    let table: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let at = table["columns"]
        .as_array()
        .unwrap()
        .iter()
        .position(|known| known["name"] == column)
        .unwrap();
    let found = table["rows"]
        .as_array()
        .unwrap()
        .iter()
        .find(|cells| {
            let cells: Vec<String> = cells
                .as_array()
                .unwrap()
                .iter()
                .map(ToString::to_string)
                .collect();
            row.iter().all(|part| {
                cells
                    .iter()
                    .any(|cell| cell.contains(&format!("\"{part}\"")))
            })
        })
        .unwrap_or_else(|| panic!("{row:?}"));
    let cell = found[at].to_string();
    let number = |name: &str| {
        let rest = cell.split(&format!("\"{name}\":")).nth(1).unwrap();
        rest.split([',', '}'])
            .next()
            .unwrap()
            .parse::<f64>()
            .unwrap()
    };
    (number("low"), number("high"))
}

#[test]
fn every_planted_effect_is_recovered_with_an_interval_that_covers_it() {
    let place = Workplace::new();
    let first = place.run(&["quickstart"]);
    assert_eq!(first.code, 0, "{first:?}");
    let run = first
        .stdout
        .lines()
        .next()
        .unwrap()
        .trim_start_matches("Run")
        .trim();
    for dataset in ["vignettes", "choice"] {
        for (prevalence, effect) in [("common", 0.0), ("uncommon", 0.15), ("rare", 0.35)] {
            let row = [dataset, "strong-direct", prevalence];
            let (low, high) = interval(&place, run, "differences", &row, "difference");
            assert!(low <= effect && effect <= high, "{row:?} {low} {high}");
            assert!(
                high - low < 0.5,
                "{row:?}: an interval this wide says nothing"
            );
        }
        let (low, _) = interval(
            &place,
            run,
            "differences",
            &[dataset, "strong-direct", "rare"],
            "difference",
        );
        assert!(low > 0.0, "{dataset}");
    }
    for (system, effect) in [("strong-confidence", 0.0), ("weak-confidence", 0.2)] {
        let row = ["choice", system];
        let (low, high) = interval(&place, run, "calibration", &row, "overconfidence");
        assert!(low <= effect && effect <= high, "{row:?} {low} {high}");
    }
    let (low, _) = interval(
        &place,
        run,
        "calibration",
        &["choice", "weak-confidence"],
        "overconfidence",
    );
    assert!(low > 0.0);
}
