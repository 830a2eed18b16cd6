//! `constant`: the same answer to every case.

use std::collections::BTreeMap;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use consilium_runner::context::{SampleEnd, SolverContext};
use consilium_runner::{Answer, Solver};

/// The same answer to every case, or to every case of a dataset or an answer form.
#[derive(Debug)]
pub(super) struct Constant {
    everywhere: Option<String>,
    by_name: BTreeMap<String, String>,
}

impl Constant {
    /// From a text or a table of texts.
    pub(super) fn new(answer: &Value) -> Self {
        let table = answer.as_object().into_iter().flatten();
        Self {
            everywhere: answer.as_str().map(str::to_owned),
            by_name: table
                .filter_map(|(name, answer)| Some((name.clone(), answer.as_str()?.to_owned())))
                .collect(),
        }
    }

    fn answer(&self, dataset: &str, answer_form: &str) -> Option<String> {
        self.by_name
            .get(dataset)
            .or_else(|| self.by_name.get(answer_form))
            .or(self.everywhere.as_ref())
            .cloned()
    }
}

impl Solver for Constant {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn roles(&self) -> &'static [&'static str] {
        &[]
    }

    fn solve<'a>(
        &'a self,
        context: &'a mut SolverContext,
    ) -> BoxFuture<'a, Result<Answer, SampleEnd>> {
        async move {
            let case = context.case();
            let (dataset, form) = (&*case.dataset, case.answer_form.as_str());
            let text = self.answer(dataset, form).ok_or_else(|| {
                SampleEnd::solver(format!(
                    "find the answer for dataset '{dataset}': variant.answer names neither it nor \
                     '{form}'"
                ))
            })?;
            Ok(Answer {
                text: Some(text),
                ..Answer::default()
            })
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_dataset_comes_before_the_answer_form() {
        let table = Constant::new(&json!({"pubmedqa": "yes", "label": "no"}));
        assert_eq!(table.answer("pubmedqa", "label").as_deref(), Some("yes"));
        assert_eq!(table.answer("other", "label").as_deref(), Some("no"));
        assert_eq!(table.answer("other", "text"), None);
        assert_eq!(
            Constant::new(&json!("B"))
                .answer("any", "choice")
                .as_deref(),
            Some("B")
        );
    }
}
