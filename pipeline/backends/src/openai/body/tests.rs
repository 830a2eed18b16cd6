use serde_json::json;

use super::*;

fn message(message: &Value) -> Reply {
    read(
        json!({"choices": [{"message": message}]})
            .to_string()
            .as_bytes(),
    )
    .unwrap()
}

fn said(value: &Value) -> (Option<String>, Option<String>) {
    let reply = message(value);
    (reply.content, reply.reasoning)
}

#[expect(clippy::unnecessary_wraps, reason = "stands for a field that is there")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_full_reply_is_read_and_the_unknown_kept() {
    let body = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m-1",
        "system_fingerprint": "fp", "service_tier": "default",
        "choices": [{"index": 0, "finish_reason": "stop", "logprobs": null,
            "content_filter_results": {"hate": {"filtered": false}},
            "message": {"role": "assistant", "content": "B", "refusal": null, "annotations": []}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2.0, "total_tokens": 12,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 1}},
        "timings": {"prompt_ms": 1.5},
    });
    let reply = read(body.to_string().as_bytes()).unwrap();
    assert_eq!(reply.content.as_deref(), Some("B"));
    assert_eq!(reply.finish_reason.as_deref(), Some("stop"));
    assert_eq!(reply.model.as_deref(), Some("m-1"));
    assert_eq!(reply.fingerprint.as_deref(), Some("fp"));
    assert_eq!(reply.request_id.as_deref(), Some("chatcmpl-1"));
    let usage = Usage {
        prompt_tokens: Some(10),
        cached_tokens: Some(4),
        completion_tokens: Some(2),
    };
    assert_eq!(reply.usage, usage);
    assert_eq!(
        Value::Object(reply.extra),
        json!({
            "service_tier": "default",
            "timings": {"prompt_ms": 1.5},
            "completion_tokens_details": {"reasoning_tokens": 1},
            "choice": {"content_filter_results": {"hate": {"filtered": false}}, "logprobs": null},
        })
    );
}

#[test]
fn a_bare_reply_is_enough() {
    let reply = read(br#"{"choices":[{"message":{}}]}"#).unwrap();
    assert_eq!(reply, Reply::default());
    assert_eq!(message(&json!({"content": null})).content, None);
    assert_eq!(message(&json!({"content": ""})).content, some(""));
}

#[test]
fn reasoning_is_kept_apart_whatever_its_name() {
    let table = [
        (
            json!({"content": "B", "reasoning": "r"}),
            some("B"),
            some("r"),
        ),
        (
            json!({"content": "B", "reasoning_content": "r"}),
            some("B"),
            some("r"),
        ),
        (
            json!({"content": "B", "reasoning": "r", "reasoning_content": "r"}),
            some("B"),
            some("r"),
        ),
        (
            json!({"content": null, "reasoning_content": "r"}),
            None,
            some("r"),
        ),
        (json!({"content": "B", "reasoning": ""}), some("B"), None),
        (
            json!({"content": "<think>\nr\n</think>\n\nB"}),
            some("B"),
            some("r"),
        ),
        (json!({"content": "<think></think>B"}), some("B"), None),
        (json!({"content": "r\n</think>\nB"}), some("B"), some("r")),
        (
            json!({"content": "<think>r, and more"}),
            None,
            some("r, and more"),
        ),
        (
            json!({"content": "say <think>x</think>"}),
            some("say <think>x</think>"),
            None,
        ),
        (
            json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "r"}]},
                               {"type": "text", "text": "B"}]}),
            some("B"),
            some("r"),
        ),
    ];
    for (value, content, reasoning) in table {
        assert_eq!(said(&value), (content, reasoning), "{value}");
    }
}

#[test]
fn parts_are_joined_and_refusals_told_apart() {
    let reply = message(&json!({"content": [{"type": "text", "text": "a"}, {"text": "b"}, "c"]}));
    assert_eq!(reply.content, some("abc"));
    let parts = json!({"content": [{"type": "refusal", "refusal": "I cannot"}]});
    assert_eq!(message(&parts).refusal, some("I cannot"));
    let field = json!({"content": null, "refusal": "I cannot"});
    assert_eq!(message(&field).refusal, some("I cannot"));
}

#[test]
fn lone_surrogates_survive_as_replacement_characters() {
    let body = br#"{"choices":[{"message":{"content":"a\ud83d b\u0000"}}]}"#;
    let reply = read(body).unwrap();
    assert_eq!(reply.content.as_deref(), Some("a\u{fffd} b\u{0}"));
    assert!(reply.lossy);
    assert_eq!(reply.raw.as_deref().map(str::as_bytes), Some(&body[..]));

    let whole = read(br#"{"choices":[{"message":{"content":"\ud83d\ude00\u0000"}}]}"#).unwrap();
    assert_eq!(whole.content.as_deref(), Some("\u{1f600}\u{0}"));
    assert!(!whole.lossy && whole.raw.is_none());

    let invalid = read(b"{\"choices\":[{\"message\":{\"content\":\"a\xff\"}}]}").unwrap();
    assert_eq!(invalid.content.as_deref(), Some("a\u{fffd}"));
    assert!(invalid.lossy);
}

#[test]
fn what_is_no_reply_is_told_apart() {
    assert!(matches!(read(b"<html>"), Err(NoReply::NotJson(_))));
    assert!(matches!(
        read(br#"{"choices":[{"mess"#),
        Err(NoReply::NotJson(_))
    ));
    assert!(matches!(read(b""), Err(NoReply::NotJson(_))));
    assert_eq!(read(br#"{"choices":[]}"#), Err(NoReply::NoChoices));
    assert_eq!(read(br#"{"choices":null}"#), Err(NoReply::NoChoices));
    assert_eq!(read(br#"{"choices":[{}]}"#), Err(NoReply::NoChoices));
    assert_eq!(read(b"[]"), Err(NoReply::NoChoices));
    for body in [
        json!({"error": {"message": "m", "code": 502}}),
        json!({"error": "m", "choices": null}),
        json!({"choices": [{"error": {"code": 502, "message": "m"}, "message": {"content": ""}}]}),
    ] {
        let outcome = read(body.to_string().as_bytes());
        assert!(matches!(outcome, Err(NoReply::Complains(_))), "{body}");
    }
}
