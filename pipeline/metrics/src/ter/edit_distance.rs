//! Edit distance in a band around the diagonal, with its edit operations.

/// Half the width of the band.
const BEAM_WIDTH: usize = 25;

/// Cost of a cell outside the band; cannot be reached by adding ones to a real cost.
const UNREACHED: u32 = u32::MAX / 2;

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

/// A row of the table: the cells of the band, from column `start` on.
#[derive(Clone, Debug, Default)]
struct Row {
    start: usize,
    cells: Vec<(u32, Operation)>,
}

impl Row {
    fn cell(&self, column: usize) -> (u32, Operation) {
        column
            .checked_sub(self.start)
            .and_then(|index| self.cells.get(index))
            .copied()
            .unwrap_or((UNREACHED, Operation::Keep))
    }
}

/// The edit distances of every prefix of one hypothesis to a reference.
///
/// Hypotheses made by shifting words have the same length and hence the same band, so their rows
/// are equal up to the first word that differs.
pub(super) struct BandedTable<'words> {
    reference: &'words [u32],
    hypothesis_length: usize,
    rows: Vec<Row>,
}

impl<'words> BandedTable<'words> {
    /// Computes the table for a hypothesis.
    pub(super) fn new(hypothesis: &[u32], reference: &'words [u32]) -> Self {
        let first = (0..=reference.len())
            .map(|column| {
                (
                    u32::try_from(column).unwrap_or(UNREACHED),
                    Operation::Delete,
                )
            })
            .collect();
        let mut table = Self {
            reference,
            hypothesis_length: hypothesis.len(),
            rows: vec![Row {
                start: 0,
                cells: first,
            }],
        };
        for (position, &word) in hypothesis.iter().enumerate() {
            let mut row = Row::default();
            table.fill(&mut row, &table.rows[position], position + 1, word);
            table.rows.push(row);
        }
        table
    }

    /// The edit distance of the whole hypothesis.
    pub(super) fn distance(&self) -> u32 {
        self.rows
            .last()
            .map_or(0, |row| row.cell(self.reference.len()).0)
    }

    /// The edit distance of `shifted`, whose first `shared` words are those of the hypothesis.
    pub(super) fn distance_of(&self, shifted: &[u32], shared: usize) -> u32 {
        let mut previous = self.rows[shared].clone();
        let mut row = Row::default();
        for (position, &word) in shifted.iter().enumerate().skip(shared) {
            self.fill(&mut row, &previous, position + 1, word);
            std::mem::swap(&mut row, &mut previous);
        }
        previous.cell(self.reference.len()).0
    }

    /// The operations of a cheapest edit, from the start.
    pub(super) fn operations(&self) -> Vec<Operation> {
        let mut operations = Vec::new();
        let (mut i, mut j) = (self.hypothesis_length, self.reference.len());
        while i > 0 || j > 0 {
            let (cost, operation) = self.rows[i].cell(j);
            if cost >= UNREACHED {
                break;
            }
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

    /// Fills `row` for the `position`-th word (from 1) of a hypothesis.
    fn fill(&self, row: &mut Row, previous: &Row, position: usize, word: u32) {
        let (start, end) = self.band(position);
        row.start = start;
        row.cells.clear();
        let mut left = UNREACHED;
        let mut diagonal = start
            .checked_sub(1)
            .map_or(UNREACHED, |left| previous.cell(left).0);
        for column in start..end {
            let over = previous.cell(column).0;
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
            row.cells.push(cell);
            left = cell.0;
            diagonal = over;
        }
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
