//! Whether a run on disk is what its manifest says.

mod journal;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::ErrorKind;

use arrow::array::RecordBatch;
use consilium_core::{PartEntry, RunManifest};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

pub use journal::JournalState;
use journal::verify_journal;

use crate::part::{is_part, read_batches, table_of};
use crate::rows::{AttemptKey, Columns, for_each_attempt};
use crate::{DecodeError, RunDirectory, RunTable, StoreError, sha256_file};

const SAMPLE_COLUMNS: &[&str] = &["dataset", "case_id", "system", "epoch", "attempt", "calls"];
const CALL_COLUMNS: &[&str] = &["dataset", "case_id", "system", "epoch", "attempt", "scorer"];

/// What verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// What is wrong; empty for a sound run.
    pub findings: Vec<Finding>,
    /// Parts whose bytes were checked.
    pub parts: u64,
    /// Attempts whose calls were counted.
    pub attempts: u64,
    /// What is in the journal only.
    pub journal: JournalState,
}

impl Verification {
    fn add(&mut self, path: &str, what: impl Into<String>) {
        self.findings.push(Finding {
            path: path.to_owned(),
            what: what.into(),
        });
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Part or table, inside the run.
    pub path: String,
    /// What is wrong with it.
    pub what: String,
}

/// Checks every listed part against its size, hash and row count, looks for parts that are not
/// listed, for attempts that are there twice, for samples whose `calls` are not those in the table of
/// calls, and for what stands in the journal only.
///
/// # Errors
/// When the manifest cannot be read or the system refuses; damage is a finding, not an error.
pub fn verify(directory: &RunDirectory) -> Result<Verification, StoreError> {
    let manifest = directory.manifest()?;
    let mut verification = Verification::default();
    let mut readable = RunManifest {
        parts: Vec::new(),
        ..manifest.clone()
    };
    for part in &manifest.parts {
        if verify_part(directory, part, &mut verification)? {
            readable.parts.push(part.clone());
        }
        verification.parts += 1;
    }
    find_unlisted(directory, &manifest, &mut verification)?;
    // With parts missing every count would be off, and say nothing that was not said already.
    if readable.parts.len() == manifest.parts.len() {
        verify_attempts(directory, &readable, &mut verification)?;
        verify_journal(directory, &manifest, &mut verification)?;
    }
    Ok(verification)
}

fn verify_part(
    directory: &RunDirectory,
    part: &PartEntry,
    verification: &mut Verification,
) -> Result<bool, StoreError> {
    if table_of(part).is_none() {
        verification.add(&part.path, "belongs to no table");
        return Ok(false);
    }
    let path = directory.root().join(&part.path);
    let bytes = match fs::metadata(&path) {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            verification.add(&part.path, "is listed and missing");
            return Ok(false);
        }
        Err(error) => return Err(StoreError::io("read", &path)(error)),
    };
    if bytes != part.bytes {
        let what = format!("has {bytes} bytes, the manifest says {}", part.bytes);
        verification.add(&part.path, what);
        return Ok(false);
    }
    let sha256 = sha256_file(&path)?;
    if sha256 != part.sha256 {
        let what = format!("has SHA-256 {sha256}, the manifest says {}", part.sha256);
        verification.add(&part.path, what);
        return Ok(false);
    }
    let file = File::open(&path).map_err(StoreError::io("read", &path))?;
    let rows = match ParquetRecordBatchReaderBuilder::try_new(file) {
        Ok(reader) => reader.metadata().file_metadata().num_rows(),
        Err(error) => {
            verification.add(&part.path, format!("is no Parquet file: {error}"));
            return Ok(false);
        }
    };
    if u64::try_from(rows) != Ok(part.rows) {
        let what = format!("has {rows} rows, the manifest says {}", part.rows);
        verification.add(&part.path, what);
        return Ok(false);
    }
    Ok(true)
}

fn find_unlisted(
    directory: &RunDirectory,
    manifest: &RunManifest,
    verification: &mut Verification,
) -> Result<(), StoreError> {
    for table in RunTable::ALL {
        let folder = directory.table_folder(table);
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(StoreError::io("read folder", &folder)(error)),
        };
        let mut unlisted = Vec::new();
        for entry in entries {
            let entry = entry.map_err(StoreError::io("read folder", &folder))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{}/{name}", table.name());
            if is_part(&name) && manifest.parts.iter().all(|part| part.path != path) {
                unlisted.push(path);
            }
        }
        unlisted.sort_unstable();
        for path in unlisted {
            verification.add(&path, "is not listed in the manifest");
        }
    }
    Ok(())
}

#[derive(Debug, Default)]
struct Attempt {
    ends: u32,
    calls_said: u64,
    calls_found: u64,
}

fn verify_attempts(
    directory: &RunDirectory,
    manifest: &RunManifest,
    verification: &mut Verification,
) -> Result<(), StoreError> {
    let mut attempts: BTreeMap<AttemptKey, Attempt> = BTreeMap::new();
    let failed = |table| move |source| StoreError::Decode { table, source };
    for batch in read_batches(directory, manifest, RunTable::Samples, Some(SAMPLE_COLUMNS)) {
        count_samples(&batch?, &mut attempts).map_err(failed(RunTable::Samples))?;
    }
    for batch in read_batches(directory, manifest, RunTable::Calls, Some(CALL_COLUMNS)) {
        count_calls(&batch?, &mut attempts).map_err(failed(RunTable::Calls))?;
    }
    verification.attempts = attempts.len() as u64;
    for (
        (key, attempt),
        Attempt {
            ends,
            calls_said,
            calls_found,
        },
    ) in attempts
    {
        match ends {
            0 => verification.add(
                "calls",
                format!("{key}, attempt {attempt}: has {calls_found} calls and no sample"),
            ),
            1 if calls_said != calls_found => verification.add(
                "samples",
                format!(
                    "{key}, attempt {attempt}: says {calls_said} calls, there are {calls_found}"
                ),
            ),
            1 => {}
            _ => verification.add(
                "samples",
                format!("{key}, attempt {attempt}: is there {ends} times"),
            ),
        }
    }
    Ok(())
}

fn count_samples(
    batch: &RecordBatch,
    attempts: &mut BTreeMap<AttemptKey, Attempt>,
) -> Result<(), DecodeError> {
    let columns = Columns(batch);
    let calls = columns.integer("calls")?;
    for_each_attempt(&columns, batch.num_rows(), |key, row| {
        let attempt = attempts.entry(key).or_default();
        attempt.ends += 1;
        attempt.calls_said = calls.required(row)?;
        Ok(())
    })
}

fn count_calls(
    batch: &RecordBatch,
    attempts: &mut BTreeMap<AttemptKey, Attempt>,
) -> Result<(), DecodeError> {
    let columns = Columns(batch);
    let scorer = columns.text("scorer")?;
    for_each_attempt(&columns, batch.num_rows(), |key, row| {
        if scorer.optional(row)?.is_none() {
            attempts.entry(key).or_default().calls_found += 1;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, manifest, new_run, sample};
    use crate::write_table;

    fn sound_run() -> (tempfile::TempDir, RunDirectory) {
        let (folder, directory) = new_run();
        let mut scorer_call = call("a", 1, 0);
        scorer_call.scorer = Some("judge".to_owned());
        let calls = [
            call("a", 1, 0),
            call("a", 1, 1),
            call("b", 1, 0),
            scorer_call,
        ];
        let samples = [sample("a", 1, 2), sample("b", 1, 1), sample("a", 2, 0)];
        let mut manifest = manifest();
        manifest.status = consilium_core::RunStatus::Complete;
        manifest
            .parts
            .extend(write_table(&directory, None, 0, 100, calls).unwrap());
        manifest
            .parts
            .extend(write_table(&directory, None, 0, 100, samples).unwrap());
        directory.write_manifest(&manifest).unwrap();
        (folder, directory)
    }

    fn findings(directory: &RunDirectory) -> Vec<String> {
        let verification = verify(directory).unwrap();
        verification
            .findings
            .into_iter()
            .map(|f| format!("{} {}", f.path, f.what))
            .collect()
    }

    fn with_samples(samples: &[(&str, u32, u32)]) -> Vec<String> {
        let (_folder, directory) = sound_run();
        let mut manifest = directory.manifest().unwrap();
        let rows = samples
            .iter()
            .map(|(case, attempt, calls)| sample(case, *attempt, *calls));
        manifest
            .parts
            .retain(|part| table_of(part) != Some(RunTable::Samples));
        manifest
            .parts
            .extend(write_table(&directory, None, 0, 100, rows).unwrap());
        directory.write_manifest(&manifest).unwrap();
        findings(&directory)
    }

    #[test]
    fn a_sound_run_has_no_findings() {
        let (_folder, directory) = sound_run();
        let verification = verify(&directory).unwrap();
        assert_eq!(
            verification,
            Verification {
                findings: Vec::new(),
                parts: 2,
                attempts: 3,
                journal: JournalState::default(),
            }
        );
    }

    #[test]
    fn one_flipped_bit_is_found() {
        let (_folder, directory) = sound_run();
        let path = directory
            .table_folder(RunTable::Samples)
            .join("part-00000.parquet");
        let mut bytes = fs::read(&path).unwrap();
        bytes[40] ^= 1;
        fs::write(&path, bytes).unwrap();
        let findings = findings(&directory);
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].starts_with("samples/part-00000.parquet has SHA-256 "),
            "{findings:?}"
        );
    }

    #[test]
    fn missing_cut_and_unlisted_parts_are_found() {
        let (_folder, directory) = sound_run();
        let samples = directory.table_folder(RunTable::Samples);
        fs::rename(
            samples.join("part-00000.parquet"),
            samples.join("part-00007.parquet"),
        )
        .unwrap();
        fs::write(samples.join("part-00008.parquet.tmp"), "").unwrap();
        let calls = directory
            .table_folder(RunTable::Calls)
            .join("part-00000.parquet");
        fs::write(calls, "short").unwrap();
        let findings = findings(&directory);
        assert_eq!(findings.len(), 3, "{findings:?}");
        assert!(
            findings[0].starts_with("calls/part-00000.parquet has 5 bytes"),
            "{findings:?}"
        );
        assert_eq!(
            findings[1],
            "samples/part-00000.parquet is listed and missing"
        );
        assert_eq!(
            findings[2],
            "samples/part-00007.parquet is not listed in the manifest"
        );
    }

    #[test]
    fn a_wrong_row_count_is_found() {
        let (_folder, directory) = sound_run();
        let mut manifest = directory.manifest().unwrap();
        manifest.parts[1].rows = 4;
        directory.write_manifest(&manifest).unwrap();
        let expected = "samples/part-00000.parquet has 3 rows, the manifest says 4";
        assert_eq!(findings(&directory), [expected]);
    }

    #[test]
    fn calls_that_do_not_add_up_are_found() {
        assert_eq!(
            with_samples(&[("a", 1, 3), ("b", 1, 1)]),
            ["samples pubmedqa / a / direct / epoch 1, attempt 1: says 3 calls, there are 2"]
        );
        assert_eq!(
            with_samples(&[("a", 1, 2)]),
            ["calls pubmedqa / b / direct / epoch 1, attempt 1: has 1 calls and no sample"]
        );
    }

    #[test]
    fn a_doubled_attempt_is_found() {
        assert_eq!(
            with_samples(&[("a", 1, 2), ("b", 1, 1), ("b", 1, 1)]),
            ["samples pubmedqa / b / direct / epoch 1, attempt 1: is there 2 times"]
        );
    }
}
