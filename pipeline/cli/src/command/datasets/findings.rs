//! Findings as text, JSON and HTML.

use anyhow::{Context as _, Result};
use consilium_core::{Cell, Column, Table, Unit};
use consilium_datasets::Place;
use consilium_datasets::check::{Check, DatasetCheck, Finding, Severity};
use consilium_report::{Format, Report, render};
use serde_json::{Value, json};

use crate::printer;

/// Findings of one kind that are printed on the terminal for each dataset.
const PRINTED: u64 = 10;

/// Lines for reading; on a terminal the first findings of each kind, in a file all that were kept.
pub(super) fn as_text(checks: &[DatasetCheck], whole: bool) -> String {
    let mut text = String::new();
    for check in checks {
        let lengths = check
            .lengths
            .map_or_else(String::new, |(shortest, longest)| {
                format!(", {shortest}–{longest} characters")
            });
        let file = check.path.file_name().unwrap_or_default().to_string_lossy();
        let head = format!("{} ({}, {file})", check.dataset, check.adapter);
        line(
            &mut text,
            &format!("{head}: {} cases{lengths}", check.cases),
        );
        if !check.golds.is_empty() {
            let counts: Vec<String> = check
                .golds
                .iter()
                .map(|(gold, count)| format!("{gold} {count}"))
                .collect();
            line(&mut text, &format!("  gold: {}", counts.join(", ")));
        }
        if check.malformed > 0 {
            let message = format!(
                "  {} rows are malformed and would be skipped",
                check.malformed
            );
            line(&mut text, &message);
        }
        for (kind, count) in &check.counts {
            let severity = kind.severity().as_str();
            line(
                &mut text,
                &format!("  {severity} {}: {count}", kind.as_str()),
            );
            let kept = check
                .findings
                .iter()
                .filter(|finding| finding.check == *kind);
            let mut printed = 0;
            for finding in kept {
                if !whole && printed == PRINTED {
                    break;
                }
                printed += 1;
                line(&mut text, &format!("    {}", located(check, finding)));
            }
            if printed < *count {
                let more = count - printed;
                let hint = if whole {
                    ""
                } else {
                    " (--out FILE or --format json lists them)"
                };
                line(&mut text, &format!("    … and {more} more{hint}"));
            }
        }
    }
    text
}

fn line(text: &mut String, content: &str) {
    text.push_str(&printer::visible(content));
    text.push('\n');
}

fn located(check: &DatasetCheck, finding: &Finding) -> String {
    let place = match finding.place {
        // As compilers write it, so that editors jump there.
        Some(Place::Line(number)) => format!(":{number}"),
        Some(place) => format!(":{place}"),
        None => String::new(),
    };
    format!("{}{place}: {}", check.path.display(), finding.message)
}

/// One JSON document with everything that was kept.
pub(super) fn as_json(checks: &[DatasetCheck]) -> Result<String> {
    let datasets: Vec<Value> = checks.iter().map(dataset_json).collect();
    let text = serde_json::to_string_pretty(&json!({ "datasets": datasets }))
        .context("write the findings")?;
    Ok(text + "\n")
}

fn dataset_json(check: &DatasetCheck) -> Value {
    let counts: serde_json::Map<String, Value> = check
        .counts
        .iter()
        .map(|(kind, count)| (kind.as_str().to_owned(), json!(count)))
        .collect();
    let findings: Vec<Value> = check
        .findings
        .iter()
        .map(|finding| {
            let (line, row) = match finding.place {
                Some(Place::Line(number)) => (Some(number), None),
                Some(Place::Row(number)) => (None, Some(number)),
                None => (None, None),
            };
            json!({
                "severity": finding.check.severity().as_str(),
                "check": finding.check.as_str(),
                "line": line,
                "row": row,
                "case_id": finding.case_id,
                "message": finding.message,
            })
        })
        .collect();
    json!({
        "dataset": check.dataset,
        "path": check.path.display().to_string(),
        "adapter": check.adapter,
        "cases": check.cases,
        "malformed": check.malformed,
        "shortest": check.lengths.map(|(shortest, _)| shortest),
        "longest": check.lengths.map(|(_, longest)| longest),
        "gold": check.golds,
        "errors": check.count(Severity::Error),
        "warnings": check.count(Severity::Warning),
        "hints": check.count(Severity::Hint),
        "counts": counts,
        "findings": findings,
    })
}

/// One page: a summary, then the findings of each dataset.
pub(super) fn as_html(checks: &[DatasetCheck]) -> Result<String> {
    let mut tables = vec![summary(checks)];
    tables.extend(
        checks
            .iter()
            .enumerate()
            .filter(|(_, check)| !check.findings.is_empty())
            .map(|(index, check)| findings_table(index, check)),
    );
    let report = Report {
        title: "Findings in datasets".to_owned(),
        facts: Vec::new(),
        warnings: Vec::new(),
        marks: Vec::new(),
        tables,
    };
    let page = render(&report, &[Format::Html])?
        .into_iter()
        .next()
        .context("render the findings")?;
    String::from_utf8(page.bytes).context("render the findings")
}

fn summary(checks: &[DatasetCheck]) -> Table {
    let rows = checks
        .iter()
        .map(|check| {
            vec![
                text(&check.dataset),
                text(&check.path.display().to_string()),
                integer(check.cases),
                integer(check.malformed),
                integer(check.count(Severity::Error)),
                integer(check.count(Severity::Warning)),
                integer(check.count(Severity::Hint)),
            ]
        })
        .collect();
    Table {
        name: "summary".to_owned(),
        title: "Datasets".to_owned(),
        columns: columns(&[
            "Dataset",
            "File",
            "Cases",
            "Malformed",
            "Errors",
            "Warnings",
            "Hints",
        ]),
        rows,
        sql: String::new(),
        notes: vec![
            "Errors lose rows or make the file unusable, warnings may change what numbers mean, hints are \
             for somebody who may see the cases. No finding quotes case text."
                .to_owned(),
        ],
    }
}

fn findings_table(index: usize, check: &DatasetCheck) -> Table {
    let mut rows: Vec<&Finding> = check.findings.iter().collect();
    rows.sort_by_key(|finding| (finding.check.severity(), finding.check, finding.place));
    let rows = rows
        .into_iter()
        .map(|finding| {
            vec![
                text(finding.check.severity().as_str()),
                text(finding.check.as_str()),
                text(
                    &finding
                        .place
                        .map_or_else(|| "file".to_owned(), |place| place.to_string()),
                ),
                text(finding.case_id.as_deref().unwrap_or("–")),
                text(&finding.message),
            ]
        })
        .collect();
    let notes = check
        .counts
        .iter()
        .map(|(kind, count)| (kind, *count, kept(check, *kind)))
        .filter(|(_, count, kept)| count > kept)
        .map(|(kind, count, kept)| {
            format!("The first {kept} of {count} findings of {}.", kind.as_str())
        })
        .collect();
    Table {
        name: format!("findings-{}", index + 1),
        title: format!("{}: {}", check.dataset, check.path.display()),
        columns: columns(&["Severity", "Check", "Where", "Case", "Finding"]),
        rows,
        sql: String::new(),
        notes,
    }
}

fn kept(check: &DatasetCheck, kind: Check) -> u64 {
    let of_kind = check
        .findings
        .iter()
        .filter(|finding| finding.check == kind);
    of_kind.count() as u64
}

fn columns(titles: &[&str]) -> Vec<Column> {
    titles
        .iter()
        .map(|title| Column {
            name: title.to_lowercase(),
            title: (*title).to_owned(),
            unit: Unit::Plain,
        })
        .collect()
}

fn text(text: &str) -> Cell {
    Cell::Text {
        text: text.to_owned(),
    }
}

fn integer(value: u64) -> Cell {
    Cell::Integer {
        value: i64::try_from(value).unwrap_or(i64::MAX),
    }
}
