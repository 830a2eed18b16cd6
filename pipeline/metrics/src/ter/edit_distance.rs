//! Edit distance in a band around the diagonal, with its edit operations.

use std::ops::Range;

/// Half the width of the band.
const BEAM_WIDTH: usize = 25;

/// Cost of a cell outside the band; cannot be reached by adding ones to a real cost.
const UNREACHED: i32 = i32::MAX / 2;

/// One edit operation that turns the reference into the hypothesis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Keep,
    Substitute,
    /// A word of the hypothesis that the reference lacks.
    Insert,
    /// A word of the reference that the hypothesis lacks.
    Delete,
}

/// A row of a table: the cells of the band, from column `start` on.
#[derive(Clone, Debug, Default)]
struct Row<Cell> {
    start: usize,
    cells: Vec<Cell>,
}

impl<Cell: Copy> Row<Cell> {
    fn end(&self) -> usize {
        self.start + self.cells.len()
    }

    fn cell(&self, column: usize) -> Option<Cell> {
        column
            .checked_sub(self.start)
            .and_then(|index| self.cells.get(index))
            .copied()
    }
}

/// The edit distances of every prefix of one hypothesis to a reference, and of every suffix.
///
/// Hypotheses made by shifting words have the same length and hence the same band, so only the
/// rows of the words that change need to be computed: rows before are those of the table, and what
/// the cheapest way from a cell to the end costs is known.
pub(super) struct BandedTable<'words> {
    reference: &'words [u32],
    hypothesis_length: usize,
    costs: Vec<Row<i32>>,
    operations: Vec<Row<Operation>>,
    /// Cost from each cell to the last one.
    rests: Vec<Row<i32>>,
}

/// Two rows by column, for distances of shifted hypotheses.
#[derive(Default)]
pub(super) struct Scratch {
    previous: Vec<i32>,
    row: Vec<i32>,
}

impl<'words> BandedTable<'words> {
    /// Computes the table for a hypothesis.
    pub(super) fn new(hypothesis: &[u32], reference: &'words [u32]) -> Self {
        let columns = reference.len() + 1;
        let mut table = Self {
            reference,
            hypothesis_length: hypothesis.len(),
            costs: vec![Row {
                start: 0,
                cells: (0..columns).map(cost).collect(),
            }],
            operations: vec![Row {
                start: 0,
                cells: vec![Operation::Delete; columns],
            }],
            rests: Vec::new(),
        };
        for (position, &word) in hypothesis.iter().enumerate() {
            let (costs, operations) = table.next_row(position + 1, word);
            table.costs.push(costs);
            table.operations.push(operations);
        }
        let last = table.costs.last().map_or(0, |row| row.start);
        table.rests.push(Row {
            start: last,
            cells: (0..columns - last).rev().map(cost).collect(),
        });
        for (position, &word) in hypothesis.iter().enumerate().rev() {
            let rest = table.rest(position, word);
            table.rests.push(rest);
        }
        table.rests.reverse();
        table
    }

    /// The edit distance of the whole hypothesis.
    pub(super) fn distance(&self) -> i32 {
        self.costs
            .last()
            .and_then(|row| row.cell(self.reference.len()))
            .unwrap_or(UNREACHED)
    }

    /// The edit distance of the hypothesis with the words from `first` on replaced by as many others.
    pub(super) fn distance_with(&self, words: &[u32], first: usize, scratch: &mut Scratch) -> i32 {
        let end = first + words.len();
        let Scratch { previous, row } = scratch;
        let before = &self.costs[first];
        let columns = before.start.saturating_sub(1)..self.band(end).1.max(before.end());
        for cells in [&mut *previous, &mut *row] {
            cells.resize(self.reference.len() + 1, UNREACHED);
            cells[columns.clone()].fill(UNREACHED);
        }
        previous[before.start..before.end()].copy_from_slice(&before.cells);
        // The row that is overwritten is the last but one; the band has moved on since.
        let mut begins = [columns.start; 2];
        for (position, &word) in (first + 1..).zip(words) {
            let (start, end) = self.band(position);
            row[begins[0].min(start)..start].fill(UNREACHED);
            self.fill(previous, row, start..end, word);
            std::mem::swap(previous, row);
            begins = [begins[1], start];
        }
        let rest = &self.rests[end];
        let through = previous[rest.start..].iter().zip(&rest.cells);
        let least = through.map(|(cost, rest)| cost.saturating_add(*rest)).min();
        least.unwrap_or(UNREACHED).min(UNREACHED)
    }

    /// Fills the columns of a row of costs for a word.
    fn fill(&self, previous: &[i32], row: &mut [i32], columns: Range<usize>, word: u32) {
        let Range { mut start, end } = columns;
        let mut left = UNREACHED;
        if start == 0 && end > 0 {
            left = previous[0] + 1;
            row[0] = left;
            start = 1;
        }
        if start >= end {
            return;
        }
        let cells = &mut row[start..end];
        let neighbours = previous[start - 1..end - 1]
            .iter()
            .zip(&previous[start..end]);
        let words = &self.reference[start - 1..end - 1];
        for ((cell, (&diagonal, &over)), &other) in cells.iter_mut().zip(neighbours).zip(words) {
            let replaced = diagonal + i32::from(other != word);
            *cell = replaced.min(over + 1);
        }
        for cell in cells {
            left = (*cell).min(left + 1).min(UNREACHED);
            *cell = left;
        }
    }

    /// The operations of a cheapest edit, from the start.
    pub(super) fn operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        let (mut i, mut j) = (self.hypothesis_length, self.reference.len());
        while i > 0 || j > 0 {
            let reached = self.costs[i].cell(j).is_some_and(|cost| cost < UNREACHED);
            let Some(operation) = self.operations[i].cell(j).filter(|_| reached) else {
                break;
            };
            operations.push(operation);
            match operation {
                Operation::Keep | Operation::Substitute => {
                    i -= 1;
                    j -= 1;
                }
                Operation::Insert => i -= 1,
                Operation::Delete => j -= 1,
            }
        }
        operations.reverse();
        operations
    }

    /// The row of the `position`-th word (from 1) of a hypothesis.
    fn next_row(&self, position: usize, word: u32) -> (Row<i32>, Row<Operation>) {
        let previous = &self.costs[position - 1];
        let (start, end) = self.band(position);
        let mut costs = Vec::with_capacity(end - start);
        let mut operations = Vec::with_capacity(end - start);
        let cost = |column| previous.cell(column).unwrap_or(UNREACHED);
        let mut left = UNREACHED;
        let mut diagonal = start.checked_sub(1).map_or(UNREACHED, cost);
        for column in start..end {
            let over = cost(column);
            let mut cell = (UNREACHED, Operation::Keep);
            if column == 0 {
                cell = (over + 1, Operation::Insert);
            } else {
                let (cost, operation) = if self.reference[column - 1] == word {
                    (diagonal, Operation::Keep)
                } else {
                    (diagonal + 1, Operation::Substitute)
                };
                if cost < cell.0 {
                    cell = (cost, operation);
                }
                if over + 1 < cell.0 {
                    cell = (over + 1, Operation::Insert);
                }
                if left + 1 < cell.0 {
                    cell = (left + 1, Operation::Delete);
                }
            }
            costs.push(cell.0);
            operations.push(cell.1);
            left = cell.0;
            diagonal = over;
        }
        (
            Row {
                start,
                cells: costs,
            },
            Row {
                start,
                cells: operations,
            },
        )
    }

    /// The costs to the end from the row before that of a word, by the row of that word, which was
    /// computed last.
    fn rest(&self, position: usize, word: u32) -> Row<i32> {
        let row = &self.costs[position];
        let (start, end) = (row.start, row.end());
        let mut cells = vec![UNREACHED; end - start];
        let below = |column: usize| {
            let rest = self.rests.last().and_then(|rest| rest.cell(column));
            rest.unwrap_or(UNREACHED)
        };
        let mut right = UNREACHED;
        for column in (start..end).rev() {
            let mut least = (right + 1).min(below(column) + 1);
            if let Some(&other) = self.reference.get(column) {
                least = least.min(below(column + 1) + i32::from(other != word));
            }
            right = least.min(UNREACHED);
            cells[column - start] = right;
        }
        Row { start, cells }
    }

    /// The columns of the band: around the line that joins the corners of the table.
    fn band(&self, position: usize) -> (usize, usize) {
        let ratio = self.reference.len() as f64 / self.hypothesis_length.max(1) as f64;
        let width = if (BEAM_WIDTH as f64) < ratio / 2.0 {
            index((ratio / 2.0 + BEAM_WIDTH as f64).ceil())
        } else {
            BEAM_WIDTH
        };
        let center = index((position as f64 * ratio).floor());
        let end = if position == self.hypothesis_length {
            self.reference.len() + 1
        } else {
            (center + width).min(self.reference.len() + 1)
        };
        (center.saturating_sub(width).min(end), end)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole numbers of the size of a text; the cast saturates"
)]
fn index(whole: f64) -> usize {
    whole as usize
}

fn cost(steps: usize) -> i32 {
    i32::try_from(steps).unwrap_or(UNREACHED)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn replaced_words_cost_what_a_table_of_their_own_says(
            words in prop::collection::vec(0_u32..4, 1..150),
            reference in prop::collection::vec(0_u32..4, 1..150),
            replaced in prop::collection::vec((0_u32..4, 0_u32..4), 1..60),
            first in any::<prop::sample::Index>(),
        ) {
            let table = BandedTable::new(&words, &reference);
            prop_assert_eq!(table.rests[0].cell(0), Some(table.distance()));
            let first = first.index(words.len());
            let mut scratch = Scratch::default();
            // Twice, with what the first time has left behind.
            for side in [true, false] {
                let mut changed = words.clone();
                let inside = changed[first..].iter_mut().zip(&replaced);
                let count = inside
                    .map(|(word, by)| *word = if side { by.0 } else { by.1 })
                    .count();
                let distance = table.distance_with(&changed[first..first + count], first, &mut scratch);
                prop_assert_eq!(distance, BandedTable::new(&changed, &reference).distance());
            }
        }
    }
}
