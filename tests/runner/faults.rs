//! Whole samples through the fault machine into a recorder on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use consilium_core::study::BackendSpec;
use consilium_core::{
    AnswerForm, CallRow, DriftRecord, ErrorKind, EventRow, FORMAT_VERSION, Outcome, RunManifest,
    RunStatus, SampleExecutor, SampleRow, SystemClock,
};
use consilium_store::{Recorder, RecorderOptions, RunDirectory, RunLock, read_rows};
use futures::stream::{self, StreamExt};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use consilium_backends::LimitedBackend;
use consilium_mock_server::{Fault, MockServerOptions, MockServerStats, serve};
use consilium_runner::context::{SampleLimits, SampleRecorder};
use consilium_runner::executor::{ExecutorParts, RunExecutor};
use consilium_runner::prompt::PromptLibrary;
use consilium_runner::testing;

use crate::systems;

/// What a run left behind.
struct Ran {
    samples: Vec<SampleRow>,
    calls: Vec<CallRow>,
    events: Vec<EventRow>,
    stats: MockServerStats,
}

fn manifest() -> RunManifest {
    RunManifest {
        format_version: FORMAT_VERSION,
        run: "r".to_owned(),
        status: RunStatus::Running,
        study_name: "s".to_owned(),
        study: Value::Null,
        study_sha256: String::new(),
        seed: 1,
        epochs: 1,
        systems: vec!["direct".to_owned()],
        planned: 0,
        datasets: Vec::new(),
        prompts: BTreeMap::new(),
        stores: BTreeMap::new(),
        signatures: BTreeMap::new(),
        git_revision: None,
        tool_version: String::new(),
        drift: DriftRecord::default(),
        rerun_of: Vec::new(),
        created_at: 1,
        finished_at: None,
        journal_from: 0,
        parts: Vec::new(),
    }
}

fn new_run() -> (TempDir, RunDirectory) {
    let folder = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(folder.path(), "s", &SystemClock).unwrap();
    directory.write_manifest(&manifest()).unwrap();
    (folder, directory)
}

async fn run(
    samples: u32,
    limits: Value,
    sample_limits: SampleLimits,
    options: MockServerOptions,
) -> Ran {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let shutdown = CancellationToken::new();
    let mut serving = JoinSet::new();
    serving.spawn(serve(options, listener, shutdown.clone()));
    let (_folder, directory) = new_run();
    let (recorder, _) = Recorder::start(
        directory.clone(),
        RunLock::acquire(&directory).unwrap(),
        directory.manifest().unwrap(),
        Arc::new(SystemClock),
        RecorderOptions::default(),
    )
    .unwrap();
    let spec: BackendSpec = serde_json::from_value(json!({
        "name": "mock", "kind": "openai", "base_url": format!("{address}/v1"), "limits": limits,
        "price": {"input": 1.0, "output": 2.0},
    }))
    .unwrap();
    let client = consilium_backends::build(&spec, Path::new("."), 1, None).unwrap();
    let client = Arc::new(LimitedBackend::new(client, Arc::new(SystemClock), 1));
    let recording: Arc<dyn SampleRecorder> = Arc::new(recorder.clone());
    let executor = Arc::new(
        RunExecutor::new(ExecutorParts {
            systems: systems(r#"[{"name": "direct", "solver": "direct", "backend": "mock"}]"#),
            backends: BTreeMap::from([("mock".to_owned(), client)]),
            recorder: recording,
            clock: Arc::new(SystemClock),
            prompts: Arc::new(PromptLibrary::load(None).unwrap()),
            study_seed: 7,
            cancel: CancellationToken::new(),
            sample_limits,
        })
        .unwrap(),
    );
    let width = executor.width();
    stream::iter(0..samples)
        .map(|number| {
            let mut case = testing::case_view(AnswerForm::Choice);
            case.case_id = number.to_string().into();
            let executor = Arc::clone(&executor);
            async move {
                executor
                    .execute(testing::work_item("direct", case))
                    .await
                    .unwrap();
            }
        })
        .buffer_unordered(width)
        .collect::<()>()
        .await;
    let stats = reqwest::get(format!("{address}/stats"))
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    shutdown.cancel();
    let manifest = recorder.finish(RunStatus::Complete).unwrap();
    let verification = consilium_store::verify(&directory).unwrap();
    assert!(verification.findings.is_empty(), "{verification:?}");
    Ran {
        samples: rows(&directory, &manifest),
        calls: rows(&directory, &manifest),
        events: rows(&directory, &manifest),
        stats,
    }
}

fn rows<R: consilium_store::TableRow>(directory: &RunDirectory, manifest: &RunManifest) -> Vec<R> {
    read_rows(directory, manifest)
        .collect::<Result<_, _>>()
        .unwrap()
}

fn assert_complete(call: &CallRow) {
    assert!(
        call.latency_ms.is_some_and(|latency| latency >= 0.0),
        "{call:?}"
    );
    assert!(call.tries > 0 && !call.cache_hit, "{call:?}");
    if call.error_kind.is_none() {
        assert!(call.finish_reason.is_some(), "{call:?}");
        assert!(call.prompt_tokens.is_some() && call.completion_tokens.is_some());
        assert!(call.cost_usd.is_some_and(|cost| cost > 0.0), "{call:?}");
    } else {
        assert!(call.error.is_some() && call.cost_usd.is_none(), "{call:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]
    #[test]
    fn every_sample_ends_once_whatever_fails(seed in any::<u64>()) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let options = MockServerOptions {
            faults: 0.3,
            seed,
            stall: Duration::from_secs(1),
            retry_after: Duration::from_millis(5),
            requests_per_minute: Some(60_000),
            ..Default::default()
        };
        let limits = json!({"concurrency": 64, "timeout_s": 0.2, "retries": 2, "rpm": 60_000});
        let ran = runtime.block_on(run(300, limits, SampleLimits::default(), options));
        let keys: BTreeSet<&str> = ran.samples.iter().map(|row| row.case_id.as_str()).collect();
        prop_assert_eq!((ran.samples.len(), keys.len()), (300, 300));
        prop_assert_eq!(ran.stats.limit_violations, 0);
        let tries: u64 = ran.calls.iter().map(|call| u64::from(call.tries)).sum();
        // A request may be given up before the server has seen it.
        prop_assert!(tries >= ran.stats.requests);
        prop_assert_eq!(ran.calls.len(), 300);
        ran.calls.iter().for_each(assert_complete);
        for sample in &ran.samples {
            let failed = sample.outcome.is_infrastructure();
            prop_assert_eq!(failed, sample.error_kind.is_some());
            prop_assert!(failed || sample.outcome == Outcome::Ok);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn odd_answers_are_recorded_as_they_came() {
    for (fault, holds) in [
        (Fault::FiveMegabytes, "lorem ipsum"),
        (Fault::Nul, "\u{0} \u{0}"),
        (Fault::LoneSurrogate, "\u{fffd}"),
    ] {
        let options = MockServerOptions {
            poison: 1.0,
            poison_kinds: vec![fault],
            ..Default::default()
        };
        let ran = run(
            2,
            json!({"timeout_s": 60}),
            SampleLimits::default(),
            options,
        )
        .await;
        for (sample, call) in ran.samples.iter().zip(&ran.calls) {
            assert_eq!(sample.outcome, Outcome::Ok, "{fault:?}");
            assert!(sample.answer.as_ref().unwrap().contains(holds), "{fault:?}");
            assert!(call.response.as_ref().unwrap().contains(holds), "{fault:?}");
            let raw = call.raw.as_deref().unwrap_or_default();
            assert_eq!(raw.contains("\\ud83d"), fault == Fault::LoneSurrogate);
            assert_complete(call);
        }
        let longest = ran.calls[0].response.as_ref().unwrap().len();
        assert_eq!(longest > 5_000_000, fault == Fault::FiveMegabytes);
        assert!(ran.events.iter().any(|event| {
            let content = event.content.as_deref().unwrap_or_default();
            content.contains(holds)
        }));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sample_that_takes_too_long_ends_as_a_timeout_with_its_call() {
    let options = MockServerOptions {
        poison: 1.0,
        poison_kinds: vec![Fault::Hang],
        ..Default::default()
    };
    let sample_limits = SampleLimits {
        time: Some(Duration::from_millis(200)),
        calls: None,
    };
    let limits = json!({"timeout_s": 60, "retries": 5});
    let ran = run(3, limits, sample_limits, options).await;
    for (sample, call) in ran.samples.iter().zip(&ran.calls) {
        assert_eq!(sample.outcome, Outcome::Timeout);
        assert_eq!(call.error_kind, Some(ErrorKind::Timeout));
        assert!(call.error.as_ref().unwrap().contains("sample_timeout_s"));
        assert_complete(call);
    }
}

#[test]
fn a_transcript_of_twenty_thousand_turns_is_kept_whole() {
    let (_folder, directory) = new_run();
    let (recorder, _) = Recorder::start(
        directory.clone(),
        RunLock::acquire(&directory).unwrap(),
        directory.manifest().unwrap(),
        Arc::new(SystemClock),
        RecorderOptions::default(),
    )
    .unwrap();
    let event = |seq: u32| EventRow {
        dataset: "d".to_owned(),
        case_id: "c".to_owned(),
        system: "s".to_owned(),
        epoch: 1,
        attempt: 1,
        seq,
        round: Some(seq / 2),
        agent: "doctor".to_owned(),
        kind: "turn".to_owned(),
        content: Some(format!("turn {seq}")),
        payload: None,
    };
    let sample = SampleRow {
        dataset: "d".to_owned(),
        case_id: "c".to_owned(),
        system: "s".to_owned(),
        epoch: 1,
        attempt: 1,
        outcome: Outcome::Ok,
        answer: Some("A".to_owned()),
        payload: None,
        rounds: Some(10_000),
        stop_reason: None,
        calls: 0,
        prompt_tokens: Some(0),
        completion_tokens: Some(0),
        cost_usd: None,
        started_at: 1,
        wall_ms: 1,
        error_kind: None,
        error: None,
    };
    recorder
        .finish_sample(sample, (0..20_000).map(event).collect())
        .unwrap();
    // As a crash would leave it: everything comes back from the journal.
    drop(recorder);
    let (recorder, recovery) = Recorder::start(
        directory.clone(),
        RunLock::acquire(&directory).unwrap(),
        directory.manifest().unwrap(),
        Arc::new(SystemClock),
        RecorderOptions::default(),
    )
    .unwrap();
    assert_eq!(recovery.finished_from_journal, 1);
    let manifest = recorder.finish(RunStatus::Complete).unwrap();
    let events: Vec<EventRow> = rows(&directory, &manifest);
    assert_eq!(events.len(), 20_000);
    assert_eq!(events[19_999], event(19_999));
}
