//! Whole samples: solvers through the executor, against scripted backends and the fault machine.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on fails there, with the place"
)]

mod executor;
mod faults;

use consilium_core::study::SystemSpec;
use consilium_runner::executor::SystemParts;

/// Systems, written as in a study but in JSON, with their solvers.
fn systems(json: &str) -> Vec<SystemParts> {
    let specs: Vec<SystemSpec> = serde_json::from_str(json).unwrap();
    specs
        .into_iter()
        .map(|spec| SystemParts {
            solver: consilium_solvers::build(&spec).unwrap(),
            spec,
        })
        .collect()
}
