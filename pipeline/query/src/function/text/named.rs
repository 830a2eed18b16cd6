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
}

impl NamedMetric {
    /// Finds a metric in either spelling.
    pub(super) fn find(name: &str) -> Option<Self> {
        let name = canonical_name(name)?;
        let metric = Arc::from(text_metric(name)?);
        Some(Self { name, metric })
    }

    /// Name as an SQL identifier.
    pub(super) fn sql_name(&self) -> String {
        sql_name(self.name)
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
