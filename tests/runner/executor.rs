use std::sync::Arc;

use consilium_core::{
    AnswerForm, Case, Clock, ErrorKind, EventRow, FinishedSample, Outcome, RunStopped,
    SampleExecutor, SampleRow,
};

use consilium_backends::testing::{ScriptedBackend, reply};
use consilium_backends::{CallFailure, LimitedBackend, Reply};
use consilium_runner::context::{SampleEnd, SolverContext};
use consilium_runner::executor::{ExecutorParts, RunExecutor};
use consilium_runner::testing::{self, MemoryRecorder};
use consilium_runner::{Answer, Solver};
use futures::FutureExt;
use tokio_util::sync::CancellationToken;

const DIRECT: &str = r#"[{"name": "s", "solver": "direct", "backend": "scripted"}]"#;
const STRUCTURED: &str = r#"[{"name": "s", "solver": "direct", "backend": "scripted",
    "variant": {"structured": true}}]"#;

fn parts(
    systems: &str,
    backend: &Arc<ScriptedBackend>,
    recorder: &Arc<MemoryRecorder>,
) -> ExecutorParts {
    testing::parts(crate::systems(systems), backend.limited(), recorder)
}

fn executor(
    systems: &str,
    backend: &Arc<ScriptedBackend>,
    recorder: &Arc<MemoryRecorder>,
) -> Arc<RunExecutor> {
    Arc::new(RunExecutor::new(parts(systems, backend, recorder)).unwrap())
}

fn executor_over(limited: LimitedBackend, recorder: &Arc<MemoryRecorder>) -> Arc<RunExecutor> {
    let parts = testing::parts(crate::systems(DIRECT), Arc::new(limited), recorder);
    Arc::new(RunExecutor::new(parts).unwrap())
}

struct Run {
    backend: Arc<ScriptedBackend>,
    recorder: Arc<MemoryRecorder>,
    result: Result<FinishedSample, RunStopped>,
}

impl Run {
    fn sample(&self) -> (SampleRow, Vec<EventRow>) {
        self.recorder.samples.lock().unwrap()[0].clone()
    }

    fn calls(&self) -> Vec<consilium_core::CallRow> {
        self.recorder.calls.lock().unwrap().clone()
    }
}

async fn run(
    systems: &str,
    script: impl IntoIterator<Item = Result<Reply, CallFailure>>,
    recorder: MemoryRecorder,
) -> Run {
    let backend = ScriptedBackend::new(script);
    let recorder = Arc::new(recorder);
    let executor = executor(systems, &backend, &recorder);
    let item = testing::work_item("s", testing::case_view(AnswerForm::Choice));
    let result = executor.execute(item).await;
    Run {
        backend,
        recorder,
        result,
    }
}

#[tokio::test]
async fn a_direct_answer_is_recorded_with_its_call_and_transcript() {
    let run = run(
        DIRECT,
        [Ok(reply("Sugar.\nAnswer: B", "stop"))],
        MemoryRecorder::default(),
    )
    .await;
    assert_eq!(run.result.as_ref().unwrap().outcome, Outcome::Ok);
    let (sample, events) = run.sample();
    assert_eq!(sample.answer.as_deref(), Some("Sugar.\nAnswer: B"));
    assert_eq!((sample.calls, sample.prompt_tokens), (1, Some(10)));
    assert!((sample.cost_usd.unwrap() - 2e-5).abs() < 1e-12);
    let kinds: Vec<(u32, &str)> = events.iter().map(|e| (e.seq, e.kind.as_str())).collect();
    assert_eq!(kinds, [(0, "answer"), (1, "final")]);
    let call = &run.calls()[0];
    assert_eq!(
        (call.seq, call.purpose.as_str(), call.tries),
        (0, "answer", 1)
    );
    let (_, request) = &run.backend.requests()[0];
    assert_eq!(call.request_sha256, request.sha256());
    let seed = consilium_core::seed::call_seed(7, &call.key(), None, 0);
    assert_eq!(request.seed, Some(seed));
}

#[tokio::test]
async fn outcomes_follow_from_replies_and_failures() {
    let refusal = Reply {
        refusal: Some("no".to_owned()),
        ..reply("", "stop")
    };
    let failure = |kind| Err(CallFailure::new(kind, "m"));
    for (answer, outcome, kept) in [
        (Ok(refusal), Outcome::Refused, None),
        (
            Ok(reply("x", "content_filter")),
            Outcome::ContentFilter,
            None,
        ),
        (Ok(reply("", "stop")), Outcome::Empty, None),
        (Ok(reply("<think>B", "length")), Outcome::Truncated, None),
        (
            Ok(reply("Answer: B, bec", "length")),
            Outcome::Truncated,
            Some("Answer: B, bec"),
        ),
        (
            failure(ErrorKind::ContentFilter),
            Outcome::ContentFilter,
            None,
        ),
        (
            failure(ErrorKind::ContextOverflow),
            Outcome::ContextOverflow,
            None,
        ),
        (failure(ErrorKind::Server), Outcome::Error, None),
        (failure(ErrorKind::Timeout), Outcome::Timeout, None),
    ] {
        let expected_kind = answer.as_ref().err().map(|failure| failure.kind);
        let run = run(DIRECT, [answer], MemoryRecorder::default()).await;
        let (sample, events) = run.sample();
        assert_eq!(sample.outcome, outcome);
        assert_eq!(sample.answer.as_deref(), kept, "{outcome:?}");
        assert_eq!(sample.error_kind, expected_kind);
        assert_eq!(events.last().unwrap().kind, "final");
        assert_eq!(run.calls().len(), 1);
    }
}

#[tokio::test]
async fn a_structured_answer_is_repaired_once() {
    let good = r#"{"answer": "B", "rationale": null}"#;
    let once = run(
        STRUCTURED,
        [Ok(reply("B!", "stop")), Ok(reply(good, "stop"))],
        MemoryRecorder::default(),
    )
    .await;
    let (sample, _) = once.sample();
    assert_eq!(
        (sample.outcome, sample.answer.as_deref()),
        (Outcome::Ok, Some("B"))
    );
    let calls = once.calls();
    let purposes: Vec<(u32, &str)> = calls.iter().map(|c| (c.seq, c.purpose.as_str())).collect();
    assert_eq!(purposes, [(0, "answer"), (1, "repair")]);
    let statuses: Vec<_> = calls.iter().map(|c| c.parse_status.unwrap()).collect();
    assert_eq!(
        statuses,
        [
            consilium_core::ParseStatus::Failed,
            consilium_core::ParseStatus::Repaired
        ]
    );
    assert_eq!(once.backend.requests()[1].1.messages.len(), 4);

    let never = run(
        STRUCTURED,
        [Ok(reply("B!", "stop"))],
        MemoryRecorder::default(),
    )
    .await;
    let (sample, _) = never.sample();
    assert_eq!((sample.outcome, sample.calls), (Outcome::Malformed, 2));
    assert_eq!(sample.error_kind, Some(ErrorKind::SchemaMismatch));
}

#[tokio::test]
async fn nothing_is_finished_when_the_run_stops() {
    let refused = CallFailure {
        http_status: Some(401),
        ..CallFailure::new(ErrorKind::Auth, "bad key")
    };
    let auth = run(DIRECT, [Err(refused)], MemoryRecorder::default()).await;
    assert!(
        matches!(auth.result, Err(RunStopped::Backend { ref backend, .. }) if backend == "scripted")
    );
    let full = MemoryRecorder {
        full: true,
        ..MemoryRecorder::default()
    };
    let full = run(DIRECT, [Ok(reply("B", "stop"))], full).await;
    assert!(matches!(full.result, Err(RunStopped::Recording { .. })));
    for run in [auth, full] {
        assert!(run.recorder.samples.lock().unwrap().is_empty());
        assert!(run.calls().is_empty());
    }
}

#[tokio::test]
async fn a_cancelled_sample_stays_half_done() {
    let backend = ScriptedBackend::new([]);
    let recorder = Arc::new(MemoryRecorder::default());
    let cancel = CancellationToken::new();
    let mut parts = parts(DIRECT, &backend, &recorder);
    parts.cancel = cancel.clone();
    let executor = Arc::new(RunExecutor::new(parts).unwrap());
    let item = testing::work_item("s", testing::case_view(AnswerForm::Choice));
    let sample = Arc::clone(&executor).execute(item.clone());
    let stop = async {
        while backend.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(executor.progress().counts().samples_in_flight, 1);
        cancel.cancel();
    };
    let (result, ()) = tokio::join!(sample, stop);
    assert!(matches!(result, Err(RunStopped::Interrupted)));
    let later = Arc::clone(&executor).execute(item).await;
    assert!(matches!(later, Err(RunStopped::Interrupted)));
    assert!(recorder.samples.lock().unwrap().is_empty());
    assert!(recorder.calls.lock().unwrap().is_empty());
    assert_eq!(executor.progress().counts().samples_in_flight, 0);
}

#[tokio::test]
async fn finished_calls_are_replayed_and_the_rest_is_made() {
    let script = || {
        [
            Ok(reply("B!", "stop")),
            Ok(reply(r#"{"answer": "B"}"#, "stop")),
        ]
    };
    let first = run(STRUCTURED, script(), MemoryRecorder::default()).await;
    let all = first.calls();

    let half = MemoryRecorder {
        recorded: vec![all[0].clone()].into(),
        ..MemoryRecorder::default()
    };
    let resumed = run(STRUCTURED, [Ok(reply(r#"{"answer": "B"}"#, "stop"))], half).await;
    assert_eq!(resumed.backend.requests().len(), 1);
    assert_eq!(resumed.calls()[0].seq, 1);
    assert_eq!(resumed.calls()[0].request_sha256, all[1].request_sha256);
    assert_eq!(resumed.sample().0.calls, 2);

    let whole = MemoryRecorder {
        recorded: all.into(),
        ..MemoryRecorder::default()
    };
    let replayed = run(STRUCTURED, [], whole).await;
    assert_eq!(replayed.sample().0.answer, first.sample().0.answer);
    assert_eq!(
        replayed.sample().0.prompt_tokens,
        first.sample().0.prompt_tokens
    );
    assert!(replayed.calls().is_empty());
}

#[tokio::test]
async fn calls_of_a_failed_attempt_are_recorded_again_without_tries() {
    let first = run(DIRECT, [Ok(reply("B", "stop"))], MemoryRecorder::default()).await;
    let recorder = Arc::new(MemoryRecorder {
        recorded: first.calls().into(),
        ..MemoryRecorder::default()
    });
    let backend = ScriptedBackend::new([]);
    let executor = executor(DIRECT, &backend, &recorder);
    let mut item = testing::work_item("s", testing::case_view(AnswerForm::Choice));
    item.attempt = 2;
    executor.execute(item).await.unwrap();
    let calls = recorder.calls.lock().unwrap().clone();
    assert_eq!((calls[0].attempt, calls[0].tries), (2, 0));
}

#[tokio::test]
async fn a_changed_request_discards_what_was_recorded() {
    let first = run(DIRECT, [Ok(reply("A", "stop"))], MemoryRecorder::default()).await;
    let mut recorded = first.calls();
    recorded[0].request_sha256 = "other".to_owned();
    let recorder = MemoryRecorder {
        recorded: recorded.into(),
        ..MemoryRecorder::default()
    };
    let again = run(DIRECT, [Ok(reply("B", "stop"))], recorder).await;
    let (sample, events) = again.sample();
    assert_eq!(sample.answer.as_deref(), Some("B"));
    assert_eq!(events[0].kind, "resume_mismatch");
}

#[tokio::test]
async fn a_refusal_survives_replay() {
    let refusal = Reply {
        refusal: Some("no".to_owned()),
        ..reply("", "stop")
    };
    let first = run(DIRECT, [Ok(refusal)], MemoryRecorder::default()).await;
    let recorder = MemoryRecorder {
        recorded: first.calls().into(),
        ..MemoryRecorder::default()
    };
    let again = run(DIRECT, [], recorder).await;
    assert_eq!(again.sample().0.outcome, Outcome::Refused);
}

#[tokio::test]
async fn gold_reaches_no_request() {
    const CANARY: &str = "CANARY-93fd";
    let mut view = testing::case_view(AnswerForm::Choice);
    view.options.clear();
    let case = Case {
        view,
        gold: vec![format!("{CANARY}-gold")],
        reference: Some(format!("{CANARY}-reference")),
        sha256: format!("{CANARY}-hash"),
    };
    for form in [
        AnswerForm::Choice,
        AnswerForm::Label,
        AnswerForm::Diagnosis,
        AnswerForm::Text,
    ] {
        for systems in [DIRECT, STRUCTURED] {
            let backend = ScriptedBackend::new([Ok(reply("B!", "stop"))]);
            let recorder = Arc::new(MemoryRecorder::default());
            let executor = executor(systems, &backend, &recorder);
            let mut view = case.view.clone();
            view.answer_form = form;
            executor
                .execute(testing::work_item("s", view))
                .await
                .unwrap();
            let requests = format!("{:?}", backend.requests());
            assert!(requests.contains("Which drug?") && !requests.contains(CANARY));
        }
    }
}

#[tokio::test]
async fn a_constant_needs_no_backend() {
    let systems = r#"[{"name": "s", "solver": "constant", "variant": {"answer": {"drugs": "A"}}}]"#;
    let run = run(systems, [], MemoryRecorder::default()).await;
    let (sample, events) = run.sample();
    assert_eq!((sample.answer.as_deref(), sample.calls), (Some("A"), 0));
    assert_eq!(events[0].content.as_deref(), Some("A"));
}

#[test]
fn an_executor_knows_its_width_and_prompts() {
    let backend = ScriptedBackend::new([]);
    let recorder = Arc::new(MemoryRecorder::default());
    let systems = r#"[
        {"name": "a", "solver": "direct", "backend": "scripted"},
        {"name": "b", "solver": "direct", "backend": "scripted"}
    ]"#;
    let executor = executor(systems, &backend, &recorder);
    assert_eq!(executor.width(), 4);
    let names: Vec<String> = executor.prompt_hashes().into_keys().collect();
    assert_eq!(names, ["direct/answer.en.jinja", "direct/answer.zh.jinja"]);
    let none = self::executor("[]", &backend, &recorder);
    assert_eq!(none.width(), 1);
}

#[derive(Debug)]
struct Panicking;

impl Solver for Panicking {
    fn name(&self) -> &'static str {
        "panicking"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[]
    }

    fn solve<'a>(
        &'a self,
        context: &'a mut SolverContext,
    ) -> futures::future::BoxFuture<'a, Result<Answer, SampleEnd>> {
        let text = context.case().input_text("question");
        async move { panic!("cannot handle {text:?}") }.boxed()
    }
}

#[tokio::test]
async fn a_panic_ends_the_sample_and_says_nothing_of_the_case() {
    let backend = ScriptedBackend::new([]);
    let recorder = Arc::new(MemoryRecorder::default());
    let mut parts = parts(DIRECT, &backend, &recorder);
    parts.systems[0].solver = Box::new(Panicking);
    let executor = Arc::new(RunExecutor::new(parts).unwrap());
    let item = testing::work_item("s", testing::case_view(AnswerForm::Text));
    executor.execute(item).await.unwrap();
    let (sample, _) = recorder.samples.lock().unwrap()[0].clone();
    assert_eq!(
        (sample.outcome, sample.error_kind),
        (Outcome::Error, Some(ErrorKind::Solver))
    );
    assert_eq!(sample.error.as_deref(), Some("run the solver: it panicked"));
}

#[tokio::test]
async fn a_sample_with_too_many_calls_ends_as_budget_with_those_it_made() {
    let backend = ScriptedBackend::new([Ok(reply("B!", "stop"))]);
    let recorder = Arc::new(MemoryRecorder::default());
    let mut parts = parts(STRUCTURED, &backend, &recorder);
    parts.sample_limits.calls = Some(1);
    let executor = Arc::new(RunExecutor::new(parts).unwrap());
    let item = testing::work_item("s", testing::case_view(AnswerForm::Choice));
    executor.execute(item).await.unwrap();
    let (sample, _) = recorder.samples.lock().unwrap()[0].clone();
    assert_eq!((sample.outcome, sample.calls), (Outcome::Budget, 1));
    assert!(sample.error.unwrap().contains("sample_calls = 1"));
    assert_eq!(backend.requests().len(), 1);
}

#[tokio::test]
async fn a_budget_that_ends_stops_the_run_and_records_no_end() {
    let backend = ScriptedBackend::new([Ok(reply("B", "stop"))]);
    let recorder = Arc::new(MemoryRecorder::default());
    let limits = consilium_core::study::BudgetSpec {
        usd: None,
        calls: Some(1),
        tokens: None,
    };
    let budget = Arc::new(consilium_backends::limit::Budget::new(
        limits,
        consilium_backends::limit::Spent::default(),
    ));
    let limited = Arc::into_inner(backend.limited())
        .unwrap()
        .with_budget(Arc::clone(&budget));
    let executor = executor_over(limited, &recorder);
    let item = testing::work_item("s", testing::case_view(AnswerForm::Choice));
    Arc::clone(&executor).execute(item.clone()).await.unwrap();
    let stopped = executor.execute(item).await;
    assert!(matches!(stopped, Err(RunStopped::Budget { .. })));
    assert_eq!(recorder.samples.lock().unwrap().len(), 1);
    assert_eq!((backend.requests().len(), budget.spent().tokens), (1, 20));
}

#[tokio::test]
async fn the_cache_comes_after_the_journal_and_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Arc::new(consilium_backends::ResponseCache::new(
        folder.path().to_owned(),
    ));
    let ask = async |script: Vec<Result<Reply, CallFailure>>, recorded: Vec<_>| {
        let backend = ScriptedBackend::new(script);
        let recorder = Arc::new(MemoryRecorder {
            recorded: recorded.into(),
            ..MemoryRecorder::default()
        });
        let limited = Arc::into_inner(backend.limited())
            .unwrap()
            .with_cache(Arc::clone(&cache));
        let executor = executor_over(limited, &recorder);
        let item = testing::work_item("s", testing::case_view(AnswerForm::Choice));
        executor.execute(item).await.unwrap();
        let (sample, _) = recorder.samples.lock().unwrap()[0].clone();
        let calls = recorder.calls.lock().unwrap().clone();
        (sample, calls, backend.requests().len())
    };
    let (_, asked, requests) = ask(vec![Ok(reply("B", "stop"))], Vec::new()).await;
    assert_eq!((requests, asked[0].cache_hit), (1, false));
    let (sample, hit, requests) = ask(Vec::new(), Vec::new()).await;
    assert_eq!(requests, 0);
    assert_eq!((hit[0].cache_hit, hit[0].tries), (true, 0));
    assert_eq!((hit[0].cost_usd, sample.cost_usd), (Some(0.0), Some(0.0)));
    assert_eq!(hit[0].prompt_tokens, Some(10));
    assert_eq!(sample.answer.as_deref(), Some("B"));
    let mut recorded = asked;
    recorded[0].response = Some("A".to_owned());
    let (sample, calls, _) = ask(Vec::new(), recorded).await;
    assert_eq!(sample.answer.as_deref(), Some("A"));
    assert!(calls.is_empty());
}

/// A clock that goes back an hour at every look.
#[derive(Debug, Default)]
struct Backwards(std::sync::atomic::AtomicI64);

impl Clock for Backwards {
    fn now_micros(&self) -> i64 {
        self.0
            .fetch_sub(3_600_000_000, std::sync::atomic::Ordering::Relaxed)
    }
}

#[tokio::test]
async fn a_clock_that_jumps_changes_no_duration() {
    let backend = ScriptedBackend::new([Ok(reply("B", "stop"))]);
    let recorder = Arc::new(MemoryRecorder::default());
    let mut parts = parts(DIRECT, &backend, &recorder);
    parts.clock = Arc::new(Backwards::default());
    let executor = Arc::new(RunExecutor::new(parts).unwrap());
    let item = testing::work_item("s", testing::case_view(AnswerForm::Choice));
    executor.execute(item).await.unwrap();
    let (sample, _) = recorder.samples.lock().unwrap()[0].clone();
    assert!(sample.wall_ms < 60_000, "{}", sample.wall_ms);
}
