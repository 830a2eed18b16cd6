//! A judge scores recorded answers: resumed after a crash, offline for everything else.

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::program::{MockServer, Workplace};

const CASES: i64 = 40;
const CONCURRENCY: usize = 2;

/// Diagnosis cases whose gold no answer equals.
fn cases() -> String {
    let cases: Vec<String> = (0..CASES)
        .map(|index| {
            let case = json!({
                "id": format!("case-{index:02}"), "text": format!("Patient {index} has a red toe."),
                "gold": [format!("Podagra type {index}"), format!("Gout type {index}")],
            });
            case.to_string()
        })
        .collect();
    cases.join("\n")
}

/// A constant answer, judged through a server under a policy.
fn study(base_url: &str, policy: &str) -> String {
    format!(
        "[study]\nname = \"judged\"\nseed = 7\n[[dataset]]\nname = \"toes\"\nadapter = \"table\"\npath = \
         \"cases.jsonl\"\nanswer_form = \"diagnosis\"\nfields = {{ id = \"id\", text = \"text\", gold = \"gold\" \
         }}\n[[backend]]\nname = \"judging\"\nkind = \"openai\"\nbase_url = \"{base_url}\"\nmodel = \"m\"\n\
         api_key_env = \"JUDGE_TEST_KEY\"\nlimits = {{ concurrency = {CONCURRENCY}, retries = 0 }}\n\
         [[system]]\nname = \"gout\"\nsolver = \"constant\"\nvariant = {{ answer = \"Gout\" }}\n[[scorer]]\n\
         kind = \"judge\"\nbackend = \"judging\"\npolicy = \"{policy}\"\n[[scorer]]\nkind = \"label\"\n\
         datasets = [\"toes\"]\n"
    )
}

fn run_unscored(place: &Workplace) -> String {
    let mut command = place.command(&["run", "study.toml", "--no-score"]);
    let output = command.env("JUDGE_TEST_KEY", "k").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn score(place: &Workplace, run: &str) -> (bool, String) {
    let mut command = place.command(&["score", run]);
    let output = command.env("JUDGE_TEST_KEY", "k").output().unwrap();
    (
        output.status.success(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

const PAID_TWICE: &str = "SELECT count(*) FROM (SELECT 1 FROM calls WHERE scorer IS NOT NULL GROUP BY \
                          scorer, case_id, system, epoch, seq, request_sha256 HAVING count(*) > 1)";

#[test]
fn a_killed_judge_loses_nothing_finished_and_pays_nothing_twice() {
    let place = Workplace::new();
    let server = MockServer::start(&["--latency-ms", "40"]);
    place.write("cases.jsonl", cases());
    place.write("study.toml", study(&server.base_url, "medxagent_v1"));
    let run = run_unscored(&place);
    let journal = place.path(&run).join("journal");
    let journalled = || -> i64 {
        std::fs::read_dir(&journal).map_or(0, |entries| {
            entries
                .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap_or_default())
                .map(|text| {
                    text.lines()
                        .filter(|line| line.contains("\"judge\""))
                        .map(|_| 1)
                        .sum::<i64>()
                })
                .sum()
        })
    };
    let mut finished = 0;
    for _ in 0..2 {
        let mut process = place
            .command(&["score", &run])
            .env("JUDGE_TEST_KEY", "k")
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(process.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("answers to judge") {
            line.clear();
            assert!(
                stderr.read_line(&mut line).unwrap() > 0,
                "it ended before it began"
            );
        }
        // What an earlier process left was moved into parts when this one began.
        let deadline = Instant::now() + Duration::from_secs(30);
        while journalled() < 8 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        process.kill().unwrap();
        process.wait().unwrap();
        let left = journalled();
        assert!(left >= 8, "{left} calls in the journal");
        finished += left;
    }
    let (done, said) = score(&place, &run);
    assert!(done, "{said}");
    let scored =
        "SELECT count(DISTINCT case_id) FROM scores WHERE scorer = 'judge' AND value IS NOT NULL";
    assert_eq!(place.count(&run, scored), CASES, "{said}");
    assert_eq!(place.count(&run, PAID_TWICE), 0);
    let calls = place.count(&run, "SELECT count(*) FROM calls WHERE scorer = 'judge'");
    let judged_now: i64 = said
        .lines()
        .find_map(|line| {
            line.split_once("answers judged with ")?
                .1
                .split(' ')
                .next()?
                .parse()
                .ok()
        })
        .unwrap();
    assert_eq!(judged_now + finished, calls, "{said}");

    // Scoring again asks nobody, and what was said follows from the records without a server.
    drop(server);
    let (done, said) = score(&place, &run);
    assert!(done && !said.contains("answers to judge"), "{said}");
    assert_eq!(place.run(&["verify", &run]).stdout, "ok\n");
}

#[test]
fn other_scorers_need_neither_key_nor_server_and_another_policy_asks_again() {
    let place = Workplace::new();
    let server = MockServer::start(&[]);
    place.write("cases.jsonl", cases());
    place.write("study.toml", study(&server.base_url, "medxagent_v1"));
    let run = run_unscored(&place);
    let label = place.run(&["score", &run, "--scorer", "label"]);
    assert_eq!(label.code, 0, "{label:?}");
    let judge = place.run(&["score", &run, "--scorer", "judge"]);
    assert_eq!(judge.code, 2);
    assert!(judge.stderr.contains("JUDGE_TEST_KEY"), "{judge:?}");

    assert!(score(&place, &run).0);
    let calls = "SELECT count(*) FROM calls WHERE scorer = 'judge'";
    let first = place.count(&run, calls);
    place.write("study.toml", study(&server.base_url, "craftmd_v1"));
    let mut again = place.command(&["run", "study.toml"]);
    let output = again.env("JUDGE_TEST_KEY", "k").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(place.count(&run, calls) > first);
    let policies = "SELECT count(DISTINCT signature) FROM scores WHERE scorer = 'judge'";
    assert_eq!(place.count(&run, policies), 1);
    // Back to the first policy: everything was paid for.
    let both = place.count(&run, calls);
    place.write("study.toml", study(&server.base_url, "medxagent_v1"));
    let mut back = place.command(&["run", "study.toml"]);
    assert!(back.env("JUDGE_TEST_KEY", "k").status().unwrap().success());
    assert_eq!(place.count(&run, calls), both);
    assert_eq!(place.run(&["verify", &run]).stdout, "ok\n");

    let table = std::fs::read_to_string(place.path(&run).join("tables/judge.json")).unwrap();
    assert!(table.contains("Judge not validated") && table.contains("medxagent_v1.1"));
    let accuracy = std::fs::read_to_string(place.path(&run).join("tables/accuracy.json")).unwrap();
    assert!(accuracy.contains("Judge not validated"));
}

#[test]
fn a_judge_that_fails_leaves_the_score_missing_between_its_bounds() {
    let place = Workplace::new();
    place.write("cases.jsonl", cases());
    let simulated = study("x", "strict_synonym").replace(
        "kind = \"openai\"\nbase_url = \"x\"\nmodel = \"m\"\napi_key_env = \"JUDGE_TEST_KEY\"\n",
        "kind = \
                  \"simulated\"\naccuracy = 1.0\nerror_rate = 0.3\n",
    );
    place.write("study.toml", simulated);
    let run = place.run(&["run", "study.toml"]);
    let run = run.run();
    let missing = "SELECT count(*) FROM scores WHERE scorer = 'judge' AND value IS NULL AND reason = 'judge_failed'";
    let missing = place.count(run, missing);
    assert!(missing > 0 && missing < CASES, "{missing}");
    let unexplained = "SELECT count(*) FROM scores WHERE value IS NULL AND reason IS NULL";
    assert_eq!(place.count(run, unexplained), 0);
    let table: serde_json::Value =
        serde_json::from_slice(&std::fs::read(place.path(run).join("tables/judge.json")).unwrap())
            .unwrap();
    let cell = |name: &str| {
        let columns = table["columns"].as_array().unwrap();
        let at = columns
            .iter()
            .position(|column| column["name"] == name)
            .unwrap();
        table["rows"][0][at]["value"].clone()
    };
    assert_eq!(cell("missing"), missing);
    assert_eq!(cell("worst_case"), 0.0);
    let best = cell("best_case").as_f64().unwrap();
    assert!(
        (best - missing as f64 / CASES as f64).abs() < 1e-12,
        "{best}"
    );
    assert_eq!(place.run(&["verify", run]).stdout, "ok\n");
}

#[test]
fn a_judge_that_shares_its_model_is_pointed_out() {
    let place = Workplace::new();
    place.write("cases.jsonl", cases());
    let server = MockServer::start(&[]);
    let shared = study(&server.base_url, "craftmd_v1")
        .replace("api_key_env = \"JUDGE_TEST_KEY\"\n", "")
        .replace(
            "solver = \"constant\"\nvariant = { answer = \"Gout\" }",
            "solver = \"direct\"\nbackend = \"judging\"",
        );
    place.write("study.toml", shared);
    let check = place.run(&["check", "study.toml"]);
    assert_eq!(check.code, 0, "{check:?}");
    assert!(
        check.stderr.contains("share the model 'm': gout"),
        "{check:?}"
    );
}

#[test]
fn a_judge_is_estimated_and_bound_by_the_budget() {
    let place = Workplace::new();
    let server = MockServer::start(&[]);
    place.write("cases.jsonl", cases());
    let plain = study(&server.base_url, "medxagent_v1").replace(
        "limits =",
        "price = { input = 1.0, output = 2.0 }\nlimits =",
    );
    let limited = format!("{plain}[budget]\ncalls = 5\n");
    place.write("study.toml", &limited);
    let planned = place.run(&["run", "study.toml", "--dry-run"]);
    // Two accepted answers a case.
    let line = planned
        .stdout
        .lines()
        .find(|line| line.contains("judge judge with judging"));
    let line = line.unwrap_or_else(|| panic!("{planned:?}"));
    for part in ["40 answers", "at most 80 calls", "USD"] {
        assert!(line.contains(part), "{line}");
    }
    let run = run_unscored(&place);
    let calls = "SELECT count(*) FROM calls WHERE scorer = 'judge'";
    let (sound, said) = score(&place, &run);
    assert!(
        !sound && said.contains("budget.calls = 5 is used up"),
        "{said}"
    );
    assert_eq!(place.count(&run, calls), 5);
    // What is given is right and only unfinished, as with a solver.
    let mut again = place.command(&["score", &run]);
    let status = again.env("JUDGE_TEST_KEY", "k").output().unwrap().status;
    assert_eq!(status.code(), Some(1));
    assert_eq!(place.count(&run, calls), 5);
    // With more to spend it goes on from there.
    place.write("study.toml", plain);
    let output = place
        .command(&["run", "study.toml"])
        .env("JUDGE_TEST_KEY", "k")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(place.count(&run, PAID_TWICE), 0);
}
