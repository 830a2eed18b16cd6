//! A process that records is killed, again and again.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::*;
use crate::journal::WAITING_APPENDS;

const RUN: &str = "CONSILIUM_TEST_KILLED_RUN";
const FIRST: &str = "CONSILIUM_TEST_KILLED_FIRST";

fn case(number: usize) -> String {
    format!("{number:06}")
}

/// The process that is killed; a no-op unless [`killing_the_recorder_loses_only_the_last_moment`]
/// started it.
#[test]
#[ignore = "runs as a child of the next test"]
fn record_until_killed() {
    let Some(path) = env::var_os(RUN) else { return };
    let first: usize = env::var(FIRST).unwrap().parse().unwrap();
    let directory = RunDirectory::open(Path::new(&path)).unwrap();
    let (recorder, _) = start_with(&directory, 8);
    for number in first.. {
        record(&recorder, &case(number));
        println!("\nrecorded {number}");
    }
}

#[test]
fn killing_the_recorder_loses_only_the_last_moment() {
    let (_folder, directory) = recorded_run();
    let mut recovered = 0;
    for acknowledged in [3, 64, 200] {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["--exact", "recorder::tests::killed::record_until_killed"])
            .args(["--ignored", "--nocapture"])
            .env(RUN, directory.root())
            .env(FIRST, recovered.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut recorded = lines
            .map(Result::unwrap)
            .filter(|line| line.starts_with("recorded "));
        let last = recorded.nth(acknowledged - 1);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(
            last,
            Some(format!("recorded {}", recovered + acknowledged - 1))
        );

        let (recorder, recovery) = start(&directory);
        assert_eq!(recovery.unreadable_lines, 0);
        recorder.finish(RunStatus::Incomplete).unwrap();
        assert_sound(&directory);
        let cases = cases_in_parts(&directory);
        let expected: Vec<String> = (0..cases.len()).map(case).collect();
        assert_eq!(cases, expected, "neither gaps nor doubles");
        // What waits for the writer is not written yet: three appends a sample.
        let waiting = WAITING_APPENDS / 3 + 1;
        assert!(
            cases.len() + waiting >= recovered + acknowledged,
            "{} of {acknowledged}",
            cases.len()
        );
        recovered = cases.len();
    }
}
