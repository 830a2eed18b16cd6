//! What an encoder can say of two texts.

use crate::UnknownMetric;
use consilium_core::most_similar;

/// A kind of likeness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Similarity {
    /// Cosine of the embeddings of the two texts; the greatest over many references.
    Cosine,
    /// `BERTScore`: precision, recall and F; each the greatest over many references.
    BertScore,
}

impl Similarity {
    const ALL: [Self; 2] = [Self::Cosine, Self::BertScore];

    /// The name in a study.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::BertScore => "bertscore",
        }
    }

    /// The metrics of its rows.
    pub(super) const fn rows(self) -> &'static [&'static str] {
        match self {
            Self::Cosine => &["cosine"],
            Self::BertScore => &["bertscore_precision", "bertscore_recall", "bertscore_f1"],
        }
    }

    /// Finds every one named, once.
    pub(super) fn find_all(names: &[String]) -> Result<Vec<Self>, UnknownMetric> {
        let mut found = Vec::new();
        for name in names {
            let known = Self::ALL.into_iter().find(|known| known.name() == name);
            let similarity = known.ok_or_else(|| UnknownMetric {
                kind: "embedding",
                name: name.clone(),
                nearest: most_similar(name, Self::ALL.map(Self::name)),
            })?;
            if !found.contains(&similarity) {
                found.push(similarity);
            }
        }
        Ok(found)
    }
}
