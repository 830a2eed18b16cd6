//! What a report is made of.

use consilium_core::{Cell, Estimate, Table};
use serde::{Deserialize, Serialize};

/// Result tables with what a reader must know to quote them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Heading of the whole report.
    pub title: String,
    /// Label and value of each fact about the run: study, dates, tool version, seed.
    pub facts: Vec<(String, String)>,
    /// What limits the numbers, for example `single run`.
    pub warnings: Vec<String>,
    /// What must be said wherever the data are shown, below each table and in each figure.
    #[serde(default)]
    pub marks: Vec<String>,
    /// The tables in order.
    pub tables: Vec<Table>,
}

impl Report {
    /// A copy without NaN and infinities: they become missing cells with a reason.
    ///
    /// JSON has no such numbers, and a printed NaN reads like a result.
    pub(crate) fn finite(&self) -> Self {
        let mut report = self.clone();
        for cell in report
            .tables
            .iter_mut()
            .flat_map(|table| table.rows.iter_mut().flatten())
        {
            match cell {
                Cell::Number { value } if !value.is_finite() => {
                    *cell = Cell::Missing {
                        reason: NOT_FINITE.to_owned(),
                    };
                }
                Cell::Estimate(estimate) => keep_finite(estimate),
                _ => {}
            }
        }
        report
    }
}

const NOT_FINITE: &str = "not a finite number";

fn keep_finite(estimate: &mut Estimate) {
    let mut lost = false;
    for number in [&mut estimate.value, &mut estimate.low, &mut estimate.high] {
        if number.is_some_and(|number| !number.is_finite()) {
            *number = None;
            lost = true;
        }
    }
    if lost && estimate.reason.is_none() {
        estimate.reason = Some(NOT_FINITE.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_finite_become_missing_with_a_reason() {
        let estimate = Estimate {
            value: Some(0.5),
            low: Some(f64::NAN),
            high: Some(f64::INFINITY),
            n: 3,
            method: None,
            signature: None,
            reason: None,
        };
        let table = Table {
            name: "t".to_owned(),
            title: "T".to_owned(),
            columns: Vec::new(),
            rows: vec![vec![
                Cell::Number { value: f64::NAN },
                Cell::Estimate(estimate),
            ]],
            sql: String::new(),
            notes: Vec::new(),
        };
        let report = Report {
            tables: vec![table],
            ..Report::default()
        }
        .finite();
        let row = &report.tables[0].rows[0];
        assert_eq!(
            row[0],
            Cell::Missing {
                reason: NOT_FINITE.to_owned()
            }
        );
        let Cell::Estimate(estimate) = &row[1] else {
            panic!("an estimate stays one")
        };
        assert_eq!(
            (estimate.value, estimate.low, estimate.high),
            (Some(0.5), None, None)
        );
        assert_eq!(estimate.reason.as_deref(), Some(NOT_FINITE));
    }
}
