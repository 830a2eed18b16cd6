//! What a study may spend.

use std::sync::{Mutex, MutexGuard, PoisonError};

use consilium_core::study::BudgetSpec;
use tokio::sync::Notify;

/// What calls cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// Model calls.
    pub calls: u64,
    /// Tokens of prompts and completions.
    pub tokens: u64,
    /// US dollars.
    pub usd: f64,
}

impl Spent {
    /// The sum of two.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            usd: self.usd + other.usd,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(other.calls),
            tokens: self.tokens.saturating_sub(other.tokens),
            usd: (self.usd - other.usd).max(0.0),
        }
    }
}

/// The budget cannot pay for another call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct BudgetExceeded {
    what: String,
}

/// Money, calls and tokens of a run, shared by all its backends.
///
/// A call's estimate is reserved before it is sent and corrected by what it really took. The
/// estimate of a completion is `max_tokens`: with it set, no limit is ever exceeded.
#[derive(Debug)]
pub struct Budget {
    limits: BudgetSpec,
    state: Mutex<State>,
    settled: Notify,
}

#[derive(Debug)]
struct State {
    spent: Spent,
    reserved: Spent,
    exceeded: Option<BudgetExceeded>,
}

/// What one call may cost, set aside for it.
#[derive(Debug)]
pub struct Reservation<'a> {
    budget: &'a Budget,
    amount: Spent,
    begun: bool,
}

impl Budget {
    /// A budget of which `spent` is gone already, by earlier executions of the run.
    pub const fn new(limits: BudgetSpec, spent: Spent) -> Self {
        Self {
            limits,
            state: Mutex::new(State {
                spent,
                reserved: Spent {
                    calls: 0,
                    tokens: 0,
                    usd: 0.0,
                },
                exceeded: None,
            }),
            settled: Notify::const_new(),
        }
    }

    /// What is spent so far.
    pub fn spent(&self) -> Spent {
        self.lock().spent
    }

    /// Sets something aside for a call. Waits for calls in flight where only their reservations
    /// stand in the way: most cost less than was set aside.
    ///
    /// # Errors
    /// When what is left does not suffice even so; every later call fails alike.
    pub async fn reserve(&self, amount: Spent) -> Result<Reservation<'_>, BudgetExceeded> {
        loop {
            // Made before looking, so that nothing settles unnoticed in between.
            let settled = self.settled.notified();
            if let Some(reservation) = self.try_reserve(amount)? {
                return Ok(reservation);
            }
            settled.await;
        }
    }

    fn try_reserve(&self, amount: Spent) -> Result<Option<Reservation<'_>>, BudgetExceeded> {
        let mut state = self.lock();
        if let Some(exceeded) = &state.exceeded {
            return Err(exceeded.clone());
        }
        if let Some(what) = self.over(state.spent.plus(amount), state.spent) {
            let exceeded = BudgetExceeded { what };
            state.exceeded = Some(exceeded.clone());
            drop(state);
            self.settled.notify_waiters();
            return Err(exceeded);
        }
        let all = state.spent.plus(state.reserved).plus(amount);
        if self.over(all, state.spent).is_some() {
            return Ok(None);
        }
        state.reserved = state.reserved.plus(amount);
        Ok(Some(Reservation {
            budget: self,
            amount,
            begun: false,
        }))
    }

    /// Which limit a total exceeds.
    fn over(&self, total: Spent, spent: Spent) -> Option<String> {
        let limits = &self.limits;
        // Sums of many small prices carry rounding errors.
        let cents = 1e-9;
        if let Some(usd) = limits.usd.filter(|usd| total.usd > usd + cents) {
            return Some(format!(
                "budget.usd = {usd} is used up: {:.4} are spent and the next call may cost {:.4}",
                spent.usd,
                total.usd - spent.usd
            ));
        }
        if let Some(calls) = limits.calls.filter(|calls| total.calls > *calls) {
            return Some(format!("budget.calls = {calls} is used up"));
        }
        if let Some(tokens) = limits.tokens.filter(|tokens| total.tokens > *tokens) {
            return Some(format!(
                "budget.tokens = {tokens} is used up: {} are spent and the next call may take {}",
                spent.tokens,
                total.tokens - spent.tokens
            ));
        }
        None
    }

    fn settle(&self, reserved: Spent, spent: Spent) {
        let mut state = self.lock();
        state.reserved = state.reserved.minus(reserved);
        state.spent = state.spent.plus(spent);
        drop(state);
        self.settled.notify_waiters();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Sums are whole after every statement.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation<'_> {
    /// The call begins: unless told otherwise it costs what was set aside.
    pub const fn begin(&mut self) {
        self.begun = true;
    }

    /// The call has cost this.
    pub fn charge(mut self, spent: Spent) {
        self.budget.settle(self.amount, spent);
        self.amount = Spent::default();
        self.begun = false;
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let spent = if self.begun {
            self.amount
        } else {
            Spent::default()
        };
        if self.amount != Spent::default() {
            self.budget.settle(self.amount, spent);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(usd: Option<f64>, calls: Option<u64>, tokens: Option<u64>) -> Budget {
        Budget::new(BudgetSpec { usd, calls, tokens }, Spent::default())
    }

    fn amount(tokens: u64, usd: f64) -> Spent {
        Spent {
            calls: 1,
            tokens,
            usd,
        }
    }

    #[tokio::test]
    async fn nothing_is_started_that_could_exceed_a_limit() {
        let budget = budget(Some(1.0), None, None);
        let reservation = budget.reserve(amount(10, 0.6)).await.unwrap();
        reservation.charge(amount(10, 0.5));
        let exceeded = budget.reserve(amount(10, 0.6)).await.unwrap_err();
        assert!(
            exceeded.to_string().contains("budget.usd = 1"),
            "{exceeded}"
        );
        // Smaller ones are not started either: the run ends.
        assert!(budget.reserve(amount(1, 0.1)).await.is_err());
        assert_eq!(budget.spent(), amount(10, 0.5));
    }

    #[tokio::test]
    async fn a_call_waits_for_what_others_have_set_aside_and_do_not_need() {
        let budget = budget(None, None, Some(100));
        let first = budget.reserve(amount(80, 0.0)).await.unwrap();
        let (second, ()) = tokio::join!(budget.reserve(amount(80, 0.0)), async {
            tokio::task::yield_now().await;
            first.charge(amount(15, 0.0));
        });
        drop(second.unwrap());
        assert_eq!(budget.spent().tokens, 15);
        let mut given_up = budget.reserve(amount(80, 0.0)).await.unwrap();
        given_up.begin();
        drop(given_up);
        assert_eq!(budget.spent().tokens, 95);
        assert!(budget.reserve(amount(6, 0.0)).await.is_err());
    }

    #[tokio::test]
    async fn calls_are_counted_and_earlier_ones_too() {
        let limits = BudgetSpec {
            usd: None,
            calls: Some(3),
            tokens: None,
        };
        let budget = Budget::new(
            limits,
            Spent {
                calls: 2,
                ..Spent::default()
            },
        );
        budget
            .reserve(amount(5, 0.0))
            .await
            .unwrap()
            .charge(amount(5, 0.0));
        assert!(budget.reserve(amount(5, 0.0)).await.is_err());
    }
}
