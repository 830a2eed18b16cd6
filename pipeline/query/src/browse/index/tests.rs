use std::collections::BTreeMap;

use consilium_core::{
    AnswerForm, Clock, FORMAT_VERSION, Outcome, RunManifest, RunStatus, SampleKey, SampleRow,
    ScoreRow,
};
use consilium_store::{CaseRow, RunDirectory, write_table};
use proptest::prelude::*;
use tempfile::TempDir;

use super::super::{Conclusion, Edge, OpenRun, Selection, keyset};

#[derive(Debug)]
struct FixedClock;

impl Clock for FixedClock {
    fn now_micros(&self) -> i64 {
        0
    }
}

fn case(id: &str, specialty: Option<&str>) -> CaseRow {
    CaseRow {
        dataset: "set".to_owned(),
        case_id: id.to_owned(),
        source: if id.len().is_multiple_of(2) {
            "even"
        } else {
            "odd"
        }
        .to_owned(),
        language: "en".to_owned(),
        answer_form: AnswerForm::Label,
        specialty: specialty.map(str::to_owned),
        prevalence: None,
        labels: BTreeMap::new(),
        input: serde_json::json!({"question": format!("What of {id}?")}).to_string(),
        options: Vec::new(),
        gold: vec!["yes".to_owned()],
        reference: None,
        sha256: String::new(),
    }
}

fn sample(id: &str, system: &str, epoch: u32, attempt: u32, outcome: Outcome) -> SampleRow {
    SampleRow {
        dataset: "set".to_owned(),
        case_id: id.to_owned(),
        system: system.to_owned(),
        epoch,
        attempt,
        outcome,
        answer: (outcome == Outcome::Ok).then(|| format!("Answer of {system} to {id}")),
        payload: None,
        rounds: None,
        stop_reason: None,
        calls: 1,
        prompt_tokens: None,
        completion_tokens: None,
        cost_usd: None,
        started_at: 0,
        wall_ms: 5,
        error_kind: None,
        error: None,
    }
}

fn score(of: &SampleRow, value: Option<f64>, reason: Option<&str>) -> ScoreRow {
    ScoreRow {
        dataset: of.dataset.clone(),
        case_id: of.case_id.clone(),
        system: of.system.clone(),
        epoch: of.epoch,
        attempt: of.attempt,
        scorer: "label".to_owned(),
        metric: "correct".to_owned(),
        value,
        predicted: value.map(|_| "no".to_owned()),
        truth: Some("yes".to_owned()),
        rule: None,
        reason: reason.map(str::to_owned),
        stats: None,
        signature: "s|rev:1".to_owned(),
        explanation: None,
    }
}

fn open(cases: Vec<CaseRow>, samples: Vec<SampleRow>, scores: Vec<ScoreRow>) -> (TempDir, OpenRun) {
    let folder = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(folder.path(), "study", &FixedClock).unwrap();
    let mut parts = write_table(&directory, None, 0, 1000, cases).unwrap();
    // Small parts, so that pages cross them.
    parts.extend(write_table(&directory, None, 0, 7, samples).unwrap());
    parts.extend(write_table(&directory, None, 0, 5, scores).unwrap());
    let study = serde_json::json!({
        "study": {"name": "study"},
        "scorer": [{"kind": "label", "datasets": ["set"]}],
    });
    let manifest = RunManifest {
        drift: consilium_core::DriftRecord::default(),
        rerun_of: Vec::new(),
        format_version: FORMAT_VERSION,
        run: "study-1".to_owned(),
        status: RunStatus::Complete,
        study_name: "study".to_owned(),
        study,
        study_sha256: String::new(),
        seed: 1,
        epochs: 1,
        systems: Vec::new(),
        planned: 0,
        datasets: Vec::new(),
        prompts: BTreeMap::new(),
        stores: BTreeMap::new(),
        signatures: BTreeMap::new(),
        git_revision: None,
        tool_version: String::new(),
        created_at: 0,
        finished_at: None,
        journal_from: 0,
        parts,
    };
    (folder, OpenRun::new(directory, manifest).unwrap())
}

fn small_run() -> (TempDir, OpenRun) {
    let samples = vec![
        sample("c10", "b", 1, 1, Outcome::Ok),
        sample("c9", "a", 1, 1, Outcome::Error),
        sample("c9", "a", 1, 2, Outcome::Ok),
        sample("c10", "a", 1, 1, Outcome::Refused),
        sample("案", "a", 2, 1, Outcome::Timeout),
        sample("案", "a", 1, 1, Outcome::Ok),
        sample("unknown", "a", 1, 1, Outcome::Ok),
    ];
    let scores = vec![
        score(&samples[0], Some(1.0), None),
        // Of an attempt that no longer counts.
        score(&samples[1], Some(1.0), None),
        score(&samples[2], Some(0.0), None),
        score(&samples[3], Some(0.0), Some("refused")),
        score(&samples[4], None, Some("timeout")),
    ];
    let cases = vec![
        case("c9", Some("Cardiology")),
        case("c10", None),
        case("案", Some("Neurology")),
    ];
    open(cases, samples, scores)
}

fn keys(run: &OpenRun, selection: &Selection) -> Vec<String> {
    let index = run.index().unwrap();
    let filter = index.filter(selection);
    (0..index.len())
        .filter(|row| filter.passes(*row))
        .map(|row| {
            let key = index.key(row);
            format!("{}/{}/{}", key.case_id, key.system, key.epoch)
        })
        .collect()
}

#[test]
fn samples_come_once_each_in_the_order_of_their_keys() {
    let (_folder, run) = small_run();
    assert_eq!(
        keys(&run, &Selection::default()),
        [
            "c10/a/1",
            "c10/b/1",
            "c9/a/1",
            "unknown/a/1",
            "案/a/1",
            "案/a/2"
        ]
    );
    let index = run.index().unwrap();
    let row = index.find(&SampleKey::new("set", "c9", "a", 1)).unwrap();
    assert_eq!(index.sample(row).attempt, 2);
    assert_eq!(index.of_case("set", "c10"), 0..2);
    assert_eq!(index.of_case("set", "c1"), 0..0);
    assert_eq!(index.counterpart(0, index.system("b").unwrap()), Some(1));
    assert_eq!(index.counterpart(2, index.system("b").unwrap()), None);
    for row in 0..index.len() {
        let key = index.key(row);
        assert_eq!(
            (index.lower_bound(&key), index.upper_bound(&key)),
            (row, row + 1)
        );
    }
}

#[test]
fn each_filter_takes_what_it_names() {
    let (_folder, run) = small_run();
    let with = |change: &dyn Fn(&mut Selection)| {
        let mut selection = Selection::default();
        change(&mut selection);
        keys(&run, &selection)
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(with(&|s| s.system = text("b")), ["c10/b/1"]);
    assert_eq!(with(&|s| s.specialty = text("Cardiology")), ["c9/a/1"]);
    assert_eq!(with(&|s| s.specialty = text("cardiology")).len(), 0);
    assert_eq!(with(&|s| s.source = text("even")), ["c9/a/1"]);
    assert_eq!(with(&|s| s.epoch = Some(2)), ["案/a/2"]);
    assert_eq!(with(&|s| s.case_id = text("c10")).len(), 2);
    assert_eq!(with(&|s| s.outcome = Some(Outcome::Refused)), ["c10/a/1"]);
    assert_eq!(with(&|s| s.outcome = Some(Outcome::Error)).len(), 0);
    assert_eq!(with(&|s| s.dataset = text("other")).len(), 0);
    let concluded = |conclusion| with(&|s| s.conclusion = Some(conclusion));
    assert_eq!(concluded(Conclusion::Right), ["c10/b/1"]);
    assert_eq!(concluded(Conclusion::Wrong), ["c9/a/1"]);
    assert_eq!(concluded(Conclusion::Unread), ["c10/a/1"]);
    assert_eq!(
        concluded(Conclusion::Missing),
        ["unknown/a/1", "案/a/1", "案/a/2"]
    );
}

#[test]
fn a_text_is_found_in_questions_and_answers() {
    let (_folder, run) = small_run();
    let index = run.index().unwrap();
    let found = |text: &str| {
        let matches = Some(run.search(&index, text).unwrap());
        keys(
            &run,
            &Selection {
                matches,
                ..Selection::default()
            },
        )
    };
    assert_eq!(found("answer OF b"), ["c10/b/1"]);
    assert_eq!(found("what of 案"), ["案/a/1", "案/a/2"]);
    // Only the answer speaks of a case that the run does not hold.
    assert_eq!(found("unknown"), ["unknown/a/1"]);
    assert_eq!(found("question").len(), 0);
    assert_eq!(found("WHAT OF C").len(), 3);
}

#[test]
fn cards_have_the_texts_of_their_own_samples() {
    let (_folder, run) = small_run();
    let index = run.index().unwrap();
    let texts = run.card_texts(&index, &[5, 1, 3, 2]).unwrap();
    let answers: Vec<_> = texts.iter().map(|text| text.answer.as_deref()).collect();
    assert_eq!(
        answers,
        [
            None,
            Some("Answer of b to c10"),
            Some("Answer of a to unknown"),
            Some("Answer of a to c9")
        ]
    );
    let questions: Vec<_> = texts.iter().map(|text| text.question.as_str()).collect();
    assert_eq!(
        questions,
        ["What of 案?", "What of c10?", "", "What of c9?"]
    );
    assert_eq!(texts[0].truth.as_deref(), Some("yes"));
    assert_eq!(texts[2].truth, None);
}

#[test]
fn a_sample_is_read_whole_with_the_scores_of_its_attempt() {
    let (_folder, run) = small_run();
    let key = SampleKey::new("set", "c9", "a", 1);
    let last = run.sample(&key, None).unwrap().unwrap();
    assert_eq!((last.attempts.len(), last.sample().attempt), (2, 2));
    assert_eq!(last.scores.len(), 1);
    assert_eq!(last.scores[0].value, Some(0.0));
    assert_eq!(last.case.unwrap().gold, ["yes"]);
    let first = run.sample(&key, Some(1)).unwrap().unwrap();
    assert_eq!(first.sample().outcome, Outcome::Error);
    assert_eq!(first.scores[0].value, Some(1.0));
    assert_eq!(run.sample(&key, Some(3)).unwrap(), None);
    let unknown = SampleKey::new("set", "c9", "z", 1);
    assert_eq!(run.sample(&unknown, None).unwrap(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pages_by_key_give_every_sample_of_the_filter_once(
        kinds in prop::collection::vec((0_u32..30, 0_usize..3, 0_usize..11), 1..60),
        limit in 1_usize..9,
        wanted in prop::option::of(0_usize..11),
    ) {
        let mut samples: Vec<SampleRow> = kinds
            .iter()
            .map(|(case, system, outcome)| {
                let system = ["a", "b", "c"][*system];
                sample(&format!("c{case}"), system, 1, 1, Outcome::ALL[*outcome])
            })
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        samples.retain(|row| seen.insert((row.case_id.clone(), row.system.clone())));
        let cases = (0..30).map(|number| case(&format!("c{number}"), None)).collect();
        let (_folder, run) = open(cases, samples.clone(), Vec::new());
        let selection = Selection {
            outcome: wanted.map(|place| Outcome::ALL[place]),
            ..Selection::default()
        };
        let mut expected: Vec<SampleKey> = samples
            .iter()
            .filter(|row| selection.outcome.is_none_or(|outcome| row.outcome == outcome))
            .map(SampleRow::key)
            .collect();
        expected.sort();

        let index = run.index().unwrap();
        let filter = index.filter(&selection);
        let page = |edge| keyset(index.len(), edge, limit, |row| filter.passes(row));
        let mut forward: Vec<SampleKey> = Vec::new();
        loop {
            let from = forward.last().map_or(0, |key| index.upper_bound(key));
            let page = page(Edge::From(from));
            forward.extend(page.rows.iter().map(|row| index.key(*row)));
            if !page.more_after {
                break;
            }
        }
        prop_assert_eq!(&forward, &expected);
        let mut backward: Vec<SampleKey> = Vec::new();
        loop {
            let before = backward.first().map_or(index.len(), |key| index.lower_bound(key));
            let page = page(Edge::Before(before));
            backward.splice(0..0, page.rows.iter().map(|row| index.key(*row)));
            if !page.more_before {
                break;
            }
        }
        prop_assert_eq!(&backward, &expected);
    }
}
