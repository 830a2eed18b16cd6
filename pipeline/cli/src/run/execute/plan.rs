//! What would be executed, and whether it could be.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use consilium_core::study::ScorerKind;
use consilium_core::{RunStopped, SampleExecutor};
use consilium_query::fan_out::{Work, count_work, explain_work};
use consilium_query::{cases, register_nothing_finished, work_session};

use super::prompts::prompt_hashes;
use super::{ExecuteOptions, work};
use crate::failure::hinted;
use crate::study::ResolvedStudy;

/// Prints the plan of a run that has not begun, or what it would execute.
pub(crate) async fn plan(study: &ResolvedStudy, options: &ExecuteOptions) -> Result<PlannedWork> {
    let session = work_session()?;
    let datasets = &study.study.dataset;
    cases::register_source_cases(&session, datasets, &study.folder, study.study.study.seed)
        .await
        .context("select cases")?;
    register_nothing_finished(&session).await?;
    let work = work(study, options)?;
    let explained = explain_work(
        &session,
        &work,
        Arc::new(PlanOnly {
            width: width(study),
        }),
    )
    .await?;
    let counts = count_work(&session, &work).await?;
    let mut judged = Vec::new();
    for spec in &study.study.scorer {
        if spec.kind != ScorerKind::Judge {
            continue;
        }
        let mut answers = Work {
            assignments: work.assignments.clone(),
            selection: work.selection.clone(),
        };
        answers
            .assignments
            .retain(|assignment| spec.datasets.contains(&assignment.dataset));
        // A selection may leave it nothing to judge.
        let answers = if answers.assignments.is_empty() {
            0
        } else {
            let counts = count_work(&session, &answers).await?;
            counts.iter().map(|(_, count)| count).sum()
        };
        judged.push((spec.display_name().to_owned(), answers));
    }
    Ok(PlannedWork {
        explained,
        counts,
        judged,
    })
}

/// A work list that is not executed.
pub(crate) struct PlannedWork {
    /// The physical plan.
    pub(crate) explained: String,
    /// Samples by system.
    pub(crate) counts: Vec<(String, u64)>,
    /// Answers by judge.
    pub(crate) judged: Vec<(String, u64)>,
}

/// Calls that may be in flight at once over the backends in use.
fn width(study: &ResolvedStudy) -> usize {
    let used = |name: &str| {
        study.study.system.iter().any(|system| {
            system.backend.as_deref() == Some(name)
                || system.role_backends.values().any(|backend| backend == name)
        })
    };
    let total: u32 = study
        .study
        .backend
        .iter()
        .filter(|backend| used(&backend.name))
        .map(|backend| backend.limits.concurrency)
        .sum();
    usize::try_from(total).unwrap_or(1).max(1)
}

/// Stands in for an executor where only the plan is wanted.
#[derive(Debug)]
struct PlanOnly {
    width: usize,
}

impl SampleExecutor for PlanOnly {
    fn width(&self) -> usize {
        self.width
    }

    fn execute(self: Arc<Self>, _item: consilium_core::WorkItem) -> consilium_core::SampleFuture {
        Box::pin(async { Err(RunStopped::Interrupted) })
    }
}

/// Refuses what could not be executed, before a run is made for it: systems that are not there, prompts
/// that cannot be read, backends whose key is missing.
pub(crate) fn check_execution(study: &ResolvedStudy, options: &ExecuteOptions) -> Result<()> {
    let assignments = study.assignments(&options.only)?;
    if assignments.is_empty() {
        return Err(hinted(
            "execute nothing: no dataset of the study is asked of the selected systems",
            "name another system with --only, or look at the system's datasets",
        ));
    }
    prompt_hashes(study, &study.prompts()?)?;
    for spec in &study.study.backend {
        consilium_backends::build(spec, &study.folder, study.study.study.seed, None)?;
    }
    Ok(())
}
