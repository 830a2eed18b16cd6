//! Nothing recorded is lost, nothing is done twice.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStderr, Stdio};
use std::time::Duration;

use crate::program::{MockServer, Workplace, choice_cases, choice_study};

/// Calls in flight at once in these tests.
const CONCURRENCY: u64 = 16;

fn stats(server: &MockServer) -> serde_json::Value {
    use std::io::Write as _;
    let address = server
        .base_url
        .trim_start_matches("http://")
        .trim_end_matches("/v1")
        .to_owned();
    let mut stream = std::net::TcpStream::connect(&address).unwrap();
    write!(
        stream,
        "GET /stats HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    serde_json::from_str(text.split("\r\n\r\n").nth(1).unwrap()).unwrap()
}

/// A run that has begun to ask, and the rest of what it says.
fn executing(place: &Workplace) -> (Child, BufReader<ChildStderr>) {
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
        assert!(
            stderr.read_line(&mut line).unwrap() > 0,
            "the run ended before it began"
        );
    }
    (process, stderr)
}

#[test]
fn kill_9_loses_no_finished_sample_and_repeats_none() {
    let place = Workplace::new();
    let server = MockServer::start(&["--latency-ms", "20"]);
    place.write("cases.jsonl", choice_cases(400));
    place.write(
        "study.toml",
        choice_study(&format!(
            "kind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m\"\nlimits = {{ concurrency = {CONCURRENCY} }}",
            server.base_url
        )),
    );
    let kills = 3;
    for kill in 0..kills {
        let mut process = place.command(&["run", "study.toml"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(450 + 130 * kill));
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let finished = place.run(&["run", "study.toml"]);
    let run = finished.run();
    assert_eq!(place.count(run, "SELECT count(*) FROM attempts"), 400);
    assert_eq!(
        place.count(run, "SELECT count(DISTINCT case_id) FROM samples"),
        400
    );
    assert_eq!(place.run(&["verify", run]).stdout, "ok\n");
    let requests = stats(&server)["requests"].as_u64().unwrap();
    assert!(
        (400..=400 + kills * CONCURRENCY).contains(&requests),
        "{requests} requests for 400 samples and {kills} kills"
    );
}

#[test]
fn a_second_process_on_the_same_run_is_refused() {
    let place = Workplace::new();
    let server = MockServer::start(&["--latency-ms", "200"]);
    place.write("cases.jsonl", choice_cases(60));
    place.write(
        "study.toml",
        choice_study(&format!(
            "kind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m\"\nlimits = {{ concurrency = 2 }}",
            server.base_url
        )),
    );
    let (mut first, _stderr) = executing(&place);
    let second = place.run(&["run", "study.toml"]);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.code, 2, "{second:?}");
    assert!(second.stderr.contains("another process"), "{second:?}");
}

#[test]
fn an_interrupt_leaves_a_run_that_goes_on() {
    let place = Workplace::new();
    let server = MockServer::start(&["--latency-ms", "50"]);
    place.write("cases.jsonl", choice_cases(200));
    place.write(
        "study.toml",
        choice_study(&format!(
            "kind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m\"\nlimits = {{ concurrency = 4 }}",
            server.base_url
        )),
    );
    let (mut process, mut stderr) = executing(&place);
    std::thread::sleep(Duration::from_millis(300));
    let interrupted = std::process::Command::new("kill")
        .args(["-INT", &process.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("run again to continue"), "{said}");
    let finished = place.run(&["run", "study.toml"]);
    assert_eq!(
        place.count(
            finished.run(),
            "SELECT count(*) FROM samples WHERE outcome = 'ok'"
        ),
        200
    );
    assert_eq!(place.run(&["verify", finished.run()]).stdout, "ok\n");
}

#[test]
fn failed_samples_are_asked_again_only_when_told_to() {
    let place = Workplace::new();
    place.write("cases.jsonl", choice_cases(20));
    let server = MockServer::start(&[]);
    let study = |base_url: &str| {
        choice_study(&format!(
            "kind = \"openai\"\nbase_url = \"{base_url}\"\nmodel = \"m\"\nlimits = {{ retries = 0 }}"
        ))
    };
    let base_url = server.base_url.clone();
    place.write("study.toml", study(&base_url));
    drop(server);
    let down = place.run(&["run", "study.toml"]);
    assert_eq!(down.code, 1, "{down:?}");
    assert!(
        down.stderr.contains("20 failed: transport") && down.stderr.contains("--retry failed"),
        "{down:?}"
    );
    let run = down.stdout.trim().to_owned();
    let again = place.run(&["run", "study.toml"]);
    assert!(
        again
            .stderr
            .contains("0 samples to execute, 20 of 20 recorded"),
        "{again:?}"
    );

    let address = base_url
        .trim_start_matches("http://")
        .trim_end_matches("/v1");
    let _server = MockServer::start(&["--listen", address]);
    let retried = place.run(&["run", "study.toml", "--retry", "failed"]);
    assert_eq!(retried.run(), run, "{retried:?}");
    assert_eq!(place.count(&run, "SELECT count(*) FROM attempts"), 40);
    assert_eq!(
        place.count(
            &run,
            "SELECT count(*) FROM samples WHERE outcome = 'ok' AND attempt = 2"
        ),
        20
    );
    assert_eq!(
        place.count(&run, "SELECT count(*) FROM scores WHERE value IS NOT NULL"),
        20
    );
    assert_eq!(place.run(&["verify", &run]).stdout, "ok\n");
}
