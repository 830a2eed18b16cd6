//! Tests of the scorers as their callers see them.

mod choice_doubt;
mod choice_refused;
mod choice_table;
mod label_doubt;
mod label_table;
mod laws;
mod recorded;
mod rows;
mod text;

use std::collections::BTreeMap;

use consilium_core::{AnswerForm, Case, CaseView, ChoiceOption, Outcome, SampleRow};
use serde_json::Map;

use super::{Extraction, read_choice};

pub(super) use laws::pieces;

const DRUGS: &str = "A=Metformin|B=Insulin glargine|C=Glipizide|D=Lisinopril";
const MANY: &str =
    "A=Anemia|B=Beriberi|C=Cholera|D=Dengue|E=Ebola|F=Fever|G=Gout|H=Hernia|I=Influenza";
const ZH: &str = "A=二甲双胍|B=胰岛素|C=格列吡嗪|D=维生素B|E=B超检查";

/// Options from "A=text|B=text"; a name without `=` is its own text.
fn options(list: &str) -> Vec<ChoiceOption> {
    list.split('|')
        .map(|option| {
            let (label, text) = option.split_once('=').unwrap_or((option, option));
            ChoiceOption {
                label: label.to_owned(),
                text: text.to_owned(),
            }
        })
        .collect()
}

pub(super) fn case(answer_form: AnswerForm, list: &str, gold: &[&str]) -> Case {
    Case {
        view: CaseView {
            dataset: "d".into(),
            case_id: "c".into(),
            source: "s".to_owned(),
            language: "en".to_owned(),
            answer_form,
            specialty: None,
            prevalence: None,
            labels: BTreeMap::new(),
            input: Map::new(),
            options: if list.is_empty() {
                Vec::new()
            } else {
                options(list)
            },
        },
        gold: gold.iter().map(|gold| (*gold).to_owned()).collect(),
        reference: None,
        sha256: String::new(),
    }
}

pub(super) fn sample(outcome: Outcome, answer: Option<&str>) -> SampleRow {
    SampleRow {
        answer: answer.map(str::to_owned),
        calls: 1,
        ..SampleRow::bare("d", "c", "s", 1, 1, outcome)
    }
}

/// Rows of a table test that do not read as expected, as lines to print.
fn report(misses: &[String]) {
    assert!(
        misses.is_empty(),
        "{} rows differ:\n{}",
        misses.len(),
        misses.join("\n")
    );
}

/// Whether an extraction is what a table's row expects.
fn reads_as(read: &Extraction, expected: &str, rule: &str) -> bool {
    match read {
        Extraction::Found {
            predicted,
            rule: by,
            ..
        } => predicted == expected && *by == rule,
        Extraction::Ambiguous { .. } => expected == "?",
        Extraction::Unextractable => expected == "-",
    }
}

/// Reads rows of answer, options, letter and rule; `?` for ambiguous, `-` for none.
fn check_choices(table: &[(&str, &str, &str, &str)]) {
    let misses: Vec<String> = table
        .iter()
        .filter_map(|&(answer, list, letter, rule)| {
            let read = read_choice(answer, &options(list));
            (!reads_as(&read, letter, rule))
                .then(|| format!("{answer:?}: expected {letter} {rule}, read {read:?}"))
        })
        .collect();
    report(&misses);
}
