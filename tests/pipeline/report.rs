//! The report in breadth: figures, workbook, subgroups, text metrics, pages of cases, and what verify
//! says of them.

use std::path::Path;

use crate::program::{Outcome, Workplace};

/// Every file below a folder, as relative paths.
fn files(folder: &Path) -> Vec<String> {
    fn walk(root: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let relative = path.strip_prefix(root).unwrap();
                found.push(relative.display().to_string());
            }
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

fn run_of(quickstart: &Outcome) -> String {
    assert_eq!(quickstart.code, 0, "{quickstart:?}");
    let first = quickstart.stdout.lines().next().unwrap();
    first.trim_start_matches("Run").trim().to_owned()
}

#[test]
fn the_quickstart_report_has_figures_a_workbook_and_subgroups_and_each_is_verified() {
    let place = Workplace::new();
    let run = run_of(&place.run(&["quickstart"]));
    let folder = "reports/quickstart";
    for file in [
        "report.xlsx",
        "figures/outcome-flow-strong-direct.svg",
        "figures/outcome-flow-weak-direct.svg",
        "figures/accuracy-by-specialty.svg",
        "figures/accuracy-by-prevalence.svg",
        "tables/accuracy-by-specialty.csv",
        "tables/confusion-matrix.csv",
    ] {
        assert!(place.path(folder).join(file).is_file(), "{file}");
    }
    // No judge was asked, so that a table of verdicts would be empty.
    assert!(!place.path(folder).join("tables/judge.csv").exists());
    for file in [
        "report.html",
        "report.md",
        "figures/accuracy-by-specialty.svg",
    ] {
        let text = std::fs::read_to_string(place.path(folder).join(file)).unwrap();
        assert!(text.contains("not clinically validated"), "{file}");
    }

    let again = place.run(&["report", &run, "--out", "again"]);
    assert_eq!(again.code, 0, "{again:?}");
    let names = files(&place.path(folder));
    assert_eq!(files(&place.path("again")), names);
    for name in &names {
        let read = |folder: &str| std::fs::read(place.path(folder).join(name)).unwrap();
        assert!(read(folder) == read("again"), "{name} differs");
    }

    for file in ["report.xlsx", "figures/outcome-flow-weak-direct.svg"] {
        let path = place.path(folder).join(file);
        let bytes = std::fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        std::fs::write(&path, changed).unwrap();
        let verified = place.run(&["verify", &run, "--report", folder]);
        assert_eq!(verified.code, 1, "{verified:?}");
        assert!(verified.stdout.contains(file), "{verified:?}");
        std::fs::write(&path, bytes).unwrap();
    }
    let json = place.path(folder).join("report.json");
    let text = std::fs::read_to_string(&json).unwrap();
    let without = text.replace(
        "The sample cases are synthetic and not clinically validated. ",
        "",
    );
    assert_ne!(without, text);
    std::fs::write(&json, without).unwrap();
    let verified = place.run(&["verify", &run, "--report", folder]);
    assert_eq!(verified.code, 1, "{verified:?}");
    assert!(verified.stdout.contains("other warnings"), "{verified:?}");
}

#[test]
fn a_case_has_a_page_across_systems() {
    let place = Workplace::new();
    let run = run_of(&place.run(&["quickstart"]));
    let report = place.run(&[
        "report",
        &run,
        "--out",
        "out",
        "--format",
        "md,html",
        "--case",
        "vignette-001",
    ]);
    assert_eq!(report.code, 0, "{report:?}");
    let pages: Vec<String> = files(&place.path("out"))
        .into_iter()
        .filter(|path| path.starts_with("cases/"))
        .collect();
    assert_eq!(pages.len(), 3, "{pages:?}");
    assert!(
        pages.iter().all(|path| !path.contains("vignette")),
        "{pages:?}"
    );
    let html = pages
        .iter()
        .find(|path| {
            Path::new(path)
                .extension()
                .is_some_and(|ending| ending == "html")
        })
        .unwrap();
    let text = std::fs::read_to_string(place.path("out").join(html)).unwrap();
    for part in [
        "Case vignette-001",
        "not clinically validated",
        "strong-direct",
        "Repetition 3",
        "Gout",
        "label.whole",
        "US$",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let verified = place.run(&["verify", &run, "--report", "out"]);
    assert_eq!(verified.code, 0, "{verified:?}");
    std::fs::write(place.path("out").join(html), text.replace("Gout", "Flu")).unwrap();
    let verified = place.run(&["verify", &run, "--report", "out"]);
    assert_eq!(verified.code, 1, "{verified:?}");
    assert!(verified.stdout.contains(html), "{verified:?}");

    let unknown = place.run(&["report", &run, "--out", "none", "--case", "../x"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(
        unknown.stderr.contains("SELECT dataset, case_id"),
        "{unknown:?}"
    );
    assert!(!place.path("none").exists());
}

/// A study of twenty labels and five texts, answered by one simulated model.
fn study() -> &'static str {
    r#"
[study]
name = "breadth"
seed = 5
[[dataset]]
name = "labels"
adapter = "table"
path = "labels.jsonl"
answer_form = "label"
fields = { id = "id", text = "text", question = "question", options = "labels", gold = "label", specialty = "specialty" }
[[dataset]]
name = "summaries"
adapter = "table"
path = "texts.jsonl"
answer_form = "text"
fields = { id = "id", question = "question", reference = "reference", specialty = "specialty" }
[[backend]]
name = "sim"
kind = "simulated"
latency_ms = 0
accuracy = 0.4
[[system]]
name = "direct"
solver = "direct"
backend = "sim"
[[scorer]]
kind = "text"
datasets = ["summaries"]
metrics = ["bleu", "rougeL"]
[[scorer]]
kind = "label"
"#
}

#[test]
fn many_labels_and_texts_get_tables_that_can_be_read() {
    let place = Workplace::new();
    let labels: Vec<String> = (0..20).map(|index| format!("label {index:02}")).collect();
    let lines = |count: usize, line: &dyn Fn(usize) -> serde_json::Value| {
        let lines: Vec<String> = (0..count).map(|index| line(index).to_string()).collect();
        lines.join("\n") + "\n"
    };
    let cases = lines(60, &|index| {
        // Of each label as many cases as its place says, until there are no more.
        let label = (0..20)
            .find(|label| label * (label + 1) / 2 >= index)
            .unwrap_or(19);
        let mut case = serde_json::json!({
            "id": format!("l{index}"), "text": format!("note {index}"), "question": "Which?",
            "labels": labels, "label": labels[label],
        });
        if index % 3 > 0 {
            case["specialty"] = ["Surgery", "Neurology"][index % 3 - 1].into();
        }
        case
    });
    place.write("labels.jsonl", cases);
    let texts = lines(5, &|index| {
        serde_json::json!({
            "id": format!("t{index}"), "question": format!("Summarise {index}."),
            "reference": format!("the patient number {index} has a fever"), "specialty": "Surgery",
        })
    });
    place.write("texts.jsonl", texts);
    place.write("study.toml", study());
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    let report = place.run(&["report", &run, "--out", "out"]);
    assert_eq!(report.code, 0, "{report:?}");
    let read = |file: &str| std::fs::read_to_string(place.path("out").join(file)).unwrap();

    // 60 cases: a third of them without a specialty.
    let subgroups = read("tables/accuracy-by-specialty.csv");
    let rows: Vec<&str> = subgroups.lines().skip(1).collect();
    assert!(rows[0].starts_with("Neurology,20,0.333"), "{subgroups}");
    assert!(rows[1].starts_with("Surgery,20,0.333"), "{subgroups}");
    assert!(rows[2].starts_with("unknown,20,0.333"), "{subgroups}");
    assert!(rows[3].starts_with("All cases,60,1,"), "{subgroups}");

    let by_label = read("tables/per-class.csv");
    let support: Vec<i64> = by_label
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(3).unwrap().parse().unwrap())
        .collect();
    assert!(
        support.len() > 10 && support.is_sorted_by(|a, b| a >= b),
        "{support:?}"
    );
    let markdown = read("report.md");
    assert!(
        markdown.contains("labels have fewer than 5 samples"),
        "no note"
    );
    assert!(
        markdown.contains("Single run: every case was asked once"),
        "no note"
    );
    // Twenty labels would make a matrix that nobody reads.
    assert!(!place.path("out/tables/confusion-matrix.csv").exists());
    let wrong = read("tables/confusion.csv");
    assert!(
        wrong.lines().count() > 5 && wrong.lines().count() <= 21,
        "{wrong}"
    );

    let text = read("tables/text.csv");
    assert_eq!(text.lines().count(), 3, "{text}");
    for metric in ["bleu", "rougeL"] {
        let row = text
            .lines()
            .find(|row| row.starts_with(&format!("summaries,direct,text,{metric},")))
            .unwrap();
        assert!(row.contains("against:reference"), "{row}");
    }
    assert_eq!(read("tables/text-by-specialty.csv").lines().count(), 3);
    // No case says how common its condition is: such a table would repeat the one over all cases.
    for left_out in ["accuracy-by-prevalence", "text-by-prevalence"] {
        assert!(
            !place
                .path("out/tables")
                .join(left_out)
                .with_extension("csv")
                .exists()
        );
        assert!(!markdown.contains(left_out), "{left_out}");
    }

    let verified = place.run(&["verify", &run, "--report", "out"]);
    assert_eq!(
        (verified.code, verified.stdout.as_str()),
        (0, "ok\n"),
        "{verified:?}"
    );
    // Two runs in one report.
    let again = place.run(&["run", "study.toml", "--new-run"]);
    assert!(
        again.stderr.contains("recorded as a sensitivity set"),
        "{again:?}"
    );
    let other = again.run().to_owned();
    let both = place.run(&["report", &run, &other, "--out", "both"]);
    assert_eq!(both.code, 0, "{both:?}");
    // Which of them gives the headline is said of the other.
    let name = |run: &str| run.rsplit('/').next().unwrap_or_default().to_owned();
    let note = format!(
        "{}: Sensitivity set: the study was run before as {first}; the headline numbers are those of {first}. \
         Samples asked again: direct 65.",
        name(&other),
        first = name(&run),
    );
    let page = std::fs::read_to_string(place.path("both/report.md")).unwrap();
    assert_eq!(page.matches("Sensitivity set").count(), 1, "{page}");
    assert!(page.contains(&note), "{note}\n{page}");
    assert!(!markdown.contains("Sensitivity set"), "{markdown}");
    let verified = place.run(&["verify", &run, &other, "--report", "both"]);
    assert_eq!(verified.code, 0, "{verified:?}");

    // A study that names the table gets it.
    let named = format!(
        "{}\n[[table]]\npreset = \"accuracy-by-prevalence\"\n",
        study()
    );
    place.write("named.toml", named);
    let run = place
        .run(&["run", "named.toml", "--new-run"])
        .run()
        .to_owned();
    let report = place.run(&["report", &run, "--out", "named"]);
    assert_eq!(report.code, 0, "{report:?}");
    let subgroups =
        std::fs::read_to_string(place.path("named/tables/accuracy-by-prevalence.csv")).unwrap();
    assert!(subgroups.contains("\nunknown,60,1,"), "{subgroups}");
    let verified = place.run(&["verify", &run, "--report", "named"]);
    assert_eq!(verified.code, 0, "{verified:?}");
}
