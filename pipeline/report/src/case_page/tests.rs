use std::collections::BTreeMap;

use consilium_core::{AnswerForm, CaseView as AskedCase, ChoiceOption, Outcome};
use serde_json::{Map, Value};

use super::*;

const HOSTILE: &str = "<script>alert('x')</script> **b** | \u{202e}# head\n> 患者";

fn sample(system: &str, epoch: u32, outcome: Outcome, answer: Option<&str>) -> SampleRow {
    SampleRow {
        dataset: "sets".to_owned(),
        case_id: "../a b".to_owned(),
        system: system.to_owned(),
        epoch,
        attempt: 1,
        outcome,
        answer: answer.map(ToOwned::to_owned),
        payload: None,
        rounds: None,
        stop_reason: None,
        calls: 1,
        prompt_tokens: Some(12_000),
        completion_tokens: Some(40),
        cost_usd: Some(0.0123),
        started_at: 1,
        wall_ms: 250,
        error_kind: None,
        error: None,
    }
}

fn score(sample: &SampleRow, value: Option<f64>, reason: Option<&str>) -> ScoreRow {
    ScoreRow {
        dataset: sample.dataset.clone(),
        case_id: sample.case_id.clone(),
        system: sample.system.clone(),
        epoch: sample.epoch,
        attempt: 1,
        scorer: "choice".to_owned(),
        metric: "correct".to_owned(),
        value,
        predicted: value.map(|_| "B".to_owned()),
        truth: Some("B".to_owned()),
        rule: Some("letter.parenthesised".to_owned()),
        reason: reason.map(ToOwned::to_owned),
        stats: None,
        signature: "choice|rev:1".to_owned(),
        explanation: None,
    }
}

fn page(text: &str) -> CasePage {
    let input = Map::from_iter([
        ("question".to_owned(), Value::from(text)),
        ("context".to_owned(), Value::from(vec!["one", "two"])),
    ]);
    let option = |label: &str, text: &str| ChoiceOption {
        label: label.to_owned(),
        text: text.to_owned(),
    };
    let samples = vec![
        sample("direct", 1, Outcome::Ok, Some(text)),
        sample("direct", 2, Outcome::Refused, Some("No.")),
        sample("other", 1, Outcome::Timeout, None),
    ];
    let scores = vec![
        score(&samples[0], Some(1.0), None),
        score(&samples[1], Some(0.0), Some("refused")),
        score(&samples[2], None, Some("timeout")),
    ];
    CasePage {
        case_id: "../a b".to_owned(),
        recorded: vec![RecordedCase {
            run: "run-1".to_owned(),
            marks: vec!["Cases of sets: not clinically validated.".to_owned()],
            case: Case {
                view: AskedCase {
                    dataset: "sets".into(),
                    case_id: "../a b".into(),
                    source: "own".to_owned(),
                    language: "zh\" onload=\"x".to_owned(),
                    answer_form: AnswerForm::Choice,
                    specialty: Some("Cardiology".to_owned()),
                    prevalence: None,
                    labels: BTreeMap::from([("sex".to_owned(), "f".to_owned())]),
                    input,
                    options: vec![option("A", "flu"), option("B", text)],
                },
                gold: vec!["B".to_owned()],
                reference: Some(text.to_owned()),
                sha256: "0".to_owned(),
            },
            samples,
            scores,
        }],
    }
}

fn rendered(page: &CasePage, format: Format) -> String {
    let files = render_case(page, &[format]).unwrap();
    String::from_utf8(files.last().unwrap().bytes.clone()).unwrap()
}

#[test]
fn markdown_of_a_case() {
    insta::assert_snapshot!(rendered(&page(HOSTILE), Format::Markdown));
}

#[test]
fn html_of_a_case() {
    let html = rendered(&page(HOSTILE), Format::Html);
    let (before, rest) = html.split_once("<style>").unwrap();
    let (_, after) = rest.split_once("</style>").unwrap();
    insta::assert_snapshot!(format!("{before}<style></style>{after}"));
}

#[test]
fn an_identifier_is_no_path() {
    for file in render_case(&page("x"), &Format::ALL).unwrap() {
        let (stem, ending) = file.path.rsplit_once('.').unwrap();
        assert_eq!(stem, CasePage::stem("../a b"));
        assert!(["json", "html", "md"].contains(&ending), "{ending}");
        let name = stem.strip_prefix("cases/").unwrap();
        assert!(name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
    }
}

#[test]
fn a_page_read_back_gives_the_same_bytes() {
    let files = render_case(&page(HOSTILE), &Format::ALL).unwrap();
    let again: CasePage = serde_json::from_slice(&files[0].bytes).unwrap();
    assert_eq!(render_case(&again, &Format::ALL).unwrap(), files);
}

#[test]
fn text_of_a_case_stays_text() {
    let tags = |text: &str| rendered(&page(text), Format::Html).matches('<').count();
    assert_eq!(tags(HOSTILE), tags("x"));
    let headings = |text: &str| {
        let page = rendered(&page(text), Format::Markdown);
        page.lines().filter(|line| line.starts_with('#')).count()
    };
    assert_eq!(headings(HOSTILE), headings("x"));
}
