//! Text metrics by name.

use std::fmt;

use consilium_metrics::TextMetric;
use consilium_metrics::catalog::{NAMES, canonical_name, text_metric};

use crate::nearest::nearest;

/// A name that is no text metric.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("find the text metric '{name}'; the nearest name is '{nearest}'")]
pub struct UnknownMetric {
    /// The name given.
    pub name: String,
    /// The known name that is most like it.
    pub nearest: String,
}

/// A metric with its name.
pub(super) struct NamedMetric {
    name: &'static str,
    metric: Box<dyn TextMetric>,
    signature: String,
}

impl NamedMetric {
    /// Finds a metric in either spelling, `rougeL` or `rouge_l`.
    pub(super) fn find(name: &str) -> Result<Self, UnknownMetric> {
        let found = canonical_name(name).and_then(|name| {
            let metric = text_metric(name)?;
            let signature = metric.signature();
            Some(Self {
                name,
                metric,
                signature,
            })
        });
        found.ok_or_else(|| UnknownMetric {
            name: name.to_owned(),
            nearest: nearest(name, NAMES),
        })
    }

    pub(super) const fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn metric(&self) -> &dyn TextMetric {
        self.metric.as_ref()
    }

    pub(super) fn signature(&self) -> &str {
        &self.signature
    }
}

impl fmt::Debug for NamedMetric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}
