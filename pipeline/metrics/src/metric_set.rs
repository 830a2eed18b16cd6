//! Several metrics of one pair, which read its texts once where their tokens are the same.

use crate::catalog::rouge;
use crate::named_metric::NamedMetric;
use crate::rouge::Rouge;

/// Metrics whose statistics are computed together.
#[derive(Debug)]
pub struct MetricSet {
    metrics: Vec<NamedMetric>,
    /// Metrics of rouge-score with the same tokens, and their places.
    groups: Vec<(Vec<usize>, Vec<Rouge>)>,
}

impl MetricSet {
    /// The metrics of these names, in either spelling; `None` when one is not known.
    pub fn new(names: &[&str]) -> Option<Self> {
        let metrics = names.iter().map(|name| NamedMetric::find(name));
        metrics.collect::<Option<Vec<_>>>().map(Self::of)
    }

    /// The metrics that were found before.
    pub fn of(metrics: Vec<NamedMetric>) -> Self {
        let mut groups: Vec<(Vec<usize>, Vec<Rouge>)> = Vec::new();
        for (place, named) in metrics.iter().enumerate() {
            let Some(metric) = rouge(named.name()).filter(|metric| metric.shares_tokens()) else {
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
        Self { metrics, groups }
    }

    /// The metrics, in their order.
    pub fn metrics(&self) -> &[NamedMetric] {
        &self.metrics
    }

    /// What [`TextMetric::statistics`] of every metric gives, in their order.
    ///
    /// [`TextMetric::statistics`]: crate::TextMetric::statistics
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
            .map(|(row, named)| {
                row.unwrap_or_else(|| named.metric().statistics(hypothesis, references))
            })
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
                prop_assert_eq!(row, metric.metric().statistics(&hypothesis, &references), "{}", name);
            }
        }
    }
}
