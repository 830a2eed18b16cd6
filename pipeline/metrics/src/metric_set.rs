//! Several metrics of one pair, which read its texts once where their tokens are the same.

use crate::catalog::{rouge, text_metric};
use crate::metric::TextMetric;
use crate::rouge::Rouge;

/// Metrics by name whose statistics are computed together.
pub struct MetricSet {
    metrics: Vec<Box<dyn TextMetric>>,
    /// Metrics of rouge-score with the same tokens, and their places.
    groups: Vec<(Vec<usize>, Vec<Rouge>)>,
}

impl MetricSet {
    /// The metrics of these names, in either spelling; `None` when one is not known.
    pub fn new(names: &[&str]) -> Option<Self> {
        let metrics = names
            .iter()
            .map(|name| text_metric(name))
            .collect::<Option<Vec<_>>>()?;
        let mut groups: Vec<(Vec<usize>, Vec<Rouge>)> = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let Some(metric) = rouge(name).filter(|metric| metric.shares_tokens()) else {
                continue;
            };
            let alike = |group: &&mut (_, Vec<Rouge>)| group.1[0].use_stemmer == metric.use_stemmer;
            match groups.iter_mut().find(alike) {
                Some((places, members)) => {
                    places.push(place);
                    members.push(metric);
                }
                None => groups.push((vec![place], vec![metric])),
            }
        }
        groups.retain(|(places, _)| places.len() > 1);
        Some(Self { metrics, groups })
    }

    /// The metrics, in the order of their names.
    pub fn metrics(&self) -> impl Iterator<Item = &dyn TextMetric> {
        self.metrics.iter().map(AsRef::as_ref)
    }

    /// What [`TextMetric::statistics`] of every metric gives, in the order of their names.
    pub fn statistics(&self, hypothesis: &str, references: &[&str]) -> Vec<Vec<i64>> {
        let mut rows: Vec<Option<Vec<i64>>> = vec![None; self.metrics.len()];
        if let [reference] = references {
            for (places, members) in &self.groups {
                let shared = Rouge::statistics_of_all(members, hypothesis, reference);
                for (&place, row) in places.iter().zip(shared) {
                    rows[place] = Some(row);
                }
            }
        }
        rows.into_iter()
            .zip(&self.metrics)
            .map(|(row, metric)| row.unwrap_or_else(|| metric.statistics(hypothesis, references)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::catalog::NAMES;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn together_is_one_by_one(
            hypothesis in "[abc .\n]{0,20}|(diseases|treated|the| ){0,9}",
            references in prop::collection::vec("[abc .\n]{0,20}|(disease|treat|the| ){0,9}", 0..3),
        ) {
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            let set = MetricSet::new(&NAMES).unwrap();
            let rows = set.statistics(&hypothesis, &references);
            for ((name, row), metric) in NAMES.iter().zip(rows).zip(set.metrics()) {
                prop_assert_eq!(row, metric.statistics(&hypothesis, &references), "{}", name);
            }
        }
    }
}
