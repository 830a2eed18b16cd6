//! Sums over the calls of a sample.

use consilium_core::CallRow;

/// Sums over calls; a sum is unknown once a part of it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    /// Number of calls, replayed ones included.
    pub calls: u32,
    /// Tokens of the prompts.
    pub prompt_tokens: Option<u64>,
    /// Tokens generated.
    pub completion_tokens: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            calls: 0,
            prompt_tokens: Some(0),
            completion_tokens: Some(0),
            cost_usd: Some(0.0),
        }
    }
}

impl Tally {
    /// What one call took.
    pub const fn of(call: &CallRow) -> Self {
        Self {
            calls: 1,
            prompt_tokens: call.prompt_tokens,
            completion_tokens: call.completion_tokens,
            cost_usd: call.cost_usd,
        }
    }

    /// Adds calls.
    pub fn add(&mut self, other: &Self) {
        self.calls += other.calls;
        self.prompt_tokens = self
            .prompt_tokens
            .zip(other.prompt_tokens)
            .map(|(a, b)| a + b);
        self.completion_tokens = self
            .completion_tokens
            .zip(other.completion_tokens)
            .map(|(a, b)| a + b);
        self.cost_usd = self.cost_usd.zip(other.cost_usd).map(|(a, b)| a + b);
    }
}
