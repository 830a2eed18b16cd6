//! The rows of a dataset, checked one by one.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use consilium_core::canonical::sha256_hex;
use consilium_core::study::{DatasetSpec, FileFormat};
use consilium_core::{AnswerForm, Case};
use serde_json::Value;

use super::characters::check_characters;
use super::encoding::check_bytes;
use super::finding::{Check, DatasetCheck};
use super::leak::{folded, holds};
use super::personal::hints;
use crate::adapter;
use crate::error::{DatasetError, Place, RowError, RowProblem};
use crate::reader::{file_error, resolved_format};
use crate::source::{self, SourceError};

/// Prevalence classes of the case schema.
const PREVALENCES: [&str; 4] = ["common", "uncommon", "rare", "unknown"];

/// What the checks take from outside the file.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Other names of gold answers: (alias, canonical).
    pub aliases: Vec<(String, String)>,
}

/// First half of a hash: enough to tell texts apart, half the memory.
type Mark = [u8; 16];

/// What must be remembered from row to row.
struct Memory<'a> {
    ids: HashMap<Mark, Place>,
    texts: HashMap<Mark, (Place, Mark)>,
    aliases: BTreeMap<String, Vec<&'a str>>,
    names: HashSet<String>,
}

/// Reads a dataset to its end and reports whatever is wrong with its file.
///
/// # Errors
/// When the settings do not fit or the file cannot be opened; what is wrong inside is a finding.
pub fn check_dataset(
    spec: &DatasetSpec,
    study_folder: &Path,
    options: &CheckOptions,
) -> Result<DatasetCheck, DatasetError> {
    let adapter = adapter::build(spec)?;
    let path = study_folder.join(&spec.path);
    let format = resolved_format(spec, &path)?;
    let mut found = DatasetCheck::new(&spec.name, path.clone(), &spec.adapter);
    if format != FileFormat::Parquet {
        check_bytes(&path, &mut found)
            .map_err(|error| file_error(&spec.name, &path, SourceError::Io(error)))?;
    }
    let rows = match source::open(&path, format) {
        Ok(rows) => rows,
        Err(SourceError::Format(message)) => {
            add_unreadable(&mut found, message);
            return Ok(found);
        }
        Err(error) => return Err(file_error(&spec.name, &path, error)),
    };
    let mut memory = Memory::new(options);
    for item in rows {
        let item = match item {
            Ok(item) => item,
            Err(SourceError::Format(message)) => {
                add_unreadable(&mut found, message);
                break;
            }
            Err(error) => return Err(file_error(&spec.name, &path, error)),
        };
        let (place, made) = match item {
            Ok(row) => (row.place, adapter.case(&row)),
            Err((place, error)) => (place, Err(error)),
        };
        match made {
            Ok(case) => memory.check(&case, place, &mut found),
            Err(error) => add_row_error(&mut found, place, error),
        }
    }
    if found.cases == 0 && found.malformed == 0 && found.findings.is_empty() {
        found.add(Check::UnreadableFile, None, None, "the file holds no rows");
    }
    Ok(found)
}

/// A place that the message names already is not named twice.
fn add_unreadable(found: &mut DatasetCheck, message: String) {
    let line = message
        .strip_prefix("line ")
        .and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next())
        .and_then(|digits| digits.parse().ok());
    // The scan of the bytes has said so.
    let said = found.counts.contains_key(&Check::Encoding)
        && (message.contains("UTF-8") || message.contains("UTF-16"));
    if !said {
        found.add(Check::UnreadableFile, line.map(Place::Line), None, message);
    }
}

fn add_row_error(found: &mut DatasetCheck, place: Place, error: RowError) {
    found.malformed += 1;
    let check = match error.problem {
        RowProblem::Malformed => Check::MalformedRow,
        RowProblem::EmptyInput => Check::EmptyInput,
        RowProblem::GoldNotAmongOptions => Check::GoldNotAmongOptions,
        // The scan of the bytes has said so.
        RowProblem::Encoding => return,
    };
    found.add(check, Some(place), None, error.message);
}

impl<'a> Memory<'a> {
    fn new(options: &'a CheckOptions) -> Self {
        let mut aliases: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let mut names = HashSet::new();
        for (alias, canonical) in &options.aliases {
            names.insert(folded(alias));
            names.insert(folded(canonical));
            aliases.entry(folded(canonical)).or_default().push(alias);
        }
        Self {
            ids: HashMap::new(),
            texts: HashMap::new(),
            aliases,
            names,
        }
    }

    fn check(&mut self, case: &Case, place: Place, found: &mut DatasetCheck) {
        found.cases += 1;
        let id = case.view.case_id.as_ref();
        if let Some(first) = self.ids.get(&mark(id)) {
            let message = format!("the identifier stands at {first} already");
            found.add(Check::DuplicateId, Some(place), Some(id), message);
        } else {
            self.ids.insert(mark(id), place);
        }
        let length = case
            .view
            .input
            .keys()
            .filter_map(|field| case.view.input_text(field))
            .map(|text| text.chars().count())
            .sum();
        found.count_length(length);
        if case.view.answer_form != AnswerForm::Text {
            found.count_gold(case.gold.first().map_or("", String::as_str));
        }
        self.check_text(case, place, found);
        self.check_labels(case, place, found);
        self.check_leak(case, place, found);
        check_fields(case, place, found);
        check_characters(case, place, found);
    }

    /// The same text again: a case that counts twice, or one whose gold is in doubt.
    fn check_text(&mut self, case: &Case, place: Place, found: &mut DatasetCheck) {
        let mut text = String::new();
        for (name, value) in &case.view.input {
            text.push(' ');
            text.push_str(name);
            for_each_text(value, &mut |part| {
                text.push(' ');
                text.push_str(&part.to_lowercase());
            });
        }
        for option in &case.view.options {
            text.push(' ');
            text.push_str(&option.text.to_lowercase());
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let gold = mark(&format!("{:?}{:?}", case.gold, case.reference));
        let text = mark(&words.join(" "));
        let id = Some(case.view.case_id.as_ref());
        match self.texts.get(&text) {
            None => {
                self.texts.insert(text, (place, gold));
            }
            Some((first, known)) if *known == gold => {
                let message = format!("the same text stands at {first}");
                found.add(Check::DuplicateText, Some(place), id, message);
            }
            Some((first, _)) => {
                let message = format!("the same text stands at {first} with another gold answer");
                found.add(Check::ConflictingGold, Some(place), id, message);
            }
        }
    }

    fn check_labels(&self, case: &Case, place: Place, found: &mut DatasetCheck) {
        let id = Some(case.view.case_id.as_ref());
        if let Some(prevalence) = &case.view.prevalence
            && !PREVALENCES.contains(&prevalence.as_str())
        {
            let message = format!(
                "prevalence '{}' is none of {}",
                short(prevalence),
                PREVALENCES.join(", ")
            );
            found.add(Check::UnknownLabel, Some(place), id, message);
        }
        let language = &case.view.language;
        let primary = language.split('-').next().unwrap_or_default();
        if !(2..=3).contains(&primary.len()) || !primary.chars().all(|c| c.is_ascii_lowercase()) {
            let message = format!(
                "language '{}' is no BCP 47 code such as en or zh",
                short(language)
            );
            found.add(Check::UnknownLabel, Some(place), id, message);
        }
        let named = matches!(
            case.view.answer_form,
            AnswerForm::Label | AnswerForm::Diagnosis
        );
        if named && !self.names.is_empty() {
            let unknown = case
                .gold
                .iter()
                .filter(|gold| !self.names.contains(&folded(gold)))
                .count();
            if unknown > 0 {
                let message = "the gold label is not in the table of aliases";
                found.add(Check::UnknownLabel, Some(place), id, message);
            }
        }
    }

    /// The gold answer, or another name of it, in a field that is asked about.
    fn check_leak(&self, case: &Case, place: Place, found: &mut DatasetCheck) {
        let option_texts = case
            .view
            .options
            .iter()
            .filter(|option| case.gold.contains(&option.label))
            .map(|option| option.text.as_str());
        let gold: Vec<&str> = match case.view.answer_form {
            AnswerForm::Choice => option_texts.collect(),
            AnswerForm::Label | AnswerForm::Diagnosis => case
                .gold
                .iter()
                .map(String::as_str)
                .chain(option_texts)
                .collect(),
            AnswerForm::Text => return,
        };
        let other: Vec<&str> = gold
            .iter()
            .filter_map(|gold| self.aliases.get(&folded(gold)))
            .flatten()
            .copied()
            .collect();
        for (field, value) in &case.view.input {
            let mut text = String::new();
            for_each_text(value, &mut |part| {
                text.push_str(part);
                text.push('\n');
            });
            let text = folded(&text);
            let what = if gold.iter().any(|name| holds(&text, name)) {
                "the gold answer"
            } else if other.iter().any(|name| holds(&text, name)) {
                "another name of the gold answer"
            } else {
                continue;
            };
            let message = format!("{what} stands in `{field}`");
            let id = Some(case.view.case_id.as_ref());
            found.add(Check::GoldInText, Some(place), id, message);
        }
    }
}

/// Damage and personal data, field by field.
fn check_fields(case: &Case, place: Place, found: &mut DatasetCheck) {
    let id = Some(case.view.case_id.as_ref());
    for (field, value) in &case.view.input {
        for_each_text(value, &mut |text| {
            if text.contains(['\u{fffd}', '\0']) || text.contains("â€") {
                let message = format!(
                    "`{field}` holds signs of a wrong conversion (U+FFFD, NUL or UTF-8 read as Latin-1)"
                );
                found.add(Check::DamagedText, Some(place), id, message);
            }
            for (kind, at) in hints(text) {
                let message = format!("{kind} in `{field}`, at character {at}");
                found.add(Check::PersonalData, Some(place), id, message);
            }
        });
    }
}

pub(super) fn for_each_text(value: &Value, each: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(items) => items.iter().for_each(|item| for_each_text(item, each)),
        Value::Object(fields) => fields.values().for_each(|item| for_each_text(item, each)),
        Value::Number(number) => each(&number.to_string()),
        Value::Null | Value::Bool(_) => {}
    }
}

fn mark(text: &str) -> Mark {
    let mut mark = [0; 16];
    let hash = sha256_hex(text.as_bytes());
    for (byte, pair) in mark.iter_mut().zip(hash.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(pair).unwrap_or("0");
        *byte = u8::from_str_radix(digits, 16).unwrap_or(0);
    }
    mark
}

/// The beginning of a label, for a message.
fn short(label: &str) -> String {
    label.chars().take(40).collect()
}

#[cfg(test)]
mod tests;
