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

/// A study over a slow server, in a place of its own.
fn slow_study(server: &MockServer, cases: usize) -> Workplace {
    let place = Workplace::new();
    place.write("cases.jsonl", choice_cases(cases));
    place.write(
        "study.toml",
        choice_study(&format!(
            "kind = \"openai\"\nbase_url = \"{}\"\nmodel = \"m\"\nlimits = {{ concurrency = 4 }}",
            server.base_url
        )),
    );
    place
}

fn signal(process: &Child, name: &str) {
    let sent = std::process::Command::new("kill")
        .args([name, &process.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn a_termination_leaves_a_run_that_goes_on() {
    let server = MockServer::start(&["--latency-ms", "50"]);
    let place = slow_study(&server, 120);
    let (mut process, mut stderr) = executing(&place);
    std::thread::sleep(Duration::from_millis(200));
    signal(&process, "-TERM");
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("run again to continue"), "{said}");
    // What is said to be done is what is recorded.
    let recorded = place.count(&place.only_run(), "SELECT count(*) FROM samples");
    assert!(
        said.contains(&format!("\n{recorded} samples in ")),
        "{recorded}: {said}"
    );
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    assert_eq!(place.count(&run, "SELECT count(*) FROM attempts"), 120);
}

#[test]
fn verify_says_what_a_killed_run_has_in_its_journal_only() {
    let server = MockServer::start(&["--latency-ms", "20"]);
    let place = slow_study(&server, 200);
    let (mut process, _stderr) = executing(&place);
    std::thread::sleep(Duration::from_millis(400));
    process.kill().unwrap();
    process.wait().unwrap();
    let run = &*place.only_run();
    let verified = place.run(&["verify", run]);
    assert_eq!(verified.code, 1, "{verified:?}");
    for word in ["says running", "journal only", "consilium run"] {
        assert!(verified.stdout.contains(word), "{word}: {verified:?}");
    }
    place.run(&["run", "study.toml"]);
    assert_eq!(place.run(&["verify", run]).stdout, "ok\n");
}

#[cfg(unix)]
#[test]
fn a_run_that_may_only_be_read_is_read_and_refuses_to_be_written() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;

    /// Nobody: what a root user may write, this one may not.
    const NOBODY: u32 = 65_534;

    let place = Workplace::new();
    place.write("cases.jsonl", choice_cases(4));
    place.write("study.toml", choice_study("kind = \"simulated\""));
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    let root = place.path("");
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path.clone());
            }
            let mode = if path.is_dir() { 0o555 } else { 0o444 };
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    }
    std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o755)).unwrap();
    let is_root = std::fs::metadata(&root).unwrap().uid() == 0;
    let program = root.join("consilium");
    let ask = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        if is_root {
            // The binary's own folder may be closed to others.
            if !program.exists() {
                std::fs::copy(command.get_program(), &program).unwrap();
            }
            let mut other = std::process::Command::new(&program);
            other
                .args(arguments)
                .current_dir(&root)
                .uid(NOBODY)
                .stdin(Stdio::null());
            command = other;
        }
        command.output().unwrap()
    };
    for arguments in [
        &["verify", &run][..],
        &["sql", &run, "SELECT count(*) FROM samples"],
    ] {
        let output = ask(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }
    for arguments in [&["run", "study.toml"][..], &["score", &run]] {
        let output = ask(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains("ermission denied"), "{arguments:?}: {said}");
    }
    // So that the folder can be removed.
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
}
