//! One run: its card and its view.

use std::sync::Arc;

use consilium_core::study::Study;
use consilium_core::{Outcome, RunManifest};
use consilium_query::browse::{Headline as Number, Summary, headlines, summary};
use consilium_review::{Headline, LibraryError, ModelUse, RunCard, RunView};

use super::shelf::ShelvedRun;
use super::{Library, blocking, tables};
use crate::run::{rerun_note, session_over, synthetic_note};

/// The sums of one run, kept until its manifest changes.
#[derive(Debug)]
pub(super) struct Sums {
    card: RunCard,
    outcomes: Vec<(String, Vec<(Outcome, u64)>)>,
    models: Vec<ModelUse>,
}

impl Library {
    /// The card of a run, which need not be kept open for it.
    pub(super) async fn card(&self, name: &str) -> Result<Option<RunCard>, LibraryError> {
        let (shelf, owned) = (Arc::clone(&self.shelf), name.to_owned());
        let Some(run) = blocking(move || shelf.glance(&owned)).await? else {
            return Ok(None);
        };
        Ok(Some(self.sums(&run).await?.card.clone()))
    }

    /// One run with its manifest, models and warnings.
    pub(super) async fn view(&self, name: &str) -> Result<Option<RunView>, LibraryError> {
        let Some(shelved) = self.shelved(name).await? else {
            return Ok(None);
        };
        let sums = self.sums(&shelved).await?;
        Ok(Some(RunView {
            card: sums.card.clone(),
            manifest: shelved.run().manifest().clone(),
            outcomes: sums.outcomes.clone(),
            models: sums.models.clone(),
            warnings: warnings(shelved.run().study(), shelved.run().manifest()),
        }))
    }

    async fn sums(&self, run: &ShelvedRun) -> Result<Arc<Sums>, LibraryError> {
        let cell = self.shelf.sums(run);
        cell.get_or_try_init(|| async { sum_up(run).await.map(Arc::new) })
            .await
            .map(Arc::clone)
    }
}

async fn sum_up(shelved: &ShelvedRun) -> Result<Sums, LibraryError> {
    let failed = |error: consilium_query::DataFusionError| {
        LibraryError::because("a run cannot be summed up", error)
    };
    let session = session_over(&[shelved.source()])
        .await
        .map_err(|error| LibraryError::because("a run cannot be queried", error))?;
    let (study, manifest) = (shelved.run().study(), shelved.run().manifest());
    let summary = summary(&session).await.map_err(failed)?;
    let numbers = match tables::accuracy(shelved, &session).await? {
        Some(accuracy) => headlines(&session, study, &accuracy)
            .await
            .map_err(failed)?,
        None => Vec::new(),
    };
    let name = shelved.run().directory().name();
    Ok(sums(name, manifest, summary, numbers))
}

fn sums(name: &str, manifest: &RunManifest, summary: Summary, numbers: Vec<Number>) -> Sums {
    let mut systems = manifest.systems.clone();
    for (system, ..) in &summary.outcomes {
        if !systems.contains(system) {
            systems.push(system.clone());
        }
    }
    let of = |wanted: Option<&str>| -> Vec<(Outcome, u64)> {
        Outcome::ALL
            .into_iter()
            .map(|outcome| {
                let counts = summary.outcomes.iter().filter(|(system, known, _)| {
                    *known == outcome && wanted.is_none_or(|wanted| wanted == system)
                });
                (outcome, counts.map(|(.., count)| count).sum())
            })
            .filter(|(_, count)| *count > 0)
            .collect()
    };
    let costs: Vec<f64> = summary
        .models
        .iter()
        .filter_map(|model| model.cost_usd)
        .collect();
    let card = RunCard {
        name: name.to_owned(),
        study: manifest.study_name.clone(),
        status: manifest.status,
        created_at: manifest.created_at,
        finished_at: manifest.finished_at,
        cases: manifest
            .datasets
            .iter()
            .map(|dataset| dataset.selected)
            .sum(),
        systems: manifest.systems.clone(),
        planned: manifest.planned,
        outcomes: of(None),
        cost_usd: (!costs.is_empty()).then(|| costs.iter().sum()),
        unpriced_calls: summary
            .models
            .iter()
            .map(|model| model.unpriced_calls)
            .sum(),
        headlines: numbers.into_iter().map(headline).collect(),
    };
    Sums {
        card,
        outcomes: systems
            .iter()
            .map(|system| (system.clone(), of(Some(system))))
            .filter(|(_, outcomes)| !outcomes.is_empty())
            .collect(),
        models: summary
            .models
            .into_iter()
            .map(|model| ModelUse {
                backend: model.backend,
                requested: model.requested,
                returned: model.returned,
                fingerprint: model.fingerprint,
                solver_calls: model.solver_calls,
                scorer_calls: model.scorer_calls,
            })
            .collect(),
    }
}

fn headline(number: Number) -> Headline {
    let correct = number.metric == "correct";
    Headline {
        dataset: number.dataset,
        system: number.system,
        scorer: number.scorer,
        title: if correct {
            "Accuracy".to_owned()
        } else {
            number.metric
        },
        share: correct,
        estimate: number.estimate,
    }
}

/// What a reader must know and cannot see from the rest of the page.
fn warnings(study: &Study, manifest: &RunManifest) -> Vec<String> {
    let mut warnings: Vec<String> = synthetic_note(manifest).into_iter().collect();
    warnings.extend(rerun_note(manifest));
    let model = |backend: &String| {
        let spec = study.backend.iter().find(|spec| spec.name == *backend)?;
        spec.model.as_deref()
    };
    let judges = study
        .scorer
        .iter()
        .filter(|scorer| matches!(scorer.kind.as_str(), "judge" | "rubric"));
    for judge in judges {
        let name = judge.display_name();
        warnings.push(format!("judge '{name}' is not validated by experts"));
        let Some(judging) = judge.backend.as_ref().and_then(model) else {
            continue;
        };
        for system in &study.system {
            let mut backends = system.backend.iter().chain(system.role_backends.values());
            if backends.any(|backend| model(backend) == Some(judging)) {
                warnings.push(format!(
                    "judge '{name}' and system '{}' use the same model",
                    system.name
                ));
            }
        }
    }
    warnings
}
