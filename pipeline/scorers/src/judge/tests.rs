use consilium_core::{AnswerExecutor, CallRow, ErrorKind, Outcome, RunStopped};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::*;
use consilium_backends::testing::{ScriptedBackend, reply};
use consilium_backends::{CallFailure, LimitedBackend, Reply};
use consilium_runner::testing::{MemoryRecorder, case_view};

fn case(gold: &[&str]) -> Case {
    let mut view = case_view(AnswerForm::Diagnosis);
    view.options = Vec::new();
    Case {
        view,
        gold: gold.iter().map(|&gold| gold.to_owned()).collect(),
        reference: None,
        sha256: String::new(),
    }
}

fn sample(answer: &str) -> SampleRow {
    serde_json::from_value(json!({
        "dataset": "drugs", "case_id": "1", "system": "s", "epoch": 1, "attempt": 1, "outcome": "ok",
        "answer": answer, "calls": 1, "started_at": 0, "wall_ms": 0,
    }))
    .unwrap()
}

fn spec(policy: &str) -> ScorerSpec {
    serde_json::from_value(json!({"kind": "judge", "backend": "scripted", "policy": policy}))
        .unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "scripts hold failures too")]
fn said(same: bool) -> Result<Reply, CallFailure> {
    let content = json!({"same": same, "explanation": format!("says {same}")}).to_string();
    Ok(reply(&content, "stop"))
}

#[expect(clippy::unnecessary_wraps, reason = "scripts hold failures too")]
fn nonsense() -> Result<Reply, CallFailure> {
    Ok(reply("```json\n{\"same\": \"maybe\"}\n```", "stop"))
}

fn judging(
    spec: &ScorerSpec,
    backend: Arc<LimitedBackend>,
    recorder: Option<&Arc<MemoryRecorder>>,
    recorded: Vec<CallRow>,
) -> Arc<JudgeExecutor> {
    let prompts = Arc::new(PromptLibrary::load(None).unwrap());
    let judge = Judge::new(spec, Path::new(""), &**backend.backend(), &prompts).unwrap();
    Arc::new(JudgeExecutor::new(JudgeParts {
        judge,
        backend,
        recorder: recorder.map(|recorder| Arc::<MemoryRecorder>::clone(recorder) as _),
        recorded,
        prompts,
        study_seed: 7,
        cancel: CancellationToken::new(),
    }))
}

async fn scored(executor: &Arc<JudgeExecutor>, sample: SampleRow, case: Case) -> ScoreRow {
    Arc::clone(executor).execute(sample, case).await.unwrap();
    let mut rows = executor.take_scores().finish().unwrap();
    rows.next().unwrap().unwrap()
}

/// Judges one answer by a script; the score and the calls as "seq purpose label".
async fn judged(
    script: impl IntoIterator<Item = Result<Reply, CallFailure>>,
    answer: &str,
    gold: &[&str],
) -> (ScoreRow, Vec<String>) {
    let backend = ScriptedBackend::new(script);
    let recorder = Arc::new(MemoryRecorder::default());
    let executor = judging(
        &spec("medxagent_v1"),
        backend.limited(),
        Some(&recorder),
        Vec::new(),
    );
    let row = scored(&executor, sample(answer), case(gold)).await;
    let calls = recorder.calls.lock().unwrap();
    let order = calls
        .iter()
        .map(|call| {
            assert_eq!(call.scorer.as_deref(), Some("judge"));
            assert_eq!(call.agent, "judge");
            assert_eq!(call.cost_usd.is_some(), call.error_kind.is_none());
            format!("{} {} {}", call.seq, call.purpose, call.round.unwrap())
        })
        .collect();
    (row, order)
}

#[tokio::test]
async fn labels_are_asked_in_order_until_one_is_the_same() {
    let (row, order) = judged([said(false), said(true)], "Answer: gout", &["a", "b", "c"]).await;
    assert_eq!(order, ["0 judge 1", "1 judge 2"]);
    assert_eq!((row.value, row.truth.as_deref()), (Some(1.0), Some("b")));
    assert_eq!(row.predicted.as_deref(), Some("gout"));
    assert_eq!(row.rule.as_deref(), Some("diagnosis.line"));
    assert_eq!(row.explanation.as_deref(), Some("says true"));
    assert_eq!(row.reason, None);

    let (row, order) = judged([said(false)], "gout", &["a", "b"]).await;
    assert_eq!(order, ["0 judge 1", "1 judge 2"]);
    assert_eq!((row.value, row.truth.as_deref()), (Some(0.0), Some("a")));
}

#[tokio::test]
async fn a_faulty_verdict_is_repaired_once_and_then_missing() {
    let (row, order) = judged([nonsense(), said(true)], "gout", &["a"]).await;
    assert_eq!(order, ["0 judge 1", "1 repair 1"]);
    assert_eq!(row.value, Some(1.0));

    // A judge that never answers in form, as in harnesses that ask it for ever or take a default.
    let (row, order) = judged([nonsense()], "gout", &["a"]).await;
    assert_eq!(order, ["0 judge 1", "1 repair 1"]);
    assert_eq!(
        (row.value, row.reason.as_deref()),
        (None, Some("judge_failed"))
    );
    let explanation = row.explanation.unwrap();
    assert!(
        explanation.starts_with("label 1: malformed: at ``: "),
        "{explanation}"
    );
}

#[tokio::test]
async fn a_failure_on_one_label_leaves_the_others_to_be_asked() {
    let script = [nonsense(), nonsense(), said(true)];
    let (row, order) = judged(script, "gout", &["a", "b"]).await;
    assert_eq!(order, ["0 judge 1", "1 repair 1", "2 judge 2"]);
    assert_eq!((row.value, row.truth.as_deref()), (Some(1.0), Some("b")));

    let script = [nonsense(), nonsense(), said(false)];
    let (row, _) = judged(script, "gout", &["a", "b"]).await;
    assert_eq!(
        (row.value, row.reason.as_deref()),
        (None, Some("judge_failed"))
    );
}

#[tokio::test]
async fn refusals_and_broken_servers_are_no_grades() {
    let refusal = Ok(reply("I would rather not", "content_filter"));
    let broken = Err(CallFailure::new(ErrorKind::Server, "HTTP 500"));
    for (script, message) in [(refusal, "content_filter"), (broken, "error: HTTP 500")] {
        let (row, order) = judged([script], "gout", &["a"]).await;
        assert_eq!(order, ["0 judge 1"]);
        assert_eq!(
            (row.value, row.reason.as_deref()),
            (None, Some("judge_failed"))
        );
        assert_eq!(row.explanation.unwrap(), format!("label 1: {message}"));
    }
}

#[tokio::test]
async fn what_needs_no_judge_is_not_paid() {
    for (answer, value, reason) in [
        ("No diagnosis", Some(0.0), "no_diagnosis"),
        ("Answer: it cannot be determined", Some(0.0), "no_diagnosis"),
        ("A.\nB?", Some(0.0), "unextractable"),
    ] {
        let (row, order) = judged([said(true)], answer, &["a"]).await;
        assert!(order.is_empty());
        assert_eq!(
            (row.value, row.reason.as_deref()),
            (value, Some(reason)),
            "{answer}"
        );
    }
    let (row, order) = judged([said(true)], "gout", &[]).await;
    assert!(order.is_empty());
    assert_eq!((row.value, row.reason.as_deref()), (None, Some("no_gold")));
    for (outcome, value) in [
        (Outcome::Refused, Some(0.0)),
        (Outcome::Empty, Some(0.0)),
        (Outcome::Timeout, None),
        (Outcome::Error, None),
    ] {
        let backend = ScriptedBackend::new([said(true)]);
        let executor = judging(&spec("medxagent_v1"), backend.limited(), None, Vec::new());
        let sample = SampleRow {
            outcome,
            ..sample("gout")
        };
        let row = scored(&executor, sample, case(&["gout"])).await;
        assert!(backend.requests().is_empty());
        assert_eq!(row.value, value, "{outcome}");
        assert_eq!(row.reason.as_deref(), Some(outcome.as_str()));
    }
}

#[tokio::test]
async fn exact_synonyms_are_matched_before_the_judge_where_a_table_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("a.tsv");
    std::fs::write(&table, "alias\tcanonical\nPodagra\tGout\n").unwrap();
    let with_table = ScorerSpec {
        aliases: Some(table),
        ..spec("strict_synonym")
    };
    for (spec, answer, asked) in [
        (&with_table, "podagra", 0),
        (&with_table, "Answer: GOUT.", 0),
        (&with_table, "gouty arthritis", 1),
        (&spec("strict_synonym"), "gout", 1),
    ] {
        let backend = ScriptedBackend::new([said(true)]);
        let executor = judging(spec, backend.limited(), None, Vec::new());
        let row = scored(&executor, sample(answer), case(&["Gout"])).await;
        assert_eq!(backend.requests().len(), asked, "{answer}");
        assert_eq!((row.value, row.truth.as_deref()), (Some(1.0), Some("Gout")));
        assert_eq!(row.rule.unwrap().ends_with("+synonym"), asked == 0);
    }
}

#[tokio::test]
async fn recorded_calls_are_not_paid_again_and_another_policy_is() {
    let recorder = Arc::new(MemoryRecorder::default());
    let backend = ScriptedBackend::new([said(false), nonsense(), said(true)]);
    let first = judging(
        &spec("medxagent_v1"),
        backend.limited(),
        Some(&recorder),
        Vec::new(),
    );
    let row = scored(&first, sample("gout"), case(&["a", "b"])).await;
    let calls = recorder.calls.lock().unwrap().clone();
    assert_eq!(calls.len(), 3);
    // As they are read back from a run.
    let bare = |call: &CallRow| CallRow {
        messages: String::new(),
        parameters: String::new(),
        ..call.clone()
    };
    let recorded: Vec<CallRow> = calls.iter().map(bare).collect();

    let nobody = ScriptedBackend::new([said(false)]);
    let again = judging(
        &spec("medxagent_v1"),
        nobody.limited(),
        Some(&recorder),
        recorded.clone(),
    );
    assert_eq!(scored(&again, sample("gout"), case(&["a", "b"])).await, row);
    assert!(nobody.requests().is_empty());
    assert_eq!(recorder.calls.lock().unwrap().len(), 3);

    // Killed after the first call: only the rest is paid.
    let rest = ScriptedBackend::new([nonsense(), said(true)]);
    let resumed = judging(
        &spec("medxagent_v1"),
        rest.limited(),
        Some(&recorder),
        recorded[..1].to_vec(),
    );
    assert_eq!(
        scored(&resumed, sample("gout"), case(&["a", "b"])).await,
        row
    );
    assert_eq!(rest.requests().len(), 2);

    let other = ScriptedBackend::new([said(true)]);
    let other_policy = judging(
        &spec("craftmd_v1"),
        other.limited(),
        Some(&recorder),
        recorded.clone(),
    );
    let other_row = scored(&other_policy, sample("gout"), case(&["a", "b"])).await;
    assert_eq!(other.requests().len(), 1);
    assert_ne!(other_row.signature, row.signature);

    // A later attempt with the same answer takes the calls over, whole.
    let retried = SampleRow {
        attempt: 2,
        ..sample("gout")
    };
    let later = judging(
        &spec("medxagent_v1"),
        nobody.limited(),
        Some(&recorder),
        recorded,
    );
    scored(&later, retried, case(&["a", "b"])).await;
    let all = recorder.calls.lock().unwrap();
    let taken: Vec<&CallRow> = all.iter().filter(|call| call.attempt == 2).collect();
    assert_eq!(taken.len(), 3);
    assert!(
        taken
            .iter()
            .zip(&calls)
            .all(|(taken, call)| taken.messages == call.messages && taken.tries == 0)
    );
}

#[tokio::test]
async fn failed_calls_are_asked_again_and_are_what_happened_where_nothing_may_be_asked() {
    let recorder = Arc::new(MemoryRecorder::default());
    let broken = ScriptedBackend::new([Err(CallFailure::new(ErrorKind::Server, "HTTP 500"))]);
    let first = judging(
        &spec("medxagent_v1"),
        broken.limited(),
        Some(&recorder),
        Vec::new(),
    );
    let failed = scored(&first, sample("gout"), case(&["a"])).await;
    let recorded = recorder.calls.lock().unwrap().clone();

    let offline = judging(
        &spec("medxagent_v1"),
        broken.limited(),
        None,
        recorded.clone(),
    );
    assert_eq!(scored(&offline, sample("gout"), case(&["a"])).await, failed);

    let mended = ScriptedBackend::new([said(true)]);
    let again = judging(
        &spec("medxagent_v1"),
        mended.limited(),
        Some(&recorder),
        recorded,
    );
    assert_eq!(
        scored(&again, sample("gout"), case(&["a"])).await.value,
        Some(1.0)
    );
    // The reply counts from now on, whatever came before it.
    let all = recorder.calls.lock().unwrap().clone();
    let offline = judging(&spec("medxagent_v1"), broken.limited(), None, all);
    assert_eq!(
        scored(&offline, sample("gout"), case(&["a"])).await.value,
        Some(1.0)
    );
}

#[tokio::test]
async fn a_refused_key_ends_the_judging() {
    let refused = CallFailure::new(ErrorKind::Auth, "HTTP 401");
    let backend = ScriptedBackend::new([Err(refused)]);
    let recorder = Arc::new(MemoryRecorder::default());
    let executor = judging(
        &spec("medxagent_v1"),
        backend.limited(),
        Some(&recorder),
        Vec::new(),
    );
    let end = executor.execute(sample("gout"), case(&["a"])).await;
    assert!(matches!(end, Err(RunStopped::Backend { .. })), "{end:?}");
}

#[tokio::test]
async fn the_judge_is_told_its_policy_and_both_names_in_the_language_of_the_case() {
    for (language, words) in [
        ("en", "more specific form of it"),
        ("zh-CN", "更具体的类型"),
    ] {
        let backend = ScriptedBackend::new([said(true)]);
        let executor = judging(&spec("medxagent_v1"), backend.limited(), None, Vec::new());
        let mut case = case(&["Gold {{ name }}"]);
        case.view.language = language.to_owned();
        scored(&executor, sample("Predicted {% name %}"), case).await;
        let (identity, request) = backend.requests().pop().unwrap();
        assert!(request.messages[0].content.contains(words));
        // Names are values, never templates.
        let asked = &request.messages[1].content;
        assert!(
            asked.contains("Predicted {% name %}") && asked.contains("Gold {{ name }}"),
            "{asked}"
        );
        assert!(!asked.contains("Which drug?"));
        assert_eq!(&*identity.purpose, "judge");
        assert_eq!(request.generation.temperature, Some(0.0));
    }
}

#[tokio::test]
async fn a_simulated_judge_climbs_the_ladder_as_its_policy_says() {
    let simulated = |accuracy: f64| {
        let spec = json!({"name": "sim", "kind": "simulated", "accuracy": accuracy});
        let spec = serde_json::from_value(spec).unwrap();
        let backend = consilium_backends::build(&spec, Path::new(""), 1, None).unwrap();
        Arc::new(LimitedBackend::new(
            backend,
            Arc::new(consilium_core::SystemClock),
            1,
        ))
    };
    let ladder = [
        // answer, strict_synonym, medxagent_v1, craftmd_v1
        ("Acute inferior myocardial infarction", 0.0, 1.0, 0.0),
        ("Myocardial infarction", 1.0, 1.0, 1.0),
        ("Infarction", 0.0, 0.0, 1.0),
        ("Gout", 0.0, 0.0, 0.0),
    ];
    for (answer, strict, medxagent, craftmd) in ladder {
        for (policy, value) in [
            ("strict_synonym", strict),
            ("medxagent_v1", medxagent),
            ("craftmd_v1", craftmd),
        ] {
            for (accuracy, expected) in [(1.0, value), (0.0, 1.0 - value)] {
                let executor = judging(&spec(policy), simulated(accuracy), None, Vec::new());
                let row = scored(&executor, sample(answer), case(&["Myocardial infarction"])).await;
                assert_eq!(
                    row.value,
                    Some(expected),
                    "{answer} under {policy} at {accuracy}"
                );
            }
        }
    }
}

#[test]
fn everything_that_changes_a_verdict_is_in_the_signature() {
    let prompts = PromptLibrary::load(None).unwrap();
    let signature = |spec: &ScorerSpec, backend: &Value| {
        let backend_spec = serde_json::from_value(backend.clone()).unwrap();
        let backend = consilium_backends::recorded_only(&backend_spec, Path::new("")).unwrap();
        let judge = Judge::new(spec, Path::new(""), &*backend, &prompts).unwrap();
        judge.signature().to_string()
    };
    let backend = json!({"name": "b", "kind": "openai", "model": "m-1"});
    let base = signature(&spec("craftmd_v1"), &backend);
    assert!(
        base.starts_with("judge|rev:1|policy:craftmd_v1.1|prompt:"),
        "{base}"
    );
    assert!(base.starts_with(SIGNATURE_PREFIX) && base.contains("|model:m-1|"));
    assert!(base.ends_with("|aliases:none"));
    assert_eq!(base, signature(&spec("craftmd_v1"), &backend));
    for (spec, changed) in [
        (spec("medxagent_v1"), json!({})),
        (spec("craftmd_v1"), json!({"model": "m-2"})),
        (
            spec("craftmd_v1"),
            json!({"generation": {"temperature": 0.7}}),
        ),
    ] {
        let mut backend = backend.clone();
        backend
            .as_object_mut()
            .unwrap()
            .extend(changed.as_object().unwrap().clone());
        assert_ne!(signature(&spec, &backend), base);
    }
    // Limits and prices change no verdict.
    let mut priced = backend;
    priced["limits"] = json!({"concurrency": 3});
    assert_eq!(signature(&spec("craftmd_v1"), &priced), base);
}

#[test]
fn mistakes_in_a_study_are_named() {
    for (entry, hint) in [
        (
            json!({"kind": "judge", "policy": "craftmd_v1"}),
            "needs `backend`",
        ),
        (json!({"kind": "judge", "backend": "b"}), "needs `policy`"),
        (
            json!({"kind": "judge", "backend": "b", "policy": "craftmd"}),
            "there are strict_synonym",
        ),
        (
            json!({"kind": "judge", "backend": "b", "policy": "craftmd_v1", "metrics": ["bleu"]}),
            "no use for `metrics`",
        ),
    ] {
        let spec: ScorerSpec = serde_json::from_value(entry).unwrap();
        let error = super::super::answer_forms(&spec, Path::new("")).unwrap_err();
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        let message = format!("{error}: {}", cause.unwrap_or_default());
        assert!(message.contains(hint), "{message}");
    }
    let forms = super::super::answer_forms(&spec("craftmd_v1"), Path::new("")).unwrap();
    assert_eq!(forms, [AnswerForm::Diagnosis]);
}
