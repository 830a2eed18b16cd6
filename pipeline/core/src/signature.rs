//! What must match before two numbers may be compared.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A named metric with the settings that define it, printed as `name|key:value|…`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Signature {
    name: String,
    settings: Vec<(String, String)>,
}

impl Signature {
    /// Starts a signature with the metric's name and revision.
    pub fn new(name: impl Into<String>, revision: u32) -> Self {
        Self {
            name: name.into(),
            settings: vec![("rev".to_owned(), revision.to_string())],
        }
    }

    /// Adds a setting; order is kept and is part of the signature.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl fmt::Display) -> Self {
        self.settings.push((key.into(), value.to_string()));
        self
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        self.settings
            .iter()
            .try_for_each(|(key, value)| write!(f, "|{key}:{value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_name_revision_and_settings_in_order() {
        let signature = Signature::new("choice", 1).with("aliases", "none");
        assert_eq!(signature.to_string(), "choice|rev:1|aliases:none");
    }
}
