//! The budget of a run, of which earlier executions may have spent a part.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use consilium_backends::limit::{Budget, Spent};
use consilium_core::study::BudgetSpec;
use consilium_query::count;
use consilium_store::{Recorder, RunDirectory};

/// Calls that were sent and paid for, not those taken over from elsewhere.
const PAID: &str = "FROM calls WHERE tries > 0 AND NOT cache_hit";

/// The budget, with what the run has spent so far.
pub(super) async fn budget_of(
    limits: &BudgetSpec,
    directory: &RunDirectory,
    recorder: &Recorder,
) -> Result<Budget> {
    let session = super::session_over(&[super::source(directory)?]).await?;
    let number = async |what: &str| {
        count(&session, &format!("SELECT CAST({what} AS BIGINT) {PAID}"))
            .await
            .context("add up what the run has spent")
    };
    let recorded = Spent {
        calls: number("count(*)").await?,
        tokens: number(
            "coalesce(sum(coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0)), 0)",
        )
        .await?,
        usd: number("round(coalesce(sum(cost_usd), 0) * 1e6)").await? as f64 / 1e6,
    };
    let spent = recorder
        .half_done_calls()
        .iter()
        .filter(|call| call.tries > 0 && !call.cache_hit)
        .fold(recorded, |spent, call| {
            let tokens = call.prompt_tokens.unwrap_or(0) + call.completion_tokens.unwrap_or(0);
            spent.plus(Spent {
                calls: 1,
                tokens,
                usd: call.cost_usd.unwrap_or(0.0),
            })
        });
    Ok(Budget::new(limits.clone(), spent))
}

/// The budget where the study sets one.
pub(super) async fn budget(
    limits: Option<&BudgetSpec>,
    directory: &RunDirectory,
    recorder: &Recorder,
) -> Result<Option<Arc<Budget>>> {
    match limits {
        Some(limits) => Ok(Some(Arc::new(
            budget_of(limits, directory, recorder).await?,
        ))),
        None => Ok(None),
    }
}
