//! Text metrics as SQL functions, four of each: statistics, sentence value, corpus value, interval.
//!
//! `rouge_l_stats(hypothesis, reference)` gives the integer statistics of a pair,
//! `sentence_rouge_l(hypothesis, reference)` its value and `corpus_rouge_l(stats)` the value of many
//! pairs. The short name is what the metric is mostly used as: of metrics whose statistics add up
//! (`bleu`) the aggregate, of the others (`rouge_l`) the value of a pair.

mod corpus;
mod distinct;
mod input;
mod pair;
mod text_ci;

use std::sync::Arc;

use consilium_metrics::{NamedMetric, catalog};
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

/// Statistics and sentence values of every metric.
pub(super) fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    metrics()
        .flat_map(|metric| {
            [
                Arc::new(ScalarUDF::from(pair::PairFunc::statistics(metric.clone()))),
                Arc::new(ScalarUDF::from(pair::PairFunc::sentence(metric))),
            ]
        })
        .collect()
}

/// Corpus values of every metric, their interval, and distinct n-grams.
pub(super) fn aggregate_functions() -> Vec<Arc<AggregateUDF>> {
    let mut functions: Vec<Arc<AggregateUDF>> = metrics()
        .map(|metric| Arc::new(AggregateUDF::from(corpus::CorpusFunc::new(metric))))
        .collect();
    functions.push(Arc::new(AggregateUDF::from(text_ci::TextCi::new())));
    functions.push(Arc::new(AggregateUDF::from(distinct::Distinct::new())));
    functions
}

fn metrics() -> impl Iterator<Item = NamedMetric> {
    catalog::NAMES.into_iter().filter_map(NamedMetric::find)
}

#[cfg(test)]
mod laws;
