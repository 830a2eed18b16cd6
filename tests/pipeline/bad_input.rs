//! Whatever is wrong gives one clear message with place and hint, and exit code 2.

use crate::program::{MockServer, Outcome, Workplace, choice_cases, choice_study};

const SIMULATED: &str = "kind = \"simulated\"\naccuracy = 0.5";

fn place(study: &str, cases: impl AsRef<[u8]>) -> Workplace {
    let place = Workplace::new();
    place.write("study.toml", study);
    place.write("cases.jsonl", cases);
    place
}

fn refused(place: &Workplace, arguments: &[&str], words: &[&str]) -> Outcome {
    let outcome = place.run(arguments);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    assert!(outcome.stdout.is_empty(), "{outcome:?}");
    assert_eq!(
        outcome
            .stderr
            .lines()
            .filter(|line| line.starts_with("error:"))
            .count(),
        1,
        "{outcome:?}"
    );
    for word in words {
        assert!(
            outcome.stderr.contains(word),
            "{word:?} is missing: {}",
            outcome.stderr
        );
    }
    outcome
}

fn refused_study(study: &str, words: &[&str]) {
    refused(
        &place(study, choice_cases(4)),
        &["run", "study.toml"],
        words,
    );
}

#[test]
fn an_unknown_key_names_line_and_nearest_key() {
    let study = choice_study(SIMULATED).replace("seed = 7", "sead = 7");
    refused_study(
        &study,
        &[
            "study.toml:3:1",
            "unknown field `sead`",
            "hint: did you mean `seed`?",
        ],
    );
}

#[test]
fn a_wrong_type_names_line_and_column() {
    let study = choice_study(SIMULATED).replace("seed = 7", "seed = \"seven\"");
    refused_study(&study, &["study.toml:3:8", "invalid type"]);
}

#[test]
fn missing_files_are_named() {
    let place = Workplace::new();
    refused(&place, &["run", "nowhere.toml"], &["nowhere.toml", "hint:"]);
    let study = choice_study(SIMULATED).replace("cases.jsonl", "elsewhere.jsonl");
    refused_study(
        &study,
        &[
            "dataset 'cases'",
            "elsewhere.jsonl",
            "relative to the study file",
        ],
    );
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let study = choice_study(SIMULATED).replace("backend = \"model\"", "backend = \"modell\"");
    refused_study(
        &study,
        &["system 'direct'", "'modell'", "did you mean 'model'?"],
    );
    let study = choice_study(SIMULATED).replace("solver = \"direct\"", "solver = \"dircet\"");
    refused_study(&study, &["dircet", "did you mean 'direct'?"]);
}

#[test]
fn an_empty_dataset_is_refused() {
    let study = choice_study(SIMULATED);
    refused(
        &place(&study, ""),
        &["run", "study.toml"],
        &["cases.jsonl", "holds no rows"],
    );
    refused(
        &place(&study, "{}\n[]\n"),
        &["run", "study.toml"],
        &["none of its 2 rows", "line 1"],
    );
}

#[test]
fn duplicate_identifiers_are_fatal_with_both_places() {
    let cases = choice_cases(3) + &choice_cases(1);
    let place = place(&choice_study(SIMULATED), cases);
    refused(
        &place,
        &["run", "study.toml"],
        &["'case-00000'", "line 1", "line 4"],
    );
}

#[test]
fn malformed_rows_are_counted_placed_and_skipped_unless_strict() {
    let mut cases = choice_cases(4).into_bytes();
    cases.extend_from_slice(b"{\"id\": \"x\"\n\xff\xfe\n{\"id\":\"y\",\"question\":\"q\",\"options\":[\"a\"],\"answer\":\"A\"}\n");
    let tolerant = place(&choice_study(SIMULATED), &cases);
    let outcome = tolerant.run(&["run", "study.toml"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for word in [
        "3 malformed rows",
        "cases.jsonl:line 5",
        "line 6: not UTF-8",
        "line 7: a choice needs",
    ] {
        assert!(outcome.stderr.contains(word), "{word}: {}", outcome.stderr);
    }
    assert_eq!(
        tolerant.count(outcome.run(), "SELECT count(*) FROM samples"),
        4
    );
    let strict = choice_study(SIMULATED).replace("answer_form", "strict = true\nanswer_form");
    refused(
        &place(&strict, &cases),
        &["run", "study.toml"],
        &["line 5", "strict = true"],
    );
}

#[test]
fn a_line_of_ten_megabytes_is_a_case_like_any_other() {
    let long = "x".repeat(10 << 20);
    let cases = format!(
        "{{\"id\":\"long\",\"question\":\"{long}\",\"options\":[\"a\",\"b\"],\"answer\":\"A\"}}\n"
    );
    let place = place(&choice_study(SIMULATED), cases);
    let outcome = place.run(&["run", "study.toml"]);
    assert_eq!(
        place.count(
            outcome.run(),
            "SELECT CAST(max(length(messages)) > 10000000 AS INT) FROM calls"
        ),
        1
    );
}

#[test]
fn an_unreachable_backend_gives_samples_with_their_reason_and_exit_code_1() {
    let backend = "kind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m\"\nlimits = { retries = 0 }";
    let place = place(&choice_study(backend), choice_cases(3));
    let outcome = place.run(&["run", "study.toml"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let run = outcome.stdout.trim();
    let failed = "SELECT count(*) FROM samples WHERE outcome = 'error' AND error_kind = 'transport' AND error IS NOT NULL";
    assert_eq!(place.count(run, failed), 3);
    assert_eq!(
        place.count(
            run,
            "SELECT count(*) FROM scores WHERE value IS NULL AND reason = 'error'"
        ),
        3
    );
}

#[test]
fn a_missing_key_names_the_variable_and_nothing_else() {
    let backend = "kind = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\napi_key_env = \"CONSILIUM_TEST_NO_SUCH_KEY\"";
    refused_study(
        &choice_study(backend),
        &["CONSILIUM_TEST_NO_SUCH_KEY", "is not set"],
    );
}

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
fn keys_never_reach_the_run() {
    let server = MockServer::start(&[]);
    let backend = format!(
        "kind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m\"\napi_key_env = \"CONSILIUM_TEST_KEY\"",
        server.base_url
    );
    let place = place(&choice_study(&backend), choice_cases(2));
    let output = place
        .command(&["run", "study.toml"])
        .env("CONSILIUM_TEST_KEY", "sk-canary-7319")
        .output()
        .unwrap();
    assert!(output.status.success());
    let run = String::from_utf8(output.stdout).unwrap();
    let mut folders = vec![place.path(run.trim())];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                assert!(
                    !bytes.windows(14).any(|window| window == b"sk-canary-7319"),
                    "{}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn a_refused_key_stops_the_run_with_one_message_and_nothing_recorded_as_failed() {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let requests = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&requests);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, seen) = (stream.unwrap(), Arc::clone(&seen));
            std::thread::spawn(move || {
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut length = 0;
                let mut line = String::new();
                while reader.read_line(&mut line).unwrap_or(0) > 2 {
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                reader.read_exact(&mut vec![0; length]).unwrap();
                seen.fetch_add(1, Ordering::Relaxed);
                let body = "{\"error\":{\"message\":\"Incorrect API key provided: sk-canary\",\"code\":\"invalid_api_key\"}}";
                write!(
                    stream,
                    "HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: \
                     close\r\n\r\n{body}",
                    body.len()
                )
                .unwrap();
            });
        }
    });
    let backend = format!(
        "kind = \"openai\"\nbase_url = \"http://{address}/v1\"\nlimits = {{ concurrency = 4 }}"
    );
    let place = place(&choice_study(&backend), choice_cases(500));
    refused(
        &place,
        &["run", "study.toml"],
        &["backend 'model'", "401", "hint:"],
    );
    assert!(
        requests.load(Ordering::Relaxed) <= 4,
        "{requests:?} requests with a refused key"
    );
    let run = std::fs::read_dir(place.path("runs"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    assert_eq!(
        place.count(run.to_str().unwrap(), "SELECT count(*) FROM samples"),
        0
    );
}

#[test]
fn keys_that_would_be_ignored_are_refused() {
    let study = choice_study(SIMULATED);
    refused_study(
        &format!("{study}[budget]\ncalls = 0\n"),
        &["[budget] allows nothing", "hint:"],
    );
    refused_study(
        &study.replace("seed = 7", "mode = \"train\""),
        &["no solver of this version learns"],
    );
    refused_study(
        &study.replace("seed = 7", "epochs = 1000000"),
        &["study.epochs is 1000000"],
    );
    let limited = study.replace("accuracy = 0.5", "limits = { rpm = 0 }");
    refused_study(&limited, &["backend 'model'", "allows nothing"]);
    for (line, word) in [
        ("overconfidence = 1.5", "overconfidence is out of range"),
        ("structured_output = \"text\"", "`structured_output`"),
        (
            "limits = { connect_timeout_s = 3 }",
            "limits.connect_timeout_s",
        ),
        (
            "limits = { first_byte_timeout_s = 3 }",
            "first_byte_timeout_s",
        ),
        (
            "generation = { temperature = -1 }",
            "generation.temperature",
        ),
        ("generation = { top_p = 0 }", "generation.top_p"),
        ("generation = { max_tokens = 0 }", "generation.max_tokens"),
        (
            "accuracy = [{ system = \"dirct\", value = 1 }]",
            "did you mean 'direct'?",
        ),
    ] {
        let with = study.replace("accuracy = 0.5", line);
        refused_study(&with, &["backend 'model'", word, "hint:"]);
    }
    let server = study.replace(
        "kind = \"simulated\"\naccuracy = 0.5",
        "kind = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\noverconfidence = 0.2",
    );
    refused_study(&server, &["backend 'model'", "`overconfidence`"]);
    let unasked = format!(
        "{study}[[system]]\nname = \"a\"\nsolver = \"constant\"\nvariant = {{ answer = \"A\" }}\n\
         generation = {{ temperature = 0.5 }}\n"
    );
    refused_study(&unasked, &["system 'a'", "`generation`", "hint:"]);
    let idle = study.replace(
        "solver = \"direct\"\n",
        "solver = \"direct\"\nrole_backends = { answer = \"model\" }\n",
    );
    refused_study(&idle, &["system 'direct'", "`backend` is of no use"]);
    for (table, word) in [
        ("preset = \"accuracy\"\nbaseline = \"direct\"", "`baseline`"),
        (
            "preset = \"differences\"\nbaseline = \"dirct\"",
            "did you mean 'direct'?",
        ),
    ] {
        refused_study(&format!("{study}[[table]]\n{table}\n"), &["table", word]);
    }
}

#[test]
fn selections_name_the_dataset_and_what_is_wrong() {
    let with = |line: &str| {
        choice_study(SIMULATED).replace("answer_form", &format!("{line}\nanswer_form"))
    };
    for (line, word) in [
        (
            "filter = { speciality = \"x\" }",
            "did you mean 'specialty'?",
        ),
        ("filter = { specialty = [] }", "keeps nothing"),
        ("where = \"random() < 0.5\"", "another value each time"),
        ("where = \"1=1) OR (1=1\"", "where is no predicate"),
        ("where = \"nonsense = 1\"", "nonsense"),
        (
            "filter = { specialty = \"Cardiology\" }",
            "none of its 4 cases is left",
        ),
    ] {
        refused_study(&with(line), &["dataset 'cases'", word]);
    }
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
            for command in ["report", "score"] {
                refused(&place, &[command, &run], &["consilium verify"]);
            }
            assert_eq!(place.run(&["verify", &run]).code, 1);
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
fn a_metric_refuses_keys_that_it_does_not_have_on_their_own_line() {
    use std::io::Write as _;
    use std::process::Stdio;

    let place = Workplace::new();
    let inputs = r#"{"hyp": "a b", "refs": ["a b"]}"#;
    let line = |metric: &str, params: &str, inputs: &str| {
        format!(r#"{{"metric": "{metric}", "params": {params}, "inputs": {inputs}}}"#)
    };
    let lines = [
        line("sacrebleu.sentence_bleu", r#"{"tokenise": "zh"}"#, inputs),
        line("sacrebleu.sentence_bleu", r#"{"tokenize": "zh"}"#, inputs),
        line("embedding_cosine", r#"{"model": "x", "idf": true}"#, inputs),
        line("token_f1", "{}", r#"{"hyp": "a", "ref": ["a"]}"#),
    ];
    let mut process = place
        .command(&["metric"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = lines.join("\n");
    process
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = process.wait_with_output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let said: Vec<&str> = stdout.lines().collect();
    assert_eq!(said.len(), lines.len(), "{stdout}");
    assert!(said[0].contains(r#"there is no \"tokenise\"; did you mean \"tokenize\"?"#));
    assert!(said[1].contains("\"value\""), "{stdout}");
    assert!(said[2].contains(r#"there is no \"idf\""#), "{stdout}");
    assert!(said[3].contains(r#"there is no \"ref\"; did you mean \"refs\"?"#));
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
