use std::collections::BTreeMap;

use consilium_core::{AnswerForm, ChoiceOption};

use super::*;
use crate::fixtures::{manifest, new_run, sample};
use crate::{CaseRow, write_table};

const CASES: u32 = 700;

fn case(dataset: &str, number: u32) -> CaseRow {
    CaseRow {
        dataset: dataset.to_owned(),
        case_id: format!("case-{number}"),
        source: "source".to_owned(),
        language: "en".to_owned(),
        answer_form: AnswerForm::Choice,
        specialty: None,
        prevalence: None,
        labels: BTreeMap::from([("sex".to_owned(), "f".to_owned())]),
        input: "{}".to_owned(),
        options: vec![ChoiceOption {
            label: "A".to_owned(),
            text: format!("option of {number}"),
        }],
        gold: vec![format!("gold of {number} in {dataset}")],
        reference: number.is_multiple_of(3).then(|| "\u{0} 证".to_owned()),
        sha256: "0".to_owned(),
    }
}

fn answer(dataset: &str, number: u32, system: &str, epoch: u32, attempt: u32) -> SampleRow {
    SampleRow {
        dataset: dataset.to_owned(),
        system: system.to_owned(),
        epoch,
        answer: (!number.is_multiple_of(5))
            .then(|| format!("{system} {epoch} {attempt} of {number}")),
        payload: Some(format!("{{\"attempt\":{attempt}}}")),
        ..sample(&format!("case-{number}"), attempt, 1)
    }
}

/// Cases and samples in no order, in several parts; every tenth sample has a second attempt, which may lie
/// before the first. Datasets `other` and `c` are not asked for, and `c` has no cases.
fn run() -> (tempfile::TempDir, RunDirectory, RunManifest, Vec<SampleRow>) {
    let (folder, directory) = new_run();
    let scattered = (0..CASES).map(|step| step * 311 % CASES);
    let mut cases: Vec<CaseRow> = Vec::new();
    let mut samples = vec![answer("c", 9999, "z", 1, 1), answer("c", 1, "z", 1, 1)];
    let mut expected = Vec::new();
    for number in scattered {
        for dataset in ["b", "a", "other"] {
            cases.push(case(dataset, number));
            for (system, epoch) in [("z", 1), ("é", 2), ("z", 2)] {
                let first = answer(dataset, number, system, epoch, 1);
                if number.is_multiple_of(10) {
                    let second = answer(dataset, number, system, epoch, 2);
                    samples.extend([second.clone(), first]);
                    expected.push(second);
                } else {
                    samples.push(first.clone());
                    expected.push(first);
                }
            }
        }
    }
    expected.retain(|row| row.dataset != "other");
    expected.sort_by_key(SampleRow::key);
    let mut parts = write_table(&directory, None, 0, 500, cases).unwrap();
    parts.extend(write_table(&directory, None, 0, 400, samples).unwrap());
    let manifest = RunManifest {
        parts,
        ..manifest()
    };
    (folder, directory, manifest, expected)
}

#[test]
fn the_last_attempt_at_every_sample_comes_with_its_case_and_in_order() {
    let (_folder, directory, manifest, expected) = run();
    let datasets = ["a".to_owned(), "b".to_owned()];
    let answers = RecordedAnswers::open(&directory, &manifest, &datasets).unwrap();
    assert_eq!(answers.rows(), expected.len());
    // Small, so that reading begins anew many times.
    let answers = RecordedAnswers {
        rows_to_read: 97,
        ..answers
    };
    let read: Vec<(SampleRow, Case)> = answers.flat_map(Result::unwrap).collect();
    assert_eq!(read.len(), expected.len());
    for ((sample, found), expected) in read.iter().zip(&expected) {
        assert_eq!(sample.key(), expected.key());
        assert_eq!(sample.attempt, expected.attempt);
        assert_eq!((&sample.answer, &sample.payload), (&expected.answer, &None));
        let number = expected.case_id["case-".len()..].parse().unwrap();
        let row = case(&expected.dataset, number);
        assert_eq!(*found.view.dataset, expected.dataset);
        assert_eq!(*found.view.case_id, expected.case_id);
        assert_eq!(found.view.options, row.options);
        assert_eq!(found.view.labels, row.labels);
        assert_eq!((&found.gold, &found.reference), (&row.gold, &row.reference));
    }
}

#[test]
fn payloads_come_where_they_are_asked_for() {
    let (_folder, directory, manifest, expected) = run();
    let datasets = ["a".to_owned(), "a".to_owned(), "unknown".to_owned()];
    let answers = RecordedAnswers::open_with_payload(&directory, &manifest, &datasets).unwrap();
    let read: Vec<(SampleRow, Case)> = answers.flat_map(Result::unwrap).collect();
    let of_a = expected.iter().filter(|row| row.dataset == "a");
    let payloads = |rows: Vec<&SampleRow>| -> Vec<Option<String>> {
        rows.into_iter().map(|row| row.payload.clone()).collect()
    };
    assert_eq!(
        payloads(read.iter().map(|(sample, _)| sample).collect()),
        payloads(of_a.collect())
    );
}

#[test]
fn samples_without_a_case_are_never_left_out() {
    let (_folder, directory, manifest, _) = run();
    let datasets = ["a".to_owned(), "c".to_owned()];
    let error = RecordedAnswers::open(&directory, &manifest, &datasets).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("2 samples") && said.contains("'case-1'"),
        "{said}"
    );
}

#[test]
fn a_run_without_answers_has_none() {
    let (_folder, directory) = new_run();
    let mut answers = RecordedAnswers::open(&directory, &manifest(), &["a".to_owned()]).unwrap();
    assert!(answers.next().is_none());
}
