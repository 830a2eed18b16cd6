//! Every golden value of the families that are implemented, in process.
//!
//! `CONSILIUM_GOLDEN` names a folder of `*.jsonl` files to check instead of `tests/golden`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use consilium_metrics::reference::evaluate;
use flate2::read::GzDecoder;
use serde_json::Value;

#[test]
fn values_equal_the_references() {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut failures = Vec::new();
    for path in golden_files() {
        for line in lines(&path) {
            let row: Value = serde_json::from_str(&line).unwrap();
            let metric = row["metric"].as_str().unwrap();
            let answer = evaluate(metric, &row["params"], &row["inputs"]);
            let difference = match (&answer, row["expected"].get("error")) {
                (Err(_), Some(_)) => None,
                (Ok(value), Some(_)) if value.is_null() => None,
                (Ok(value), Some(_)) => Some(format!("want an error, got {value}")),
                (Err(error), None) => Some(format!("failed to {error}")),
                (Ok(value), None) => difference(
                    &row["expected"],
                    value,
                    tolerance(metric, &row["params"]),
                    "",
                ),
            };
            let count = counts.entry(metric.to_owned()).or_default();
            count.1 += 1;
            match difference {
                None => count.0 += 1,
                Some(difference) => {
                    failures.push(format!("{} {metric}: {difference}", row["id"]));
                }
            }
        }
    }
    for (metric, (passed, total)) in &counts {
        println!("{metric:44} {passed:5}/{total}");
    }
    assert!(!counts.is_empty(), "no golden file was found");
    let shown: Vec<&str> = failures.iter().take(60).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{} differ:\n{}",
        failures.len(),
        shown.join("\n")
    );
}

fn golden_files() -> Vec<PathBuf> {
    let folder = std::env::var_os("CONSILIUM_GOLDEN").map_or_else(
        // Asked when the test runs: clones that share a target folder share its binary too.
        || {
            PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap())
                .join("../../tests/golden")
        },
        PathBuf::from,
    );
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")
        })
        .collect();
    files.sort();
    files
}

fn lines(path: &Path) -> Vec<String> {
    let file = std::fs::File::open(path).unwrap();
    let reader: Box<dyn Read> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    BufReader::new(reader).lines().map(Result::unwrap).collect()
}

/// The tolerances of `tools/check-golden`.
fn tolerance(metric: &str, params: &Value) -> f64 {
    if let Some(tolerance) = params["tol_abs"].as_f64() {
        tolerance
    } else if metric.starts_with("arena_rank") {
        1e-3
    } else if metric.starts_with("choix") || metric.starts_with("bradley_terry") {
        1e-6
    } else {
        1e-9
    }
}

/// Why two values differ, if they do; keys that only `got` has are ignored.
fn difference(want: &Value, got: &Value, tolerance: f64, path: &str) -> Option<String> {
    let differ = || Some(format!("{path}: want {want}, got {got}"));
    match (want, got) {
        (Value::String(special), _) if special.eq_ignore_ascii_case("nan") => {
            let is_nan = got.is_null()
                || got
                    .as_str()
                    .is_some_and(|got| got.eq_ignore_ascii_case("nan"));
            if is_nan { None } else { differ() }
        }
        (Value::Number(want), Value::Number(got)) => {
            let (want, got) = (want.as_f64().unwrap(), got.as_f64().unwrap());
            let is_probability = path.contains("pvalue") || path.ends_with('p');
            let least = if is_probability {
                tolerance.max(1e-7)
            } else {
                tolerance
            };
            if (want - got).abs() <= least.max(least * want.abs()) {
                None
            } else {
                differ()
            }
        }
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => want
            .iter()
            .zip(got)
            .enumerate()
            .find_map(|(index, (want, got))| {
                difference(want, got, tolerance, &format!("{path}[{index}]"))
            }),
        (Value::Object(want), Value::Object(got)) => want.iter().find_map(|(key, want)| {
            let path = format!("{path}.{key}");
            match got.get(key) {
                None => Some(format!("{path}: missing")),
                Some(got) => difference(want, got, tolerance, &path),
            }
        }),
        _ if want == got => None,
        _ => differ(),
    }
}
