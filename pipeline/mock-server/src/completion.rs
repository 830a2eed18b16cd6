//! The chat completion of one request.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;
use serde_json::{Value, json};

use super::MockServerOptions;
use consilium_backends::simulated::{Filler, Language, guess, prose_of, reply};
use consilium_backends::text_tokens;

/// The part of a request that decides its answer.
#[derive(Debug, Deserialize)]
pub(super) struct Request {
    #[serde(default)]
    model: String,
    messages: Vec<RequestMessage>,
    #[serde(default)]
    response_format: Option<Value>,
    #[serde(default)]
    pub(super) stream: bool,
}

#[derive(Debug, Deserialize)]
struct RequestMessage {
    #[serde(default)]
    content: Value,
}

impl Request {
    /// Whether the reply must have a form.
    pub(super) fn is_structured(&self) -> bool {
        self.response_format
            .as_ref()
            .is_some_and(|format| format["type"] != "text")
    }

    fn prompt(&self) -> &str {
        self.messages
            .last()
            .and_then(|message| message.content.as_str())
            .unwrap_or_default()
    }
}

/// Writes the reply of a request; the same request always gets the same.
pub(super) fn completion(options: &MockServerOptions, request: &Request, seed: u64) -> String {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let prompt = request.prompt();
    let language = Language::of(prompt);
    let known = options.key.as_ref().and_then(|key| key.answer(prompt));
    let answers = match known {
        Some(answer) => vec![answer.to_owned()],
        None => guess(prompt, language, &mut random),
    };
    let content = match &request.response_format {
        Some(format) if request.is_structured() => {
            let any = json!({"type": "object", "required": ["answer"],
                "properties": {"answer": {"type": "string"}}});
            let schema = format.pointer("/json_schema/schema").unwrap_or(&any);
            // The first text carries the length that was asked for.
            let mut bytes = options.answer_bytes;
            let mut prose =
                |random: &mut ChaCha8Rng| prose_of(language, std::mem::take(&mut bytes), random);
            let field = answer_field(schema);
            Filler::new(schema, &mut random, &mut prose)
                .with_answer(field, &answers)
                .to_string()
        }
        _ => {
            let answer = answers.first().map(String::as_str).unwrap_or_default();
            reply(language, answer, options.answer_bytes, &mut random)
        }
    };
    let prompt_tokens: u64 = request
        .messages
        .iter()
        .map(|message| message.content.as_str().map_or(1, text_tokens))
        .sum();
    let completion_tokens = text_tokens(&content);
    json!({
        "id": format!("mock-{seed:016x}"),
        "object": "chat.completion",
        "created": 0,
        "model": request.model,
        "system_fingerprint": "mock",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": content},
            "finish_reason": "stop",
        }],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    })
    .to_string()
}

/// The property that most likely holds the answer: by name, else the last one.
fn answer_field(schema: &Value) -> &str {
    const NAMES: [&str; 6] = [
        "answer",
        "final_answer",
        "choice",
        "label",
        "diagnosis",
        "verdict",
    ];
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return "answer";
    };
    NAMES
        .into_iter()
        .find(|name| properties.contains_key(*name))
        .or_else(|| properties.keys().next_back().map(String::as_str))
        .unwrap_or("answer")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(request: Value, answer_bytes: usize) -> String {
        let request: Request = serde_json::from_value(request).unwrap();
        let options = MockServerOptions {
            answer_bytes,
            ..Default::default()
        };
        let reply: Value = serde_json::from_str(&completion(&options, &request, 7)).unwrap();
        reply["choices"][0]["message"]["content"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    #[test]
    fn a_label_of_the_prompt_is_answered() {
        let text = content(
            json!({"messages": [{"role": "user", "content": "Labels:\n- yes\n- no\n- maybe"}]}),
            100,
        );
        let last = text.lines().last().unwrap();
        assert!(
            ["yes", "no", "maybe"]
                .iter()
                .any(|label| last.contains(label)),
            "{text}"
        );
        assert!(text.len() > 100);
    }

    #[test]
    fn a_schema_is_satisfied() {
        let schema = json!({"type": "object", "required": ["rationale", "answer"],
            "properties": {"rationale": {"type": "string"}, "answer": {"enum": ["yes", "no"]}}});
        let text = content(
            json!({"messages": [{"content": "Labels:\n- yes\n- no"}],
                "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}}),
            500,
        );
        let value: Value = serde_json::from_str(&text).unwrap();
        assert!(jsonschema::is_valid(&schema, &value), "{value}");
        assert!(value["rationale"].as_str().unwrap().len() >= 500);
        let object = content(
            json!({"messages": [{"content": "?"}], "response_format": {"type": "json_object"}}),
            0,
        );
        assert!(serde_json::from_str::<Value>(&object).unwrap()["answer"].is_string());
    }
}
