//! The body of a chat request.

use async_openai::types::chat::{
    ChatCompletionRequestAssistantMessage, ChatCompletionRequestMessage,
    ChatCompletionRequestSystemMessage, ChatCompletionRequestUserMessage,
    CreateChatCompletionRequest, ResponseFormat as WireFormat, ResponseFormatJsonSchema,
};
use serde::Serialize;
use serde_json::{Map, Value};

use super::dialect::Dialect;
use crate::{ChatRequest, Message, ResponseFormat, Role};

/// A request as it is written: `parameters` stand beside the typed fields.
#[derive(Serialize)]
struct Body<'a> {
    #[serde(flatten)]
    typed: &'a CreateChatCompletionRequest,
    #[serde(flatten)]
    parameters: Map<String, Value>,
}

/// The typed fields that are set.
const TYPED: [&str; 3] = ["model", "messages", "response_format"];

/// Writes a request as the server understands it.
pub(super) fn body(request: &ChatRequest, dialect: Dialect) -> Result<Vec<u8>, serde_json::Error> {
    let typed = CreateChatCompletionRequest {
        model: request.model.clone(),
        messages: messages(request, dialect)
            .into_iter()
            .map(message)
            .collect(),
        response_format: response_format(request, dialect),
        ..Default::default()
    };
    // Numbers stand here, because the typed request narrows them to 32 bits.
    let mut parameters = request.parameters();
    dialect.adaptation(request).apply(&mut parameters);
    if !TYPED.iter().any(|name| parameters.contains_key(*name)) {
        return serde_json::to_vec(&Body {
            typed: &typed,
            parameters,
        });
    }
    // `extra` replaces any field.
    let mut fields = serde_json::to_value(typed)?;
    if let Value::Object(fields) = &mut fields {
        fields.extend(parameters);
    }
    serde_json::to_vec(&fields)
}

/// The messages, with the schema in words where the server does not enforce it.
fn messages(request: &ChatRequest, dialect: Dialect) -> Vec<Message> {
    let mut messages = request.messages.clone();
    if let (Some(schema), Some(last)) = (&request.schema, messages.last_mut())
        && dialect.format != ResponseFormat::JsonSchema
    {
        let instruction = schema.instruction();
        if !last.content.ends_with(&instruction) {
            last.content.push_str("\n\n");
            last.content.push_str(&instruction);
        }
    }
    messages
}

fn message(message: Message) -> ChatCompletionRequestMessage {
    match message.role {
        Role::System => ChatCompletionRequestSystemMessage::from(message.content).into(),
        Role::User => ChatCompletionRequestUserMessage::from(message.content).into(),
        Role::Assistant => ChatCompletionRequestAssistantMessage::from(message.content).into(),
    }
}

fn response_format(request: &ChatRequest, dialect: Dialect) -> Option<WireFormat> {
    let schema = request.schema.as_ref()?;
    match dialect.format {
        ResponseFormat::Text => None,
        ResponseFormat::JsonObject => Some(WireFormat::JsonObject),
        ResponseFormat::JsonSchema => Some(WireFormat::JsonSchema {
            json_schema: ResponseFormatJsonSchema {
                description: None,
                name: schema.name.clone(),
                schema: schema.schema.clone(),
                strict: Some(true),
            },
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use consilium_core::study::GenerationSpec;
    use serde_json::json;

    use super::*;
    use crate::OutputSchema;

    fn request() -> ChatRequest {
        let mut request = ChatRequest {
            model: "m".to_owned(),
            messages: vec![Message::system("be brief"), Message::user("why?\u{0}")],
            generation: GenerationSpec::default(),
            seed: Some(9_007_199_254_740_993),
            schema: None,
        };
        request.generation.temperature = Some(0.7);
        request.generation.max_tokens = Some(64);
        request.generation.stop = vec!["END".to_owned()];
        request
            .generation
            .extra
            .insert("min_p".to_owned(), json!(0.05));
        request
    }

    fn sent(request: &ChatRequest, dialect: Dialect) -> Value {
        serde_json::from_slice(&body(request, dialect).unwrap()).unwrap()
    }

    fn dialect(format: ResponseFormat) -> Dialect {
        Dialect {
            format,
            max_completion_tokens: false,
            without_seed: false,
        }
    }

    #[test]
    fn a_plain_request_holds_what_was_set_and_nothing_else() {
        assert_eq!(
            sent(&request(), dialect(ResponseFormat::JsonSchema)),
            json!({
                "model": "m",
                "messages": [
                    {"role": "system", "content": "be brief"},
                    {"role": "user", "content": "why?\u{0}"},
                ],
                "temperature": 0.7,
                "max_tokens": 64,
                "stop": ["END"],
                "seed": 1,
                "min_p": 0.05,
            })
        );
    }

    #[test]
    fn extra_fields_replace_any_other() {
        let mut request = request();
        request
            .generation
            .extra
            .insert("max_tokens".to_owned(), json!(9));
        request
            .generation
            .extra
            .insert("seed".to_owned(), Value::Null);
        let plain = sent(&request, dialect(ResponseFormat::Text));
        assert_eq!(
            (&plain["max_tokens"], &plain["seed"]),
            (&json!(9), &Value::Null)
        );
        request
            .generation
            .extra
            .insert("model".to_owned(), json!("another"));
        let renamed = body(&request, dialect(ResponseFormat::Text)).unwrap();
        let renamed = String::from_utf8(renamed).unwrap();
        assert_eq!(renamed.matches("\"model\"").count(), 1, "{renamed}");
        assert!(renamed.contains(r#""model":"another""#), "{renamed}");
        assert!(renamed.contains(r#""max_tokens":9"#), "{renamed}");
    }

    #[test]
    fn what_was_learnt_changes_names() {
        let learnt = Dialect {
            format: ResponseFormat::Text,
            max_completion_tokens: true,
            without_seed: true,
        };
        let sent = sent(&request(), learnt);
        assert_eq!(sent["max_completion_tokens"], 64);
        assert!(sent.get("max_tokens").is_none() && sent.get("seed").is_none());
        let mut explicit = request();
        let extra = &mut explicit.generation.extra;
        extra.insert("max_completion_tokens".to_owned(), json!(7));
        assert_eq!(self::sent(&explicit, learnt)["max_completion_tokens"], 7);
    }

    #[test]
    fn the_schema_is_enforced_or_said_in_words_once() {
        let schema = json!({"type": "object", "properties": {"answer": {"type": "string"}}});
        let output = OutputSchema {
            name: "reply".to_owned(),
            schema: schema.clone(),
            answer_field: "answer".to_owned(),
        };
        let instruction = output.instruction();
        let mut request = ChatRequest {
            schema: Some(Arc::new(output)),
            ..request()
        };

        let strict = sent(&request, dialect(ResponseFormat::JsonSchema));
        assert_eq!(
            strict["response_format"],
            json!({"type": "json_schema",
                   "json_schema": {"name": "reply", "schema": schema, "strict": true}})
        );
        assert_eq!(strict["messages"][1]["content"], "why?\u{0}");

        let object = sent(&request, dialect(ResponseFormat::JsonObject));
        assert_eq!(object["response_format"], json!({"type": "json_object"}));
        let said = format!("why?\u{0}\n\n{instruction}");
        assert_eq!(object["messages"][1]["content"], said);

        request.messages[1].content = said.clone();
        let text = sent(&request, dialect(ResponseFormat::Text));
        assert!(text.get("response_format").is_none());
        assert_eq!(text["messages"][1]["content"], said);
    }
}
