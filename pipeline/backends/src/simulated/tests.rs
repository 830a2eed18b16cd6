use consilium_core::study::GenerationSpec;
use consilium_core::{ChoiceOption, SampleKey};
use serde_json::{Value, json};

use super::*;
use crate::{Message, OutputSchema, SimulatedCase};

#[derive(Debug)]
struct Gold;

impl AnswerKey for Gold {
    fn answer(&self, _dataset: &str, case_id: &str) -> Option<SimulatedCase> {
        let option = |label: &str| ChoiceOption {
            label: label.to_owned(),
            text: format!("option {label}"),
        };
        (case_id != "unknown").then(|| SimulatedCase {
            gold: vec!["B".to_owned()],
            options: ["A", "B", "C", "D"].map(option).to_vec(),
            answer_form: AnswerForm::Choice,
            specialty: None,
            prevalence: None,
            reference: None,
        })
    }
}

fn backend(settings: &Value, seed: u64) -> Simulated {
    let mut spec = json!({"name": "sim", "kind": "simulated"});
    spec.as_object_mut()
        .unwrap()
        .extend(settings.as_object().unwrap().clone());
    Simulated::new(
        &serde_json::from_value(spec).unwrap(),
        seed,
        Some(Arc::new(Gold)),
    )
}

fn identity(case: &str, attempt: u32) -> CallIdentity {
    CallIdentity {
        key: SampleKey::new("d", case, "s", 1),
        attempt,
        scorer: None,
        seq: 0,
        round: None,
        agent: "doctor".into(),
        purpose: "answer".into(),
        role: "doctor".into(),
        verdict: None,
    }
}

fn request(structured: bool) -> ChatRequest {
    let schema = OutputSchema {
        name: "reply".to_owned(),
        schema: json!({"type": "object", "required": ["answer", "rationale"],
            "properties": {"rationale": {"type": "string"}, "answer": {"type": "string"}}}),
        answer_field: "answer".to_owned(),
    };
    ChatRequest {
        model: "sim".to_owned(),
        messages: vec![Message::user("Which?\nA. x\nB. y\nC. z\nD. w")],
        generation: GenerationSpec::default(),
        seed: None,
        schema: structured.then(|| Arc::new(schema)),
    }
}

async fn answer(backend: &Simulated, case: &str, structured: bool) -> Reply {
    backend
        .send(&identity(case, 1), &request(structured))
        .await
        .unwrap()
}

#[tokio::test]
async fn the_same_call_gets_the_same_reply() {
    let backend_1 = backend(&json!({}), 7);
    for structured in [true, false] {
        let first = answer(&backend_1, "c1", structured).await;
        assert_eq!(
            first,
            answer(&backend(&json!({}), 7), "c1", structured).await
        );
        let mut others = Vec::new();
        for case in 0..20 {
            others.push(
                answer(&backend_1, &case.to_string(), structured)
                    .await
                    .content,
            );
        }
        others.dedup();
        assert!(others.len() > 1);
    }
    assert_eq!(
        answer(&backend_1, "c1", true).await.format,
        ResponseFormat::JsonSchema
    );
}

#[tokio::test]
async fn the_share_of_right_answers_is_the_one_set() {
    for (accuracy, low, high) in [(0.0, 0, 0), (0.6, 1110, 1290), (1.0, 2000, 2000)] {
        let backend = backend(&json!({"accuracy": accuracy}), 3);
        let mut right = 0;
        for case in 0..2000 {
            let reply = answer(&backend, &case.to_string(), true).await;
            let value: Value = serde_json::from_str(&reply.content.unwrap()).unwrap();
            right += u32::from(value["answer"] == "B");
        }
        // Four standard deviations either side.
        assert!(
            (low..=high).contains(&right),
            "{right} of 2000 at {accuracy}"
        );
    }
}

#[tokio::test]
async fn failures_follow_their_share_and_may_pass_in_the_next_attempt() {
    let backend = backend(&json!({"error_rate": 0.3}), 3);
    let mut failed = Vec::new();
    for case in 0..1000 {
        let case = case.to_string();
        if let Err(failure) = backend.send(&identity(&case, 1), &request(false)).await {
            assert_eq!(failure.kind, ErrorKind::Server);
            failed.push(case);
        }
    }
    assert!((242..=358).contains(&failed.len()), "{}", failed.len());
    let mut passed = 0;
    for case in &failed {
        passed += u32::from(
            backend
                .send(&identity(case, 2), &request(false))
                .await
                .is_ok(),
        );
    }
    assert!(passed > 0);
}

#[tokio::test(start_paused = true)]
async fn latency_spreads_around_its_median_and_meets_the_deadline() {
    let backend = backend(
        &json!({"latency_ms": 100, "limits": {"timeout_s": 0.12}}),
        3,
    );
    let mut times = Vec::new();
    let mut late = 0;
    for case in 0..500 {
        match backend
            .send(&identity(&case.to_string(), 1), &request(false))
            .await
        {
            Ok(reply) => times.push(reply.latency_ms),
            Err(failure) => late += u32::from(failure.kind == ErrorKind::Timeout),
        }
    }
    assert!(times.iter().all(|time| *time <= 120.0));
    let below = times.iter().filter(|time| **time < 100.0).count();
    assert!((205..=295).contains(&below), "{below}");
    // One in four lies beyond 1.2 times the median: ln 1.2 / 0.25 = 0.73 deviations.
    assert!((77..=156).contains(&late), "{late}");
}

#[tokio::test]
async fn a_case_without_gold_gets_what_its_prompt_offers() {
    let reply = answer(&backend(&json!({}), 3), "unknown", true).await;
    let value: Value = serde_json::from_str(&reply.content.unwrap()).unwrap();
    assert!(
        ["A", "B", "C", "D"]
            .map(Value::from)
            .contains(&value["answer"])
    );
    assert!(reply.usage.prompt_tokens.unwrap() > 0);
}
