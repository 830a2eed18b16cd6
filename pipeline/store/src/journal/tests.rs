use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::segment::segments;
use super::*;
use crate::fixtures::{call, event, sample};

fn line(line: Line<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    line.append_to(&mut bytes).unwrap();
    bytes
}

fn call_line(case_id: &str, seq: u32) -> Vec<u8> {
    line(Line::Call(&call(case_id, 1, seq)))
}

fn open(folder: &Path, carried: &[Arc<CallRow>]) -> Journal {
    Journal::create(folder.to_owned(), 1, carried, Failure::default()).unwrap()
}

fn folder_with(bytes: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(segment_path(folder.path(), 1), bytes).unwrap();
    folder
}

fn replayed_calls(folder: &Path) -> Vec<CallRow> {
    let replayed = replay(folder, 0, TornLine::Cut).unwrap();
    replayed
        .calls
        .into_values()
        .flat_map(BTreeMap::into_values)
        .map(Arc::unwrap_or_clone)
        .collect()
}

#[test]
fn what_is_appended_is_read_back_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let mut odd = call("案\n/\0", 1, 0);
    odd.cost_usd = Some(0.1 + 0.2);
    odd.latency_ms = Some(1.0 / 3.0);
    odd.prompt_tokens = Some(u64::MAX);
    let odd = Arc::new(odd);
    let journal = open(folder.path(), &[]);
    journal.append(line(Line::Call(&odd))).unwrap();
    journal
        .append(line(Line::Event(&event("a", 1, 0))))
        .unwrap();
    journal
        .append(line(Line::Sample(&sample("a", 1, 0))))
        .unwrap();
    drop(journal);

    let replayed = replay(folder.path(), 0, TornLine::Cut).unwrap();
    assert_eq!(replayed.calls[&attempt_of(&odd)][&0], odd);
    assert_eq!(
        replayed.events.values().next().unwrap()[&0],
        event("a", 1, 0)
    );
    assert_eq!(
        *replayed.samples.values().next().unwrap(),
        sample("a", 1, 0)
    );
    assert_eq!(replayed.unreadable_lines, 0);
}

#[test]
fn a_new_segment_begins_with_what_is_carried_and_follows_what_was_appended() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), &[]);
    journal.append(call_line("a", 0)).unwrap();
    let rotated = journal
        .rotate(vec![Arc::new(call("carried", 1, 0))])
        .unwrap();
    journal.append(call_line("b", 0)).unwrap();
    assert_eq!(rotated.recv().unwrap().unwrap(), 2);
    drop(journal);
    assert_eq!(
        fs::read(segment_path(folder.path(), 1)).unwrap(),
        call_line("a", 0)
    );
    let second = [call_line("carried", 0), call_line("b", 0)].concat();
    assert_eq!(fs::read(segment_path(folder.path(), 2)).unwrap(), second);
}

#[test]
fn a_last_line_cut_anywhere_costs_only_itself() {
    let whole = [call_line("a", 0), call_line("a", 1)].concat();
    let last = call_line("a", 2);
    for cut in 0..last.len() {
        let folder = folder_with(&[&whole, &last[..cut]].concat());
        let replayed = replay(folder.path(), 0, TornLine::Cut).unwrap();
        assert_eq!(
            replayed.calls.values().next().unwrap().len(),
            2,
            "cut at {cut}"
        );
        assert_eq!(replayed.unreadable_lines, 0);
        assert_eq!(fs::read(segment_path(folder.path(), 1)).unwrap(), whole);
    }
}

#[test]
fn an_unreadable_line_is_counted_unless_it_is_the_last() {
    let mut bytes = [call_line("a", 0), b"{\"call\":\xff}\n\0\0\0\n".to_vec()].concat();
    bytes.extend(call_line("a", 1));
    bytes.extend(b"{\"call\":{}}\n");
    let folder = folder_with(&bytes);
    let replayed = replay(folder.path(), 0, TornLine::Cut).unwrap();
    assert_eq!(replayed.unreadable_lines, 2);
    assert_eq!(replayed.damaged.into_iter().collect::<Vec<_>>(), [1]);
    assert_eq!(replayed_calls(folder.path()).len(), 2);
}

#[test]
fn every_flipped_bit_of_a_line_is_found() {
    let good = call_line("a", 0);
    let last = call_line("b", 0);
    for at in 0..good.len() - 1 {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        // A flip that makes a newline makes two lines, neither of which is whole.
        let folder = folder_with(&[&bytes[..], &last].concat());
        let replayed = replay(folder.path(), 0, TornLine::Cut).unwrap();
        assert!(replayed.unreadable_lines >= 1, "byte {at}");
        assert_eq!(replayed.calls.len(), 1, "byte {at}");
    }
}

#[test]
fn lines_without_a_checksum_are_read_as_they_are() {
    let mut old = call_line("a", 0);
    old.truncate(old.len() - 10);
    old.push(b'\n');
    assert_eq!(replayed_calls(folder_with(&old).path()), [call("a", 1, 0)]);
}

#[test]
fn a_segment_with_unreadable_lines_is_set_aside_not_removed() {
    let folder = folder_with(b"?\n");
    fs::write(segment_path(folder.path(), 2), "").unwrap();
    fs::write(segment_path(folder.path(), 3), "").unwrap();
    remove_segments_before(folder.path(), 3, &[1]).unwrap();
    assert_eq!(segments(folder.path()).unwrap(), [3]);
    assert!(folder.path().join("segment-000001.jsonl.damaged").exists());
}

#[test]
fn a_copied_call_counts_once_and_a_changed_request_takes_its_place() {
    let mut changed = call("a", 1, 0);
    changed.request_sha256 = "other".to_owned();
    let mut copy = call("a", 1, 0);
    copy.tries = 0;
    let lines = |calls: &[&CallRow]| {
        calls
            .iter()
            .flat_map(|call| line(Line::Call(call)))
            .collect()
    };
    let kept = |bytes: Vec<u8>| replayed_calls(folder_with(&bytes).path());
    assert_eq!(kept(lines(&[&call("a", 1, 0), &copy])), [call("a", 1, 0)]);
    assert_eq!(
        kept(lines(&[&call("a", 1, 0), &changed, &changed])),
        [changed.clone()]
    );
}

#[test]
fn segments_before_the_first_are_not_read() {
    let folder = folder_with(&call_line("old", 0));
    fs::write(segment_path(folder.path(), 2), call_line("new", 0)).unwrap();
    let replayed = replay(folder.path(), 2, TornLine::Cut).unwrap();
    let cases: Vec<_> = replayed
        .calls
        .keys()
        .map(|(key, _)| key.case_id.to_string())
        .collect();
    assert_eq!(cases, ["new"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_remembered_with_its_file_and_reason() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), &[]);
    std::os::unix::fs::symlink("/dev/full", segment_path(folder.path(), 2)).unwrap();
    let rotated = journal.rotate(vec![Arc::new(call("a", 1, 0))]).unwrap();
    let error = rotated.recv().unwrap().unwrap_err().to_string();
    assert!(
        error.contains("segment-000002.jsonl: No space left on device"),
        "{error}"
    );
    assert_eq!(
        journal.append(call_line("a", 1)).unwrap_err().to_string(),
        error
    );
    assert_eq!(journal.rotate(Vec::new()).unwrap_err().to_string(), error);
}

#[cfg(unix)]
#[test]
fn a_removed_folder_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let failure = Failure::default();
    let journal = Journal::create(folder.path().to_owned(), 1, &[], Arc::clone(&failure)).unwrap();
    fs::remove_dir_all(folder.path()).unwrap();
    // The write itself succeeds: the system keeps the file while it is open.
    journal.append(call_line("a", 0)).unwrap();
    drop(journal);
    let error = failure.get().unwrap().to_string();
    assert!(
        error.contains("segment-000001.jsonl: the file was removed"),
        "{error}"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_replay_fail(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let folder = folder_with(&bytes);
        let replayed = replay(folder.path(), 0, TornLine::Cut).unwrap();
        prop_assert!(replayed.samples.is_empty());
    }
}
