//! Metrics and statistics of Consilium as pure functions.
//!
//! Nothing here reads a file, a clock or the network, and no value depends on the order of its
//! input or on the number of threads.

pub mod bleu;
pub mod bootstrap;
pub mod catalog;
pub mod chrf;
pub mod classification;
pub mod clustered_classification;
pub mod distinct;
pub mod exact_match;
pub mod exact_sum;
pub mod gleu;
pub mod interval;
pub mod lengths;
pub mod meteor;
pub mod metric;
pub mod metric_set;
pub mod named_metric;
pub mod nltk_bleu;
pub mod proportion;
pub mod reference;
mod resample;
pub mod rouge;
pub mod rouge_words;
pub mod ter;
pub mod text;
pub mod token_f1;

pub use bootstrap::{
    CaseStatistics, CaseSum, bootstrap_mean_of_cases, bootstrap_text_of_cases,
    clustered_bootstrap_mean, clustered_bootstrap_text,
};
pub use classification::{Average, ClassScore, ClassificationSummary, Confusion};
pub use clustered_classification::{AverageIntervals, ClassificationIntervals, ClusteredConfusion};
pub use exact_sum::ExactSum;
pub use interval::Interval;
pub use metric::TextMetric;
pub use metric_set::MetricSet;
pub use named_metric::NamedMetric;
pub use proportion::wilson;
