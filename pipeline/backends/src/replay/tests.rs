use std::fs::File;

use consilium_core::study::GenerationSpec;
use consilium_core::{CallRow, ParseStatus, SampleKey};
use consilium_store::RunTable;
use consilium_store::rows::encode;
use parquet::arrow::ArrowWriter;
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::Message;

fn request(question: &str) -> ChatRequest {
    ChatRequest {
        model: "m".to_owned(),
        messages: vec![Message::user(question)],
        generation: GenerationSpec::default(),
        seed: None,
        schema: None,
    }
}

fn identity(case: &str, seq: u32) -> CallIdentity {
    CallIdentity {
        key: SampleKey::new("d", case, "s", 1),
        attempt: 1,
        scorer: None,
        seq,
        round: None,
        agent: "doctor".into(),
        purpose: "answer".into(),
        role: "doctor".into(),
        verdict: None,
    }
}

fn row(case: &str, seq: u32, question: &str, response: &str) -> CallRow {
    let request = request(question);
    CallRow {
        dataset: "d".to_owned(),
        case_id: case.to_owned(),
        system: "s".to_owned(),
        epoch: 1,
        attempt: 1,
        scorer: None,
        seq,
        round: None,
        agent: "doctor".to_owned(),
        purpose: "answer".to_owned(),
        backend: "b".to_owned(),
        model_requested: "m".to_owned(),
        model_returned: Some("m-1".to_owned()),
        fingerprint: Some("fp".to_owned()),
        request_id: Some("id".to_owned()),
        request_sha256: request.sha256(),
        parameters: request.parameters_json(),
        messages: request.messages_json(),
        response: Some(response.to_owned()),
        reasoning: Some("r".to_owned()),
        finish_reason: Some("stop".to_owned()),
        parse_status: Some(ParseStatus::Schema),
        tries: 1,
        http_status: Some(200),
        latency_ms: Some(12.5),
        prompt_tokens: Some(10),
        cached_tokens: None,
        completion_tokens: Some(3),
        cost_usd: None,
        cache_hit: false,
        started_at: 1,
        error_kind: None,
        error: None,
        raw: None,
    }
}

fn failed(row: CallRow, kind: ErrorKind) -> CallRow {
    CallRow {
        response: None,
        reasoning: None,
        finish_reason: None,
        error_kind: Some(kind),
        error: Some("HTTP 400 too long".to_owned()),
        ..row
    }
}

/// A run folder with these calls.
fn recorded(rows: &[CallRow]) -> TempDir {
    let folder = TempDir::new().unwrap();
    let calls = folder.path().join("run/calls");
    std::fs::create_dir_all(&calls).unwrap();
    let batch = encode(RunTable::Calls, rows).unwrap();
    let file = File::create(calls.join("part-00000.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    folder
}

fn replay(folder: &TempDir, how: &str) -> Replay {
    let spec = json!({"name": "r", "kind": "replay", "recording": "run", "match": how});
    Replay::new(&serde_json::from_value(spec).unwrap(), folder.path()).unwrap()
}

#[test]
fn a_reply_comes_back_as_it_was() {
    let folder = recorded(&[row("c", 0, "q", "B\u{0}\u{fffd}文")]);
    let replay = replay(&folder, "request");
    assert_eq!(replay.model(), "m");
    let reply = replay
        .find(&identity("other case", 9), &request("q"))
        .unwrap();
    assert_eq!(reply.content.as_deref(), Some("B\u{0}\u{fffd}文"));
    assert_eq!(reply.reasoning.as_deref(), Some("r"));
    assert_eq!(reply.model.as_deref(), Some("m-1"));
    assert_eq!(
        (reply.usage.prompt_tokens, reply.usage.cached_tokens),
        (Some(10), None)
    );
    assert_eq!(reply.format, ResponseFormat::JsonSchema);
    assert!(reply.extra.is_empty() && reply.http_status.is_none());
}

#[test]
fn equal_requests_are_answered_in_turn_and_their_own_first() {
    let rows = [
        row("a", 0, "q", "first"),
        row("b", 0, "q", "second"),
        row("c", 0, "q", "third"),
    ];
    let folder = recorded(&rows);
    let replay = replay(&folder, "request");
    let said = |case: &str| {
        replay
            .find(&identity(case, 0), &request("q"))
            .map(|reply| reply.content)
    };
    assert_eq!(said("b").unwrap().as_deref(), Some("second"));
    assert_eq!(said("x").unwrap().as_deref(), Some("first"));
    assert_eq!(said("y").unwrap().as_deref(), Some("third"));
    assert_eq!(said("z").unwrap_err().kind, ErrorKind::NotRecorded);
    // The own call is at hand however often it is asked for.
    assert_eq!(said("b").unwrap().as_deref(), Some("second"));
}

#[test]
fn a_changed_request_is_missed_by_request_and_marked_by_position() {
    let folder = recorded(&[row("c", 2, "q", "B")]);
    let missed = replay(&folder, "request").find(&identity("c", 2), &request("changed"));
    let failure = missed.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::NotRecorded);
    assert!(!failure.message.contains("changed"), "{failure}");

    let by_position = replay(&folder, "position");
    let reply = by_position
        .find(&identity("c", 2), &request("changed"))
        .unwrap();
    assert_eq!(reply.content.as_deref(), Some("B"));
    assert_eq!(reply.extra["request_changed"], true);
    assert_eq!(
        reply.extra["recorded_request_sha256"],
        request("q").sha256()
    );
    assert!(
        by_position
            .find(&identity("c", 2), &request("q"))
            .unwrap()
            .extra
            .is_empty()
    );
    assert!(by_position.find(&identity("c", 3), &request("q")).is_err());
}

#[test]
fn answers_of_a_provider_are_repeated_and_broken_connections_are_not() {
    let overflow = failed(row("a", 0, "long", ""), ErrorKind::ContextOverflow);
    let broken = failed(row("b", 0, "q", ""), ErrorKind::Transport);
    let mismatch = CallRow {
        error_kind: Some(ErrorKind::SchemaMismatch),
        ..row("e", 0, "s", "{}")
    };
    let replay = replay(&recorded(&[overflow, broken, mismatch]), "request");
    let kind = |case, question| {
        replay
            .find(&identity(case, 0), &request(question))
            .map_err(|failure| failure.kind)
    };
    assert_eq!(kind("a", "long").unwrap_err(), ErrorKind::ContextOverflow);
    assert_eq!(kind("b", "q").unwrap_err(), ErrorKind::NotRecorded);
    assert_eq!(kind("e", "s").unwrap().content.as_deref(), Some("{}"));
}

#[test]
fn of_several_attempts_the_last_counts() {
    let second = CallRow {
        attempt: 2,
        ..row("c", 0, "q2", "later")
    };
    let replay = replay(
        &recorded(&[second, row("c", 0, "q1", "earlier")]),
        "position",
    );
    let reply = replay.find(&identity("c", 0), &request("q2")).unwrap();
    assert_eq!(reply.content.as_deref(), Some("later"));
}

#[test]
fn unusable_recordings_say_why() {
    let folder = TempDir::new().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    for recording in ["empty", "nowhere.parquet"] {
        let spec = json!({"name": "r", "kind": "replay", "recording": recording});
        let error = Replay::new(&serde_json::from_value(spec).unwrap(), folder.path()).unwrap_err();
        assert!(error.to_string().contains(recording), "{error}");
    }
    let spec = json!({"name": "r", "kind": "replay"});
    let error = Replay::new(&serde_json::from_value(spec).unwrap(), folder.path()).unwrap_err();
    assert!(error.to_string().contains("`recording`"), "{error}");
}
