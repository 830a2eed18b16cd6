//! One sample in full.

use consilium_core::{Case, Outcome, SampleRow, ScoreRow};

/// One sample: its case, how an attempt ended, what scorers concluded.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleView {
    /// The case; `None` when the run does not hold it.
    pub case: Option<Case>,
    /// The attempt, whole.
    pub sample: SampleRow,
    /// Every attempt, ascending.
    pub attempts: Vec<AttemptCard>,
    /// Score rows of the attempt, in the order of the study's scorers.
    pub scores: Vec<ScoreRow>,
    /// Events of the attempt.
    pub events: u64,
    /// Calls of the attempt, those of scorers included.
    pub calls: u64,
}

/// One try at a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttemptCard {
    /// Number, from 1.
    pub attempt: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Start, microseconds since the Unix epoch, UTC.
    pub started_at: i64,
    /// Duration, milliseconds.
    pub wall_ms: u64,
}

/// Which calls of an attempt to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSelection {
    /// Rounds from and to, both included; solver calls of other rounds are left out, calls without a
    /// round only when `unrounded`. All rounds when `None`.
    pub rounds: Option<(u32, u32)>,
    /// With `rounds`: whether solver calls without a round are in.
    pub unrounded: bool,
    /// Whether calls of scorers are in.
    pub scorers: bool,
    /// Rows of the selection to pass over; the calls of one attempt are few enough for an offset.
    pub skip: usize,
    /// Most rows, from 1.
    pub limit: usize,
}

/// A text that can be long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPart {
    /// The answer.
    Answer,
    /// The solver's facts.
    Payload,
    /// The reference answer of the case.
    Reference,
    /// A field of the case's input, as [`CaseView::input_text`](consilium_core::CaseView::input_text)
    /// gives it.
    Input {
        /// Its name.
        field: String,
    },
    /// What is said in an event.
    EventContent {
        /// Position of the event.
        seq: u32,
    },
    /// The structured part of an event.
    EventPayload {
        /// Position of the event.
        seq: u32,
    },
    /// A text of a call.
    Call {
        /// Scorer that issued it; `None` for calls of the solver.
        scorer: Option<String>,
        /// Position of the call.
        seq: u32,
        /// Which text.
        field: CallField,
    },
    /// The explanation of a score.
    Explanation {
        /// Scorer.
        scorer: String,
        /// Metric.
        metric: String,
    },
}

/// A text of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallField {
    /// All messages, as JSON.
    Messages,
    /// The parameters, as JSON.
    Parameters,
    /// Content of the reply.
    Response,
    /// Reasoning apart from the content.
    Reasoning,
    /// The reply as received.
    Raw,
}

impl CallField {
    /// Every field.
    pub const ALL: [Self; 5] = [
        Self::Messages,
        Self::Parameters,
        Self::Response,
        Self::Reasoning,
        Self::Raw,
    ];

    /// The name used in links.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Parameters => "parameters",
            Self::Response => "response",
            Self::Reasoning => "reasoning",
            Self::Raw => "raw",
        }
    }

    /// Reads the name used in links.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == text)
    }
}
