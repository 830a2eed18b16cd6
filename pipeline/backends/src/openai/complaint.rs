//! The error bodies of many servers, read into one form.

use serde_json::Value;

/// What a server says is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Complaint {
    /// Codes and types, in the server's words.
    pub(super) codes: Vec<String>,
    /// The message.
    pub(super) message: String,
}

impl Complaint {
    /// Reads the body of a failed request; `None` when it is no JSON that complains.
    ///
    /// Known forms: `{"error": {…}}` (`OpenAI`, Azure, Anthropic, vLLM, llama.cpp, `OpenRouter`),
    /// the same in an array (Gemini), `{"error": "…"}` (TGI, Ollama), flat fields (`DashScope`,
    /// older vLLM, Cohere), `{"detail": …}` (`FastAPI`) and `{"errors": […]}` (Cloudflare).
    pub(super) fn read(body: &Value) -> Option<Self> {
        let mut complaint = Self::default();
        complaint.collect(body);
        (complaint != Self::default()).then_some(complaint)
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.say(text),
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Object(fields) => {
                for name in ["code", "type", "error_type", "status", "param"] {
                    match fields.get(name) {
                        Some(Value::String(code)) => self.codes.push(code.clone()),
                        Some(Value::Number(code)) => self.codes.push(code.to_string()),
                        _ => {}
                    }
                }
                if let Some(Value::Array(path)) = fields.get("loc") {
                    let path: Vec<&str> = path.iter().filter_map(Value::as_str).collect();
                    self.codes.push(path.join("."));
                }
                for name in [
                    "error",
                    "errors",
                    "innererror",
                    "message",
                    "msg",
                    "detail",
                    "details",
                ] {
                    if let Some(inner) = fields.get(name) {
                        self.collect(inner);
                    }
                }
                // OpenRouter wraps the words of the provider behind it.
                if let Some(inner) = fields.get("metadata").and_then(|meta| meta.get("raw")) {
                    self.collect(inner);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn say(&mut self, text: &str) {
        if !self.message.is_empty() {
            self.message.push_str("; ");
        }
        self.message.push_str(text);
    }

    /// Codes and message in one line, for patterns and people.
    pub(super) fn text(&self) -> String {
        let mut parts: Vec<&str> = Vec::new();
        for part in self
            .codes
            .iter()
            .map(String::as_str)
            .chain([self.message.as_str()])
        {
            if !part.is_empty() && !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(": ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_form_is_read() {
        let table = [
            (
                json!({"error": {"message": "m", "type": "t", "param": null, "code": "c"}}),
                "c: t: m",
            ),
            (
                json!({"error": {"code": 400, "message": "m", "type": "t"}}),
                "400: t: m",
            ),
            (
                json!([{"error": {"code": 429, "message": "m", "status": "S"}}]),
                "429: S: m",
            ),
            (
                json!({"error": "m", "error_type": "validation"}),
                "validation: m",
            ),
            (
                json!({"code": "DataInspectionFailed", "message": "m"}),
                "DataInspectionFailed: m",
            ),
            (
                json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "m"}]}),
                "extra_forbidden: body.seed: m",
            ),
            (json!({"detail": "Not Found"}), "Not Found"),
            (
                json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
                "error: overloaded_error: Overloaded",
            ),
            (
                json!({"error": {"code": "content_filter", "message": "m",
                       "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
                "content_filter: ResponsibleAIPolicyViolation: m",
            ),
        ];
        for (body, expected) in table {
            assert_eq!(Complaint::read(&body).unwrap().text(), expected);
        }
        assert_eq!(Complaint::read(&json!({"choices": []})), None);
    }
}
