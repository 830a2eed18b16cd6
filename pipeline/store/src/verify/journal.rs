//! What of a run is in its journal only.

use consilium_core::{RunManifest, RunStatus};

use super::Verification;
use crate::journal::{TornLine, segment_path};
use crate::lock::is_locked;
use crate::recorder::unfolded;
use crate::{RunDirectory, StoreError};

/// What to do about a run that was not ended.
const GO_ON: &str = "run the study again (consilium run STUDY) to go on with them";

/// What the journal holds that no part does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalState {
    /// Finished samples.
    pub finished: u64,
    /// Attempts with recorded calls and without an end.
    pub half_done: u64,
    /// Calls of scorers.
    pub scorer_calls: u64,
}

/// Reads the journal, checks the checksum of every line, and counts what is nowhere else.
///
/// Calls of samples that were never finished are part of a run that was stopped; finished samples are
/// not: every table and score is without them.
pub(super) fn verify_journal(
    directory: &RunDirectory,
    manifest: &RunManifest,
    verification: &mut Verification,
) -> Result<(), StoreError> {
    if is_locked(directory) {
        verification.add(
            "journal",
            "another process is writing to the run; verify it again when that has ended",
        );
        return Ok(());
    }
    let journal = unfolded(directory, manifest, TornLine::Leave)?;
    let unfinished = journal
        .calls
        .keys()
        .filter(|it| !journal.samples.contains_key(it));
    let state = JournalState {
        finished: journal.samples.len() as u64,
        half_done: unfinished.count() as u64,
        scorer_calls: journal.scorer_calls.len() as u64,
    };
    if manifest.status == RunStatus::Running {
        verification.add(
            "manifest.json",
            format!(
                "says running, and no process is: the run ended without being able to say so, with {} \
                 finished samples, {} calls of scorers and the calls of {} unfinished samples in the \
                 journal only; {GO_ON}",
                state.finished, state.scorer_calls, state.half_done
            ),
        );
    } else if state.finished + state.scorer_calls > 0 {
        verification.add(
            "journal",
            format!(
                "{} finished samples and {} calls of scorers are here only; {GO_ON}",
                state.finished, state.scorer_calls
            ),
        );
    }
    if journal.unreadable_lines > 0 {
        let folder = directory.journal_folder();
        let segments: Vec<String> = journal
            .damaged
            .iter()
            .filter_map(|number| {
                let path = segment_path(&folder, *number);
                Some(path.file_name()?.to_string_lossy().into_owned())
            })
            .collect();
        verification.add(
            &format!("journal/{}", segments.join(", journal/")),
            format!(
                "{} lines are not what was written (their checksums do not fit)",
                journal.unreadable_lines
            ),
        );
    }
    verification.journal = state;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::super::verify;
    use super::*;
    use crate::fixtures::{FixedClock, call, manifest, new_run, sample};
    use crate::{Recorder, RecorderOptions, RunLock};

    fn start(directory: &RunDirectory) -> Recorder {
        let lock = RunLock::acquire(directory).unwrap();
        let manifest = directory.manifest().unwrap();
        let clock = Arc::new(FixedClock(5));
        let options = RecorderOptions::default();
        Recorder::start(directory.clone(), lock, manifest, clock, options)
            .unwrap()
            .0
    }

    fn findings(directory: &RunDirectory) -> Vec<String> {
        verify(directory)
            .unwrap()
            .findings
            .into_iter()
            .map(|finding| format!("{}: {}", finding.path, finding.what))
            .collect()
    }

    /// A run killed with two finished samples and one in flight in its journal.
    fn killed() -> (tempfile::TempDir, RunDirectory) {
        let (folder, directory) = new_run();
        directory.write_manifest(&manifest()).unwrap();
        let recorder = start(&directory);
        for case in ["a", "b"] {
            recorder.append_call(call(case, 1, 0)).unwrap();
            recorder
                .finish_sample(sample(case, 1, 1), Vec::new())
                .unwrap();
        }
        recorder.append_call(call("c", 1, 0)).unwrap();
        drop(recorder);
        (folder, directory)
    }

    #[test]
    fn a_killed_run_says_what_is_in_its_journal_only_and_nothing_is_written() {
        let (_folder, directory) = killed();
        let segment = fs::read_dir(directory.journal_folder())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let mut bytes = fs::read(&segment).unwrap();
        bytes.extend(b"{\"call\": half a line");
        fs::write(&segment, &bytes).unwrap();
        let found = findings(&directory);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].contains("2 finished samples") && found[0].contains("of 1 unfinished samples"),
            "{found:?}"
        );
        assert!(found[0].contains("consilium run"), "{found:?}");
        assert_eq!(fs::read(&segment).unwrap(), bytes);

        start(&directory).finish(RunStatus::Incomplete).unwrap();
        let verification = verify(&directory).unwrap();
        assert_eq!(verification.findings, []);
        assert_eq!(
            (
                verification.journal.finished,
                verification.journal.half_done
            ),
            (0, 1)
        );
    }

    #[test]
    fn a_line_that_rotted_is_found() {
        let (_folder, directory) = killed();
        let segment = directory.journal_folder().join("segment-000001.jsonl");
        let text = fs::read_to_string(&segment).unwrap();
        fs::write(&segment, text.replacen("\"attempt\":1", "\"attempt\":2", 1)).unwrap();
        let found = findings(&directory);
        assert!(
            found.contains(
                &"journal/segment-000001.jsonl: 1 lines are not what was written (their checksums do not \
                  fit)"
                    .to_owned()
            ),
            "{found:?}"
        );
    }

    #[test]
    fn a_run_that_is_being_written_is_not_called_whole() {
        let (_folder, directory) = killed();
        let _recorder = start(&directory);
        assert!(findings(&directory)[0].contains("another process"));
    }
}
