//! What a server has taught us by refusing.

use std::sync::LazyLock;
use std::sync::{Mutex, PoisonError};

use consilium_core::study::StructuredOutput;
use regex::Regex;

use crate::{Adaptation, ChatRequest, ResponseFormat, configured_format};

/// How requests have to be written for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    /// How structured output is asked for.
    pub(super) format: ResponseFormat,
    /// Whether the length limit has its newer name.
    pub(super) max_completion_tokens: bool,
    /// Whether seeds are refused.
    pub(super) without_seed: bool,
}

impl Dialect {
    /// How a request written so differs from what is asked for.
    pub(super) fn adaptation(self, request: &ChatRequest) -> Adaptation {
        let asks_for = |set: bool, key: &str| set || request.generation.extra.contains_key(key);
        let limited = request.generation.max_tokens.is_some();
        Adaptation {
            without_seed: self.without_seed && asks_for(request.seed.is_some(), "seed"),
            max_completion_tokens: self.max_completion_tokens && asks_for(limited, "max_tokens"),
            schema_as: (request.schema.is_some() && self.format != ResponseFormat::JsonSchema)
                .then_some(self.format),
        }
    }
}

/// The dialect of one server, learnt as it refuses.
#[derive(Debug)]
pub(super) struct Learner {
    may_lower_format: bool,
    state: Mutex<(Dialect, u32)>,
}

static ABOUT_FORMAT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)response_?format|json[_ ]?(schema|object|mode)|structured.?outputs?|guided|grammar|support the requested parameters",
    )
    .ok()
});

impl Learner {
    pub(super) fn new(structured_output: StructuredOutput) -> Self {
        let dialect = Dialect {
            format: configured_format(structured_output),
            max_completion_tokens: false,
            without_seed: false,
        };
        Self {
            may_lower_format: structured_output == StructuredOutput::Auto,
            state: Mutex::new((dialect, 0)),
        }
    }

    /// How to write the next request.
    pub(super) fn dialect(&self) -> Dialect {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// How often something was learnt.
    pub(super) fn revision(&self) -> u32 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1
    }

    /// Learns from the refusal of a request that was written in dialect `used`.
    ///
    /// What another call has learnt in the meantime is not learnt twice: two refusals of a JSON
    /// Schema must not take JSON mode away as well.
    pub(super) fn learn(&self, status: u16, complaint: &str, request: &ChatRequest, used: Dialect) {
        if !matches!(status, 400 | 404 | 422) {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (dialect, revision) = &mut *state;
        let before = *dialect;
        let parameters = request.parameters();
        if complaint.contains("max_completion_tokens")
            && !used.max_completion_tokens
            && parameters.contains_key("max_tokens")
            && !complaint.contains("too large")
        {
            dialect.max_completion_tokens = true;
        } else if parameters.contains_key("seed") && !used.without_seed && refuses_seed(complaint) {
            dialect.without_seed = true;
        } else if self.may_lower_format
            && request.schema.is_some()
            && dialect.format == used.format
            && ABOUT_FORMAT
                .as_ref()
                .is_some_and(|about| about.is_match(complaint))
        {
            dialect.format = match used.format {
                ResponseFormat::JsonSchema => ResponseFormat::JsonObject,
                ResponseFormat::JsonObject | ResponseFormat::Text => ResponseFormat::Text,
            };
        }
        if *dialect != before {
            *revision += 1;
            tracing::info!(?dialect, "the server refused a request as it was written");
        }
    }
}

fn refuses_seed(complaint: &str) -> bool {
    static REFUSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)(unsupported|unknown|unrecognized|unrecognised|extra|not permitted|not supported).{0,60}\bseed\b|\bseed\b.{0,60}(unsupported|not supported|not permitted|not allowed|extra)",
        )
        .ok()
    });
    REFUSES
        .as_ref()
        .is_some_and(|refuses| refuses.is_match(complaint))
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
            messages: vec![],
            generation: GenerationSpec::default(),
            seed: Some(1),
            schema: Some(Arc::new(OutputSchema {
                name: "n".to_owned(),
                schema: json!({}),
                answer_field: "answer".to_owned(),
            })),
        };
        request.generation.max_tokens = Some(1);
        request
    }

    #[test]
    fn the_format_is_lowered_step_by_step() {
        let learner = Learner::new(StructuredOutput::Auto);
        for (complaint, expected) in [
            (
                "This model does not support response_format json_schema",
                ResponseFormat::JsonObject,
            ),
            (
                "response_format.type: json_object is not supported",
                ResponseFormat::Text,
            ),
            ("response_format", ResponseFormat::Text),
        ] {
            learner.learn(400, complaint, &request(), learner.dialect());
            assert_eq!(learner.dialect().format, expected);
        }
        assert_eq!(learner.revision(), 2);
    }

    #[test]
    fn two_refusals_of_the_same_dialect_teach_once() {
        let learner = Learner::new(StructuredOutput::Auto);
        let used = learner.dialect();
        learner.learn(422, "json_schema: extra inputs", &request(), used);
        learner.learn(422, "json_schema: extra inputs", &request(), used);
        assert_eq!(learner.dialect().format, ResponseFormat::JsonObject);
        assert_eq!(learner.revision(), 1);
    }

    #[test]
    fn a_fixed_format_and_other_complaints_teach_nothing() {
        let fixed = Learner::new(StructuredOutput::JsonSchema);
        fixed.learn(
            400,
            "response_format is not supported",
            &request(),
            fixed.dialect(),
        );
        let auto = Learner::new(StructuredOutput::Auto);
        auto.learn(
            400,
            "temperature must be positive",
            &request(),
            auto.dialect(),
        );
        auto.learn(500, "response_format", &request(), auto.dialect());
        let plain = ChatRequest {
            schema: None,
            ..request()
        };
        auto.learn(
            400,
            "response_format is not supported",
            &plain,
            auto.dialect(),
        );
        assert_eq!((fixed.revision(), auto.revision()), (0, 0));
    }

    #[test]
    fn newer_names_and_refused_seeds_are_learnt() {
        let learner = Learner::new(StructuredOutput::Auto);
        let complaint = "Unsupported parameter: 'max_tokens' is not supported with this model. \
                         Use 'max_completion_tokens' instead.";
        learner.learn(400, complaint, &request(), learner.dialect());
        learner.learn(
            422,
            "extra_forbidden body.seed",
            &request(),
            learner.dialect(),
        );
        let dialect = learner.dialect();
        assert!(dialect.max_completion_tokens && dialect.without_seed);
        assert_eq!(dialect.format, ResponseFormat::JsonSchema);
    }
}
