//! A metric of the catalogue with its name.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::catalog::{canonical_name, sql_name, text_metric};
use crate::metric::TextMetric;

/// A metric of the catalogue; equal when the name is.
#[derive(Clone)]
pub struct NamedMetric {
    name: &'static str,
    metric: Arc<dyn TextMetric>,
    signature: Arc<str>,
    /// How many statistics a pair has.
    length: usize,
}

impl NamedMetric {
    /// Finds a metric in either spelling, `rougeL` or `rouge_l`.
    pub fn find(name: &str) -> Option<Self> {
        let name = canonical_name(name)?;
        let metric: Arc<dyn TextMetric> = Arc::from(text_metric(name)?);
        Some(Self {
            name,
            signature: metric.signature().into(),
            length: metric.statistics("", &[""]).len(),
            metric,
        })
    }

    /// Name in [`crate::catalog::NAMES`].
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Name as an SQL identifier.
    pub fn sql_name(&self) -> String {
        sql_name(self.name)
    }

    /// The metric.
    pub fn metric(&self) -> &dyn TextMetric {
        self.metric.as_ref()
    }

    /// The metric's signature.
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// Whether the value depends on what a Chinese text says. Where tokens are what stands between spaces,
    /// or English letters, it is the same for two texts that share most of it and for two that share
    /// nothing.
    pub fn reads_chinese(&self) -> bool {
        // Texts that are not the same share nothing by this measure, in any language.
        if self.name.starts_with("exact_match") {
            return true;
        }
        let said = "患者发热咳嗽三天考虑肺炎";
        let near = self.metric.sentence("患者发热咳嗽五天考虑肺炎", &[said]);
        let far = self.metric.sentence("建议手术", &[said]);
        near.to_bits() != far.to_bits()
    }

    /// Whether a row can be statistics of this metric: it has their number and none is negative.
    pub fn fits(&self, statistics: &[i64]) -> bool {
        statistics.len() == self.length && statistics.iter().all(|value| *value >= 0)
    }
}

impl fmt::Debug for NamedMetric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl PartialEq for NamedMetric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for NamedMetric {}

impl Hash for NamedMetric {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::NAMES;

    #[test]
    fn chinese_is_read_by_what_cuts_it_into_words_or_characters() {
        let named = |name| NamedMetric::find(name).unwrap();
        let reading: Vec<&str> = NAMES
            .into_iter()
            .filter(|name| named(name).reads_chinese())
            .collect();
        let by_name = |name: &str| {
            let marks = [
                "-zh",
                "-char",
                "-jieba",
                "chrf",
                "rouge_chinese",
                "exact_match",
            ];
            marks.iter().any(|mark| name.contains(mark))
        };
        let expected: Vec<&str> = NAMES.into_iter().filter(|name| by_name(name)).collect();
        assert_eq!(reading, expected);
    }
}
