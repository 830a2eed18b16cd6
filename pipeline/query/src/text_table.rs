//! Text metrics over a table of hypotheses and references.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use consilium_metrics::{ExactSum, MetricSet, NamedMetric, metric};
use rayon::prelude::*;
use serde_json::Value;

use consilium_datasets::Place;
use consilium_datasets::source::{self, SourceError, SourceRow};

/// Rows scored at a time.
const BATCH_ROWS: usize = 4096;

/// Values of one metric over a table.
#[derive(Clone, Debug, PartialEq)]
pub struct TextValue {
    /// Name in the catalogue.
    pub metric: &'static str,
    /// Value of all rows together: from summed statistics where the metric adds up, else the mean.
    pub corpus: Option<f64>,
    /// Mean of the rows' own values.
    pub mean: Option<f64>,
    /// Rows with both texts.
    pub n: u64,
    /// Everything that must be equal before two values may be compared.
    pub signature: String,
}

/// What a table gave.
#[derive(Clone, Debug, PartialEq)]
pub struct TextTable {
    /// One entry for each metric, in the order asked for.
    pub values: Vec<TextValue>,
    /// Rows without one of the two texts.
    pub incomplete: u64,
    /// Rows that could not be read.
    pub malformed: u64,
    /// The first of them.
    pub first_malformed: Option<(Place, String)>,
}

/// Why a table cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum TextTableError {
    /// The ending tells no format.
    #[error("tell the format of {}; it must end in .csv, .tsv, .jsonl, .json or .parquet", path.display())]
    Format {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read.
    #[error("read {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No metric has this name.
    #[error("find the text metric '{name}'")]
    Metric {
        /// The name.
        name: String,
    },
    /// There is nothing to score.
    #[error("read {}: no row can be read{malformed}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// The first row that cannot be read, in words.
        malformed: String,
    },
    /// No row has this column.
    #[error("find column '{column}' in {}; there are {}", path.display(), known.join(", "))]
    Column {
        /// The column.
        column: String,
        /// The file.
        path: PathBuf,
        /// Columns that the first rows have.
        known: Vec<String>,
    },
}

#[derive(Clone, Default)]
struct Tally {
    total: Vec<i64>,
    values: ExactSum,
}

/// Scores every row of a file with these metrics; a reference may be a list of texts.
///
/// # Errors
/// When the file cannot be read, or a metric or column does not exist.
pub fn score_text_table(
    path: &Path,
    (hypothesis, reference): (&str, &str),
    metrics: &[String],
) -> Result<TextTable, TextTableError> {
    let find = |name: &String| {
        NamedMetric::find(name).ok_or_else(|| TextTableError::Metric { name: name.clone() })
    };
    let set = MetricSet::of(metrics.iter().map(find).collect::<Result<_, _>>()?);
    let mut tallies = vec![Tally::default(); metrics.len()];
    let format = source::file_format(path).ok_or_else(|| TextTableError::Format {
        path: path.to_owned(),
    })?;
    let failed = |error: SourceError| TextTableError::File {
        path: path.to_owned(),
        source: Box::new(error),
    };
    let mut table = TextTable {
        values: Vec::new(),
        incomplete: 0,
        malformed: 0,
        first_malformed: None,
    };
    let (mut n, mut columns, mut seen) = (0, BTreeSet::new(), [false; 2]);
    let mut batch = Vec::with_capacity(BATCH_ROWS);
    for row in source::open(path, format).map_err(failed)? {
        match row.map_err(failed)? {
            Ok(SourceRow {
                mut fields, place, ..
            }) => {
                for (found, name) in seen.iter_mut().zip([hypothesis, reference]) {
                    *found |= fields.contains_key(name);
                }
                if columns.len() < BATCH_ROWS {
                    columns.extend(fields.keys().cloned());
                }
                // One column may be both.
                let answer = fields.get(hypothesis).cloned();
                if matches!(answer, Some(Value::Array(_) | Value::Object(_))) {
                    let reason = format!("column '{hypothesis}' holds no text");
                    table.malformed += 1;
                    table.first_malformed.get_or_insert((place, reason));
                    continue;
                }
                match (text(answer), texts(fields.remove(reference))) {
                    (Some(hypothesis), Some(references)) => batch.push((hypothesis, references)),
                    _ => table.incomplete += 1,
                }
            }
            Err((place, error)) => {
                table.malformed += 1;
                table
                    .first_malformed
                    .get_or_insert((place, error.to_string()));
            }
        }
        if batch.len() >= BATCH_ROWS {
            n += score(&set, &mut tallies, &batch);
            batch.clear();
        }
    }
    n += score(&set, &mut tallies, &batch);
    if columns.is_empty() {
        return Err(TextTableError::Empty {
            path: path.to_owned(),
            malformed: table
                .first_malformed
                .map_or_else(String::new, |(place, why)| {
                    format!("; the first is {place}: {why}")
                }),
        });
    }
    for (found, column) in seen.into_iter().zip([hypothesis, reference]) {
        if !found {
            return Err(TextTableError::Column {
                column: column.to_owned(),
                path: path.to_owned(),
                known: columns.into_iter().collect(),
            });
        }
    }
    table.values = set
        .metrics()
        .iter()
        .zip(tallies)
        .map(|(named, tally)| tally.value(named, n))
        .collect();
    Ok(table)
}

fn text(value: Option<Value>) -> Option<String> {
    match value? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

/// A reference, or a list of them without the missing ones.
fn texts(value: Option<Value>) -> Option<Vec<String>> {
    let texts: Vec<String> = match value? {
        Value::Array(items) => items
            .into_iter()
            .filter_map(|item| text(Some(item)))
            .collect(),
        other => text(Some(other)).into_iter().collect(),
    };
    (!texts.is_empty()).then_some(texts)
}

fn score(set: &MetricSet, tallies: &mut [Tally], batch: &[(String, Vec<String>)]) -> u64 {
    let statistics: Vec<Vec<Vec<i64>>> = batch
        .par_iter()
        .with_min_len(16)
        .map(|(hypothesis, references)| {
            let references: Vec<&str> = references.iter().map(String::as_str).collect();
            set.statistics(hypothesis, &references)
        })
        .collect();
    for rows in &statistics {
        for ((named, tally), row) in set.metrics().iter().zip(&mut *tallies).zip(rows) {
            metric::add(&mut tally.total, row);
            tally.values.add(named.metric().score(row));
        }
    }
    batch.len() as u64
}

impl Tally {
    fn value(self, named: &NamedMetric, n: u64) -> TextValue {
        let finite = |value: f64| (n > 0 && value.is_finite()).then_some(value);
        let mean = finite(self.values.value() / n as f64);
        TextValue {
            metric: named.name(),
            corpus: if named.metric().is_additive() {
                finite(named.metric().score(&self.total))
            } else {
                mean
            },
            mean,
            n,
            signature: named.signature().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(name: &str, content: &str, metrics: &[&str]) -> Result<TextTable, TextTableError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let metrics: Vec<String> = metrics.iter().map(|name| (*name).to_owned()).collect();
        score_text_table(&path, ("hyp", "ref"), &metrics)
    }

    #[test]
    fn tables_of_any_form_give_the_library_values() {
        let rows = [
            ("rest the knee today", "rest the knee"),
            ("no", "apply ice"),
        ];
        let csv = "id,hyp,ref\n1,rest the knee today,rest the knee\n2,no,apply ice\n3,,x\n";
        let json = "{\"hyp\": \"rest the knee today\", \"ref\": [\"rest the knee\", null]}\n{\"hyp\": \
                    \"no\", \"ref\": \"apply ice\"}\n{\"hyp\": null, \"ref\": \"x\"}\nbroken\n";
        for name in ["bleu", "rougeL"] {
            let named = NamedMetric::find(name).unwrap();
            let metric = named.metric();
            let statistics: Vec<Vec<i64>> = rows
                .iter()
                .map(|(h, r)| metric.statistics(h, &[r]))
                .collect();
            let mean: ExactSum = statistics.iter().map(|row| metric.score(row)).collect();
            let mean = mean.value() / 2.0;
            let summed = metric.score(&metric::sum(&statistics));
            let corpus = if metric.is_additive() { summed } else { mean };
            let table = scored("rows.jsonl", json, &[name]).unwrap();
            assert_eq!((table.incomplete, table.malformed), (1, 1));
            assert_eq!(table.first_malformed.unwrap().0.to_string(), "line 4");
            assert_eq!(table.values[0].corpus, Some(corpus));
            assert_eq!((table.values[0].mean, table.values[0].n), (Some(mean), 2));
            // In CSV an empty cell may be an empty text or none; both leave the others as they are.
            let table = scored("rows.csv", csv, &[name]).unwrap();
            assert!(table.values[0].n >= 2);
        }
    }

    #[test]
    fn what_does_not_exist_is_named() {
        let error = |name, metric| {
            scored(name, "a,ref\nx,y\n", &[metric])
                .unwrap_err()
                .to_string()
        };
        assert!(error("t.csv", "rougeX").contains("'rougeX'"));
        assert!(error("t.csv", "bleu").contains("'hyp'"));
        assert!(error("t.csv", "bleu").contains("there are a, ref"));
        assert!(error("t.xyz", "bleu").contains(".parquet"));
        let told = |content| {
            scored("t.jsonl", content, &["bleu"])
                .unwrap_err()
                .to_string()
        };
        assert!(told("").contains("no row"));
        assert!(told("{\"hyp\": NaN}\n").contains("line 1"));
        let mixed = "{\"hyp\": [\"a\"], \"ref\": \"a\"}\n{\"hyp\": \"a\", \"ref\": \"a\"}\n";
        let table = scored("t.jsonl", mixed, &["bleu"]).unwrap();
        assert_eq!((table.malformed, table.values[0].n), (1, 1));
    }
}
