//! Prompts of a run: their hashes, and what to say when they changed.

use std::collections::BTreeMap;

use anyhow::Result;
use consilium_runner::prompt::PromptLibrary;

use crate::failure::hinted;
use crate::study::ResolvedStudy;

/// Hashes of the prompt files that the study's systems may use.
pub(super) fn prompt_hashes(
    study: &ResolvedStudy,
    prompts: &PromptLibrary,
) -> Result<BTreeMap<String, String>> {
    let solvers = study
        .study
        .system
        .iter()
        .map(consilium_solvers::build)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(prompts.hashes(
        solvers
            .iter()
            .flat_map(|solver| solver.prompts().iter().copied()),
    ))
}

pub(super) fn changed_prompts(
    run: &str,
    recorded: &BTreeMap<String, String>,
    given: &BTreeMap<String, String>,
) -> anyhow::Error {
    let changed: Vec<&str> = recorded
        .iter()
        .filter(|(name, hash)| given.get(*name) != Some(hash))
        .map(|(name, _)| name.as_str())
        .chain(
            given
                .keys()
                .filter(|name| !recorded.contains_key(*name))
                .map(String::as_str),
        )
        .collect();
    hinted(
        format!(
            "continue run '{run}': prompts have changed since it began: {}",
            changed.join(", ")
        ),
        "put them back, or give --new-run to start another run",
    )
}
