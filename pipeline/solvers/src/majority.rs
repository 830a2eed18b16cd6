//! `majority`: the most frequent answer of a training file.

use std::collections::BTreeMap;

use consilium_core::Case;
use futures::FutureExt;
use futures::future::BoxFuture;

use super::training::untrained;
use consilium_runner::context::{SampleEnd, SolverContext};
use consilium_runner::{Answer, Solver};

/// The same answer to every case of a dataset: the one its training file gives most often.
#[derive(Debug, Default)]
pub(super) struct Majority {
    by_dataset: BTreeMap<String, String>,
}

impl Solver for Majority {
    fn name(&self) -> &'static str {
        "majority"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[]
    }

    fn learns(&self) -> bool {
        true
    }

    fn train(&mut self, dataset: &str, examples: &[Case]) -> Result<(), String> {
        let answer = most_frequent(examples).ok_or("no example has an answer")?;
        self.by_dataset.insert(dataset.to_owned(), answer);
        Ok(())
    }

    fn solve<'a>(
        &'a self,
        context: &'a mut SolverContext,
    ) -> BoxFuture<'a, Result<Answer, SampleEnd>> {
        async move {
            let dataset = &*context.case().dataset;
            let answer = self
                .by_dataset
                .get(dataset)
                .ok_or_else(|| untrained(dataset))?;
            Ok(Answer {
                text: Some(answer.clone()),
                ..Answer::default()
            })
        }
        .boxed()
    }
}

/// The preferred answer of most examples; of equals the first by name.
pub(super) fn most_frequent(examples: &[Case]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for answer in examples.iter().filter_map(|case| case.gold.first()) {
        *counts.entry(answer).or_default() += 1;
    }
    counts
        .into_iter()
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map(|(answer, _)| answer.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::tests::example;

    fn most(answers: &[&str]) -> Option<String> {
        let examples: Vec<Case> = answers
            .iter()
            .enumerate()
            .map(|(at, answer)| example(&at.to_string(), "text", &[answer]))
            .collect();
        most_frequent(&examples)
    }

    #[test]
    fn the_most_frequent_answer_wins_and_ties_go_by_name() {
        assert_eq!(most(&["no", "yes", "yes"]).as_deref(), Some("yes"));
        assert_eq!(
            most(&["yes", "no", "maybe", "no", "yes"]).as_deref(),
            Some("no")
        );
        assert_eq!(most(&["no", "yes", "no", "yes"]).as_deref(), Some("no"));
        assert_eq!(most(&[]), None);
    }

    #[test]
    fn only_the_preferred_answer_of_an_example_counts() {
        let examples = [
            example("1", "t", &["gout", "yes"]),
            example("2", "t", &["yes"]),
            example("3", "t", &["gout"]),
            example("4", "t", &[]),
        ];
        assert_eq!(most_frequent(&examples).as_deref(), Some("gout"));
    }
}
