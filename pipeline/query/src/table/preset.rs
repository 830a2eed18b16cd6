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
const PRESETS: [(&str, &str, &str); 11] = [
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
        "outcomes",
        include_str!("../../../../templates/tables/outcomes.toml"),
        include_str!("outcomes.sql"),
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
pub const PRESET_NAMES: [&str; 11] = [
    "systems-by-source",
    "accuracy",
    "averages",
    "per-class",
    "confusion",
    "outcomes",
    "cost",
    "timing",
    "calibration",
    "differences",
    "judge",
];

/// Tables of a report whose study names none.
pub const STANDARD_TABLES: [&str; 8] = [
    "systems-by-source",
    "accuracy",
    "averages",
    "per-class",
    "confusion",
    "outcomes",
    "cost",
    "timing",
];

/// The table that is added to them where a judge scores.
pub const JUDGE_TABLE: &str = "judge";

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
