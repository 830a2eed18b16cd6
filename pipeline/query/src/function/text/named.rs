//! A metric that can stand in a function.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use consilium_metrics::TextMetric;
use consilium_metrics::catalog::{canonical_name, sql_name, text_metric};

/// A metric of the catalogue; equal when the name is.
#[derive(Clone)]
pub(super) struct NamedMetric {
    name: &'static str,
    metric: Arc<dyn TextMetric>,
    /// How many statistics a pair has.
    length: usize,
}

impl NamedMetric {
    /// Finds a metric in either spelling.
    pub(super) fn find(name: &str) -> Option<Self> {
        let name = canonical_name(name)?;
        let metric: Arc<dyn TextMetric> = Arc::from(text_metric(name)?);
        let length = metric.statistics("", &[""]).len();
        Some(Self {
            name,
            metric,
            length,
        })
    }

    /// Name as an SQL identifier.
    pub(super) fn sql_name(&self) -> String {
        sql_name(self.name)
    }

    /// Whether a row can be statistics of this metric: it has their number and none is negative.
    pub(super) fn fits(&self, statistics: &[i64]) -> bool {
        statistics.len() == self.length && statistics.iter().all(|value| *value >= 0)
    }

    pub(super) fn metric(&self) -> &dyn TextMetric {
        self.metric.as_ref()
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
