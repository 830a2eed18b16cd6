//! `nearest`: the answer of the training case that is most like the case, by BM25.

mod index;
mod terms;

use std::collections::BTreeMap;
use std::sync::Arc;

use consilium_core::{AnswerForm, Case, CaseView};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;

use self::index::TextIndex;
use super::majority::most_frequent;
use super::training::{case_text, untrained};
use consilium_runner::context::{Event, SampleEnd, SolverContext};
use consilium_runner::{Answer, Solver};

/// Answers as the nearest training case was answered.
#[derive(Debug, Default)]
pub(super) struct NearestCase {
    by_dataset: BTreeMap<String, Arc<Neighbours>>,
}

/// The training cases of one dataset.
#[derive(Debug)]
struct Neighbours {
    index: TextIndex,
    /// What is known of each, in the order of the index.
    cases: Vec<Neighbour>,
    /// For cases that share no word with any of them.
    majority: String,
}

#[derive(Clone, Debug)]
struct Neighbour {
    case_id: Arc<str>,
    /// The answer as it is written: for choices the letter.
    answer: String,
    /// What the letter meant in the neighbour's own options.
    option_text: Option<String>,
}

impl NearestCase {
    pub(super) fn new() -> Self {
        Self::default()
    }
}

impl Solver for NearestCase {
    fn name(&self) -> &'static str {
        "nearest"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[]
    }

    fn learns(&self) -> bool {
        true
    }

    fn train(&mut self, dataset: &str, examples: &[Case]) -> Result<(), String> {
        let majority = most_frequent(examples).ok_or("no example has an answer")?;
        let answered: Vec<&Case> = examples
            .iter()
            .filter(|case| !case.gold.is_empty())
            .collect();
        let index = TextIndex::new(answered.iter().map(|case| case_text(&case.view)))
            .map_err(|error| format!("index the examples: {error}"))?;
        let cases = answered.into_iter().filter_map(neighbour).collect();
        let neighbours = Neighbours {
            index,
            cases,
            majority,
        };
        self.by_dataset
            .insert(dataset.to_owned(), Arc::new(neighbours));
        Ok(())
    }

    fn solve<'a>(
        &'a self,
        context: &'a mut SolverContext,
    ) -> BoxFuture<'a, Result<Answer, SampleEnd>> {
        async move {
            let case = Arc::clone(context.case());
            let neighbours = self
                .by_dataset
                .get(&*case.dataset)
                .map(Arc::clone)
                .ok_or_else(|| untrained(&case.dataset))?;
            let asked = Arc::clone(&case);
            // Searching is work for a processor, not for the threads that wait for models.
            let found = tokio::task::spawn_blocking(move || {
                let nearest = neighbours.index.nearest(&case_text(&asked));
                nearest
                    .map(|nearest| match nearest {
                        Some((at, score)) => (neighbours.cases.get(at).cloned(), score),
                        None => (None, 0.0),
                    })
                    .map(|(neighbour, score)| (neighbour, score, neighbours.majority.clone()))
            });
            let (neighbour, score, majority) = found
                .await
                .map_err(|error| SampleEnd::solver(format!("search the examples: {error}")))?
                .map_err(|error| SampleEnd::solver(format!("search the examples: {error}")))?;
            let payload = json!({
                "nearest": neighbour.as_ref().map(|neighbour| &*neighbour.case_id),
                "bm25": neighbour.as_ref().map(|_| score),
            });
            let text = neighbour.map_or(majority, |neighbour| answer(&neighbour, &case));
            context.emit(Event {
                payload: Some(payload.clone()),
                ..Event::new("nearest", "retrieval", text.as_str())
            });
            Ok(Answer {
                text: Some(text),
                payload: Some(payload),
                ..Answer::default()
            })
        }
        .boxed()
    }
}

fn neighbour(case: &Case) -> Option<Neighbour> {
    let answer = case.gold.first()?.clone();
    let option_text = (case.view.answer_form == AnswerForm::Choice)
        .then(|| {
            let mut options = case.view.options.iter();
            options.find(|option| option.label == answer)
        })
        .flatten()
        .map(|option| option.text.clone());
    Some(Neighbour {
        case_id: Arc::clone(&case.view.case_id),
        answer,
        option_text,
    })
}

/// The neighbour's answer to this case: where letters stand for options of the case's own, the
/// letter of the option that says the same, if there is one.
fn answer(neighbour: &Neighbour, case: &CaseView) -> String {
    let same = |text: &String| {
        case.options
            .iter()
            .find(|option| option.text.trim().to_lowercase() == text.trim().to_lowercase())
    };
    neighbour
        .option_text
        .as_ref()
        .and_then(same)
        .map_or_else(|| neighbour.answer.clone(), |option| option.label.clone())
}

#[cfg(test)]
mod tests {
    use consilium_core::ChoiceOption;

    use super::*;
    use crate::training::tests::example;
    use consilium_runner::testing::case_view;

    #[test]
    fn a_letter_follows_its_option() {
        let mut case = example("t", "which drug", &["A"]);
        case.view.answer_form = AnswerForm::Choice;
        case.view.options = vec![ChoiceOption {
            label: "A".to_owned(),
            text: "insulin ".to_owned(),
        }];
        let neighbour = neighbour(&case).unwrap();
        let asked = case_view(AnswerForm::Choice);
        assert_eq!(answer(&neighbour, &asked), "B");
        let mut other = asked;
        other.options.clear();
        assert_eq!(answer(&neighbour, &other), "A");
    }

    #[test]
    fn examples_without_an_answer_teach_nothing() {
        let mut solver = NearestCase::new();
        assert!(solver.train("d", &[example("1", "x", &[])]).is_err());
        solver
            .train(
                "d",
                &[example("1", "gout", &[]), example("2", "gout", &["no"])],
            )
            .unwrap();
        let neighbours = &solver.by_dataset["d"];
        let (at, _) = neighbours.index.nearest("gout").unwrap().unwrap();
        assert_eq!(&*neighbours.cases[at].case_id, "2");
    }
}
