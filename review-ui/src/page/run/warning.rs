//! What a reader must know before quoting a number of a run.

use consilium_core::{Outcome, RunStatus};

use crate::view::number::count;
use crate::view::text::{beginning, short};
use crate::view::words;
use crate::{ModelUse, RunView};

/// The warnings of a run, the gravest first.
pub(crate) fn warnings(view: &RunView) -> Vec<String> {
    let mut warnings = Vec::new();
    let finished = view.card.finished();
    let missing = view.card.planned.saturating_sub(finished);
    match view.card.status {
        RunStatus::Complete => {}
        RunStatus::Running => warnings.push(format!(
            "This run is being written, or stopped without notice: {} of {} samples are here. \
             Numbers will change.",
            count(finished),
            count(view.card.planned)
        )),
        RunStatus::Incomplete => warnings.push(format!(
            "This run is incomplete: {} of {} samples are missing. Running it again continues it.",
            count(missing),
            count(view.card.planned)
        )),
    }
    if view.card.failed() > 0 {
        warnings.push(format!(
            "{} could not be answered because servers or limits failed ({}). They say nothing \
             about the models and are left out of every accuracy.",
            counted(view.card.failed(), "sample"),
            failures(view)
        ));
    }
    warnings.extend(changed_models(&view.models));
    for entry in view.manifest.datasets.iter().filter(|d| d.malformed > 0) {
        warnings.push(format!(
            "{} of dataset {} could not be read and left out.",
            counted(entry.malformed, "row"),
            short(&entry.name)
        ));
    }
    if view.manifest.epochs == 1 {
        warnings.push(
            "Single run: every case was asked once, so the spread between repetitions is unknown."
                .to_owned(),
        );
    }
    warnings.extend(view.warnings.iter().map(|text| beginning(text, 600)));
    warnings
}

fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

fn failures(view: &RunView) -> String {
    let kinds: Vec<String> = Outcome::ALL
        .into_iter()
        .filter(|outcome| outcome.is_infrastructure() && view.card.count(*outcome) > 0)
        .map(|o| format!("{} {}", count(view.card.count(o)), words::outcome(o)))
        .collect();
    kinds.join(", ")
}

/// One sentence for every model that was answered by several, or by another than was asked for.
fn changed_models(models: &[ModelUse]) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for model in models {
        let asked = (model.backend.as_str(), model.requested.as_str());
        if seen.contains(&asked) {
            continue;
        }
        seen.push(asked);
        let same = || {
            models
                .iter()
                .filter(|m| (m.backend.as_str(), m.requested.as_str()) == asked)
        };
        let mut returned: Vec<&str> = same().filter_map(|m| m.returned.as_deref()).collect();
        returned.dedup();
        let mut prints: Vec<&str> = same().filter_map(|m| m.fingerprint.as_deref()).collect();
        prints.sort_unstable();
        prints.dedup();
        let (backend, name) = (short(asked.0), short(asked.1));
        if returned.len() > 1 {
            let names: Vec<String> = returned.iter().map(|name| short(name)).collect();
            warnings.push(format!(
                "Model drift: backend {backend} was asked for {name}, and {} different models \
                 answered ({}).",
                returned.len(),
                names.join(", ")
            ));
        } else if returned.first().is_some_and(|other| *other != asked.1) {
            warnings.push(format!(
                "Backend {backend} was asked for {name}; the server says that {} answered.",
                short(returned[0])
            ));
        }
        if prints.len() > 1 {
            warnings.push(format!(
                "Backend {backend} changed its set-up during the run: {} fingerprints of {name}.",
                prints.len()
            ));
        }
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(requested: &str, returned: Option<&str>, print: Option<&str>) -> ModelUse {
        ModelUse {
            backend: "b".to_owned(),
            requested: requested.to_owned(),
            returned: returned.map(str::to_owned),
            fingerprint: print.map(str::to_owned),
            solver_calls: 1,
            scorer_calls: 0,
        }
    }

    #[test]
    fn a_model_that_answers_as_asked_is_no_news() {
        assert!(changed_models(&[model("m", Some("m"), None), model("n", None, None)]).is_empty());
    }

    #[test]
    fn drift_is_told_once_per_model() {
        let models = [
            model("m", Some("m-1"), Some("a")),
            model("m", Some("m-2"), Some("b")),
        ];
        let warnings = changed_models(&models);
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].contains("2 different models answered (m-1, m-2)"));
        assert!(warnings[1].contains("2 fingerprints"));
    }

    #[test]
    fn another_name_for_the_model_is_told() {
        let warnings = changed_models(&[model("m", Some("m-2026-11"), None)]);
        assert!(warnings[0].contains("says that m-2026-11 answered"));
    }
}
