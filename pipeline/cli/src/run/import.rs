//! A run out of a recorded log.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use consilium_core::canonical::sha256_hex;
use consilium_core::manifest::{DatasetEntry, SourceEntry};
use consilium_core::study::{
    DatasetSpec, GenerationSpec, ScorerKind, ScorerSpec, Study, SystemSpec, TableSpec,
};
use consilium_core::{
    AnswerForm, Case, Clock, DriftRecord, FORMAT_VERSION, RunManifest, RunStatus, SampleRow,
    SystemClock,
};
use consilium_datasets::adapter::ADAPTERS;
use consilium_datasets::log::{LogEntry, LogMapping, LogReader, LogSurvey, labelled, survey};
use consilium_datasets::{CaseReader, ReadReport, inspect, terms_of_file};
use consilium_query::table::STANDARD_TABLES;
use consilium_store::{CaseRow, PartWriter, RunDirectory, RunLock, StoreError, sha256_file};

use super::prepare::{CaseWriter, git_revision};
use super::{score_run, write_tables};
use crate::failure::hinted;
use crate::printer;
use crate::study::study_sha256;

/// Samples per part.
const SAMPLES_PER_PART: u64 = 131_072;

/// What the solver of a system is called whose answers were recorded elsewhere.
const SOLVER: &str = "recorded";

/// A log to be imported.
pub(crate) struct LogImport {
    pub(crate) mapping: LogMapping,
    pub(crate) mapping_text: String,
    /// Folder that the mapping's paths are taken from.
    pub(crate) mapping_folder: PathBuf,
    /// The file with the cases, in place of the mapping's own.
    pub(crate) dataset: Option<PathBuf>,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) score: bool,
}

/// The run that was made.
pub(crate) struct Imported {
    pub(crate) root: PathBuf,
    /// Whether every case has a sample of every system in every repetition, and no row was skipped.
    pub(crate) complete: bool,
}

/// Reads a log twice, to check it and to write it, and scores the run.
pub(crate) async fn import(given: &LogImport, runs: &Path) -> Result<Imported> {
    let spec = dataset_spec(given)?;
    let separate = given.mapping.dataset.adapter.is_some();
    let (known, report) = if separate {
        let (known, report) = case_ids(&spec)?;
        (Some(known), report)
    } else {
        (None, ReadReport::default())
    };
    let reader = || LogReader::new(&given.mapping, &given.files);
    let survey = survey(reader()?, known.as_ref(), &spec.name)?;
    tell(given, &survey);
    let study = study(&given.mapping, spec, &survey);
    let directory = RunDirectory::create(runs, &study.study.name, &SystemClock)?;
    let parts = Parts { separate, report };
    let written = write_run(given, &directory, &study, &survey, parts);
    let (lock, complete) = written.inspect_err(|_| {
        // Half a log is no run.
        drop(std::fs::remove_dir_all(directory.root()));
    })?;
    if given.score {
        // Under the lock to the end: tables follow from the scores.
        let (_lock, scored) = score_run(&directory, lock, &[]).await?;
        for (scorer, rows) in scored {
            printer::note(&format!("{scorer}: {rows} scores"));
        }
        write_tables(&directory).await?;
    }
    Ok(Imported {
        root: directory.root().to_owned(),
        complete: complete && survey.malformed == 0,
    })
}

/// Where the cases of a log come from, and what was read of them.
struct Parts {
    /// Whether they stand in a file of their own.
    separate: bool,
    report: ReadReport,
}

/// Writes the cases and samples of a log; the lock and whether the log spans everything.
fn write_run(
    given: &LogImport,
    directory: &RunDirectory,
    study: &Study,
    survey: &LogSurvey,
    Parts { separate, report }: Parts,
) -> Result<(RunLock, bool)> {
    let lock = RunLock::acquire(directory)?;
    let mut manifest = manifest(given, directory, study, survey)?;
    directory.write_manifest(&manifest)?;
    let reader = || LogReader::new(&given.mapping, &given.files);
    let mut writer = Writer::new(
        directory,
        &study.dataset[0].name,
        survey,
        manifest.created_at,
    );
    if separate {
        for case in CaseReader::open(&study.dataset[0], Path::new(""))? {
            writer.case(case?)?;
        }
    }
    for item in reader()? {
        if let Ok(entry) = item? {
            writer.sample(entry)?;
        }
    }
    let written = writer.finish()?;
    manifest.parts.extend(written.parts);
    let source = source(given, &study.dataset[0], separate)?;
    manifest.datasets.push(DatasetEntry {
        name: study.dataset[0].name.clone(),
        rows: if separate {
            report.cases
        } else {
            survey.case_count()
        },
        malformed: report.malformed + survey.malformed,
        selected: survey.case_count(),
        selected_sha256: sha256_hex(written.ids.as_bytes()),
        terms: terms_of_file(&source.sha256),
        source,
    });
    let complete = survey.samples >= manifest.planned;
    manifest.status = if complete {
        RunStatus::Complete
    } else {
        RunStatus::Incomplete
    };
    manifest.finished_at = Some(SystemClock.now_micros());
    directory.write_manifest(&manifest)?;
    Ok((lock, complete))
}

fn dataset_spec(given: &LogImport) -> Result<DatasetSpec> {
    let dataset = &given.mapping.dataset;
    let absolute =
        |path: &Path| std::path::absolute(path).with_context(|| format!("find {}", path.display()));
    let Some(adapter) = &dataset.adapter else {
        if given.dataset.is_some() {
            return Err(hinted(
                "use --dataset: the mapping takes the cases from the log itself",
                "leave it out, or name dataset.adapter in the mapping",
            ));
        }
        let first = given
            .files
            .first()
            .map_or_else(|| Path::new(""), PathBuf::as_path);
        let mut spec = given.mapping.dataset_spec(absolute(first)?);
        spec.answer_form = spec.answer_form.or(Some(AnswerForm::Text));
        return Ok(spec);
    };
    let path = match (&given.dataset, &dataset.path) {
        (Some(path), _) => path.clone(),
        (None, Some(path)) => given.mapping_folder.join(path),
        (None, None) => {
            return Err(hinted(
                "find the cases that were asked: neither the mapping nor the command names their file",
                "give --dataset FILE",
            ));
        }
    };
    if !path.is_file() {
        return Err(hinted(
            format!(
                "find the cases that were asked: there is no file {}",
                path.display()
            ),
            "give --dataset FILE",
        ));
    }
    let mut spec = given.mapping.dataset_spec(absolute(&path)?);
    let own = ADAPTERS
        .iter()
        .find(|info| info.name == adapter)
        .and_then(|info| info.answer_form);
    spec.answer_form = spec
        .answer_form
        .or(own)
        .or_else(|| consilium_datasets::first_answer_form(&spec, Path::new("")));
    Ok(spec)
}

/// Identifiers of a whole dataset.
fn case_ids(spec: &DatasetSpec) -> Result<(BTreeSet<Box<str>>, ReadReport)> {
    let mut ids = BTreeSet::new();
    let report = inspect(spec, Path::new(""), |case| {
        ids.insert(case.view.case_id.as_ref().into());
    })?;
    Ok((ids, report))
}

fn tell(given: &LogImport, survey: &LogSurvey) {
    printer::note(&format!(
        "{} samples: {} cases × {} systems, up to {} repetitions",
        survey.samples,
        survey.case_count(),
        survey.systems.len(),
        survey.epochs
    ));
    let whole = survey.case_count() * survey.systems.len() as u64 * u64::from(survey.epochs);
    if survey.samples < whole {
        printer::note(&format!(
            "warning: the run is incomplete: {} of {whole} samples that its cases, systems and \
             repetitions span are in the log",
            survey.samples
        ));
    }
    if survey.malformed == 0 {
        return;
    }
    printer::note(&format!(
        "warning: {} rows of the log are no samples and are skipped",
        survey.malformed
    ));
    for (file, row) in survey.first_malformed.iter().take(5) {
        let path = given
            .files
            .get(*file)
            .map_or_else(String::new, |path| path.display().to_string());
        printer::note(&format!("  {path}:{row}"));
    }
}

/// The study that the log would have been the run of.
fn study(mapping: &LogMapping, spec: DatasetSpec, survey: &LogSurvey) -> Study {
    let mut head = mapping.study.clone();
    head.epochs = survey.epochs;
    let systems = survey.systems.iter().map(|name| SystemSpec {
        name: name.clone(),
        solver: SOLVER.to_owned(),
        backend: None,
        role_backends: BTreeMap::new(),
        variant: BTreeMap::new(),
        generation: GenerationSpec::default(),
        datasets: Vec::new(),
        training: Vec::new(),
    });
    let scorers = scorers(mapping, &spec, survey);
    let texts = scorers.iter().any(|scorer| scorer.kind == ScorerKind::Text);
    let judged = scorers.iter().any(|scorer| scorer.kind != ScorerKind::Text);
    let labels = judged && spec.answer_form == Some(AnswerForm::Label);
    // A log holds no calls, so that tables of calls would say that it cost nothing.
    let fits = |name: &&&str| match **name {
        "cost" | "timing" | "judge" | "calibration" => false,
        "outcomes" | "outcome-flow" => true,
        "averages" | "per-class" | "confusion" | "confusion-matrix" => labels,
        name if name.starts_with("text") => texts,
        _ => judged,
    };
    let tables = if mapping.table.is_empty() {
        STANDARD_TABLES
            .iter()
            .filter(fits)
            .map(|name| TableSpec {
                preset: (*name).to_owned(),
                title: None,
                baseline: None,
            })
            .collect()
    } else {
        mapping.table.clone()
    };
    Study {
        study: head,
        scorer: scorers,
        dataset: vec![spec],
        backend: Vec::new(),
        system: systems.collect(),
        matrix: Vec::new(),
        budget: None,
        drift: None,
        table: tables,
    }
}

/// The named scorers, or one for the form of the recorded answers; ready scores come first.
fn scorers(mapping: &LogMapping, spec: &DatasetSpec, survey: &LogSurvey) -> Vec<ScorerSpec> {
    let scorer = |kind: ScorerKind| ScorerSpec {
        datasets: vec![spec.name.clone()],
        ..ScorerSpec::of_kind(kind)
    };
    let mut scorers = Vec::new();
    if let Some(score) = &mapping.log.score {
        scorers.push(ScorerSpec {
            policy: Some(score.policy.clone()),
            ..scorer(ScorerKind::Recorded)
        });
    }
    if !mapping.scorer.is_empty() {
        scorers.extend(mapping.scorer.iter().map(|named| ScorerSpec {
            datasets: vec![spec.name.clone()],
            ..named.clone()
        }));
    } else if survey.answers {
        scorers.extend(match spec.answer_form {
            Some(AnswerForm::Choice) => Some(scorer(ScorerKind::Choice)),
            Some(AnswerForm::Label) => Some(scorer(ScorerKind::Label)),
            Some(AnswerForm::Text) => Some(scorer(ScorerKind::Text)),
            Some(AnswerForm::Diagnosis) | None => None,
        });
    }
    scorers
}

fn manifest(
    given: &LogImport,
    directory: &RunDirectory,
    study: &Study,
    survey: &LogSurvey,
) -> Result<RunManifest> {
    let text = toml::to_string_pretty(study).context("write the study of the log")?;
    let text =
        format!("# Made by consilium import-log of import.toml; it cannot be run.\n\n{text}");
    super::write_atomically(&directory.root().join("study.toml"), text.as_bytes())?;
    super::write_atomically(
        &directory.root().join("import.toml"),
        given.mapping_text.as_bytes(),
    )?;
    let mut stores = BTreeMap::from([
        ("study.toml".to_owned(), sha256_hex(text.as_bytes())),
        (
            "import.toml".to_owned(),
            sha256_hex(given.mapping_text.as_bytes()),
        ),
    ]);
    for path in &given.files {
        stores.insert(path.display().to_string(), sha256_file(path)?);
    }
    let systems = survey.systems.len() as u64;
    Ok(RunManifest {
        format_version: FORMAT_VERSION,
        run: directory.name().to_owned(),
        status: RunStatus::Running,
        study_name: study.study.name.clone(),
        study: serde_json::to_value(study)?,
        study_sha256: study_sha256(study)?,
        seed: study.study.seed,
        epochs: study.study.epochs,
        systems: survey.systems.clone(),
        planned: survey.case_count() * systems * u64::from(survey.epochs),
        datasets: Vec::new(),
        prompts: BTreeMap::new(),
        stores,
        signatures: BTreeMap::new(),
        git_revision: git_revision(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        drift: DriftRecord::default(),
        rerun_of: Vec::new(),
        created_at: SystemClock.now_micros(),
        finished_at: None,
        journal_from: 0,
        parts: Vec::new(),
    })
}

/// File and hash of the cases; of the log files together when they hold the cases.
fn source(given: &LogImport, spec: &DatasetSpec, separate: bool) -> Result<SourceEntry> {
    let path = spec.path.display().to_string();
    if separate || given.files.len() == 1 {
        let sha256 = sha256_file(&spec.path)?;
        return Ok(SourceEntry { path, sha256 });
    }
    let mut hashes = String::new();
    for file in &given.files {
        hashes.push_str(&sha256_file(file)?);
        hashes.push('\n');
    }
    let sha256 = sha256_hex(hashes.as_bytes());
    let path = format!("{path} and {} more", given.files.len() - 1);
    Ok(SourceEntry { path, sha256 })
}

/// Cases and samples into parts, as they come.
struct Writer<'a> {
    directory: &'a RunDirectory,
    dataset: &'a str,
    survey: &'a LogSurvey,
    recorded_at: i64,
    cases: CaseWriter<'a>,
    written: BTreeSet<String>,
    ids: String,
    samples: Option<PartWriter<SampleRow>>,
    parts: Vec<consilium_core::PartEntry>,
}

/// What was written.
struct Written {
    parts: Vec<consilium_core::PartEntry>,
    /// Identifiers of the cases in order, one a line.
    ids: String,
}

impl<'a> Writer<'a> {
    fn new(
        directory: &'a RunDirectory,
        dataset: &'a str,
        survey: &'a LogSurvey,
        recorded_at: i64,
    ) -> Self {
        Self {
            directory,
            dataset,
            survey,
            recorded_at,
            cases: CaseWriter::new(directory),
            written: BTreeSet::new(),
            ids: String::new(),
            samples: None,
            parts: Vec::new(),
        }
    }

    /// Writes a case that the log has samples of, once.
    fn case(&mut self, case: Case) -> Result<()> {
        let id = case.view.case_id.to_string();
        if !self.survey.has_case(&id) || self.written.contains(&id) {
            return Ok(());
        }
        let case = labelled(case, self.survey.labels(&id))?;
        self.cases.push(CaseRow::from(&case))?;
        self.ids.push_str(&id);
        self.ids.push('\n');
        self.written.insert(id);
        Ok(())
    }

    fn sample(&mut self, mut entry: LogEntry) -> Result<()> {
        if let Some(case) = entry.case.take() {
            self.case(case)?;
        }
        // Its case was not in the dataset, which the survey has said.
        if !self.written.contains(&entry.case_id) {
            return Ok(());
        }
        let row = self.row(entry)?;
        let mut part = match self.samples.take() {
            Some(part) => part,
            None => PartWriter::create(self.directory, &format!("part-{:05}", self.parts.len()))?,
        };
        part.push(row)?;
        if part.rows() >= SAMPLES_PER_PART {
            self.parts.push(part.finish()?);
        } else {
            self.samples = Some(part);
        }
        Ok(())
    }

    fn row(&self, entry: LogEntry) -> Result<SampleRow> {
        Ok(SampleRow {
            answer: entry.answer,
            payload: entry
                .scores
                .as_ref()
                .map(serde_json::to_string)
                .transpose()?,
            started_at: self.recorded_at,
            ..SampleRow::bare(
                self.dataset,
                &entry.case_id,
                &entry.system,
                entry.epoch,
                1,
                entry.outcome,
            )
        })
    }

    fn finish(mut self) -> Result<Written, StoreError> {
        if let Some(part) = self.samples.take() {
            self.parts.push(part.finish()?);
        }
        let mut parts = self.cases.finish()?;
        parts.extend(self.parts);
        Ok(Written {
            parts,
            ids: self.ids,
        })
    }
}
