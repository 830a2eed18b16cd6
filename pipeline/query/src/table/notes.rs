//! Remarks that depend on the run: how scores were made, and where samples are few.

use std::collections::BTreeMap;

use arrow::array::AsArray as _;
use consilium_core::{Cell, Table};
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;

use super::evaluate::TableContext;
use super::preset::Few;

/// What must be said of scores of some kinds, by kind of scorer.
const BY_KIND: &str = include_str!("../../../../templates/tables/scorer-notes.toml");

/// Remarks on every table that rests on scores.
pub(super) async fn score_notes(
    session: &SessionContext,
    context: TableContext,
) -> Result<Vec<String>, DataFusionError> {
    let known = by_kind()?;
    let mut notes: Vec<String> = Vec::new();
    for kind in kinds(session).await? {
        if let Some(note) = known.get(&kind)
            && !notes.contains(note)
        {
            notes.push(note.clone());
        }
    }
    if !context.repeated {
        notes.push(
            "Single run: every case was asked once; variation between repeats is unknown."
                .to_owned(),
        );
    }
    Ok(notes)
}

fn by_kind() -> Result<BTreeMap<String, String>, DataFusionError> {
    toml::from_str(BY_KIND).map_err(|error| {
        DataFusionError::Internal(format!("the remarks by kind of scorer are wrong: {error}"))
    })
}

/// Kinds of the scorers that have rows, sorted.
async fn kinds(session: &SessionContext) -> Result<Vec<String>, DataFusionError> {
    let sql = "SELECT DISTINCT arrow_cast(kind, 'Utf8') AS kind FROM scorers WHERE scorer IN (SELECT \
               scorer FROM scores) ORDER BY kind";
    let batches = session.sql(sql).await?.collect().await?;
    Ok(batches
        .iter()
        .flat_map(|batch| batch.column(0).as_string::<i32>().iter().flatten())
        .map(ToOwned::to_owned)
        .collect())
}

/// One remark per group that has values with a count below the bound.
pub(super) fn few_notes(table: &Table, few: &Few) -> Vec<String> {
    let position = |name: &str| table.columns.iter().position(|column| column.name == name);
    let (Some(of), Some(count)) = (position(&few.of), position(&few.count)) else {
        return Vec::new();
    };
    let by = few.by.as_deref().and_then(position);
    // The largest count over systems: a label is rare because its cases are.
    let mut groups: BTreeMap<&str, BTreeMap<&str, i64>> = BTreeMap::new();
    for row in &table.rows {
        let group = match by.map(|by| &row[by]) {
            Some(Cell::Text { text }) => text.as_str(),
            _ => "",
        };
        if let (Cell::Text { text }, Cell::Integer { value }) = (&row[of], &row[count]) {
            let largest = groups.entry(group).or_default().entry(text).or_default();
            *largest = (*largest).max(*value);
        }
    }
    let called = &few.called;
    groups
        .into_iter()
        .filter_map(|(group, values)| {
            let rare = values.values().filter(|value| **value < few.below).count();
            let of_group = if group.is_empty() {
                String::new()
            } else {
                format!("{group}: ")
            };
            (rare > 0).then(|| {
                format!(
                    "{of_group}{rare} of {} {called} have fewer than {} {}; numbers from so few say little, \
                     and their intervals may be too narrow.",
                    values.len(),
                    few.below,
                    few.unit
                )
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use consilium_core::{Column, Unit};

    #[test]
    fn remarks_by_kind_read() {
        assert!(by_kind().unwrap().contains_key("rubric"));
    }

    #[test]
    fn labels_with_few_samples_are_counted_once_over_systems() {
        let text = |text: &str| Cell::Text {
            text: text.to_owned(),
        };
        let row = |system: &str, class: &str, value: i64| {
            vec![
                text("notes"),
                text(system),
                text(class),
                Cell::Integer { value },
            ]
        };
        let column = |name: &str, title: &str| Column {
            name: name.to_owned(),
            title: title.to_owned(),
            unit: Unit::Plain,
        };
        let table = Table {
            name: "per-class".to_owned(),
            title: String::new(),
            columns: vec![
                column("dataset", "Dataset"),
                column("system", "System"),
                column("class", "Label"),
                column("support", "Support"),
            ],
            rows: vec![
                row("a", "common", 9),
                row("a", "rare", 4),
                row("b", "common", 9),
                row("b", "rare", 3),
                row("a", "none", 0),
            ],
            sql: String::new(),
            notes: Vec::new(),
        };
        let few = Few {
            by: Some("dataset".to_owned()),
            of: "class".to_owned(),
            called: "labels".to_owned(),
            unit: "samples".to_owned(),
            count: "support".to_owned(),
            below: 5,
        };
        assert_eq!(
            few_notes(&table, &few),
            [
                "notes: 2 of 3 labels have fewer than 5 samples; numbers from so few say little, and \
                 their intervals may be too narrow."
            ]
        );
    }
}
