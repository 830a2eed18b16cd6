//! Dataset cards: where a set comes from, under which terms, and how it is read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use consilium_core::AnswerForm;
use consilium_core::study::{DatasetSpec, FieldSource};
use serde::{Deserialize, Serialize};

/// `dataset.toml` of one set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// Full name.
    pub title: String,
    /// Where to obtain it.
    pub source: String,
    /// Licence.
    pub licence: String,
    /// What may be done with it, and what not.
    pub terms: String,
    /// Languages of the text.
    #[serde(default)]
    pub language: Vec<String>,
    /// Names of the backends that may see it; any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_backends: Option<Vec<String>>,
    /// Files of the set.
    #[serde(rename = "file")]
    pub files: Vec<CardFile>,
}

/// One file of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardFile {
    /// File name.
    pub name: String,
    /// Adapter that reads it; absent for files that hold no cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<String>,
    /// Mapping beside the card by which `import-log` reads the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping: Option<String>,
    /// Kind of answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_form: Option<AnswerForm>,
    /// Rows.
    pub rows: u64,
    /// Hash of the file the card was written for.
    pub sha256: String,
    /// Case column ← source column, for the adapter `table`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, FieldSource>,
}

/// A card that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("read the card of dataset '{name}'")]
pub struct CardError {
    name: String,
    #[source]
    source: toml::de::Error,
}

/// The cards that come with the program, by folder name.
const CARDS: [(&str, &str); 9] = [
    (
        "acibench",
        include_str!("../../../datasets/acibench/dataset.toml"),
    ),
    (
        "agentclinic",
        include_str!("../../../datasets/agentclinic/dataset.toml"),
    ),
    (
        "craftmd",
        include_str!("../../../datasets/craftmd/dataset.toml"),
    ),
    (
        "medmcqa",
        include_str!("../../../datasets/medmcqa/dataset.toml"),
    ),
    (
        "mediq",
        include_str!("../../../datasets/mediq/dataset.toml"),
    ),
    (
        "medqa",
        include_str!("../../../datasets/medqa/dataset.toml"),
    ),
    (
        "mtcmb",
        include_str!("../../../datasets/mtcmb/dataset.toml"),
    ),
    (
        "pubmedqa",
        include_str!("../../../datasets/pubmedqa/dataset.toml"),
    ),
    (
        "sample",
        include_str!("../../../datasets/sample/dataset.toml"),
    ),
];

/// The mappings that lie beside cards, by folder name.
const MAPPINGS: [(&str, &str); 2] = [
    (
        "acibench",
        include_str!("../../../datasets/acibench/import.toml"),
    ),
    (
        "craftmd",
        include_str!("../../../datasets/craftmd/import.toml"),
    ),
];

/// The text of the mapping beside a card.
pub fn card_mapping(card: &str) -> Option<&'static str> {
    let (_, text) = MAPPINGS.iter().find(|(name, _)| *name == card)?;
    Some(text)
}

/// Names of the cards with a mapping.
pub fn mapped_cards() -> impl Iterator<Item = &'static str> {
    MAPPINGS.iter().map(|(name, _)| *name)
}

impl CardFile {
    /// How a file of the card is read as a dataset; `None` when it holds no cases.
    pub fn dataset(&self, name: &str, path: PathBuf) -> Option<DatasetSpec> {
        Some(DatasetSpec {
            name: name.to_owned(),
            adapter: self.adapter.clone()?,
            path,
            format: None,
            answer_form: self.answer_form,
            language: None,
            fields: self.fields.clone(),
            filter: BTreeMap::new(),
            predicate: None,
            limit: None,
            stratify: None,
            strict: false,
        })
    }
}

/// Reads the cards that come with the program.
///
/// # Errors
/// When a card is wrong, which would be a defect.
pub fn read_cards() -> Result<Vec<(String, Card)>, CardError> {
    CARDS
        .iter()
        .map(|(name, text)| match toml::from_str(text) {
            Ok(card) => Ok(((*name).to_owned(), card)),
            Err(source) => Err(CardError {
                name: (*name).to_owned(),
                source,
            }),
        })
        .collect()
}

/// Terms of the card that describes a file, known by its hash.
pub fn terms_of_file(sha256: &str) -> Option<String> {
    let cards = read_cards().ok()?;
    let (_, card) = cards
        .into_iter()
        .find(|(_, card)| card.files.iter().any(|file| file.sha256 == sha256))?;
    Some(card.terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::ADAPTERS;
    use crate::log::LogMapping;

    #[test]
    fn every_mapping_that_a_card_names_reads_and_fits() {
        for (name, card) in read_cards().unwrap() {
            let named = card.files.iter().any(|file| file.mapping.is_some());
            assert_eq!(named, card_mapping(&name).is_some(), "{name}");
            if let Some(text) = card_mapping(&name) {
                let mapping = LogMapping::parse(text).unwrap();
                mapping.check().unwrap();
            }
        }
    }

    #[test]
    fn every_card_names_a_known_adapter() {
        for (name, card) in read_cards().unwrap() {
            for adapter in card.files.iter().filter_map(|file| file.adapter.as_deref()) {
                assert!(
                    ADAPTERS.iter().any(|info| info.name == adapter),
                    "{name}: {adapter}"
                );
            }
        }
    }
}
