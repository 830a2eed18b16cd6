//! The table of solvers.

use consilium_core::most_similar;
use consilium_core::study::SystemSpec;

use super::chain_of_thought::ChainOfThought;
use super::constant::Constant;
use super::direct::{Direct, ReplyForm};
use super::flags::{Flag, FlagKind, Flags};
use super::majority::Majority;
use super::nearest_case::NearestCase;
use super::training::TrainingSet;
use consilium_runner::Solver;

/// One solver that a study can name.
#[derive(Clone, Copy, Debug)]
pub struct SolverEntry {
    /// Name in the study.
    pub name: &'static str,
    /// What it does, for `--help`.
    pub summary: &'static str,
    /// Variant flags it knows.
    pub flags: &'static [Flag],
    /// Whether its systems need a backend; the others must not name one.
    pub needs_backend: bool,
    constructor: fn(Flags<'_>) -> Result<Box<dyn Solver>, SolverError>,
}

/// Every solver, in the order of `--help`.
pub const SOLVERS: &[SolverEntry] = &[
    SolverEntry {
        name: "direct",
        summary: "one question, one answer",
        flags: &[
            Flag {
                name: "structured",
                kind: FlagKind::Boolean,
                summary: "ask for JSON by schema instead of a last line \"Answer: X\"",
            },
            Flag {
                name: "confidence",
                kind: FlagKind::Boolean,
                summary: "ask for JSON by schema that also says how sure the model is, in percent",
            },
        ],
        needs_backend: true,
        constructor: |flags| {
            Ok(Box::new(Direct::new(if flags.boolean("confidence") {
                ReplyForm::StructuredWithConfidence
            } else if flags.boolean("structured") {
                ReplyForm::Structured
            } else {
                ReplyForm::Text
            })))
        },
    },
    SolverEntry {
        name: "chain_of_thought",
        summary: "reasons in writing, then answers",
        flags: &[Flag {
            name: "structured",
            kind: FlagKind::Boolean,
            summary: "ask for JSON by schema, the analysis before the answer",
        }],
        needs_backend: true,
        constructor: |flags| Ok(Box::new(ChainOfThought::new(flags.boolean("structured")))),
    },
    SolverEntry {
        name: "constant",
        summary: "the same answer to every case, as a baseline",
        flags: &[Flag {
            name: "answer",
            kind: FlagKind::TextOrTable,
            summary: "the answer, or a table of answers by dataset or answer form",
        }],
        needs_backend: false,
        constructor: |flags| Ok(Box::new(Constant::new(flags.required("answer")?))),
    },
    SolverEntry {
        name: "majority",
        summary: "the most frequent answer of a training file, as a baseline",
        flags: &[],
        needs_backend: false,
        constructor: |_| Ok(Box::new(Majority::default())),
    },
    SolverEntry {
        name: "nearest",
        summary: "the answer of the most similar case of a training file (BM25), as a baseline",
        flags: &[],
        needs_backend: false,
        constructor: |_| Ok(Box::new(NearestCase::new())),
    },
];

/// A system whose solver cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// No such solver.
    #[error("build system '{system}': there is no solver '{solver}'; did you mean '{nearest}'?")]
    UnknownSolver {
        /// Name of the system.
        system: String,
        /// What it names.
        solver: String,
        /// The solver with the most similar name.
        nearest: String,
    },
    /// The solver does not know a flag.
    #[error(
        "build system '{system}': solver {solver} has no variant flag `{flag}`; {}",
        instead(nearest)
    )]
    UnknownFlag {
        /// Name of the system.
        system: String,
        /// Its solver.
        solver: String,
        /// The flag.
        flag: String,
        /// The flag with the most similar name; empty when the solver has none.
        nearest: String,
    },
    /// A flag has a value of the wrong kind.
    #[error("build system '{system}': variant flag `{flag}` must be {expected}, found {found}")]
    FlagValue {
        /// Name of the system.
        system: String,
        /// The flag.
        flag: &'static str,
        /// What it may be.
        expected: &'static str,
        /// What it is, as JSON.
        found: String,
    },
    /// A flag without which the solver makes no sense.
    #[error("build system '{system}': variant flag `{flag}` is missing; add it under `variant`")]
    MissingFlag {
        /// Name of the system.
        system: String,
        /// The flag.
        flag: &'static str,
    },
    /// A role has no backend.
    #[error(
        "build system '{system}': role {role} has no backend; set `backend` or `role_backends.{role}`"
    )]
    MissingBackend {
        /// Name of the system.
        system: String,
        /// The role.
        role: &'static str,
    },
    /// A backend is given where none is used.
    #[error("build system '{system}': solver {solver} makes no calls; remove its backend")]
    NeedlessBackend {
        /// Name of the system.
        system: String,
        /// Its solver.
        solver: String,
    },
    /// Training examples are given where none are used.
    #[error("build system '{system}': solver {solver} learns nothing; remove `training`")]
    NeedlessTraining {
        /// Name of the system.
        system: String,
        /// Its solver.
        solver: String,
    },
    /// Nothing can be learnt from the training examples.
    #[error("train system '{system}' for dataset '{dataset}': {reason}")]
    Training {
        /// Name of the system.
        system: String,
        /// The dataset whose cases are answered from them.
        dataset: String,
        /// Why.
        reason: String,
    },
    /// The solver has no such role.
    #[error(
        "build system '{system}': there is no role '{role}'; {}",
        instead(nearest)
    )]
    UnknownRole {
        /// Name of the system.
        system: String,
        /// The role.
        role: String,
        /// The role with the most similar name.
        nearest: String,
    },
}

/// What to write in the place of an unknown name.
fn instead(nearest: &str) -> String {
    if nearest.is_empty() {
        "the solver has none".to_owned()
    } else {
        format!("did you mean '{nearest}'?")
    }
}

/// The names of all solvers.
pub fn names() -> impl Iterator<Item = &'static str> {
    SOLVERS.iter().map(|entry| entry.name)
}

/// The entry of a solver.
pub fn entry(name: &str) -> Option<&'static SolverEntry> {
    SOLVERS.iter().find(|entry| entry.name == name)
}

/// Builds the solver of a system and checks its flags, roles and backends.
///
/// # Errors
/// When the system names an unknown solver, flag or role, or lacks a flag or a backend.
pub fn build(spec: &SystemSpec) -> Result<Box<dyn Solver>, SolverError> {
    let system = || spec.name.clone();
    let entry = entry(&spec.solver).ok_or_else(|| SolverError::UnknownSolver {
        system: system(),
        solver: spec.solver.clone(),
        nearest: most_similar(&spec.solver, names()),
    })?;
    let solver = (entry.constructor)(Flags::checked(spec, entry.flags)?)?;
    if !entry.needs_backend && (spec.backend.is_some() || !spec.role_backends.is_empty()) {
        return Err(SolverError::NeedlessBackend {
            system: system(),
            solver: spec.solver.clone(),
        });
    }
    if !solver.learns() && !spec.training.is_empty() {
        return Err(SolverError::NeedlessTraining {
            system: system(),
            solver: spec.solver.clone(),
        });
    }
    let roles = solver.roles();
    if let Some(role) = spec
        .role_backends
        .keys()
        .find(|role| !roles.contains(&role.as_str()))
    {
        return Err(SolverError::UnknownRole {
            system: system(),
            role: role.clone(),
            nearest: most_similar(role, roles.iter().copied()),
        });
    }
    let lacks = |role: &&&str| spec.backend.is_none() && !spec.role_backends.contains_key(**role);
    match roles.iter().find(lacks) {
        Some(role) => Err(SolverError::MissingBackend {
            system: system(),
            role,
        }),
        None => Ok(solver),
    }
}

/// As [`build`], with the examples that the solver answers from.
///
/// # Errors
/// As [`build`], and when nothing can be learnt from the examples.
pub fn build_trained(
    spec: &SystemSpec,
    training: Option<&TrainingSet>,
) -> Result<Box<dyn Solver>, SolverError> {
    let mut solver = build(spec)?;
    for (dataset, examples) in training.iter().flat_map(|training| &training.by_dataset) {
        solver
            .train(dataset, examples)
            .map_err(|reason| SolverError::Training {
                system: spec.name.clone(),
                dataset: dataset.clone(),
                reason,
            })?;
    }
    Ok(solver)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn failure(system: serde_json::Value) -> String {
        let spec: SystemSpec = serde_json::from_value(system).unwrap();
        build(&spec).unwrap_err().to_string()
    }

    #[test]
    fn every_entry_builds_under_its_name() {
        for entry in SOLVERS {
            let mut system = json!({"name": "s", "solver": entry.name});
            if entry.needs_backend {
                system["backend"] = json!("b");
            }
            if entry.name == "constant" {
                system["variant"] = json!({"answer": "x"});
            }
            let solver = build(&serde_json::from_value(system).unwrap()).unwrap();
            assert_eq!(solver.name(), entry.name);
            assert_eq!(!solver.roles().is_empty(), entry.needs_backend);
        }
    }

    #[test]
    fn mistakes_are_named_with_the_nearest_valid_name() {
        let direct =
            |variant| json!({"name": "s", "solver": "direct", "backend": "b", "variant": variant});
        for (system, hint) in [
            (
                json!({"name": "s", "solver": "dircet"}),
                "did you mean 'direct'?",
            ),
            (
                direct(json!({"structurd": true})),
                "did you mean 'structured'?",
            ),
            (
                direct(json!({"structured": "yes"})),
                "must be true or false, found \"yes\"",
            ),
            (json!({"name": "s", "solver": "direct"}), "set `backend`"),
            (
                json!({"name": "s", "solver": "constant"}),
                "`answer` is missing",
            ),
            (
                json!({"name": "s", "solver": "constant", "variant": {"answer": {}}}),
                "a table of texts",
            ),
            (
                json!({"name": "s", "solver": "constant", "variant": {"answer": "x"}, "backend": "b"}),
                "makes no calls",
            ),
            (
                json!({"name": "s", "solver": "constant", "variant": {"answer": "x"}, "training": [{"path": "t"}]}),
                "learns nothing",
            ),
            (
                json!({"name": "s", "solver": "direct", "backend": "b", "role_backends": {"anwser": "b"}}),
                "did you mean 'answer'?",
            ),
            (
                json!({"name": "s", "solver": "nearest", "variant": {"neighbours": 3}}),
                "no variant flag `neighbours`; the solver has none",
            ),
        ] {
            let message = failure(system);
            assert!(
                message.contains(hint) && message.contains("'s'"),
                "{message}"
            );
        }
    }
}
