//! The built-in tables.

use consilium_core::{Column, Unit};
use serde::Deserialize;

/// One built-in table: a query and the reading of its columns.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Preset {
    pub(super) name: String,
    pub(super) title: String,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    /// Method printed beside the estimates of a column, `{accuracy_method}` and the like resolved.
    #[serde(default)]
    pub(super) method: Option<String>,
    /// Column whose values become columns, with the column that fills them.
    #[serde(default)]
    pub(super) pivot: Option<Pivot>,
    /// Whether its numbers come from scores, so that it says how scores were made.
    #[serde(default)]
    pub(super) scored: bool,
    /// Column of `cases` whose values are the subgroups, `{subgroup}` in the query.
    #[serde(default)]
    pub(super) subgroup: Option<String>,
    /// Counts what has too few samples, in a note.
    #[serde(default)]
    pub(super) few: Option<Few>,
    #[serde(rename = "column")]
    pub(super) columns: Vec<PresetColumn>,
    #[serde(skip)]
    pub(super) sql: &'static str,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pivot {
    pub(super) by: String,
    pub(super) value: String,
    /// Columns are sorted, this one last; in order of appearance when absent.
    #[serde(default)]
    pub(super) last: Option<String>,
    /// Count of a pair that does not occur; missing when absent.
    #[serde(default)]
    pub(super) fill: Option<i64>,
}

/// Which values of a column, per value of another if one is given, have a count below a bound.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Few {
    #[serde(default)]
    pub(super) by: Option<String>,
    pub(super) of: String,
    /// What the values are called.
    pub(super) called: String,
    /// What is counted.
    pub(super) unit: String,
    pub(super) count: String,
    pub(super) below: i64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PresetColumn {
    pub(super) name: String,
    pub(super) title: String,
    #[serde(default)]
    pub(super) unit: Unit,
}

impl PresetColumn {
    pub(super) fn column(&self) -> Column {
        Column {
            name: self.name.clone(),
            title: self.title.clone(),
            unit: self.unit,
        }
    }
}

/// Every built-in table: (name, description, query).
const PRESETS: [(&str, &str, &str); 21] = [
    (
        "systems-by-source",
        include_str!("../../../../templates/tables/systems-by-source.toml"),
        include_str!("systems_by_source.sql"),
    ),
    (
        "accuracy",
        include_str!("../../../../templates/tables/accuracy.toml"),
        include_str!("accuracy.sql"),
    ),
    (
        "accuracy-by-specialty",
        include_str!("../../../../templates/tables/accuracy-by-specialty.toml"),
        include_str!("accuracy_by.sql"),
    ),
    (
        "accuracy-by-prevalence",
        include_str!("../../../../templates/tables/accuracy-by-prevalence.toml"),
        include_str!("accuracy_by.sql"),
    ),
    (
        "averages",
        include_str!("../../../../templates/tables/averages.toml"),
        include_str!("averages.sql"),
    ),
    (
        "per-class",
        include_str!("../../../../templates/tables/per-class.toml"),
        include_str!("per_class.sql"),
    ),
    (
        "confusion",
        include_str!("../../../../templates/tables/confusion.toml"),
        include_str!("confusion.sql"),
    ),
    (
        "confusion-matrix",
        include_str!("../../../../templates/tables/confusion-matrix.toml"),
        include_str!("confusion_matrix.sql"),
    ),
    (
        "text",
        include_str!("../../../../templates/tables/text.toml"),
        include_str!("text.sql"),
    ),
    (
        "text-by-specialty",
        include_str!("../../../../templates/tables/text-by-specialty.toml"),
        include_str!("text_by.sql"),
    ),
    (
        "text-by-prevalence",
        include_str!("../../../../templates/tables/text-by-prevalence.toml"),
        include_str!("text_by.sql"),
    ),
    (
        "similarity",
        include_str!("../../../../templates/tables/similarity.toml"),
        include_str!("similarity.sql"),
    ),
    (
        "similarity-by-specialty",
        include_str!("../../../../templates/tables/similarity-by-specialty.toml"),
        include_str!("similarity_by.sql"),
    ),
    (
        "similarity-by-prevalence",
        include_str!("../../../../templates/tables/similarity-by-prevalence.toml"),
        include_str!("similarity_by.sql"),
    ),
    (
        "outcomes",
        include_str!("../../../../templates/tables/outcomes.toml"),
        include_str!("outcomes.sql"),
    ),
    (
        "outcome-flow",
        include_str!("../../../../templates/tables/outcome-flow.toml"),
        include_str!("outcome_flow.sql"),
    ),
    (
        "cost",
        include_str!("../../../../templates/tables/cost.toml"),
        include_str!("cost.sql"),
    ),
    (
        "timing",
        include_str!("../../../../templates/tables/timing.toml"),
        include_str!("timing.sql"),
    ),
    (
        "calibration",
        include_str!("../../../../templates/tables/calibration.toml"),
        include_str!("calibration.sql"),
    ),
    (
        "differences",
        include_str!("../../../../templates/tables/differences.toml"),
        include_str!("differences.sql"),
    ),
    (
        "judge",
        include_str!("../../../../templates/tables/judge.toml"),
        include_str!("judge.sql"),
    ),
];

/// Names of the built-in tables.
pub const PRESET_NAMES: [&str; 21] = [
    "systems-by-source",
    "accuracy",
    "accuracy-by-specialty",
    "accuracy-by-prevalence",
    "averages",
    "per-class",
    "confusion",
    "confusion-matrix",
    "text",
    "text-by-specialty",
    "text-by-prevalence",
    "similarity",
    "similarity-by-specialty",
    "similarity-by-prevalence",
    "outcomes",
    "outcome-flow",
    "cost",
    "timing",
    "calibration",
    "differences",
    "judge",
];

/// Tables of a report whose study names none; those without a row are left out.
pub const STANDARD_TABLES: [&str; 21] = PRESET_NAMES;

pub(super) fn preset(name: &str) -> Option<Result<Preset, toml::de::Error>> {
    let (_, description, sql) = PRESETS.iter().find(|(known, ..)| *known == name)?;
    Some(toml::from_str::<Preset>(description).map(|preset| Preset { sql, ..preset }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_reads_and_bears_its_own_name() {
        for name in PRESET_NAMES {
            let preset = preset(name).unwrap().unwrap();
            assert_eq!(preset.name, name);
            assert!(
                preset.sql.starts_with("-- "),
                "{name} lacks its header comment"
            );
        }
    }
}
