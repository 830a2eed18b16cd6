//! Fixed questions that tell whether a model stays the same.

use consilium_core::canonical::sha256_hex;
use consilium_core::study::GenerationSpec;
use consilium_core::{CanaryAnswer, SampleKey};
use tokio_util::sync::CancellationToken;

use consilium_backends::{CallIdentity, ChatRequest, LimitedBackend, Message};

/// Questions without any case in them, whose answers leave a model little choice of words.
const QUESTIONS: [&str; 8] = [
    "Write the whole numbers from 1 to 20, separated by commas, and nothing else.",
    "Name the seven days of the week in order, starting with Monday, one per line.",
    "Spell the word 'stethoscope' backwards. Reply with the letters only.",
    "What is 37 times 43? Reply with the number only.",
    "List the planets of the solar system from the sun outwards, separated by commas.",
    "Translate 'good morning' into French, German and Spanish, one per line.",
    "Write the first ten letters of the Greek alphabet by name, separated by commas.",
    "Complete the sentence in exactly five more words: The river flows slowly",
];

/// Longest answer, tokens.
const ANSWER_TOKENS: u32 = 64;

/// Puts the first `count` fixed questions to a backend, as reproducibly as it allows.
///
/// A question that is not answered has no hash: a canary never ends a run.
pub async fn ask_canaries(
    backend: &LimitedBackend,
    count: u32,
    cancel: &CancellationToken,
) -> Vec<CanaryAnswer> {
    let mut answers = Vec::new();
    for (number, question) in (0..count).zip(QUESTIONS) {
        let request = ChatRequest {
            model: backend.backend().model().to_owned(),
            messages: vec![Message::user(question)],
            generation: GenerationSpec {
                temperature: Some(0.0),
                max_tokens: Some(ANSWER_TOKENS),
                ..GenerationSpec::default()
            },
            seed: Some(1),
            schema: None,
        };
        let identity = CallIdentity {
            key: SampleKey::new("canary", number.to_string(), "canary", 1),
            attempt: 1,
            scorer: None,
            seq: number,
            round: None,
            agent: "canary".into(),
            purpose: "canary".into(),
            role: "canary".into(),
            verdict: None,
        };
        let sent = backend.call(&identity, &request, cancel).await;
        let reply = sent.reply.ok();
        let content = reply.as_ref().and_then(|reply| reply.content.as_deref());
        answers.push(CanaryAnswer {
            backend: backend.backend().name().to_owned(),
            question: number,
            asked_at: sent.started_at,
            answer_sha256: content.map(|content| sha256_hex(content.as_bytes())),
            model: reply.as_ref().and_then(|reply| reply.model.clone()),
            fingerprint: reply.and_then(|reply| reply.fingerprint),
        });
    }
    answers
}

#[cfg(test)]
mod tests {
    use consilium_core::ErrorKind;

    use super::*;
    use consilium_backends::testing::{ScriptedBackend, reply};
    use consilium_backends::{CallFailure, Reply};

    #[tokio::test]
    async fn answers_are_hashed_and_a_failure_is_none() {
        let first = Reply {
            model: Some("m-1".to_owned()),
            ..reply("1, 2", "stop")
        };
        let backend = ScriptedBackend::new([
            Ok(first.clone()),
            Ok(first),
            Err(CallFailure::new(ErrorKind::Server, "HTTP 500")),
        ]);
        let answers = ask_canaries(&backend.limited(), 3, &CancellationToken::new()).await;
        assert_eq!(answers.len(), 3);
        assert_eq!(answers[0].answer_sha256, answers[1].answer_sha256);
        assert_eq!(answers[0].model.as_deref(), Some("m-1"));
        assert_eq!(answers[2].answer_sha256, None);
        let requests = backend.requests();
        assert_ne!(requests[0].1.messages, requests[1].1.messages);
        assert_eq!(requests[0].1.generation.temperature, Some(0.0));
        let many = ask_canaries(&backend.limited(), 99, &CancellationToken::new()).await;
        assert_eq!(many.len(), QUESTIONS.len());
    }
}
