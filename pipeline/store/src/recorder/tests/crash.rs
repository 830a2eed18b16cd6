//! A crash between any two steps, built from copies of the run before and after them.

use super::*;
use crate::journal::last_segment;

/// Continues a crashed run and ends it.
fn recover_and_finish(directory: &RunDirectory) -> Recovery {
    let (recorder, recovery) = start(directory);
    recorder.finish(RunStatus::Incomplete).unwrap();
    assert_sound(directory);
    recovery
}

#[test]
fn the_journal_cut_at_any_byte_gives_the_samples_that_were_whole() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start(&directory);
    record(&recorder, "a");
    recorder.append_call(call("c", 1, 0)).unwrap();
    record(&recorder, "b");
    drop(recorder);
    let segment = format!("journal/{}", journal_files(&directory)[0]);
    let bytes = fs::read(directory.root().join(&segment)).unwrap();
    let newlines: Vec<usize> = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at)
        .collect();
    assert_eq!(newlines.len(), 9);

    // Around every newline, and in the middle of every line.
    let cuts = newlines.iter().flat_map(|at| [at - 40, *at, at + 1]);
    for cut in cuts {
        let folder = tempfile::tempdir().unwrap();
        copy_folder(directory.root(), folder.path());
        fs::write(folder.path().join(&segment), &bytes[..cut]).unwrap();
        let crashed = RunDirectory::open(folder.path()).unwrap();
        recover_and_finish(&crashed);
        let whole_lines = newlines.iter().filter(|at| **at < cut).count();
        let expected: &[&str] = match whole_lines {
            0..4 => &[],
            4..9 => &["a"],
            _ => &["a", "b"],
        };
        assert_eq!(cases_in_parts(&crashed), expected, "cut at {cut}");
    }
}

#[test]
fn a_crash_between_any_two_steps_of_a_fold_loses_and_doubles_nothing() {
    // Before: everything in the journal. After: the fold that a start makes.
    let (_before, before) = recorded_run();
    let (recorder, _) = start(&before);
    record(&recorder, "a");
    record(&recorder, "b");
    recorder.append_call(call("half", 1, 0)).unwrap();
    drop(recorder);
    let old_segment = journal_files(&before)[0].clone();
    let after_folder = tempfile::tempdir().unwrap();
    copy_folder(before.root(), after_folder.path());
    let after = RunDirectory::open(after_folder.path()).unwrap();
    drop(start(&after));
    let new_segment = journal_files(&after)[0].clone();
    assert_ne!(old_segment, new_segment);
    assert_eq!(cases_in_parts(&after), ["a", "b"]);

    let take = |from: &RunDirectory, crashed: &Path, path: &str| {
        fs::copy(from.root().join(path), crashed.join(path)).unwrap();
    };
    let after_parts: Vec<String> = after
        .manifest()
        .unwrap()
        .parts
        .into_iter()
        .map(|part| part.path)
        .collect();
    assert_eq!(after_parts.len(), 3);
    for step in 0..=6 {
        let folder = tempfile::tempdir().unwrap();
        let crashed = folder.path();
        copy_folder(before.root(), crashed);
        if step >= 1 {
            take(&after, crashed, &format!("journal/{new_segment}"));
        }
        if step == 2 {
            // Between the write of a part and its new name.
            let part = crashed.join(&after_parts[0]).with_extension("parquet.tmp");
            fs::write(part, "half a part").unwrap();
        }
        if step >= 3 {
            take(&after, crashed, &after_parts[0]);
        }
        if step >= 4 {
            take(&after, crashed, &after_parts[1]);
            take(&after, crashed, &after_parts[2]);
            fs::write(crashed.join("manifest.json.tmp"), "{").unwrap();
        }
        if step >= 5 {
            take(&after, crashed, "manifest.json");
        }
        if step >= 6 {
            fs::remove_file(crashed.join("journal").join(&old_segment)).unwrap();
        }
        let crashed = RunDirectory::open(crashed).unwrap();
        let recovery = recover_and_finish(&crashed);
        assert_eq!(recovery.half_done, 1, "step {step}");
        assert_eq!(cases_in_parts(&crashed), ["a", "b"], "step {step}");
        assert_eq!(calls_in_parts(&crashed).len(), 4, "step {step}");
        let leftovers = fs::read_dir(crashed.table_folder(RunTable::Calls))
            .unwrap()
            .count();
        assert_eq!(leftovers, 1, "step {step}");
    }
}

#[test]
fn calls_in_flight_outlive_the_segment_they_were_written_to() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start_with(&directory, 1);
    let first = last_segment(&directory.journal_folder()).unwrap().unwrap();
    recorder.append_call(call("half", 1, 0)).unwrap();
    for case in ["a", "b", "c"] {
        record(&recorder, case);
    }
    drop(recorder);
    let (recorder, recovery) = start(&directory);
    assert!(directory.manifest().unwrap().journal_from > first + 1);
    assert_eq!(recovery.half_done, 1);
    assert_eq!(
        recorder.recorded_calls(&call("half", 1, 0).key(), 1),
        [call("half", 1, 0)]
    );
    recorder.finish(RunStatus::Incomplete).unwrap();
    assert_eq!(cases_in_parts(&directory), ["a", "b", "c"]);
    assert_sound(&directory);
}

#[test]
fn unreadable_lines_are_reported_and_kept_aside() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start(&directory);
    record(&recorder, "a");
    drop(recorder);
    let segment = directory
        .journal_folder()
        .join(&journal_files(&directory)[0]);
    let mut bytes = b"{\"call\": torn by hand}\n".to_vec();
    bytes.extend(fs::read(&segment).unwrap());
    fs::write(&segment, &bytes).unwrap();
    let recovery = recover_and_finish(&directory);
    assert_eq!(recovery.unreadable_lines, 1);
    assert_eq!(recovery.finished_from_journal, 1);
    let aside = segment.with_extension("jsonl.damaged");
    assert_eq!(fs::read(aside).unwrap(), bytes);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_recording_and_the_journal_keeps_what_was_written() {
    let (_folder, directory) = recorded_run();
    let (recorder, _) = start_with(&directory, 1);
    let last = last_segment(&directory.journal_folder()).unwrap().unwrap();
    let next = directory
        .journal_folder()
        .join(format!("segment-{:06}.jsonl", last + 1));
    std::os::unix::fs::symlink("/dev/full", &next).unwrap();
    recorder.append_call(call("half", 1, 0)).unwrap();
    // The end of the sample is in the journal; the new segment cannot take the call in flight.
    record(&recorder, "a");
    // Ends once the failure is known: each of these waits for a free place or fails.
    let error = (0..)
        .find_map(|number| {
            let case = format!("x{number}");
            recorder
                .finish_sample(sample(&case, 1, 0), vec![event(&case, 1, 0)])
                .err()
        })
        .unwrap();
    assert!(
        error.to_string().contains("No space left on device"),
        "{error}"
    );
    let failed = recorder.finish(RunStatus::Complete).unwrap_err();
    assert_eq!(failed.to_string(), error.to_string());
    drop(recorder);

    fs::remove_file(next).unwrap();
    let recovery = recover_and_finish(&directory);
    assert_eq!(recovery.half_done, 1);
    assert!(cases_in_parts(&directory).contains(&"a".to_owned()));
}
