//! Calls that an earlier process finished for the same sample.

use std::collections::BTreeMap;

use consilium_core::CallRow;

/// The recorded calls of a sample.
#[derive(Debug)]
pub(super) enum RecordedCalls {
    /// A solver's, by position: one story, of which each call follows from those before it.
    Solver(BTreeMap<u32, CallRow>),
    /// A scorer's, by position and request: several policies may have asked about one answer.
    Scorer(BTreeMap<(u32, String), CallRow>),
}

/// What is recorded at a position.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// The same request with its result.
    Same(Box<CallRow>),
    /// Another request; it and everything after it is discarded.
    Different {
        /// Number of discarded calls.
        discarded: usize,
    },
    /// Nothing.
    Nothing,
}

impl RecordedCalls {
    /// Solver calls by position.
    pub(super) fn of_solver(calls: Vec<CallRow>) -> Self {
        let solver_calls = calls.into_iter().filter(|call| call.scorer.is_none());
        Self::Solver(solver_calls.map(|call| (call.seq, call)).collect())
    }

    /// Calls of a scorer; of equal ones the last given.
    pub(super) fn of_scorer(calls: Vec<CallRow>, scorer: &str) -> Self {
        let calls = calls
            .into_iter()
            .filter(|call| call.scorer.as_deref() == Some(scorer));
        Self::Scorer(
            calls
                .map(|call| ((call.seq, call.request_sha256.clone()), call))
                .collect(),
        )
    }

    /// Takes what is recorded at a position for a request.
    pub(super) fn take(&mut self, seq: u32, request_sha256: &str) -> Found {
        let same = |call: CallRow| Found::Same(Box::new(call));
        match self {
            Self::Scorer(calls) => calls
                .remove(&(seq, request_sha256.to_owned()))
                .map_or(Found::Nothing, same),
            Self::Solver(calls) => match calls.get(&seq) {
                None => Found::Nothing,
                Some(call) if call.request_sha256 == request_sha256 => {
                    calls.remove(&seq).map_or(Found::Nothing, same)
                }
                // What followed it followed from its reply.
                Some(_) => Found::Different {
                    discarded: calls.split_off(&seq).len(),
                },
            },
        }
    }
}
