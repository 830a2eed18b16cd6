//! Calls that an earlier process finished for the same sample.

use std::collections::BTreeMap;

use consilium_core::CallRow;

/// The recorded calls of a sample by position.
#[derive(Debug, Default)]
pub(super) struct RecordedCalls(BTreeMap<u32, CallRow>);

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
    pub(super) fn new(calls: Vec<CallRow>) -> Self {
        let solver_calls = calls.into_iter().filter(|call| call.scorer.is_none());
        Self(solver_calls.map(|call| (call.seq, call)).collect())
    }

    /// Takes what is recorded at a position for a request.
    pub(super) fn take(&mut self, seq: u32, request_sha256: &str) -> Found {
        match self.0.get(&seq) {
            None => Found::Nothing,
            Some(call) if call.request_sha256 == request_sha256 => self
                .0
                .remove(&seq)
                .map_or(Found::Nothing, |call| Found::Same(Box::new(call))),
            // What followed it followed from its reply.
            Some(_) => Found::Different {
                discarded: self.0.split_off(&seq).len(),
            },
        }
    }
}
