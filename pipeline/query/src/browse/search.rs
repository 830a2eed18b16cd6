//! Looking for a text in questions and answers.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arrow::array::Array as _;
use consilium_core::case::text_of;
use consilium_store::{PartRows, RowPlace, RunTable, TableParts};
use serde_json::{Map, Value};

use super::index::{RunIndex, text_column};
use super::open_run::{BrowseError, OpenRun};

/// Longest time a search may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// Searches of a run whose results are kept: a byte for each sample and case.
const KEPT: usize = 8;

/// Where a text occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matches {
    /// By sample of the index: whether it is in the answer.
    answers: Vec<bool>,
    /// By case of the index: whether it is in a field of the input.
    inputs: Vec<bool>,
}

impl Matches {
    pub(super) fn hold(&self, index: &RunIndex, row: usize) -> bool {
        self.answers[row] || self.inputs[index.samples[row].case as usize]
    }
}

/// The latest searches of a run.
#[derive(Debug, Default)]
pub(super) struct Searches(Mutex<VecDeque<(String, Arc<Matches>)>>);

impl OpenRun {
    /// Finds the samples in whose answer or question a text occurs, without regard to letter case.
    ///
    /// Reads every text of the run once; searches of one run wait for each other, and the latest
    /// are remembered.
    ///
    /// # Errors
    /// When a part cannot be read or the search takes too long.
    pub fn search(&self, index: &RunIndex, text: &str) -> Result<Arc<Matches>, BrowseError> {
        let needle = text.to_lowercase();
        let mut searches = self.searches.lock();
        if let Some(place) = searches.iter().position(|(known, _)| *known == needle)
            && let Some(found) = searches.remove(place)
        {
            let matches = Arc::clone(&found.1);
            searches.push_back(found);
            return Ok(matches);
        }
        let end = Instant::now() + PATIENCE;
        let matches = Arc::new(Matches {
            answers: self.in_answers(index, &needle, end)?,
            inputs: self.in_inputs(index, &needle, end)?,
        });
        if searches.len() >= KEPT {
            searches.pop_front();
        }
        searches.push_back((needle, Arc::clone(&matches)));
        Ok(matches)
    }

    fn in_answers(
        &self,
        index: &RunIndex,
        needle: &str,
        end: Instant,
    ) -> Result<Vec<bool>, BrowseError> {
        let places = sorted(index.samples.iter().map(|sample| Some(sample.place)));
        let table = self.table(RunTable::Samples)?;
        scan(table, "answer", &places, index.samples.len(), end, |text| {
            text.to_lowercase().contains(needle)
        })
    }

    fn in_inputs(
        &self,
        index: &RunIndex,
        needle: &str,
        end: Instant,
    ) -> Result<Vec<bool>, BrowseError> {
        let places = sorted(index.cases.iter().map(|case| case.place));
        let escaped = Value::from(needle).to_string().to_lowercase();
        let escaped = escaped.trim_matches('"');
        let table = self.table(RunTable::Cases)?;
        scan(table, "input", &places, index.cases.len(), end, |input| {
            // The JSON text is looked through first: few inputs need to be taken apart.
            (input.to_lowercase().contains(escaped) || input.contains("\\u"))
                && in_fields(input, needle)
        })
    }
}

impl Searches {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, Arc<Matches>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn in_fields(input: &str, needle: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(input).is_ok_and(|fields| {
        fields
            .values()
            .filter_map(text_of)
            .any(|text| text.to_lowercase().contains(needle))
    })
}

/// Places in the order of the parts, each with its number in the index.
fn sorted(places: impl Iterator<Item = Option<RowPlace>>) -> Vec<(RowPlace, usize)> {
    let mut places: Vec<_> = places
        .enumerate()
        .filter_map(|(number, place)| Some((place?, number)))
        .collect();
    places.sort_unstable();
    places
}

/// Tests one text column at some places, in one pass over the table.
fn scan(
    table: &TableParts,
    column: &'static str,
    places: &[(RowPlace, usize)],
    rows: usize,
    end: Instant,
    holds: impl Fn(&str) -> bool,
) -> Result<Vec<bool>, BrowseError> {
    let mut found = vec![false; rows];
    let mut next = places.iter().peekable();
    for part_rows in table.scan(&[column]) {
        if Instant::now() > end {
            return Err(BrowseError::SearchTooLong);
        }
        let PartRows { part, first, batch } = part_rows?;
        let texts = text_column(&batch, table.table(), column)?;
        let after = first + batch.num_rows();
        while let Some((place, number)) =
            next.next_if(|(place, _)| place.part == part && (place.row as usize) < after)
        {
            let row = place.row as usize - first;
            found[*number] = texts.is_valid(row) && holds(texts.value(row));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_searched_and_their_names_are_not() {
        let input = r#"{"question":"Line\nTwo \"quoted\" Überdosis","context":["发热"]}"#;
        assert!(in_fields(input, "line\ntwo"));
        assert!(in_fields(input, "\"quoted\""));
        assert!(in_fields(input, "überdosis"));
        assert!(in_fields(input, "发热"));
        assert!(!in_fields(input, "question"));
        assert!(!in_fields(input, "context"));
    }
}
