//! What solvers that learn are given.

use std::collections::BTreeMap;

use consilium_core::{Case, CaseView};

use consilium_runner::context::SampleEnd;

/// Labelled examples of one system, by the dataset whose cases are answered from them.
///
/// They come from training files, never from the cases that are evaluated: whoever hands them in
/// has made sure of it, see [`case_content`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainingSet {
    /// Examples by dataset.
    pub by_dataset: BTreeMap<String, Vec<Case>>,
}

/// What a case asks, as comparable text: two cases that ask the same have the same.
///
/// Identifiers have no part in it, since files number their rows alike. Options have, in any order,
/// since many cases ask which statement is true.
pub fn case_content(case: &CaseView) -> String {
    let comparable = |text: &str| -> String {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let mut options: Vec<String> = case
        .options
        .iter()
        .map(|option| comparable(&option.text))
        .collect();
    options.sort();
    let mut content = comparable(&case_text(case));
    for option in options {
        content.push('\n');
        content.push_str(&option);
    }
    content
}

/// The input fields of a case as one text.
pub(super) fn case_text(case: &CaseView) -> String {
    ["text", "context", "question"]
        .into_iter()
        .filter_map(|field| case.input_text(field))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The end of a sample whose solver was given no examples for its dataset.
pub(super) fn untrained(dataset: &str) -> SampleEnd {
    SampleEnd::solver(format!(
        "find training examples for dataset '{dataset}': `training` of the system has none"
    ))
}

#[cfg(test)]
pub(super) mod tests {
    use consilium_core::{AnswerForm, ChoiceOption};

    use super::*;
    use consilium_runner::testing::case_view;

    /// A labelled example without options.
    pub(crate) fn example(id: &str, text: &str, gold: &[&str]) -> Case {
        let mut view = case_view(AnswerForm::Label);
        view.case_id = id.into();
        view.options = Vec::new();
        view.input.insert("question".to_owned(), text.into());
        Case {
            view,
            gold: gold.iter().map(|&gold| gold.to_owned()).collect(),
            reference: None,
            sha256: String::new(),
        }
    }

    #[test]
    fn content_is_what_is_asked() {
        let case = case_view(AnswerForm::Choice);
        let mut other = case.clone();
        other.case_id = "another".into();
        other
            .input
            .insert("question".to_owned(), "which DRUG".into());
        other.options.reverse();
        assert_eq!(case_content(&case), case_content(&other));
        other.options.push(ChoiceOption {
            label: "C".to_owned(),
            text: "Aspirin".to_owned(),
        });
        assert_ne!(case_content(&case), case_content(&other));
    }
}
