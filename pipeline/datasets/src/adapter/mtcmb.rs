//! MTCMB: sets of traditional Chinese medicine, one adapter for each task that fits a closed or
//! comparable answer.
//!
//! - `mtcmb-syndrome` and `mtcmb-disease` read TCM-MSDD: a record of the ward, with one or two of
//!   ten syndromes and one of four diseases. Any of the listed syndromes is accepted.
//! - `mtcmb-diagnosis` reads TCM-Diagnosis: gold is the disease, the reference names disease, elements
//!   and syndrome, as the benchmark compares them.
//! - `mtcmb-formula` reads TCM-FRD: the reference names therapy, formula and herbs.
//! - `mtcmb-choice` reads the examination questions TCM-ED-A, TCM-ED-B and TCM-SE-B.
//!
//! TCM-PR is a set of herbs, TCM-CHGD a record to be written and TCM-FT a list of points: they need
//! scorers of their own and are left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::study::DatasetSpec;
use consilium_core::{AnswerForm, Case, ChoiceOption};
use serde_json::{Map, Value};

use super::columns::{identifier, required};
use super::draft::{Draft, labels};
use super::table::options_of;
use super::{Adapter, SourceRow};
use crate::error::RowError;

const SYNDROMES: [&str; 10] = [
    "气虚血瘀证",
    "痰瘀互结证",
    "气阴两虚证",
    "气滞血瘀证",
    "肝阳上亢证",
    "阴虚阳亢证",
    "痰热蕴结证",
    "痰湿痹阻证",
    "阳虚水停证",
    "肝肾阴虚证",
];
const DISEASES: [&str; 4] = ["胸痹心痛病", "心衰病", "眩晕病", "心悸病"];

/// Fields of a record that a solver may see, in the order of the record.
const RECORD: [&str; 12] = [
    "性别",
    "职业",
    "年龄",
    "婚姻",
    "病史陈述者",
    "发病节气",
    "主诉",
    "症状",
    "中医望闻切诊",
    "病史",
    "体格检查",
    "辅助检查",
];

/// A task over one of the sets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    Syndrome,
    Disease,
    Diagnosis,
    Formula,
    Choice,
}

#[derive(Debug)]
struct Mtcmb {
    dataset: Arc<str>,
    language: String,
    task: Task,
}

pub(super) fn build(spec: &DatasetSpec, task: Task) -> Arc<dyn Adapter> {
    Arc::new(Mtcmb {
        dataset: spec.name.as_str().into(),
        language: spec.language.clone().unwrap_or_else(|| "zh".to_owned()),
        task,
    })
}

impl Adapter for Mtcmb {
    fn case(&self, row: &SourceRow) -> Result<Case, RowError> {
        let Content {
            source,
            form,
            input,
            options,
            gold,
            reference,
        } = match self.task {
            Task::Syndrome => record(row, "证型", &SYNDROMES, "该患者属于哪一中医证型？")?,
            Task::Disease => record(row, "疾病", &DISEASES, "该患者所患为哪一中医疾病？")?,
            Task::Diagnosis => diagnosis(row)?,
            Task::Formula => formula(row)?,
            Task::Choice => choice(row)?,
        };
        Draft {
            dataset: Arc::clone(&self.dataset),
            case_id: identifier(row, "id")?,
            source: source.to_owned(),
            language: self.language.clone(),
            answer_form: form,
            specialty: None,
            prevalence: None,
            labels: BTreeMap::new(),
            input,
            options,
            gold,
            reference,
        }
        .finish()
    }
}

struct Content {
    source: &'static str,
    form: AnswerForm,
    input: Map<String, Value>,
    options: Vec<ChoiceOption>,
    gold: Vec<String>,
    reference: Option<String>,
}

fn input<const N: usize>(fields: [(&str, String); N]) -> Map<String, Value> {
    fields
        .into_iter()
        .map(|(name, text)| (name.to_owned(), Value::String(text)))
        .collect()
}

fn answer<'row>(row: &'row SourceRow, field: &str) -> Result<&'row str, RowError> {
    row.fields
        .get("answer")
        .and_then(|answer| answer.get(field)?.as_str())
        .ok_or_else(|| RowError::new(format!("answer.{field} is missing")))
}

/// The structured answer as lines, in the order given.
fn reference(row: &SourceRow, fields: &[&str]) -> Result<String, RowError> {
    let lines = fields
        .iter()
        .map(|field| Ok(format!("{field}：{}", answer(row, field)?)))
        .collect::<Result<Vec<_>, RowError>>()?;
    Ok(lines.join("\n"))
}

fn record(
    row: &SourceRow,
    field: &str,
    names: &[&str],
    question: &str,
) -> Result<Content, RowError> {
    let record = row
        .fields
        .get("disease_case")
        .and_then(Value::as_object)
        .ok_or_else(|| RowError::new("disease_case is missing or no object"))?;
    let lines: Vec<String> = RECORD
        .iter()
        .filter_map(|name| Some(format!("{name}：{}", record.get(*name)?.as_str()?.trim())))
        .collect();
    if lines.is_empty() {
        return Err(RowError::new("disease_case holds none of the known fields"));
    }
    Ok(Content {
        source: "TCM-MSDD",
        form: AnswerForm::Label,
        input: input([
            ("text", lines.join("\n")),
            ("question", question.to_owned()),
        ]),
        options: labels(names.iter().map(|name| (*name).to_owned())),
        gold: answer(row, field)?
            .split('|')
            .map(|name| name.trim().to_owned())
            .collect(),
        reference: None,
    })
}

fn diagnosis(row: &SourceRow) -> Result<Content, RowError> {
    Ok(Content {
        source: "TCM-Diagnosis",
        form: AnswerForm::Diagnosis,
        input: input([
            ("text", required(row, "question")?),
            ("question", "最可能的中医疾病名称是什么？".to_owned()),
        ]),
        options: Vec::new(),
        gold: vec![answer(row, "疾病名称")?.trim().to_owned()],
        reference: Some(reference(
            row,
            &["疾病名称", "病位证素", "病性证素", "证名"],
        )?),
    })
}

fn formula(row: &SourceRow) -> Result<Content, RowError> {
    Ok(Content {
        source: "TCM-FRD",
        form: AnswerForm::Text,
        input: input([
            ("text", required(row, "question")?),
            (
                "question",
                "请给出治法、方剂和药物组成（不含剂量），每项一行。".to_owned(),
            ),
        ]),
        options: Vec::new(),
        gold: vec![answer(row, "方剂")?.trim().to_owned()],
        reference: Some(reference(row, &["治法", "方剂", "药物组成"])?),
    })
}

fn choice(row: &SourceRow) -> Result<Content, RowError> {
    let options = row
        .fields
        .get("options")
        .ok_or_else(|| RowError::new("options is missing"))?;
    let options = match options {
        Value::Object(_) => options_of(options, AnswerForm::Choice)?,
        Value::Array(items) => items
            .iter()
            .map(|item| lettered_text(item.as_str().unwrap_or_default()))
            .collect::<Result<_, _>>()?,
        Value::String(line) => options_in_line(line)?,
        _ => return Err(RowError::new("options: expected an object, a list or text")),
    };
    Ok(Content {
        source: "TCM-ED",
        form: AnswerForm::Choice,
        input: input([("question", required(row, "question")?)]),
        options,
        gold: vec![required(row, "answer")?],
        reference: None,
    })
}

/// "A.text" or "A. text".
fn lettered_text(text: &str) -> Result<ChoiceOption, RowError> {
    let mut characters = text.trim().chars();
    match (characters.next(), characters.next()) {
        (Some(letter @ 'A'..='Z'), Some('.' | '．' | '、')) => Ok(ChoiceOption {
            label: letter.to_string(),
            text: characters.as_str().trim().to_owned(),
        }),
        _ => Err(RowError::new(
            "options: expected a letter, a full stop and a text",
        )),
    }
}

/// "A. text B. text …": each option begins with the next letter of the alphabet.
fn options_in_line(line: &str) -> Result<Vec<ChoiceOption>, RowError> {
    let mut begins = Vec::new();
    let mut from = 0;
    for letter in 'A'..='Z' {
        let mark = format!("{letter}.");
        let Some(found) = line[from..].find(&mark) else {
            break;
        };
        begins.push(from + found);
        from += found + mark.len();
    }
    begins.push(line.len());
    begins
        .windows(2)
        .map(|pair| lettered_text(&line[pair[0]..pair[1]]))
        .collect()
}
