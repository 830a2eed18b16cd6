//! The events and calls of one attempt.

use arrow::array::Array as _;
use consilium_core::{CallRow, EventRow, SampleKey};
use consilium_store::rows::{decode_calls, decode_events};
use consilium_store::{RowPlace, RunTable, TableRow};

use super::index::{Counts, text_column};
use super::keyset::{Edge, keyset};
use super::open_run::{BrowseError, OpenRun};

/// Part of a longer list.
#[derive(Clone, Debug, PartialEq)]
pub struct Portion<T> {
    /// The rows, ascending.
    pub rows: Vec<T>,
    /// Whether rows come before them.
    pub more_before: bool,
    /// Whether rows come after them.
    pub more_after: bool,
}

/// Which calls of an attempt to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallChoice {
    /// Rounds of solver calls, from and to; all when `None`.
    pub rounds: Option<(u32, u32)>,
    /// With `rounds`: whether solver calls without a round are in.
    pub unrounded: bool,
    /// Whether calls of scorers are in.
    pub scorers: bool,
    /// Calls to pass over.
    pub skip: usize,
    /// Most calls.
    pub limit: usize,
}

/// What calls of an attempt are sorted and chosen by: those of the solver come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CallPlace {
    scorer: Option<String>,
    seq: u64,
    round: Option<i64>,
    place: RowPlace,
}

impl OpenRun {
    /// Reads events of an attempt, ascending by `seq`: at most `limit` from an edge, which counts
    /// in `seq`, and no more after their texts exceed `bytes`.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn events(
        &self,
        key: &SampleKey,
        attempt: u32,
        edge: Edge,
        limit: usize,
        bytes: usize,
    ) -> Result<Portion<EventRow>, BrowseError> {
        let events = self.event_places(key, attempt)?;
        let number = |seq: usize| events.partition_point(|(known, _)| *known < seq as u64);
        let edge_row = match edge {
            Edge::From(seq) => Edge::From(number(seq)),
            Edge::Before(seq) => Edge::Before(number(seq)),
        };
        let page = keyset(events.len(), edge_row, limit, |_| true);
        let places: Vec<RowPlace> = page.rows.iter().map(|row| events[*row].1).collect();
        let batch = self.table(RunTable::Events)?.take(&places, None)?;
        let rows = decode_events(&batch)?;
        let (more_before, more_after) = (page.more_before, page.more_after);
        Ok(if matches!(edge, Edge::From(_)) {
            let (rows, cut) = first_of(rows, bytes);
            Portion {
                rows,
                more_before,
                more_after: more_after || cut,
            }
        } else {
            let (mut rows, cut) = first_of(rows.into_iter().rev().collect(), bytes);
            rows.reverse();
            Portion {
                rows,
                more_before: more_before || cut,
                more_after,
            }
        })
    }

    /// Reads one event of an attempt.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn event(
        &self,
        key: &SampleKey,
        attempt: u32,
        seq: u32,
    ) -> Result<Option<EventRow>, BrowseError> {
        let events = self.event_places(key, attempt)?;
        let Some((_, place)) = events.iter().find(|(known, _)| *known == u64::from(seq)) else {
            return Ok(None);
        };
        let batch = self.table(RunTable::Events)?.take(&[*place], None)?;
        Ok(decode_events(&batch)?.pop())
    }

    /// Reads calls of an attempt, those of the solver first, then by scorer and `seq`; no more
    /// after their texts exceed `bytes`.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn calls(
        &self,
        key: &SampleKey,
        attempt: u32,
        choice: &CallChoice,
        bytes: usize,
    ) -> Result<Portion<CallRow>, BrowseError> {
        let mut calls = self.call_places(key, attempt)?;
        calls.retain(|call| choice.takes(call));
        let page: Vec<RowPlace> = calls
            .iter()
            .skip(choice.skip)
            .take(choice.limit)
            .map(|call| call.place)
            .collect();
        let after = calls.len() > choice.skip.saturating_add(page.len());
        let batch = self.table(RunTable::Calls)?.take(&page, None)?;
        let (rows, cut) = first_of(decode_calls(&batch)?, bytes);
        Ok(Portion {
            rows,
            more_before: choice.skip > 0 && !calls.is_empty(),
            more_after: after || cut,
        })
    }

    /// Reads one call of an attempt.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn call(
        &self,
        key: &SampleKey,
        attempt: u32,
        scorer: Option<&str>,
        seq: u32,
    ) -> Result<Option<CallRow>, BrowseError> {
        let calls = self.call_places(key, attempt)?;
        let wanted = calls
            .iter()
            .find(|call| call.scorer.as_deref() == scorer && call.seq == u64::from(seq));
        let Some(call) = wanted else {
            return Ok(None);
        };
        let batch = self.table(RunTable::Calls)?.take(&[call.place], None)?;
        Ok(decode_calls(&batch)?.pop())
    }

    fn event_places(
        &self,
        key: &SampleKey,
        attempt: u32,
    ) -> Result<Vec<(u64, RowPlace)>, BrowseError> {
        let places = self.of_attempt(RunTable::Events, key, attempt)?;
        let batch = self
            .table(RunTable::Events)?
            .take(&places, Some(&["seq"]))?;
        let seqs = Counts::of(&batch, RunTable::Events, "seq")?;
        let mut events: Vec<(u64, RowPlace)> = places
            .iter()
            .enumerate()
            .map(|(row, place)| (seqs.at(row), *place))
            .collect();
        events.sort_unstable();
        Ok(events)
    }

    fn call_places(&self, key: &SampleKey, attempt: u32) -> Result<Vec<CallPlace>, BrowseError> {
        let places = self.of_attempt(RunTable::Calls, key, attempt)?;
        let columns = ["scorer", "seq", "round"];
        let batch = self.table(RunTable::Calls)?.take(&places, Some(&columns))?;
        let seqs = Counts::of(&batch, RunTable::Calls, "seq")?;
        let rounds = Counts::of(&batch, RunTable::Calls, "round")?;
        let scorers = text_column(&batch, RunTable::Calls, "scorer")?;
        let mut calls: Vec<CallPlace> = places
            .iter()
            .enumerate()
            .map(|(row, place)| CallPlace {
                scorer: scorers.is_valid(row).then(|| scorers.value(row).to_owned()),
                seq: seqs.at(row),
                round: rounds.get(row),
                place: *place,
            })
            .collect();
        calls.sort_unstable();
        Ok(calls)
    }
}

impl CallChoice {
    fn takes(&self, call: &CallPlace) -> bool {
        if call.scorer.is_some() {
            return self.scorers;
        }
        match (self.rounds, call.round) {
            (None, _) => true,
            (Some(_), None) => self.unrounded,
            (Some((from, to)), Some(round)) => (i64::from(from)..=i64::from(to)).contains(&round),
        }
    }
}

/// The first rows up to the one with which their texts exceed a size, and whether any was left out.
fn first_of<R: TableRow>(rows: Vec<R>, bytes: usize) -> (Vec<R>, bool) {
    let (mut kept, mut size, all) = (Vec::new(), 0, rows.len());
    for row in rows {
        size += row.text_bytes();
        kept.push(row);
        if size > bytes {
            break;
        }
    }
    let cut = kept.len() < all;
    (kept, cut)
}
