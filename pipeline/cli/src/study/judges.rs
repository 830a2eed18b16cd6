//! What a reader of judged scores should know of the judge.

use consilium_core::study::{BackendSpec, ScorerKind, Study};

/// A note for every judge whose model also answers in a compared system: models favour what they
/// would have said themselves.
pub(super) fn shared_models(study: &Study) -> Vec<String> {
    let model = |name: &str| -> Option<&str> {
        let backend = study.backend.iter().find(|backend| backend.name == name)?;
        Some(model_of(backend))
    };
    let mut notes = Vec::new();
    for scorer in study
        .scorer
        .iter()
        .filter(|scorer| scorer.kind == ScorerKind::Judge)
    {
        let Some(judging) = scorer.backend.as_deref().and_then(model) else {
            continue;
        };
        let systems: Vec<&str> = study
            .system
            .iter()
            .filter(|system| {
                let mut backends = system.backend.iter().chain(system.role_backends.values());
                scorer
                    .datasets
                    .iter()
                    .any(|dataset| system.runs_on(dataset))
                    && backends.any(|name| model(name) == Some(judging))
            })
            .map(|system| system.name.as_str())
            .collect();
        if !systems.is_empty() {
            notes.push(format!(
                "judge '{}' and compared systems share the model '{judging}': {}; a judge may favour \
                 its own answers, so let another model judge",
                scorer.display_name(),
                systems.join(", ")
            ));
        }
    }
    notes
}

/// The model that a backend asks for.
fn model_of(backend: &BackendSpec) -> &str {
    backend.model.as_deref().unwrap_or(&backend.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notes(judge: &str) -> Vec<String> {
        let study = format!(
            "[study]\nname='s'\n[[backend]]\nname='a'\nkind='openai'\nmodel='m-1'\n[[backend]]\nname='b'\n\
             kind='openai'\nmodel='m-1'\n[[backend]]\nname='c'\nkind='openai'\nmodel='m-2'\n[[system]]\n\
             name='x'\nsolver='direct'\nbackend='a'\n[[system]]\nname='y'\nsolver='direct'\nbackend='c'\n\
             role_backends={{answer='b'}}\n[[system]]\nname='z'\nsolver='direct'\nbackend='a'\n\
             datasets=['other']\n[[scorer]]\nkind='judge'\nbackend='{judge}'\npolicy='craftmd_v1'\n\
             datasets=['d']\n"
        );
        shared_models(&toml::from_str(&study).unwrap())
    }

    #[test]
    fn a_model_is_the_same_behind_another_backend() {
        let found = notes("b");
        assert_eq!(found.len(), 1);
        assert!(found[0].contains("'m-1': x, y;"), "{found:?}");
        assert!(notes("c")[0].contains("'m-2': y;"));
    }
}
