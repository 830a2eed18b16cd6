//! Expansion of `[[matrix]]` into systems.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{MatrixSpec, Study, SystemSpec, Variant};

/// A grid that cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The base is not a system of the study.
    #[error("expand matrix '{matrix}': no system is called '{system}'")]
    UnknownBase {
        /// Name template of the matrix.
        matrix: String,
        /// The base it names.
        system: String,
    },
    /// Both or neither of `rows` and `axes` are given.
    #[error("expand matrix '{matrix}': give either rows or axes")]
    RowsOrAxes {
        /// Name template of the matrix.
        matrix: String,
    },
    /// The name template asks for a flag that no row or axis sets.
    #[error("expand matrix '{matrix}': no flag is called as in '{name}'; flags stand in braces")]
    UnknownFlag {
        /// Name template of the matrix.
        matrix: String,
        /// What is left of it.
        name: String,
    },
    /// Two systems have the same name.
    #[error("name systems: '{name}' stands for two of them")]
    DuplicateName {
        /// The name.
        name: String,
    },
}

impl Study {
    /// The systems that run: those written out, without matrix bases, then every grid in order.
    ///
    /// # Errors
    /// When a grid names no known base, has both or neither of `rows` and `axes`, or when two
    /// systems end up with one name.
    pub fn expanded_systems(&self) -> Result<Vec<SystemSpec>, ExpandError> {
        let bases: BTreeSet<&str> = self
            .matrix
            .iter()
            .map(|matrix| matrix.system.as_str())
            .collect();
        let mut systems: Vec<SystemSpec> = self
            .system
            .iter()
            .filter(|system| !bases.contains(system.name.as_str()))
            .cloned()
            .collect();
        for matrix in &self.matrix {
            let base = self
                .system
                .iter()
                .find(|system| system.name == matrix.system)
                .ok_or_else(|| ExpandError::UnknownBase {
                    matrix: matrix.name.clone(),
                    system: matrix.system.clone(),
                })?;
            systems.extend(
                flag_sets(matrix)?
                    .into_iter()
                    .map(|flags| with_flags(base, matrix, flags)),
            );
        }
        for matrix in &self.matrix {
            let left_over = |system: &&SystemSpec| {
                system.name.contains(['{', '}'])
                    && !self.system.iter().any(|base| base.name == system.name)
            };
            if let Some(system) = systems.iter().find(left_over) {
                return Err(ExpandError::UnknownFlag {
                    matrix: matrix.name.clone(),
                    name: system.name.clone(),
                });
            }
        }
        let mut seen = BTreeSet::new();
        match systems
            .iter()
            .find(|system| !seen.insert(system.name.as_str()))
        {
            Some(twice) => Err(ExpandError::DuplicateName {
                name: twice.name.clone(),
            }),
            None => Ok(systems),
        }
    }
}

fn flag_sets(matrix: &MatrixSpec) -> Result<Vec<Variant>, ExpandError> {
    match (matrix.rows.is_empty(), matrix.axes.is_empty()) {
        (false, true) => Ok(matrix.rows.clone()),
        (true, false) => {
            Ok(matrix
                .axes
                .iter()
                .fold(vec![Variant::new()], |sets, (flag, values)| {
                    sets.iter()
                        .flat_map(|set| {
                            values.iter().map(move |value| {
                                let mut set = set.clone();
                                set.insert(flag.clone(), value.clone());
                                set
                            })
                        })
                        .collect()
                }))
        }
        _ => Err(ExpandError::RowsOrAxes {
            matrix: matrix.name.clone(),
        }),
    }
}

fn with_flags(base: &SystemSpec, matrix: &MatrixSpec, flags: Variant) -> SystemSpec {
    let name = flags
        .iter()
        .fold(matrix.name.clone(), |name, (flag, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            name.replace(&format!("{{{flag}}}"), &text)
        });
    let mut system = SystemSpec {
        name,
        ..base.clone()
    };
    system
        .variant
        .extend(flags.into_iter().filter(|(_, value)| *value != Value::Null));
    system
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(matrix: &str) -> Study {
        let head = r#"{"study":{"name":"s"},"system":[{"name":"base","solver":"direct","variant":{"keep":1}},
            {"name":"other","solver":"constant"}],"matrix":["#;
        serde_json::from_str(&format!("{head}{matrix}]}}")).unwrap()
    }

    fn names(study: &Study) -> Vec<String> {
        study
            .expanded_systems()
            .unwrap()
            .into_iter()
            .map(|system| system.name)
            .collect()
    }

    #[test]
    fn rows_give_one_system_each_and_drop_the_base() {
        let study = study(r#"{"system":"base","name":"m-{p}","rows":[{"p":"x"},{"p":"y"}]}"#);
        assert_eq!(names(&study), ["other", "m-x", "m-y"]);
        assert_eq!(study.expanded_systems().unwrap()[1].variant["keep"], 1);
    }

    #[test]
    fn axes_give_every_combination() {
        let study =
            study(r#"{"system":"base","name":"m-{a}-{b}","axes":{"a":[true,false],"b":[1,2]}}"#);
        assert_eq!(
            names(&study),
            ["other", "m-true-1", "m-true-2", "m-false-1", "m-false-2"]
        );
    }

    #[test]
    fn wrong_grids_are_named() {
        let unknown = study(r#"{"system":"nobody","name":"m","rows":[{}]}"#);
        assert!(matches!(
            unknown.expanded_systems(),
            Err(ExpandError::UnknownBase { .. })
        ));
        let empty = study(r#"{"system":"base","name":"m"}"#);
        assert!(matches!(
            empty.expanded_systems(),
            Err(ExpandError::RowsOrAxes { .. })
        ));
        let typo = study(r#"{"system":"base","name":"m-{zz}","rows":[{"p":"x"}]}"#);
        assert!(matches!(
            typo.expanded_systems(),
            Err(ExpandError::UnknownFlag { .. })
        ));
        let twice = study(r#"{"system":"base","name":"other","rows":[{}]}"#);
        assert!(matches!(
            twice.expanded_systems(),
            Err(ExpandError::DuplicateName { .. })
        ));
    }
}
