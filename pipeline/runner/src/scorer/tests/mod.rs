//! Tests of the scorers as their callers see them.

mod choice_table;
mod label_table;
mod laws;
mod rows;

use std::collections::BTreeMap;

use consilium_core::{AnswerForm, Case, CaseView, ChoiceOption, Outcome, SampleRow};
use serde_json::Map;

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

fn case(answer_form: AnswerForm, list: &str, gold: &[&str]) -> Case {
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

fn sample(outcome: Outcome, answer: Option<&str>) -> SampleRow {
    SampleRow {
        dataset: "d".to_owned(),
        case_id: "c".to_owned(),
        system: "s".to_owned(),
        epoch: 1,
        attempt: 1,
        outcome,
        answer: answer.map(str::to_owned),
        payload: None,
        rounds: None,
        stop_reason: None,
        calls: 1,
        prompt_tokens: None,
        completion_tokens: None,
        cost_usd: None,
        started_at: 0,
        wall_ms: 0,
        error_kind: None,
        error: None,
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
