//! Variant flags of a solver.

use consilium_core::most_similar;
use consilium_core::study::{SystemSpec, Variant};
use serde_json::Value;

use crate::registry::SolverError;

/// A variant flag that a solver knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Name in the study.
    pub name: &'static str,
    /// What values it takes.
    pub kind: FlagKind,
    /// What it does, for `--help`.
    pub summary: &'static str,
}

/// Values of a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagKind {
    /// `true` or `false`.
    Boolean,
    /// A text, or a table of texts.
    TextOrTable,
}

impl FlagKind {
    /// The values in words.
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Boolean => "true or false",
            Self::TextOrTable => "a text, or a table of texts",
        }
    }

    fn accepts(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Boolean, Value::Bool(_)) | (Self::TextOrTable, Value::String(_)) => true,
            (Self::TextOrTable, Value::Object(table)) => {
                !table.is_empty() && table.values().all(Value::is_string)
            }
            _ => false,
        }
    }
}

/// The flags of one system, checked against those its solver knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flags<'a> {
    system: &'a str,
    variant: &'a Variant,
}

impl<'a> Flags<'a> {
    /// Checks the flags of a system.
    pub(super) fn checked(spec: &'a SystemSpec, known: &[Flag]) -> Result<Self, SolverError> {
        for (name, value) in &spec.variant {
            let Some(flag) = known.iter().find(|flag| flag.name == name) else {
                return Err(SolverError::UnknownFlag {
                    system: spec.name.clone(),
                    solver: spec.solver.clone(),
                    flag: name.clone(),
                    nearest: most_similar(name, known.iter().map(|flag| flag.name)),
                });
            };
            if !flag.kind.accepts(value) {
                return Err(SolverError::FlagValue {
                    system: spec.name.clone(),
                    flag: flag.name,
                    expected: flag.kind.expected(),
                    found: value.to_string(),
                });
            }
        }
        Ok(Self {
            system: &spec.name,
            variant: &spec.variant,
        })
    }

    /// A switch; off unless set.
    pub(super) fn boolean(self, name: &str) -> bool {
        self.variant
            .get(name)
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// A flag that must be given.
    pub(super) fn required(self, name: &'static str) -> Result<&'a Value, SolverError> {
        self.variant
            .get(name)
            .ok_or_else(|| SolverError::MissingFlag {
                system: self.system.to_owned(),
                flag: name,
            })
    }
}
