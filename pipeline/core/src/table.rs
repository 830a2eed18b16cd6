//! Typed result cells, from the query to the report.

use serde::{Deserialize, Serialize};

/// How a column's numbers are to be read and printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A plain number or text.
    #[default]
    Plain,
    /// A share between 0 and 1, printed as a percentage.
    Share,
    /// US dollars.
    Usd,
    /// Milliseconds.
    Milliseconds,
    /// Tokens.
    Tokens,
    /// Values of different metrics below each other: each is printed with the decimals it needs.
    Score,
}

/// One column of a result table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name in the query.
    pub name: String,
    /// Heading on the page.
    pub title: String,
    /// Unit of its numbers.
    pub unit: Unit,
}

/// A number with everything that makes it quotable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The value; `None` with a reason when it is undefined.
    pub value: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
    /// Number of samples behind it.
    pub n: u64,
    /// How value and interval were obtained, for example `Wilson 95 %`.
    pub method: Option<String>,
    /// Signature of the scores behind it.
    pub signature: Option<String>,
    /// Why value or interval are missing.
    pub reason: Option<String>,
}

/// One cell of a result table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Cell {
    /// Text.
    Text {
        /// The text, printed escaped.
        text: String,
    },
    /// A count.
    Integer {
        /// The count.
        value: i64,
    },
    /// A number without an interval, for example a cost.
    Number {
        /// The number.
        value: f64,
    },
    /// A statistic.
    Estimate(Estimate),
    /// Nothing, and why.
    Missing {
        /// Why.
        reason: String,
    },
}

/// A result table with the query that gives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Name, for files and links.
    pub name: String,
    /// Heading on the page.
    pub title: String,
    /// Columns in order.
    pub columns: Vec<Column>,
    /// Rows in order; each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
    /// The query whose result this is; runs as it stands over the run's tables.
    pub sql: String,
    /// Remarks printed below, for example how missing answers count.
    pub notes: Vec<String>,
}
