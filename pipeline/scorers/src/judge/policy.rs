//! Judge policies: what counts as the same diagnosis, by name and version.

use std::collections::BTreeMap;

use consilium_core::canonical::sha256_hex;
use serde::Deserialize;

/// The policy files of this build, by name.
const POLICIES: [(&str, &str); 3] = [
    (
        "strict_synonym",
        include_str!("../../../../templates/judge-policies/strict_synonym.toml"),
    ),
    (
        "medxagent_v1",
        include_str!("../../../../templates/judge-policies/medxagent_v1.toml"),
    ),
    (
        "craftmd_v1",
        include_str!("../../../../templates/judge-policies/craftmd_v1.toml"),
    ),
];

/// What counts as the same diagnosis.
///
/// Published evaluations disagree on diagnoses that are more specific or more general than the
/// reference, and a few points of accuracy hang on it: a policy is part of every number it made.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Name in the study.
    pub name: String,
    /// Raised whenever a verdict may change.
    pub version: u32,
    /// What it says, for tables and help.
    pub summary: String,
    /// Whether a diagnosis more specific than the reference is right.
    pub accepts_more_specific: bool,
    /// Whether a diagnosis more general than the reference is right.
    pub accepts_more_general: bool,
    /// What the judge is told, by language.
    rule: BTreeMap<String, String>,
    /// SHA-256 of the file.
    #[serde(skip)]
    sha256: String,
}

/// A policy that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// No such policy.
    #[error("find judge policy '{name}'; there are {}", POLICIES.map(|(name, _)| name).join(", "))]
    Unknown {
        /// The name given.
        name: String,
    },
    /// The file of the build is wrong, which is a defect.
    #[error("read judge policy '{name}'")]
    File {
        /// The name given.
        name: String,
        /// Why.
        #[source]
        source: Box<toml::de::Error>,
    },
}

impl Policy {
    /// The policy of a name.
    ///
    /// # Errors
    /// When there is none.
    pub fn named(name: &str) -> Result<Self, PolicyError> {
        let (_, text) = POLICIES
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| PolicyError::Unknown {
                name: name.to_owned(),
            })?;
        let policy: Self = toml::from_str(text).map_err(|source| PolicyError::File {
            name: name.to_owned(),
            source: Box::new(source),
        })?;
        Ok(Self {
            sha256: sha256_hex(text.as_bytes()),
            ..policy
        })
    }

    /// Names of all policies.
    pub fn names() -> impl Iterator<Item = &'static str> {
        POLICIES.iter().map(|(name, _)| *name)
    }

    /// What the judge is told in a language; English where the language has no text of its own.
    pub(super) fn rule(&self, language: &str) -> &str {
        let main = language.split(['-', '_']).next().unwrap_or_default();
        self.rule
            .get(main)
            .or_else(|| self.rule.get("en"))
            .map_or("", |rule| rule.trim())
    }

    /// SHA-256 of the policy's file.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_bears_its_name_and_speaks_both_languages() {
        for name in Policy::names() {
            let policy = Policy::named(name).unwrap();
            assert_eq!(policy.name, name);
            assert_eq!(policy.rule.keys().collect::<Vec<_>>(), ["en", "zh"]);
            assert_ne!(policy.rule("en"), policy.rule("zh-CN"));
            assert_eq!(policy.rule("de"), policy.rule("en"));
            assert_eq!(policy.sha256().len(), 64);
        }
        let error = Policy::named("craftmd").unwrap_err().to_string();
        assert!(
            error.contains("strict_synonym, medxagent_v1, craftmd_v1"),
            "{error}"
        );
    }

    #[test]
    fn the_two_published_readings_are_each_others_reverse() {
        let flags = |name| {
            let policy = Policy::named(name).unwrap();
            (policy.accepts_more_specific, policy.accepts_more_general)
        };
        assert_eq!(flags("strict_synonym"), (false, false));
        assert_eq!(flags("medxagent_v1"), (true, false));
        assert_eq!(flags("craftmd_v1"), (false, true));
    }
}
