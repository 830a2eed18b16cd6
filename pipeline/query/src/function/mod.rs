//! SQL functions; each calls the one formula in `consilium-metrics`.
//!
//! Parameters such as seeds and replicate counts are SQL literals, so that plans can be sent to
//! other processes without a codec.

mod accuracy;
mod bootstrap_ci;
mod case_key;
mod case_numbers;
mod classification;
mod confusion;
mod estimate;
mod json_text;
#[cfg(test)]
mod laws;
mod literal;
mod prf;
mod prf_by_class;
mod prf_by_class_ci;
mod prf_ci;
mod seeded_hash;
mod strings;
mod text;
mod wilson;
mod wilson_ci;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::FunctionRegistry;
use datafusion::logical_expr::{AggregateUDF, DocSection, Documentation, ScalarUDF};

/// Where our functions stand in the manual.
const SECTION: DocSection = DocSection {
    include: true,
    label: "Consilium",
    description: None,
};

/// Our scalar functions.
pub fn scalar_functions() -> Vec<Arc<ScalarUDF>> {
    let mut functions = vec![
        Arc::new(ScalarUDF::from(case_key::CaseKeyFunc::new())),
        Arc::new(ScalarUDF::from(json_text::JsonTextFunc::new())),
        Arc::new(ScalarUDF::from(seeded_hash::SeededHashFunc::new())),
        Arc::new(ScalarUDF::from(wilson::WilsonFunc::new())),
    ];
    functions.extend(text::scalar_functions());
    functions
}

/// Our aggregate functions.
pub fn aggregate_functions() -> Vec<Arc<AggregateUDF>> {
    let mut functions = vec![
        Arc::new(AggregateUDF::from(accuracy::accuracy())),
        Arc::new(AggregateUDF::from(bootstrap_ci::BootstrapCi::new())),
        Arc::new(AggregateUDF::from(confusion::confusion())),
        Arc::new(AggregateUDF::from(prf::prf())),
        Arc::new(AggregateUDF::from(prf_by_class::prf_by_class())),
        Arc::new(AggregateUDF::from(prf_by_class_ci::prf_by_class_ci())),
        Arc::new(AggregateUDF::from(prf_ci::prf_ci())),
        Arc::new(AggregateUDF::from(wilson_ci::WilsonCi::new())),
    ];
    functions.extend(text::aggregate_functions());
    functions
}

/// Registers every function of ours.
///
/// # Errors
/// When the registry refuses one.
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for function in scalar_functions() {
        registry.register_udf(function)?;
    }
    for function in aggregate_functions() {
        registry.register_udaf(function)?;
    }
    Ok(())
}

/// What is known of a function, for `consilium sql --functions`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// Name in SQL.
    pub name: String,
    /// Other names of the same function.
    pub aliases: Vec<String>,
    /// Whether it folds rows.
    pub aggregate: bool,
    /// How to call it.
    pub syntax: String,
    /// What it gives.
    pub description: String,
}

/// Our functions by name.
pub fn list_functions() -> Vec<FunctionInfo> {
    let info = |name: &str,
                aliases: &[String],
                aggregate,
                documentation: Option<&Documentation>| FunctionInfo {
        name: name.to_owned(),
        aliases: aliases.to_vec(),
        aggregate,
        syntax: documentation
            .map(|doc| doc.syntax_example.clone())
            .unwrap_or_default(),
        description: documentation
            .map(|doc| doc.description.clone())
            .unwrap_or_default(),
    };
    let mut functions: Vec<FunctionInfo> = scalar_functions()
        .iter()
        .map(|function| {
            info(
                function.name(),
                function.aliases(),
                false,
                function.documentation(),
            )
        })
        .chain(aggregate_functions().iter().map(|function| {
            info(
                function.name(),
                function.aliases(),
                true,
                function.documentation(),
            )
        }))
        .collect();
    functions.sort_by(|left, right| left.name.cmp(&right.name));
    functions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_function_is_documented() {
        let functions = list_functions();
        let mut names: Vec<&str> = functions
            .iter()
            .flat_map(|f| f.aliases.iter().chain([&f.name]))
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
        assert!(
            functions
                .iter()
                .all(|f| !f.description.is_empty() && f.syntax.starts_with(&f.name))
        );
    }
}
