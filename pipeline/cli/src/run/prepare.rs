//! Finding or creating the run of a study.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use consilium_core::canonical::sha256_hex;
use consilium_core::study::Study;
use consilium_core::{
    Clock, DriftRecord, FORMAT_VERSION, PartEntry, RunManifest, RunStatus, SystemClock,
};
use consilium_datasets::Malformed;
use consilium_query::snapshot_cases;
use consilium_store::{
    CaseRow, PartWriter, RunDirectory, RunLock, RunTable, StoreError, sha256_file,
};

use super::abandon::or_abandon;
use crate::failure::hinted;
use crate::printer;
use crate::study::{ChineseReferences, ResolvedStudy, difference};

/// Cases per part.
const CASES_PER_PART: u64 = 65_536;

/// Which run to use.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrepareOptions {
    /// A run to continue, by name or path.
    pub(crate) run: Option<String>,
    /// Start another run even if one could be continued.
    pub(crate) new_run: bool,
}

/// A run that is ready to be executed, locked by this process.
pub(crate) struct PreparedRun {
    pub(crate) directory: RunDirectory,
    pub(crate) lock: RunLock,
    pub(crate) manifest: RunManifest,
    /// Whether an earlier execution is continued.
    pub(crate) resumed: bool,
}

/// Finds the run to continue or creates one, and makes sure that its cases are there.
pub(crate) async fn prepare(
    study: &ResolvedStudy,
    runs: &Path,
    options: &PrepareOptions,
) -> Result<PreparedRun> {
    let found = if options.new_run {
        None
    } else {
        find(study, runs, options.run.as_deref())?
    };
    if let Some(directory) = found {
        return ready(study, directory, true).await;
    }
    // Without it there is none, or it would have been found.
    let earlier = if options.new_run {
        earlier_runs(study, runs)?
    } else {
        Vec::new()
    };
    if let Some(first) = earlier.first() {
        printer::note(&format!(
            "note: the study was run before as '{first}': this run is recorded as a sensitivity set, which \
             does not replace the numbers of that one; for repeated answers set epochs"
        ));
    }
    let directory = RunDirectory::create(runs, &study.study.study.name, &SystemClock)?;
    let made = match create(study, &directory, earlier) {
        Ok(()) => ready(study, directory.clone(), false).await,
        Err(error) => Err(error),
    };
    or_abandon(&directory, made)
}

/// Locks a run and makes sure that its cases are those of the study.
async fn ready(
    study: &ResolvedStudy,
    directory: RunDirectory,
    resumed: bool,
) -> Result<PreparedRun> {
    let lock = RunLock::acquire(&directory)?;
    let mut manifest = directory.manifest()?;
    if manifest.datasets.is_empty() {
        add_cases(study, &directory, &mut manifest).await?;
    } else {
        check_sources(study, &manifest)?;
        // What is outside the identity follows the study file: limits, prices, scorers, tables.
        manifest.study = serde_json::to_value(study.recorded())?;
    }
    // It is not called running before it is: what fails until then would leave it so.
    directory.write_manifest(&manifest)?;
    Ok(PreparedRun {
        directory,
        lock,
        manifest,
        resumed,
    })
}

/// Runs of the same study that have begun, the first of them first.
fn earlier_runs(study: &ResolvedStudy, runs: &Path) -> Result<Vec<String>> {
    if !runs.exists() {
        return Ok(Vec::new());
    }
    let oldest_first = RunDirectory::list(runs)?.runs.into_iter().rev();
    Ok(oldest_first
        .map(|run| run.manifest)
        .filter(|manifest| manifest.study_sha256 == study.sha256 && manifest.planned > 0)
        .map(|manifest| manifest.run)
        .collect())
}

fn find(study: &ResolvedStudy, runs: &Path, name: Option<&str>) -> Result<Option<RunDirectory>> {
    if let Some(name) = name {
        let directory = RunDirectory::find(runs, name)?;
        let manifest = directory.manifest()?;
        if manifest.study_sha256 != study.sha256 {
            return Err(different(study, &manifest));
        }
        return Ok(Some(directory));
    }
    if !runs.exists() {
        return Ok(None);
    }
    let list = RunDirectory::list(runs)?;
    for (path, problem) in &list.unreadable {
        printer::note(&format!("note: {} is left out: {problem}", path.display()));
    }
    Ok(list
        .runs
        .into_iter()
        .find(|run| run.manifest.study_sha256 == study.sha256)
        .map(|run| run.directory))
}

fn different(study: &ResolvedStudy, manifest: &RunManifest) -> anyhow::Error {
    let recorded: Option<Study> = serde_json::from_value(manifest.study.clone()).ok();
    let differences = recorded.map_or_else(Vec::new, |recorded| {
        difference(&recorded, &study.recorded())
    });
    hinted(
        format!(
            "continue run '{}': the study differs in what would change finished samples: {}",
            manifest.run,
            if differences.is_empty() {
                "its recorded form".to_owned()
            } else {
                differences.join("; ")
            }
        ),
        "leave --run out or give --new-run to start another run",
    )
}

fn create(study: &ResolvedStudy, directory: &RunDirectory, rerun_of: Vec<String>) -> Result<()> {
    super::write_atomically(&directory.root().join("study.toml"), study.text.as_bytes())?;
    let manifest = RunManifest {
        format_version: FORMAT_VERSION,
        run: directory.name().to_owned(),
        status: RunStatus::Running,
        study_name: study.study.study.name.clone(),
        study: serde_json::to_value(study.recorded())?,
        study_sha256: study.sha256.clone(),
        seed: study.study.study.seed,
        epochs: study.study.study.epochs,
        systems: study
            .study
            .system
            .iter()
            .map(|system| system.name.clone())
            .collect(),
        planned: 0,
        datasets: Vec::new(),
        prompts: BTreeMap::new(),
        stores: stores(study)?,
        signatures: BTreeMap::new(),
        git_revision: git_revision(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        drift: DriftRecord::default(),
        rerun_of,
        created_at: SystemClock.now_micros(),
        finished_at: None,
        journal_from: 0,
        parts: Vec::new(),
    };
    directory.write_manifest(&manifest)?;
    Ok(())
}

/// Cases into parts of a fixed size, without holding them.
pub(super) struct CaseWriter<'a> {
    directory: &'a RunDirectory,
    part: Option<PartWriter<CaseRow>>,
    parts: Vec<PartEntry>,
}

impl<'a> CaseWriter<'a> {
    pub(super) fn new(directory: &'a RunDirectory) -> Self {
        Self {
            directory,
            part: None,
            parts: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, row: CaseRow) -> Result<(), StoreError> {
        let mut part = match self.part.take() {
            Some(part) => part,
            None => PartWriter::create(self.directory, &format!("part-{:05}", self.parts.len()))?,
        };
        part.push(row)?;
        if part.rows() >= CASES_PER_PART {
            self.parts.push(part.finish()?);
        } else {
            self.part = Some(part);
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Vec<PartEntry>, StoreError> {
        if let Some(part) = self.part.take() {
            self.parts.push(part.finish()?);
        }
        Ok(self.parts)
    }
}

/// Writes the selected cases of every dataset and counts the samples planned.
async fn add_cases(
    study: &ResolvedStudy,
    directory: &RunDirectory,
    manifest: &mut RunManifest,
) -> Result<()> {
    // An earlier preparation that did not reach the manifest may have left parts.
    let folder = directory.table_folder(RunTable::Cases);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).with_context(|| format!("empty {}", folder.display()))?;
    }
    let mut writer = CaseWriter::new(directory);
    for spec in &study.study.dataset {
        let mut references = ChineseReferences::default();
        let snapshot = snapshot_cases(spec, &study.folder, study.study.study.seed, |row| {
            references.add(&row);
            writer.push(row)
        })
        .await?;
        for note in references.notes(&study.study, &spec.name) {
            printer::note(&format!("note: {note}"));
        }
        report_malformed(
            &spec.name,
            &spec.path,
            snapshot.entry.malformed,
            &snapshot.first_malformed,
        );
        let systems = study
            .study
            .system
            .iter()
            .filter(|system| system.runs_on(&spec.name))
            .count();
        manifest.planned +=
            snapshot.entry.selected * systems as u64 * u64::from(study.study.study.epochs);
        manifest.datasets.push(snapshot.entry);
    }
    manifest.parts.extend(writer.finish()?);
    Ok(())
}

fn report_malformed(dataset: &str, path: &Path, malformed: u64, first: &[Malformed]) {
    if malformed == 0 {
        return;
    }
    printer::note(&format!(
        "warning: dataset '{dataset}': {malformed} malformed rows are skipped (strict = true makes them \
         fatal)"
    ));
    for row in first.iter().take(5) {
        printer::note(&format!("  {}:{row}", path.display()));
    }
}

/// A dataset or alias file that has changed would change what finished samples mean.
fn check_sources(study: &ResolvedStudy, manifest: &RunManifest) -> Result<()> {
    for spec in &study.study.dataset {
        let path = study.folder.join(&spec.path);
        let Some(entry) = manifest
            .datasets
            .iter()
            .find(|entry| entry.name == spec.name)
        else {
            continue;
        };
        if sha256_file(&path)? != entry.source.sha256 {
            return Err(hinted(
                format!(
                    "continue run '{}': the file of dataset '{}' ({}) has changed since it began",
                    manifest.run,
                    spec.name,
                    path.display()
                ),
                "put the file back, or give --new-run to start another run",
            ));
        }
    }
    for path in training_files(study) {
        let recorded = manifest.stores.get(&path.display().to_string());
        let path = study.folder.join(path);
        if recorded.is_some_and(|recorded| sha256_file(&path).ok().as_ref() != Some(recorded)) {
            return Err(hinted(
                format!(
                    "continue run '{}': the training file {} has changed since it began",
                    manifest.run,
                    path.display()
                ),
                "put the file back, or give --new-run to start another run",
            ));
        }
    }
    Ok(())
}

/// Hashes of the study as given and of the files that scorers depend on.
fn stores(study: &ResolvedStudy) -> Result<BTreeMap<String, String>> {
    let given = sha256_hex(study.text.as_bytes());
    let mut stores = BTreeMap::from([("study.toml".to_owned(), given)]);
    let aliases = study
        .study
        .scorer
        .iter()
        .filter_map(|scorer| scorer.aliases.as_ref());
    for path in aliases.chain(training_files(study)) {
        stores.insert(
            path.display().to_string(),
            sha256_file(&study.folder.join(path))?,
        );
    }
    Ok(stores)
}

/// Files that systems learn from, as the study gives them.
fn training_files(study: &ResolvedStudy) -> impl Iterator<Item = &std::path::PathBuf> {
    study
        .study
        .system
        .iter()
        .flat_map(|system| &system.training)
        .map(|training| &training.path)
}

/// Revision of the working folder, with `+` when it has uncommitted changes.
pub(super) fn git_revision() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(arguments)
            .output()
            .ok()?;
        output
            .status
            .success()
            .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let revision = git(&["rev-parse", "HEAD"])?;
    let dirty = git(&["status", "--porcelain", "--untracked-files=no"])?;
    Some(if dirty.is_empty() {
        revision
    } else {
        format!("{revision}+")
    })
}
