//! What the run engine promises, through the binary.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::program::{MockServer, Workplace, choice_cases, choice_study};

fn place(server: &MockServer, cases: usize, backend: &str, more: &str) -> Workplace {
    let place = Workplace::new();
    place.write("cases.jsonl", choice_cases(cases));
    let backend = format!(
        "kind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m\"\n{backend}",
        server.base_url
    );
    place.write("study.toml", choice_study(&backend) + more);
    place
}

#[test]
fn engine_a_budget_stops_the_run_and_a_larger_one_goes_on() {
    let server = MockServer::start(&[]);
    let place = place(&server, 40, "", "\n[budget]\ncalls = 15\n");
    let stopped = place.run(&["run", "study.toml"]);
    assert_eq!(stopped.code, 1, "{stopped:?}");
    assert!(
        stopped.stderr.contains("budget.calls = 15") && stopped.stderr.contains("run again"),
        "{stopped:?}"
    );
    let run = stopped.stdout.trim().to_owned();
    assert_eq!(place.count(&run, "SELECT count(*) FROM calls"), 15);
    // The same budget is used up: nothing more is asked.
    let again = place.run(&["run", "study.toml"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert_eq!(place.count(&run, "SELECT count(*) FROM calls"), 15);
    let study = std::fs::read_to_string(place.path("study.toml")).unwrap();
    place.write("study.toml", study.replace("calls = 15", "calls = 50"));
    let finished = place.run(&["run", "study.toml"]);
    assert_eq!(finished.run(), run);
    assert_eq!(
        place.count(&run, "SELECT count(*) FROM samples WHERE outcome = 'ok'"),
        40
    );
    assert_eq!(place.run(&["verify", &run]).stdout, "ok\n");
}

#[test]
fn engine_a_budget_in_dollars_needs_prices() {
    let server = MockServer::start(&[]);
    let place = place(&server, 4, "", "\n[budget]\nusd = 1.0\n");
    let refused = place.run(&["run", "study.toml"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("budget.usd needs prices"),
        "{refused:?}"
    );
}

#[test]
fn engine_the_cache_answers_a_second_run_without_a_request() {
    let server = MockServer::start(&[]);
    let price = "price = { input = 1.0, output = 1.0 }";
    let place = place(&server, 20, price, "");
    let first = place.run(&["run", "study.toml", "--cache"]);
    let second = place.run(&["run", "study.toml", "--cache", "--new-run"]);
    let (first, second) = (first.run(), second.run());
    assert_ne!(first, second);
    let hits =
        "SELECT count(*) FROM calls WHERE cache_hit AND cost_usd = 0 AND latency_ms IS NOT NULL";
    assert_eq!(place.count(first, hits), 0);
    assert_eq!(place.count(second, hits), 20);
    let answers = |run: &str| {
        let sql = "SELECT case_id, answer FROM samples ORDER BY case_id";
        place.run(&["sql", run, sql, "--format", "csv"]).stdout
    };
    assert_eq!(answers(first), answers(second));
    // Another temperature could give another answer.
    let study = std::fs::read_to_string(place.path("study.toml")).unwrap();
    place.write(
        "study.toml",
        study.replace(price, "generation = { temperature = 0.5 }"),
    );
    let third = place.run(&["run", "study.toml", "--cache"]);
    assert_eq!(place.count(third.run(), hits), 0);
}

#[test]
fn engine_progress_as_json_and_a_log_without_case_text() {
    let server = MockServer::start(&["--latency-ms", "5", "--rps", "50", "--burst", "5"]);
    let place = place(&server, 30, "limits = { concurrency = 16 }", "");
    let outcome = place.run(&["run", "study.toml", "--json-progress"]);
    let run = outcome.run();
    let lines: Vec<Value> = outcome
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of = |event: &str| {
        lines
            .iter()
            .filter(|line| line["event"] == event)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("progress").len() + of("message").len(), lines.len());
    let said = |level: &str, text: &str| {
        of("message")
            .iter()
            .any(|line| line["level"] == level && line["message"].as_str().unwrap().contains(text))
    };
    assert!(said("info", "30 samples to execute"), "{lines:?}");
    let progress = of("progress");
    let last = progress.last().unwrap();
    assert_eq!((&last["done"], &last["planned"]), (&30.into(), &30.into()));
    for key in [
        "in_flight",
        "concurrency",
        "rate",
        "errors",
        "cost_usd",
        "eta_s",
    ] {
        assert!(last.get(key).is_some(), "{key}: {last}");
    }
    let log = std::fs::read_to_string(place.path(run).join("run.log.jsonl")).unwrap();
    let events: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let messages: Vec<&str> = events
        .iter()
        .filter_map(|event| event["message"].as_str())
        .collect();
    assert!(messages.contains(&"execution begins") && messages.contains(&"execution ends"));
    assert!(
        messages.contains(&"the server asks to wait"),
        "{messages:?}"
    );
    assert!(
        !log.contains("which one?") && !log.contains("alpha"),
        "{log}"
    );
}

#[test]
fn engine_a_dry_run_tells_calls_tokens_and_cost() {
    let server = MockServer::start(&[]);
    let place = place(&server, 12, "price = { input = 1.0, output = 1.0 }", "");
    let dry = place.run(&["run", "study.toml", "--dry-run"]);
    assert_eq!(dry.code, 0, "{dry:?}");
    for word in ["12 samples in all", "12 calls", "prompt and", "USD"] {
        assert!(dry.stdout.contains(word), "{word}: {}", dry.stdout);
    }
}

#[test]
fn engine_models_and_canaries_are_in_the_manifest() {
    let server = MockServer::start(&[]);
    let place = place(&server, 6, "", "\n[drift]\ncanaries = 2\n");
    let outcome = place.run(&["run", "study.toml"]);
    let run = outcome.run();
    let manifest = std::fs::read(place.path(run).join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let drift = &manifest["drift"];
    assert_eq!(drift["served"][0]["calls"], 6, "{drift}");
    assert_eq!(drift["served"][0]["fingerprint"], "mock");
    assert_eq!(drift["canaries"].as_array().unwrap().len(), 4);
    assert_eq!(place.count(run, "SELECT count(*) FROM calls"), 6);
    assert_eq!(place.run(&["verify", run]).stdout, "ok\n");
    assert!(
        !outcome.stderr.contains("did not stay the same"),
        "{outcome:?}"
    );
}

/// Signals by name; the exit code, and what was said.
fn signalled(signals: &[&str]) -> (Workplace, Option<i32>, String) {
    let server = MockServer::start(&["--latency-ms", "100"]);
    let place = place(&server, 300, "limits = { concurrency = 4 }", "");
    let mut process = place
        .command(&["run", "study.toml"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(process.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("samples to execute") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it ended at once");
    }
    for &signal in signals {
        std::thread::sleep(Duration::from_millis(300));
        // The process may have ended after the first one.
        let _sent = std::process::Command::new("kill")
            .args([signal, &process.id().to_string()])
            .stderr(Stdio::null())
            .status()
            .unwrap();
    }
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    let code = process.wait().unwrap().code();
    (place, code, said)
}

#[test]
fn engine_sigterm_leaves_a_run_that_goes_on() {
    let (place, code, said) = signalled(&["-TERM"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("run again to continue"), "{said}");
    assert_sound(&place);
}

#[test]
fn engine_two_interrupts_end_at_once_and_lose_nothing_recorded() {
    let (place, code, said) = signalled(&["-INT", "-INT"]);
    assert_eq!(code, Some(1), "{said}");
    assert_sound(&place);
}

/// What was recorded before is whole, and some of it is there.
fn assert_sound(place: &Workplace) {
    assert_eq!(place.run(&["verify", &place.only_run()]).stdout, "ok\n");
}

#[test]
fn engine_stderr_is_json_also_for_warnings_and_failures() {
    let server = MockServer::start(&[]);
    let place = place(&server, 4, "", "");
    let mut cases = std::fs::read_to_string(place.path("cases.jsonl")).unwrap();
    cases.push_str("{no case}\n");
    place.write("cases.jsonl", cases);
    let levels = |arguments: &[&str]| -> Vec<String> {
        let outcome = place.run(&[&["run", "study.toml", "--json-progress"], arguments].concat());
        let lines = outcome.stderr.lines();
        lines
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|line| line["event"] == "message")
            .map(|line| line["level"].as_str().unwrap().to_owned())
            .collect()
    };
    assert!(levels(&[]).contains(&"warning".to_owned()));
    assert_eq!(levels(&["--only", "nope"]), ["error", "hint"]);
}
