//! Cards, checks and conversion of datasets.

use serde_json::Value;

use crate::program::{Workplace, choice_cases, choice_study, public_data};

/// The known counts of the public sets: file, adapter and what the check must say.
const KNOWN: [(&str, &str, &[&str]); 13] = [
    (
        "craft_md/usmle_and_derm_dataset.csv",
        "craftmd",
        &["2004 cases"],
    ),
    ("mediq/all_dev_good.jsonl", "mediq", &["1272 cases"]),
    ("mediq/all_craft_md.jsonl", "mediq", &["140 cases"]),
    (
        "agentclinic/agentclinic_medqa.jsonl",
        "agentclinic",
        &["107 cases"],
    ),
    (
        "agentclinic/agentclinic_medqa_extended.jsonl",
        "agentclinic",
        &["214 cases"],
    ),
    (
        "medmcqa/dev.json",
        "medmcqa",
        &["4183 cases", "A 1348, B 1085, C 925, D 825"],
    ),
    (
        "mtcmb/data/TCM-MSDD.jsonl",
        "mtcmb-syndrome",
        &["100 cases", "阴虚阳亢证 14"],
    ),
    (
        "mtcmb/data/TCM-MSDD.jsonl",
        "mtcmb-disease",
        &["100 cases", "心悸病 16, 心衰病 9, 眩晕病 56, 胸痹心痛病 19"],
    ),
    (
        "mtcmb/data/TCM-Diagnosis.jsonl",
        "mtcmb-diagnosis",
        &["200 cases"],
    ),
    ("mtcmb/data/TCM-FRD.jsonl", "mtcmb-formula", &["200 cases"]),
    (
        "mtcmb/data/TCM-ED-A.jsonl",
        "mtcmb-choice",
        &["1200 cases", "A 254, B 250, C 256, D 248, E 192"],
    ),
    (
        "mtcmb/data/TCM-ED-B.jsonl",
        "mtcmb-choice",
        &["4800 cases", "A 965, B 983, C 1012, D 993, E 847"],
    ),
    (
        "mtcmb/data/TCM-SE-B.jsonl",
        "mtcmb-choice",
        &["50 cases", "A 19, B 11, C 7, D 13"],
    ),
];

#[test]
fn the_known_counts_of_the_public_files_hold() {
    let place = Workplace::new();
    for (file, adapter, words) in KNOWN {
        let Some(path) = public_data(file) else {
            continue;
        };
        let path = path.to_str().unwrap();
        let checked = place.run(&["datasets", "check", "--adapter", adapter, path]);
        assert_eq!(checked.code, 0, "{file}: {checked:?}");
        for word in words {
            assert!(checked.stdout.contains(word), "{file}: {word}: {checked:?}");
        }
        // The card knows the file, whatever the adapter is called.
        let known = place.run(&["datasets", "check", path, "--format", "json"]);
        let findings: Value = serde_json::from_str(&known.stdout).unwrap();
        assert_eq!(findings["datasets"][0]["counts"].get("card-differs"), None);
    }
}

#[test]
fn craftmd_as_choices_names_the_one_answer_that_is_none() {
    let Some(path) = public_data("craft_md/usmle_and_derm_dataset.csv") else {
        return;
    };
    let checked = Workplace::new().run(&[
        "datasets",
        "check",
        "--adapter",
        "craftmd",
        "--answer-form",
        "choice",
        path.to_str().unwrap(),
    ]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.stdout.contains("2003 cases"), "{checked:?}");
    assert!(
        checked
            .stdout
            .contains(":114: the gold answer is not among the 4 options"),
        "{checked:?}"
    );
}

#[test]
fn imported_cases_are_read_back_as_they_were() {
    let place = Workplace::new();
    let cases = choice_cases(1500);
    place.write("cases.jsonl", &cases);
    let simulated = "kind = \"simulated\"\naccuracy = 1.0";
    let study = choice_study(simulated);
    place.write("study.toml", &study);
    let imported = place.run(&["datasets", "import", "study.toml", "--out", "cases.parquet"]);
    assert_eq!(
        (imported.code, imported.stdout.as_str()),
        (0, "cases.parquet\n"),
        "{imported:?}"
    );
    // The same study over the imported cases: no fields, no answer form.
    let (before, after) = study.split_once("adapter").unwrap();
    let (_, after) = after.split_once("\n\n[[backend]]").unwrap();
    place.write(
        "again.toml",
        format!("{before}adapter = \"cases\"\npath = \"cases.parquet\"\n\n[[backend]]{after}"),
    );
    let hashes = |study: &str| {
        let run = place.run(&["run", study, "--limit", "1"]).run().to_owned();
        let rows = place.run(&[
            "sql",
            &run,
            "SELECT case_id, sha256 FROM cases ORDER BY case_id",
            "--format",
            "csv",
        ]);
        assert_eq!(rows.code, 0, "{rows:?}");
        rows.stdout
    };
    let first = hashes("study.toml");
    assert_eq!(first.lines().count(), 1501);
    assert_eq!(first, hashes("again.toml"));
}

#[test]
fn a_study_with_several_datasets_asks_which_one() {
    let place = Workplace::new();
    place.write("cases.jsonl", choice_cases(2));
    let study = choice_study("kind = \"simulated\"");
    let dataset = &study[study.find("[[dataset]]").unwrap()..study.find("[[backend]]").unwrap()];
    let second = dataset.replace("name = \"cases\"", "name = \"more\"");
    place.write("study.toml", format!("{study}\n{second}"));
    let refused = place.run(&["datasets", "import", "study.toml", "--out", "c.parquet"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("cases, more"), "{refused:?}");
    assert!(!place.path("c.parquet").exists());
    let chosen = place.run(&[
        "datasets",
        "import",
        "study.toml",
        "--dataset",
        "more",
        "--out",
        "c.parquet",
    ]);
    assert_eq!(chosen.code, 0, "{chosen:?}");
}

const FLAWED: &str = "{\"id\":\"1\",\"q\":\"Write to a.b@example.org, which?\",\"o\":[\"gout\",\"rash\"],\"g\":\"A\"}\n\
    {\"id\":\"1\",\"q\":\"Rash <b>, which?\",\"o\":[\"gout\",\"rash\"],\"g\":\"B\"}\r\n\
    {\"id\":\"3\",\"q\":\"Which?\",\"o\":[\"gout\",\"rash\"],\"g\":\"C\"}\n";

fn check(place: &Workplace, more: &[&str]) -> crate::program::Outcome {
    let mut arguments = vec![
        "datasets",
        "check",
        "flawed.jsonl",
        "--adapter",
        "table",
        "--answer-form",
        "choice",
    ];
    for field in ["id=id", "question=q", "options=o", "gold=g"] {
        arguments.extend(["--field", field]);
    }
    arguments.extend(more);
    place.run(&arguments)
}

#[test]
fn findings_come_as_text_json_and_html_and_never_quote_the_case() {
    let place = Workplace::new();
    place.write("flawed.jsonl", FLAWED);
    let text = check(&place, &[]);
    assert_eq!(text.code, 1, "{text:?}");
    for line in [
        "    flawed.jsonl:2: the identifier stands at line 1 already",
        "    flawed.jsonl:3: the gold answer is not among the 2 options",
        "    flawed.jsonl:2: the gold answer stands in `question`",
        "    flawed.jsonl:1: an e-mail address in `question`, at character 10",
    ] {
        assert!(
            text.stdout.lines().any(|printed| printed == line),
            "{line}: {text:?}"
        );
    }
    assert_eq!(text.stderr, "2 errors, 2 warnings, 1 hints\n");
    let json = check(&place, &["--format", "json"]);
    let found: Value = serde_json::from_str(&json.stdout).unwrap();
    let found = &found["datasets"][0];
    assert_eq!(
        (json.code, &found["errors"], &found["cases"]),
        (1, &2.into(), &2.into())
    );
    assert_eq!(found["findings"][0]["check"], "mixed-line-ends");
    assert_eq!(found["findings"][0]["line"], 2);
    let html = check(&place, &["--format", "html", "--out", "found.html"]);
    assert_eq!(
        (html.code, html.stdout.as_str()),
        (1, "found.html\n"),
        "{html:?}"
    );
    let page = std::fs::read_to_string(place.path("found.html")).unwrap();
    assert!(page.contains("gold-not-among-options") && page.contains("line 3"));
    for printed in [&text.stdout, &json.stdout, &page] {
        assert!(!printed.contains("example.org") && !printed.contains("Rash"));
    }
}

#[test]
fn a_hundred_thousand_rows_are_checked() {
    let place = Workplace::new();
    let mut cases = choice_cases(100_000);
    cases.push_str("{\"id\":\"case-00007\",\"question\":\"Again?\",\"options\":[\"a\",\"b\"],\"answer\":\"A\"}\n");
    place.write("cases.jsonl", cases);
    place.write("study.toml", choice_study("kind = \"simulated\""));
    let checked = place.run(&["datasets", "check", "study.toml"]);
    assert_eq!(checked.code, 1, "{checked:?}");
    assert!(checked.stdout.contains("100001 cases"), "{checked:?}");
    assert!(
        checked
            .stdout
            .contains(":100001: the identifier stands at line 8 already"),
        "{checked:?}"
    );
}

#[test]
fn a_card_is_checked_where_its_files_are() {
    let place = Workplace::new();
    let absent = place.run(&["datasets", "check", "mediq"]);
    assert_eq!(absent.code, 2, "{absent:?}");
    assert!(absent.stderr.contains("--data DIR"), "{absent:?}");
    place.write(
        "here/all_craft_md.jsonl",
        "{\"id\":0,\"question\":\"Which?\",\"context\":[],\"options\":{\"A\":\"x1\",\"B\":\"y1\"},\"answer_idx\":\"A\"}\n",
    );
    let other = place.run(&["datasets", "check", "mediq", "--data", "here"]);
    assert_eq!(other.code, 0, "{other:?}");
    assert!(other.stdout.contains("its card says 140"), "{other:?}");
}
