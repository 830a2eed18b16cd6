//! What was read from an answer, and by which rule.

/// The result of reading an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extraction {
    /// One answer was stated.
    Found {
        /// The option's or the label's name as the case spells it.
        predicted: String,
        /// The rule that found it.
        rule: &'static str,
        /// The text it was read from, in NFKC.
        span: String,
    },
    /// Several answers were stated and none of them retracted.
    Ambiguous {
        /// The text that states them, in NFKC.
        span: String,
    },
    /// No answer was stated in a form that is known.
    Unextractable,
}

impl Extraction {
    /// Found by a rule in a span, which is cut to a readable length.
    pub(super) fn found(predicted: &str, rule: &'static str, span: &str) -> Self {
        Self::Found {
            predicted: predicted.to_owned(),
            rule,
            span: shortened(span),
        }
    }

    /// Ambiguous in a span, which is cut to a readable length.
    pub(super) fn ambiguous(span: &str) -> Self {
        Self::Ambiguous {
            span: shortened(span),
        }
    }
}

/// A span on one line, at most 160 characters.
fn shortened(span: &str) -> String {
    let line = span.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(160) {
        Some((end, _)) => line[..end].to_owned(),
        None => line,
    }
}
