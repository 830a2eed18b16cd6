//! Whatever is wrong gives one clear message with place and hint, and exit code 2.

use crate::program::{MockServer, Outcome, Workplace, choice_cases, choice_study};

pub(crate) const SIMULATED: &str = "kind = \"simulated\"\naccuracy = 0.5";

pub(crate) fn place(study: &str, cases: impl AsRef<[u8]>) -> Workplace {
    let place = Workplace::new();
    place.write("study.toml", study);
    place.write("cases.jsonl", cases);
    place
}

pub(crate) fn refused(place: &Workplace, arguments: &[&str], words: &[&str]) -> Outcome {
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
    assert_eq!(
        place.count(&place.only_run(), "SELECT count(*) FROM samples"),
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
            "generation = { extra = { messages = [] } }",
            "generation.extra.messages",
        ),
        (
            "generation = { extra = { model = \"m\" } }",
            "generation.extra.model",
        ),
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
