mod crash;
mod killed;

use std::fs;
use std::path::Path;

use consilium_core::ErrorKind;
use tempfile::TempDir;

use super::*;
use crate::fixtures::{FixedClock, call, event, manifest, new_run, sample};
use crate::{read_rows, verify};

fn options(samples_per_part: usize) -> RecorderOptions {
    RecorderOptions {
        samples_per_part,
        ..RecorderOptions::default()
    }
}

fn recorded_run() -> (TempDir, RunDirectory) {
    let (folder, directory) = new_run();
    directory.write_manifest(&manifest()).unwrap();
    (folder, directory)
}

fn start_with(directory: &RunDirectory, samples_per_part: usize) -> (Recorder, Recovery) {
    let lock = RunLock::acquire(directory).unwrap();
    let manifest = directory.manifest().unwrap();
    let clock = Arc::new(FixedClock(9));
    Recorder::start(
        directory.clone(),
        lock,
        manifest,
        clock,
        options(samples_per_part),
    )
    .unwrap()
}

fn start(directory: &RunDirectory) -> (Recorder, Recovery) {
    start_with(directory, 4096)
}

/// Records a sample of two calls and an event, without waiting where that can be.
fn record(recorder: &Recorder, case_id: &str) {
    recorder.append_call(call(case_id, 1, 0)).unwrap();
    recorder.append_call(call(case_id, 1, 1)).unwrap();
    let given_back = recorder
        .try_finish_sample(sample(case_id, 1, 2), vec![event(case_id, 1, 0)])
        .unwrap();
    if let Some((sample, events)) = given_back {
        recorder.finish_sample(sample, events).unwrap();
    }
}

fn cases_in_parts(directory: &RunDirectory) -> Vec<String> {
    let manifest = directory.manifest().unwrap();
    let rows = read_rows::<SampleRow>(directory, &manifest);
    let mut cases: Vec<String> = rows.map(|row| row.unwrap().case_id).collect();
    cases.sort();
    cases
}

fn calls_in_parts(directory: &RunDirectory) -> Vec<CallRow> {
    read_rows(directory, &directory.manifest().unwrap())
        .collect::<Result<_, _>>()
        .unwrap()
}

fn assert_sound(directory: &RunDirectory) {
    let verification = verify(directory).unwrap();
    assert!(
        verification.findings.is_empty(),
        "{:#?}",
        verification.findings
    );
    let manifest = directory.manifest().unwrap();
    let events = read_rows::<EventRow>(directory, &manifest).count();
    assert_eq!(
        events,
        cases_in_parts(directory).len(),
        "one event a sample"
    );
}

fn journal_files(directory: &RunDirectory) -> Vec<String> {
    let entries = fs::read_dir(directory.journal_folder()).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_finished_run_is_whole_and_its_journal_empty() {
    let (_folder, directory) = recorded_run();
    let (recorder, recovery) = start(&directory);
    assert_eq!(recovery, Recovery::default());
    for case in ["a", "b", "c"] {
        record(&recorder, case);
    }
    let manifest = recorder.finish(RunStatus::Complete).unwrap();
    assert_eq!(directory.manifest().unwrap(), manifest);
    assert_eq!(manifest.status, RunStatus::Complete);
    assert_eq!(manifest.finished_at, Some(9));
    assert_eq!(cases_in_parts(&directory), ["a", "b", "c"]);
    assert_eq!(calls_in_parts(&directory).len(), 6);
    assert_sound(&directory);
    assert!(journal_files(&directory).is_empty());
    // The lock is free although a handle is still there.
    RunLock::acquire(&directory).unwrap();
    let late = recorder
        .append_call(call("d", 1, 0))
        .unwrap_err()
        .to_string();
    assert_eq!(
        late,
        format!("record in run '{}': recording has ended", directory.name())
    );
    recorder.finish(RunStatus::Complete).unwrap_err();
}

#[test]
fn half_done_calls_come_back_and_are_not_doubled() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start(&directory);
    record(&recorder, "a");
    recorder.append_call(call("half", 1, 0)).unwrap();
    drop(recorder);

    let (recorder, recovery) = start(&directory);
    let expected = Recovery {
        finished_from_journal: 1,
        half_done: 1,
        unreadable_lines: 0,
    };
    assert_eq!(recovery, expected);
    assert_eq!(
        cases_in_parts(&directory),
        ["a"],
        "folded when recording starts"
    );
    let key = call("half", 1, 0).key();
    assert_eq!(recorder.recorded_calls(&key, 1), [call("half", 1, 0)]);
    assert!(recorder.recorded_calls(&key, 2).is_empty());

    // The runner may hand the replayed call in again; the paid one is kept.
    recorder
        .append_call(CallRow {
            tries: 0,
            ..call("half", 1, 0)
        })
        .unwrap();
    recorder.append_call(call("half", 1, 1)).unwrap();
    recorder
        .finish_sample(sample("half", 1, 2), vec![event("half", 1, 0)])
        .unwrap();
    recorder.finish(RunStatus::Complete).unwrap();
    assert_sound(&directory);
    assert!(
        calls_in_parts(&directory)
            .iter()
            .all(|call| call.tries == 1)
    );
}

#[test]
fn half_done_calls_survive_a_finish_and_every_later_start() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start(&directory);
    recorder.append_call(call("half", 1, 0)).unwrap();
    record(&recorder, "a");
    recorder.finish(RunStatus::Incomplete).unwrap();
    assert_eq!(journal_files(&directory).len(), 1);
    for _ in 0..2 {
        let (recorder, recovery) = start(&directory);
        let expected = Recovery {
            finished_from_journal: 0,
            half_done: 1,
            unreadable_lines: 0,
        };
        assert_eq!(recovery, expected);
        recorder.finish(RunStatus::Incomplete).unwrap();
    }
    assert_eq!(cases_in_parts(&directory), ["a"]);
    assert_sound(&directory);
}

#[test]
fn a_changed_request_takes_the_place_of_the_recorded_one() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start(&directory);
    recorder.append_call(call("a", 1, 0)).unwrap();
    let changed = CallRow {
        request_sha256: "other".to_owned(),
        ..call("a", 1, 0)
    };
    recorder.append_call(changed.clone()).unwrap();
    recorder
        .finish_sample(sample("a", 1, 1), vec![event("a", 1, 0)])
        .unwrap();
    recorder.finish(RunStatus::Complete).unwrap();
    assert_eq!(calls_in_parts(&directory), [changed]);
    assert_sound(&directory);
}

#[test]
fn carried_calls_are_offered_to_later_attempts_only_where_there_is_nothing_better() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start(&directory);
    let failed = CallRow {
        error_kind: Some(ErrorKind::Timeout),
        ..call("a", 2, 2)
    };
    let judge = CallRow {
        scorer: Some("judge".to_owned()),
        ..call("a", 1, 0)
    };
    recorder.carry_calls(vec![
        call("a", 2, 0),
        call("a", 1, 0),
        call("a", 1, 1),
        failed,
        judge.clone(),
        call("b", 1, 0),
    ]);
    recorder.append_call(call("a", 3, 1)).unwrap();
    let key = call("a", 1, 0).key();
    assert_eq!(
        recorder.recorded_calls(&key, 3),
        [call("a", 2, 0), call("a", 3, 1), judge.clone()]
    );
    assert_eq!(
        recorder.recorded_calls(&key, 1),
        [call("a", 1, 0), call("a", 1, 1), judge]
    );
    // Carrying records nothing.
    recorder.finish(RunStatus::Incomplete).unwrap();
    assert!(calls_in_parts(&directory).is_empty());
}

#[test]
fn scorer_calls_need_no_sample_and_are_not_doubled_by_recovery() {
    let (_folder, directory) = recorded_run();
    let judge = |seq| CallRow {
        scorer: Some("judge".to_owned()),
        ..call("a", 1, seq)
    };
    let (recorder, _) = start_with(&directory, 2);
    record(&recorder, "a");
    recorder.append_call(judge(0)).unwrap();
    recorder.append_call(judge(1)).unwrap();
    drop(recorder);
    // As if the manifest had been put back to before its journal was removed.
    let journal = directory.journal_folder().join("segment-000009.jsonl");
    let mut lines = Vec::new();
    Line::Call(&judge(0)).append_to(&mut lines).unwrap();
    Line::Sample(&sample("a", 1, 2))
        .append_to(&mut lines)
        .unwrap();
    fs::write(journal, lines).unwrap();

    let (recorder, _) = start(&directory);
    recorder.finish(RunStatus::Complete).unwrap();
    let calls = calls_in_parts(&directory);
    let judged: Vec<u32> = calls
        .iter()
        .filter(|call| call.scorer.is_some())
        .map(|call| call.seq)
        .collect();
    assert_eq!(judged, [0, 1]);
    assert_eq!(cases_in_parts(&directory), ["a"]);
    assert_sound(&directory);
}

#[test]
fn a_call_after_the_end_of_its_sample_does_not_haunt_the_run() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start(&directory);
    record(&recorder, "a");
    recorder.append_call(call("a", 1, 7)).unwrap();
    recorder.finish(RunStatus::Complete).unwrap();
    let (recorder, recovery) = start(&directory);
    assert_eq!(recovery, Recovery::default());
    recorder.finish(RunStatus::Complete).unwrap();
    assert!(journal_files(&directory).is_empty());
    assert_sound(&directory);
}

#[test]
fn absurd_counts_become_missing() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start(&directory);
    let absurd = CallRow {
        prompt_tokens: Some(u64::MAX),
        cost_usd: Some(f64::INFINITY),
        latency_ms: Some(f64::NAN),
        ..call("a", 1, 0)
    };
    recorder.append_call(absurd).unwrap();
    let total = SampleRow {
        prompt_tokens: Some(u64::MAX),
        ..sample("a", 1, 1)
    };
    recorder
        .finish_sample(total, vec![event("a", 1, 0)])
        .unwrap();
    recorder.finish(RunStatus::Complete).unwrap();
    let expected = CallRow {
        prompt_tokens: None,
        cost_usd: None,
        latency_ms: None,
        ..call("a", 1, 0)
    };
    assert_eq!(calls_in_parts(&directory), [expected]);
}

#[test]
fn many_threads_and_many_folds_lose_and_double_nothing() {
    for samples_per_part in [1, 16] {
        let (_folder, directory) = recorded_run();
        let (recorder, _) = start_with(&directory, samples_per_part);
        thread::scope(|scope| {
            for worker in 0..8 {
                let recorder = recorder.clone();
                scope.spawn(move || {
                    for number in 0..12 {
                        record(&recorder, &format!("{worker}-{number:02}"));
                    }
                });
            }
        });
        recorder.finish(RunStatus::Complete).unwrap();
        let cases = cases_in_parts(&directory);
        assert_eq!(cases.len(), 96);
        assert!(cases.is_sorted_by(|left, right| left < right));
        assert_sound(&directory);
        assert!(journal_files(&directory).is_empty());
    }
}

#[test]
fn large_rows_fill_a_part_before_many_rows_do() {
    let (_folder, directory) = recorded_run();
    let lock = RunLock::acquire(&directory).unwrap();
    let options = RecorderOptions {
        bytes_per_part: 10_000,
        shard: Some("1of2".to_owned()),
        ..RecorderOptions::default()
    };
    let (recorder, _) = Recorder::start(
        directory.clone(),
        lock,
        manifest(),
        Arc::new(FixedClock(9)),
        options,
    )
    .unwrap();
    for case in ["a", "b"] {
        let long = SampleRow {
            answer: Some("x".repeat(20_000)),
            ..sample(case, 1, 0)
        };
        recorder
            .finish_sample(long, vec![event(case, 1, 0)])
            .unwrap();
    }
    let manifest = recorder.finish(RunStatus::Complete).unwrap();
    let mut paths: Vec<&str> = manifest
        .parts
        .iter()
        .map(|part| part.path.as_str())
        .collect();
    paths.retain(|path| path.starts_with("samples/"));
    assert_eq!(
        paths,
        [
            "samples/part-1of2-00000.parquet",
            "samples/part-1of2-00001.parquet"
        ]
    );
    assert_sound(&directory);
}

#[test]
fn calls_that_a_restarted_sample_did_not_issue_again_are_no_part_of_it() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start(&directory);
    recorder.append_call(call("a", 1, 0)).unwrap();
    recorder.append_call(call("a", 1, 1)).unwrap();
    drop(recorder);

    let (recorder, recovery) = start(&directory);
    assert_eq!(recovery.half_done, 1);
    recorder
        .finish_sample(sample("a", 1, 1), Vec::new())
        .unwrap();
    recorder.finish(RunStatus::Complete).unwrap();
    let manifest = directory.manifest().unwrap();
    let calls: Vec<u32> = read_rows::<CallRow>(&directory, &manifest)
        .map(|row| row.unwrap().seq)
        .collect();
    assert_eq!(calls, [0]);
    assert_eq!(verify(&directory).unwrap().findings, []);
}
