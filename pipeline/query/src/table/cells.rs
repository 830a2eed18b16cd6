//! Columns of a query as cells.

use arrow::array::{Array, ArrayRef, AsArray as _};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use consilium_core::{Cell, Column, Estimate, Table};
use datafusion::error::DataFusionError;

use super::preset::Pivot;

/// What is attached to every estimate of a table.
pub(crate) struct Reading {
    pub(crate) method: Option<String>,
    pub(crate) signatures: Option<ArrayRef>,
}

/// Reads one cell by the type of its column.
pub(crate) fn cell(
    array: &ArrayRef,
    row: usize,
    reading: &Reading,
) -> Result<Cell, DataFusionError> {
    if array.is_null(row) {
        return Ok(Cell::Missing {
            reason: "not recorded".to_owned(),
        });
    }
    match array.data_type() {
        DataType::Utf8View | DataType::Utf8 | DataType::LargeUtf8 => Ok(Cell::Text {
            text: text(array, row)?.unwrap_or_default(),
        }),
        DataType::Struct(_) => estimate(array, row, reading).map(Cell::Estimate),
        kind if kind.is_integer() => {
            let numbers = cast(array, &DataType::Int64)?;
            Ok(Cell::Integer {
                value: numbers.as_primitive::<Int64Type>().value(row),
            })
        }
        kind if kind.is_numeric() => {
            let value = number(array, row)?;
            // Missing is missing with a reason: a NaN never enters a table.
            Ok(match value.filter(|value| value.is_finite()) {
                Some(value) => Cell::Number { value },
                None => Cell::Missing {
                    reason: "undefined".to_owned(),
                },
            })
        }
        other => Err(DataFusionError::Internal(format!(
            "no cell for a column of type {other}"
        ))),
    }
}

fn estimate(array: &ArrayRef, row: usize, reading: &Reading) -> Result<Estimate, DataFusionError> {
    let fields = array.as_struct();
    let column = |name: &str| {
        fields
            .column_by_name(name)
            .ok_or_else(|| DataFusionError::Internal(format!("a statistic lacks '{name}'")))
    };
    let low = number(column("low")?, row)?;
    let n = cast(column("n")?, &DataType::Int64)?;
    Ok(Estimate {
        value: number(column("value")?, row)?,
        low,
        high: number(column("high")?, row)?,
        n: n.as_primitive::<Int64Type>().value(row).unsigned_abs(),
        method: reading.method.clone().filter(|_| low.is_some()),
        signature: match &reading.signatures {
            Some(signatures) => text(signatures, row)?,
            None => None,
        },
        reason: text(column("reason")?, row)?,
    })
}

fn text(array: &ArrayRef, row: usize) -> Result<Option<String>, DataFusionError> {
    let texts = cast(array, &DataType::Utf8)?;
    let texts = texts.as_string::<i32>();
    Ok(texts.is_valid(row).then(|| texts.value(row).to_owned()))
}

fn number(array: &ArrayRef, row: usize) -> Result<Option<f64>, DataFusionError> {
    let numbers = cast(array, &DataType::Float64)?;
    let numbers = numbers.as_primitive::<Float64Type>();
    Ok(numbers.is_valid(row).then(|| numbers.value(row)))
}

/// The cells that stay, and those that were spread with their column.
type PivotedRow = (Vec<Cell>, Vec<(usize, Cell)>);

/// Spreads the values of one column over columns, filled by another.
///
/// Rows keep the order in which they first appear, and so do columns if the pivot names no last one.
pub(super) fn pivoted(table: Table, pivot: &Pivot) -> Table {
    let position = |name: &str| table.columns.iter().position(|column| column.name == name);
    let (Some(by), Some(value)) = (position(&pivot.by), position(&pivot.value)) else {
        return table;
    };
    let kept: Vec<usize> = (0..table.columns.len())
        .filter(|i| *i != by && *i != value)
        .collect();
    let mut heads: Vec<String> = Vec::new();
    let mut rows: Vec<PivotedRow> = Vec::new();
    for row in &table.rows {
        let head = match &row[by] {
            Cell::Text { text } => text.clone(),
            _ => "–".to_owned(),
        };
        let column = heads
            .iter()
            .position(|known| *known == head)
            .unwrap_or_else(|| {
                heads.push(head);
                heads.len() - 1
            });
        let key: Vec<Cell> = kept.iter().map(|index| row[*index].clone()).collect();
        let filled = (column, row[value].clone());
        match rows.iter_mut().find(|(known, _)| *known == key) {
            Some((_, cells)) => cells.push(filled),
            None => rows.push((key, vec![filled])),
        }
    }
    let mut order: Vec<usize> = (0..heads.len()).collect();
    if let Some(last) = &pivot.last {
        order.sort_by_key(|index| (heads[*index] == *last, &heads[*index]));
    }
    let absent = pivot.fill.map_or_else(
        || Cell::Missing {
            reason: "not run".to_owned(),
        },
        |value| Cell::Integer { value },
    );
    let unit = table.columns[value].unit;
    let columns = kept
        .iter()
        .map(|index| table.columns[*index].clone())
        .chain(order.iter().map(|index| Column {
            name: heads[*index].clone(),
            title: heads[*index].clone(),
            unit,
        }))
        .collect();
    let rows = rows
        .into_iter()
        .map(|(mut key, cells)| {
            key.extend(order.iter().map(|column| {
                cells
                    .iter()
                    .find(|(known, _)| known == column)
                    .map_or_else(|| absent.clone(), |(_, cell)| cell.clone())
            }));
            key
        })
        .collect();
    Table {
        columns,
        rows,
        ..table
    }
}
