//! What makes two studies the same run.

use anyhow::Result;
use consilium_core::canonical::{canonical_sha256, to_canonical_json};
use consilium_core::study::{BackendSpec, LimitSpec, Study};
use serde_json::{Value, json};

/// Hash of what would change finished samples.
///
/// Limits, prices, budget, tolerance, scorers and tables are outside: a run may be continued with
/// more connections, a higher budget or another scorer.
pub(crate) fn study_sha256(study: &Study) -> Result<String> {
    Ok(canonical_sha256(&identity(study))?)
}

fn identity(study: &Study) -> Value {
    let backends: Vec<BackendSpec> = study
        .backend
        .iter()
        .map(|backend| BackendSpec {
            limits: LimitSpec::default(),
            price: None,
            api_key_env: None,
            ..backend.clone()
        })
        .collect();
    json!({
        "name": study.study.name,
        "seed": study.study.seed,
        "epochs": study.study.epochs,
        "mode": study.study.mode,
        "prompts": study.study.prompts,
        "datasets": study.dataset,
        "backends": backends,
        "systems": study.system,
    })
}

/// The paths at which two studies differ in what makes them the same run, for a message.
pub(crate) fn difference(recorded: &Study, given: &Study) -> Vec<String> {
    let mut differences = Vec::new();
    compare("", &identity(recorded), &identity(given), &mut differences);
    differences
}

fn compare(path: &str, left: &Value, right: &Value, differences: &mut Vec<String>) {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            let mut keys: Vec<&String> = left.keys().chain(right.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                let (left, right) = (left.get(key), right.get(key));
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                compare(
                    &path,
                    left.unwrap_or(&Value::Null),
                    right.unwrap_or(&Value::Null),
                    differences,
                );
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            for index in 0..left.len().max(right.len()) {
                let (left, right) = (left.get(index), right.get(index));
                let path = format!("{path}[{index}]");
                compare(
                    &path,
                    left.unwrap_or(&Value::Null),
                    right.unwrap_or(&Value::Null),
                    differences,
                );
            }
        }
        _ if left == right => {}
        _ => {
            let text =
                |value: &Value| to_canonical_json(value).unwrap_or_else(|_| value.to_string());
            differences.push(format!(
                "{path}: recorded {}, given {}",
                text(left),
                text(right)
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn study(text: &str) -> Study {
        toml::from_str(text).unwrap()
    }

    const BASE: &str = "[study]\nname='s'\nseed=1\n[[backend]]\nname='b'\nkind='simulated'\n";

    #[test]
    fn limits_prices_and_scorers_are_outside() {
        let with_limits = format!(
            "{BASE}limits={{concurrency=3}}\nprice={{input=1.0,output=2.0}}\n[[scorer]]\nkind='label'\n"
        );
        let (base, other) = (study(BASE), study(&with_limits));
        assert_eq!(study_sha256(&base).unwrap(), study_sha256(&other).unwrap());
        assert!(difference(&base, &other).is_empty());
    }

    #[test]
    fn a_seed_is_inside_and_named() {
        let other = study(&BASE.replace("seed=1", "seed=2"));
        assert_ne!(
            study_sha256(&study(BASE)).unwrap(),
            study_sha256(&other).unwrap()
        );
        assert_eq!(
            difference(&study(BASE), &other),
            ["seed: recorded 1, given 2"]
        );
    }
}
