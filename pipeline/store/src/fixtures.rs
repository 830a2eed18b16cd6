//! Runs and rows for tests.

use std::collections::BTreeMap;

use consilium_core::{
    CallRow, Clock, DriftRecord, EventRow, FORMAT_VERSION, Outcome, RunManifest, RunStatus,
    SampleRow, ScoreRow,
};
use tempfile::TempDir;

use crate::RunDirectory;

/// A clock that stands.
#[derive(Debug)]
pub(crate) struct FixedClock(pub(crate) i64);

impl Clock for FixedClock {
    fn now_micros(&self) -> i64 {
        self.0
    }
}

/// A new run in a folder that goes with the test.
pub(crate) fn new_run() -> (TempDir, RunDirectory) {
    let folder = tempfile::tempdir().unwrap();
    let directory = RunDirectory::create(folder.path(), "study", &FixedClock(0)).unwrap();
    (folder, directory)
}

pub(crate) fn manifest() -> RunManifest {
    RunManifest {
        format_version: FORMAT_VERSION,
        run: "study-1".to_owned(),
        status: RunStatus::Running,
        study_name: "study".to_owned(),
        study: serde_json::json!({"seed": 7}),
        study_sha256: "00".to_owned(),
        seed: 7,
        epochs: 1,
        systems: vec!["direct".to_owned()],
        planned: 10,
        datasets: Vec::new(),
        prompts: BTreeMap::new(),
        stores: BTreeMap::new(),
        signatures: BTreeMap::new(),
        git_revision: None,
        tool_version: "0.1.0".to_owned(),
        drift: DriftRecord::default(),
        rerun_of: Vec::new(),
        created_at: 1,
        finished_at: None,
        journal_from: 0,
        parts: Vec::new(),
    }
}

pub(crate) fn call(case_id: &str, attempt: u32, seq: u32) -> CallRow {
    CallRow {
        dataset: "pubmedqa".to_owned(),
        case_id: case_id.to_owned(),
        system: "direct".to_owned(),
        epoch: 1,
        attempt,
        scorer: None,
        seq,
        round: None,
        agent: "doctor".to_owned(),
        purpose: "answer".to_owned(),
        backend: "local".to_owned(),
        model_requested: "m".to_owned(),
        model_returned: None,
        fingerprint: None,
        request_id: None,
        request_sha256: format!("hash-{case_id}-{seq}"),
        parameters: "{}".to_owned(),
        messages: "[]".to_owned(),
        response: Some(format!("answer {seq} to {case_id}")),
        reasoning: None,
        finish_reason: Some("stop".to_owned()),
        parse_status: None,
        tries: 1,
        http_status: Some(200),
        latency_ms: Some(12.5),
        prompt_tokens: Some(10),
        cached_tokens: None,
        completion_tokens: Some(3),
        cost_usd: Some(0.1),
        cache_hit: false,
        started_at: 5,
        error_kind: None,
        error: None,
        raw: None,
    }
}

pub(crate) fn sample(case_id: &str, attempt: u32, calls: u32) -> SampleRow {
    SampleRow {
        dataset: "pubmedqa".to_owned(),
        case_id: case_id.to_owned(),
        system: "direct".to_owned(),
        epoch: 1,
        attempt,
        outcome: Outcome::Ok,
        answer: Some("yes".to_owned()),
        payload: None,
        rounds: None,
        stop_reason: None,
        calls,
        prompt_tokens: Some(10),
        completion_tokens: None,
        cost_usd: None,
        started_at: 5,
        wall_ms: 20,
        error_kind: None,
        error: None,
    }
}

pub(crate) fn event(case_id: &str, attempt: u32, seq: u32) -> EventRow {
    EventRow {
        dataset: "pubmedqa".to_owned(),
        case_id: case_id.to_owned(),
        system: "direct".to_owned(),
        epoch: 1,
        attempt,
        seq,
        round: None,
        agent: "doctor".to_owned(),
        kind: "answer".to_owned(),
        content: Some("yes".to_owned()),
        payload: None,
    }
}

pub(crate) fn score(scorer: &str, metric: &str, case_id: &str, value: f64) -> ScoreRow {
    ScoreRow {
        dataset: "pubmedqa".to_owned(),
        case_id: case_id.to_owned(),
        system: "direct".to_owned(),
        epoch: 1,
        attempt: 1,
        scorer: scorer.to_owned(),
        metric: metric.to_owned(),
        value: Some(value),
        predicted: None,
        truth: None,
        rule: None,
        reason: None,
        stats: None,
        signature: "s|rev:1".to_owned(),
        explanation: None,
    }
}
