//! Runs that are no run, damaged, changed or asked for what they do not have.

use crate::bad_input::{SIMULATED, place, refused};
use crate::program::{choice_cases, choice_study};

#[test]
fn a_folder_that_is_no_run_and_a_newer_run_say_so() {
    let place = place(&choice_study(SIMULATED), choice_cases(2));
    std::fs::create_dir(place.path("empty")).unwrap();
    refused(&place, &["report", "./empty"], &["manifest.json"]);
    refused(&place, &["report", "nothing-like-it"], &["nothing-like-it"]);
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    let manifest = place.path(&run).join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(
        &manifest,
        text.replacen("\"format_version\": 1", "\"format_version\": 99", 1),
    )
    .unwrap();
    refused(&place, &["report", &run], &["newer"]);
}

#[test]
fn a_changed_dataset_does_not_continue_an_old_run() {
    let place = place(&choice_study(SIMULATED), choice_cases(4));
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    place.write("cases.jsonl", choice_cases(5));
    refused(
        &place,
        &["run", "study.toml"],
        &["has changed", "--new-run"],
    );
    place.write(
        "study.toml",
        choice_study(SIMULATED).replace("seed = 7", "seed = 8"),
    );
    refused(
        &place,
        &["run", "study.toml", "--run", &run],
        &["seed: recorded 7, given 8"],
    );
}

#[test]
fn sql_only_reads() {
    let place = place(&choice_study(SIMULATED), choice_cases(4));
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    for statement in [
        "DROP TABLE samples",
        "CREATE TABLE x AS SELECT 1",
        "COPY samples TO 'out.csv'",
        "INSERT INTO samples SELECT * FROM samples",
        "SET datafusion.execution.batch_size = 1",
        "SELECT * FROM 'cases.jsonl'",
        "SELECT nonsense FROM samples",
    ] {
        refused(&place, &["sql", &run, statement], &["hint:"]);
    }
    assert!(!place.path("out.csv").exists());
}

#[test]
fn a_query_may_begin_with_a_comment() {
    let place = place(&choice_study(SIMULATED), choice_cases(4));
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    let query = std::fs::read_to_string(place.path(&run).join("tables/accuracy.sql")).unwrap();
    assert!(query.starts_with("--"));
    assert_eq!(
        place.count(&run, &format!("-- All.\nSELECT count(*) FROM ({query})")),
        1
    );
    // A misspelt option is no query.
    refused(
        &place,
        &["sql", &run, "SELECT 1", "--fromat", "csv"],
        &["--fromat"],
    );
}

#[test]
fn a_missing_or_shortened_part_is_never_read_past() {
    let place = place(&choice_study(SIMULATED), choice_cases(4));
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    for table in ["cases", "samples", "calls", "scores"] {
        let folder = place.path(&run).join(table);
        let part = std::fs::read_dir(&folder)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let bytes = std::fs::read(&part).unwrap();
        for damaged in [None, Some(&bytes[..bytes.len() - 1])] {
            std::fs::remove_file(&part).unwrap();
            if let Some(damaged) = damaged {
                std::fs::write(&part, damaged).unwrap();
            }
            refused(&place, &["report", &run], &["consilium verify"]);
            assert_eq!(place.run(&["verify", &run]).code, 1);
            if table == "scores" {
                refused(
                    &place,
                    &["score", &run, "--scorer", "choice"],
                    &["consilium verify"],
                );
                // They follow from the rest, to the byte.
                assert_eq!(place.run(&["score", &run]).code, 0);
                assert_eq!(std::fs::read(&part).unwrap(), bytes);
            } else {
                refused(&place, &["score", &run], &["consilium verify"]);
            }
            std::fs::write(&part, &bytes).unwrap();
        }
    }
    assert_eq!(place.run(&["verify", &run]).stdout, "ok\n");
    assert_eq!(place.count(&run, "SELECT count(*) FROM scores"), 4);
}

#[test]
fn verify_finds_changed_queries_tables_and_studies() {
    let place = place(&choice_study(SIMULATED), choice_cases(4));
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    for file in ["tables/accuracy.sql", "tables/accuracy.json", "study.toml"] {
        let path = place.path(&run).join(file);
        let text = std::fs::read(&path).unwrap();
        for change in [Some("x"), None] {
            match change {
                Some(more) => {
                    std::fs::write(&path, [text.as_slice(), more.as_bytes()].concat()).unwrap();
                }
                None => std::fs::remove_file(&path).unwrap(),
            }
            let verified = place.run(&["verify", &run]);
            assert_eq!(verified.code, 1, "{file}: {verified:?}");
            std::fs::write(&path, &text).unwrap();
        }
    } // A table that was hidden as one without rows, or taken away with its query.
    let contents = place.path(&format!("{run}/tables/contents.json"));
    let text = std::fs::read_to_string(&contents).unwrap();
    let mut hidden: serde_json::Value = serde_json::from_str(&text).unwrap();
    hidden["written"] = serde_json::json!([]);
    hidden["empty"] = serde_json::json!(["accuracy"]);
    for file in ["tables/accuracy.sql", "tables/accuracy.json"] {
        std::fs::remove_file(place.path(&run).join(file)).unwrap();
    }
    for listed in [text, hidden.to_string()] {
        std::fs::write(&contents, listed).unwrap();
        let verified = place.run(&["verify", &run]);
        assert_eq!(verified.code, 1, "{verified:?}");
        assert!(verified.stdout.contains("accuracy.json"), "{verified:?}");
    }
}

#[test]
fn a_query_that_never_pauses_ends_at_its_deadline() {
    let place = place(&choice_study(SIMULATED), choice_cases(4));
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    // One value that takes minutes: nothing inside it gives other tasks a turn.
    let query = "SELECT levenshtein(repeat('a', 200000), repeat(outcome, 200000)) FROM samples";
    refused(
        &place,
        &["sql", &run, query, "--timeout", "1"],
        &["longer than 1 s", "hint:"],
    );
}

#[test]
fn what_cannot_begin_leaves_no_run() {
    let keyed = "kind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \
                 \"CONSILIUM_ABSENT_KEY\"";
    let empty = choice_study(SIMULATED).replace(
        "answer_form",
        "filter = { specialty = \"Cardiology\" }\nanswer_form",
    );
    for (study, arguments, word) in [
        (choice_study(SIMULATED), &["--only", "nope"][..], "'nope'"),
        (choice_study(SIMULATED), &["--limit", "0"], "--limit 0"),
        (
            choice_study(SIMULATED),
            &["--epochs", "0"],
            "study.epochs is 0",
        ),
        (choice_study(SIMULATED), &["--run", "nope"], "nope"),
        (choice_study(keyed), &[], "CONSILIUM_ABSENT_KEY"),
        (empty, &[], "none of its 4 cases is left"),
    ] {
        let place = place(&study, choice_cases(4));
        refused(
            &place,
            &[&["run", "study.toml"], arguments].concat(),
            &[word],
        );
        let left = std::fs::read_dir(place.path("runs")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{word}");
    }
}

#[test]
fn a_case_named_twice_is_one_page() {
    let place = place(&choice_study(SIMULATED), choice_cases(4));
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    let case = ["--case", "case-00001"];
    let report = place.run(&[&["report", &run, "--format", "md"][..], &case, &case].concat());
    assert_eq!(report.code, 0, "{report:?}");
    let pages = report
        .stderr
        .lines()
        .filter(|line| line.starts_with("case: ") && line.contains(".md"));
    assert_eq!(pages.count(), 1, "{report:?}");
}

#[test]
fn a_failed_import_leaves_nothing_behind() {
    let place = place(&choice_study(SIMULATED), choice_cases(4));
    let mut cases = choice_cases(4);
    cases.push_str("{no case}\n");
    place.write("cases.jsonl", cases);
    let study = choice_study(SIMULATED).replace("answer_form", "strict = true\nanswer_form");
    place.write("study.toml", study);
    std::fs::create_dir(place.path("out")).unwrap();
    let out = ["--out", "out/cases.parquet"];
    refused(
        &place,
        &[&["datasets", "import", "study.toml"][..], &out].concat(),
        &["cases.jsonl"],
    );
    assert_eq!(std::fs::read_dir(place.path("out")).unwrap().count(), 0);
}
