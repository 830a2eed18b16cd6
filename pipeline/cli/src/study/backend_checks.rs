//! What a `[[backend]]` must satisfy: what its kind has no use for is refused, never passed over.

use consilium_core::study::{
    BackendKind, BackendSpec, GenerationSpec, LimitSpec, SimulatedAccuracy, StructuredOutput, Study,
};

use super::checks::{Problem, problem, suggestion};

/// Keys that belong to one kind of backend only, and values that mean something.
pub(super) fn check_backend(study: &Study, backend: &BackendSpec) -> Result<(), Problem> {
    check_backend_keys(backend)?;
    check_generation("backend", &backend.name, &backend.generation)?;
    check_limits(backend)?;
    check_simulation(study, backend)
}

/// Generation settings that no model could follow.
pub(super) fn check_generation(
    what: &str,
    name: &str,
    generation: &GenerationSpec,
) -> Result<(), Problem> {
    let wrong = |key: &str, allowed: &str| {
        problem(
            format!("{what} '{name}': generation.{key} is out of range"),
            format!("give {allowed}, or leave it out"),
        )
    };
    if generation
        .temperature
        .is_some_and(|value| !value.is_finite() || value < 0.0)
    {
        return wrong("temperature", "a number from 0");
    }
    if generation
        .top_p
        .is_some_and(|value| !(value > 0.0 && value <= 1.0))
    {
        return wrong("top_p", "a share above 0");
    }
    if generation.max_tokens == Some(0) {
        return wrong("max_tokens", "a whole number from 1");
    }
    for (key, instead) in RECORDED_ELSEWHERE {
        if generation.extra.contains_key(key) {
            return problem(
                format!("{what} '{name}': generation.extra.{key} would make the record false"),
                instead,
            );
        }
    }
    Ok(())
}

/// Fields of a request that `extra` must not replace: other columns say what they were.
const RECORDED_ELSEWHERE: [(&str, &str); 3] = [
    ("model", "set `model` of a backend"),
    (
        "messages",
        "put what is to be asked into prompts, see study.prompts",
    ),
    ("stream", "leave it out: replies are received whole"),
];

fn check_backend_keys(backend: &BackendSpec) -> Result<(), Problem> {
    let usual = LimitSpec::default();
    let keys = [
        ("base_url", backend.base_url.is_some(), BackendKind::Openai),
        (
            "api_key_env",
            backend.api_key_env.is_some(),
            BackendKind::Openai,
        ),
        (
            "latency_ms",
            backend.latency_ms.is_some(),
            BackendKind::Simulated,
        ),
        (
            "error_rate",
            backend.error_rate.is_some(),
            BackendKind::Simulated,
        ),
        (
            "accuracy",
            backend.accuracy.is_some(),
            BackendKind::Simulated,
        ),
        (
            "overconfidence",
            backend.overconfidence.is_some(),
            BackendKind::Simulated,
        ),
        (
            "limits.connect_timeout_s",
            backend.limits.connect_timeout_s.to_bits() != usual.connect_timeout_s.to_bits(),
            BackendKind::Openai,
        ),
        (
            "limits.first_byte_timeout_s",
            backend.limits.first_byte_timeout_s.is_some(),
            BackendKind::Openai,
        ),
        (
            "recording",
            backend.recording.is_some(),
            BackendKind::Replay,
        ),
        ("match", backend.replay_match.is_some(), BackendKind::Replay),
    ];
    if let Some((key, ..)) = keys
        .iter()
        .find(|(_, set, kind)| *set && *kind != backend.kind)
    {
        return problem(
            format!(
                "backend '{}': `{key}` belongs to another kind of backend",
                backend.name
            ),
            "remove it or change `kind`",
        );
    }
    // Replay must know in what form was asked when it was recorded.
    if backend.kind == BackendKind::Simulated
        && backend.structured_output != StructuredOutput::default()
    {
        return problem(
            format!(
                "backend '{}': `structured_output` belongs to another kind of backend",
                backend.name
            ),
            "remove it or change `kind`",
        );
    }
    Ok(())
}

fn check_limits(backend: &BackendSpec) -> Result<(), Problem> {
    let limits = &backend.limits;
    if limits.concurrency == 0 || limits.timeout_s <= 0.0 || limits.connect_timeout_s <= 0.0 {
        return problem(
            format!(
                "backend '{}': concurrency and time-outs must be above 0",
                backend.name
            ),
            "leave them out for the defaults",
        );
    }
    if limits
        .first_byte_timeout_s
        .is_some_and(|deadline| deadline <= 0.0)
    {
        return problem(
            format!(
                "backend '{}': first_byte_timeout_s must be above 0",
                backend.name
            ),
            "leave it out for none of its own",
        );
    }
    if limits.rpm == Some(0) || limits.tpm == Some(0) {
        return problem(
            format!(
                "backend '{}': a rate of 0 per minute allows nothing",
                backend.name
            ),
            "leave rpm and tpm out for no limit",
        );
    }
    if let Some(price) = &backend.price {
        let prices = [Some(price.input), price.cached_input, Some(price.output)];
        if prices
            .iter()
            .flatten()
            .any(|price| !price.is_finite() || *price < 0.0)
        {
            return problem(
                format!(
                    "backend '{}': a price is negative or no number",
                    backend.name
                ),
                "give US dollars per million tokens",
            );
        }
    }
    Ok(())
}

fn check_simulation(study: &Study, backend: &BackendSpec) -> Result<(), Problem> {
    let share = |value: f64| (0.0..=1.0).contains(&value);
    let accuracy_fits = match &backend.accuracy {
        None => true,
        Some(SimulatedAccuracy::Everywhere(value)) => share(*value),
        Some(SimulatedAccuracy::Rules(rules)) => rules.iter().all(|rule| share(rule.value)),
    };
    if !accuracy_fits || !backend.error_rate.is_none_or(share) {
        return problem(
            format!(
                "backend '{}': accuracy and error_rate are shares",
                backend.name
            ),
            "give numbers between 0 and 1",
        );
    }
    if backend
        .overconfidence
        .is_some_and(|over| !(-1.0..=1.0).contains(&over))
    {
        return problem(
            format!("backend '{}': overconfidence is out of range", backend.name),
            "give a number between -1 and 1",
        );
    }
    if let Some(SimulatedAccuracy::Rules(rules)) = &backend.accuracy {
        let systems = || study.system.iter().map(|system| system.name.as_str());
        for name in rules.iter().filter_map(|rule| rule.system.as_deref()) {
            if !systems().any(|known| known == name) {
                return problem(
                    format!(
                        "backend '{}': a rule of accuracy is for system '{name}', and there is none",
                        backend.name
                    ),
                    suggestion(name, systems()),
                );
            }
        }
    }
    Ok(())
}

/// Backends that nothing asks.
pub(super) fn unused_backends(study: &Study) -> Vec<String> {
    let asked = |name: &str| {
        let systems = study.system.iter().any(|system| {
            system.backend.as_deref() == Some(name)
                || system.role_backends.values().any(|used| used == name)
        });
        systems
            || study
                .scorer
                .iter()
                .any(|scorer| scorer.backend.as_deref() == Some(name))
    };
    study
        .backend
        .iter()
        .filter(|backend| !asked(&backend.name))
        .map(|backend| {
            format!(
                "backend '{}' is used by no system and no scorer",
                backend.name
            )
        })
        .collect()
}
