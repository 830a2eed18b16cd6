//! What a backend permits: calls in flight, requests and tokens per minute, pauses.

mod bucket;
mod budget;
mod gate;
mod lanes;
mod pace;
mod queue;
mod stated;
mod window;

pub use budget::{Budget, BudgetExceeded, Reservation, Spent};
pub use gate::{Gate, GateState, Pass, Verdict};
pub use stated::{ServerLimits, StatedLimit};

#[cfg(test)]
mod storm_tests;
#[cfg(test)]
mod tests;
