//! Executes a work list, with its progress shown and signals heard.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use consilium_core::{CanaryAnswer, SampleExecutor};
use consilium_query::fan_out::{FanOutError, run_work};
use tokio_util::sync::CancellationToken;

use super::open::OpenRun;
use super::work_list::WorkList;
use crate::run::drift::canaries;
use crate::run::interrupt::{Signals, stop_on_signal};
use crate::run::progress::show_progress;

/// What became of a work list.
pub(super) struct Sampled {
    pub(super) result: Result<(), FanOutError>,
    pub(super) by_outcome: BTreeMap<&'static str, u64>,
    /// Samples that had not been recorded before.
    pub(super) added: u64,
    pub(super) canary_answers: Vec<CanaryAnswer>,
    pub(super) elapsed: Duration,
}

/// Executes everything on the list; `questions` canaries are asked before and after.
pub(super) async fn sample(
    run: &OpenRun,
    list: &WorkList,
    questions: u32,
    signals: Signals,
) -> Sampled {
    let stop_progress = CancellationToken::new();
    let progress = run.executor.progress();
    let shown = show_progress(Arc::clone(&progress), list.to_do, stop_progress.clone());
    let mut canary_answers = Vec::new();
    let started = Instant::now();
    let mut by_outcome: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut added = 0;
    let running = async {
        let work_executor: Arc<dyn SampleExecutor> = Arc::clone(&run.executor) as _;
        canary_answers.extend(canaries(&progress, questions, &run.cancel).await);
        let result = run_work(&list.session, &list.work, work_executor, |sample| {
            *by_outcome.entry(sample.outcome.as_str()).or_default() += 1;
            added += u64::from(sample.attempt == 1);
        })
        .await;
        if result.is_ok() {
            canary_answers.extend(canaries(&progress, questions, &run.cancel).await);
        }
        stop_progress.cancel();
        result
    };
    let interrupts = stop_on_signal(signals, run.cancel.clone(), stop_progress.clone());
    let (result, (), ()) = tokio::join!(running, shown, interrupts);
    Sampled {
        result,
        by_outcome,
        added,
        canary_answers,
        elapsed: started.elapsed(),
    }
}
