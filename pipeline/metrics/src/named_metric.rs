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
