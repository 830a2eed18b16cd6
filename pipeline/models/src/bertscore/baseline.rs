//! Rescaling by what unrelated texts score.

use std::path::Path;

use super::BertScore;
use crate::config::read_file;
use crate::error::ModelError;

/// Mean scores of unrelated texts, which rescaling turns into 0.
///
/// An empty text scores 0 before rescaling, so that it is below 0 after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// Of P.
    pub precision: f64,
    /// Of R.
    pub recall: f64,
    /// Of F.
    pub f1: f64,
}

impl Baseline {
    /// Reads the row of a layer from a table with the columns `LAYER`, `P`, `R` and `F`.
    ///
    /// # Errors
    /// When the file cannot be read or has no such row of numbers below 1.
    pub fn read(path: &Path, layer: usize) -> Result<Self, ModelError> {
        let bytes = read_file(path)?;
        Self::parse(&String::from_utf8_lossy(&bytes), layer).map_err(|reason| {
            ModelError::Baseline {
                path: path.to_owned(),
                layer,
                reason,
            }
        })
    }

    fn parse(table: &str, layer: usize) -> Result<Self, String> {
        for (number, line) in table.lines().enumerate().skip(1) {
            let cells: Vec<&str> = line.split([',', '\t']).map(str::trim).collect();
            let &[of, precision, recall, f1] = cells.as_slice() else {
                if line.trim().is_empty() {
                    continue;
                }
                return Err(format!("line {} has {} columns", number + 1, cells.len()));
            };
            if of.parse() == Ok(layer) {
                let value = |cell: &str| {
                    cell.parse::<f64>()
                        .ok()
                        .filter(|value| *value < 1.0)
                        .ok_or_else(|| format!("line {} has no number below 1", number + 1))
                };
                return Ok(Self {
                    precision: value(precision)?,
                    recall: value(recall)?,
                    f1: value(f1)?,
                });
            }
        }
        Err("it has no such row".to_owned())
    }

    pub(super) fn rescale(self, score: BertScore) -> BertScore {
        let rescale = |value: f64, baseline: f64| (value - baseline) / (1.0 - baseline);
        BertScore {
            precision: rescale(score.precision, self.precision),
            recall: rescale(score.recall, self.recall),
            f1: rescale(score.f1, self.f1),
        }
    }

    pub(super) fn signature(self) -> String {
        format!("{},{},{}", self.precision, self.recall, self.f1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_the_layer_is_taken() {
        let table = "LAYER,P,R,F\n0,0.3,0.31,0.305\n\n6,0.42,0.43,0.425\n";
        let baseline = Baseline::parse(table, 6).unwrap();
        assert_eq!(baseline.signature(), "0.42,0.43,0.425");
        let score = BertScore {
            precision: 0.0,
            recall: 1.0,
            f1: 0.425,
        };
        let rescaled = baseline.rescale(score);
        assert!((rescaled.precision + 0.42 / 0.58).abs() < 1e-12);
        assert!((rescaled.recall - 1.0).abs() < 1e-12 && rescaled.f1.abs() < 1e-12);
    }

    #[test]
    fn what_is_no_baseline_is_refused() {
        for (table, word) in [
            ("LAYER,P,R,F\n0,0.3,0.31,0.305", "no such row"),
            ("LAYER,P,R,F\n6,0.3,0.31", "columns"),
            ("LAYER,P,R,F\n6,0.3,1.0,0.2", "below 1"),
            ("", "no such row"),
        ] {
            let reason = Baseline::parse(table, 6).unwrap_err();
            assert!(reason.contains(word), "{reason}");
        }
    }
}
