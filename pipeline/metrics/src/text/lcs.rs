//! Longest common subsequences by bit vectors.
//!
//! The dynamic-programming table t is never stored as numbers. Neighbours in a row differ by 0 or
//! 1, and bit j of a row holds a **zero** where t[i][j + 1] − t[i][j] = 1 (Hyyrö 2004), so a row
//! costs one word per 64 columns.

/// Length of the longest common subsequence of two sequences of ids below `distinct`.
pub(crate) fn lcs_length(rows: &[u32], columns: &[u32], distinct: usize) -> usize {
    let words = columns.len().div_ceil(64);
    if words * distinct <= MOST_MASK_WORDS {
        return match words {
            0 => 0,
            1 => length_by_masks::<1>(rows, columns, distinct),
            2 => length_by_masks::<2>(rows, columns, distinct),
            3 => length_by_masks::<3>(rows, columns, distinct),
            4 => length_by_masks::<4>(rows, columns, distinct),
            5..=8 => length_by_masks::<8>(rows, columns, distinct),
            _ => length_by_positions(rows, columns, distinct),
        };
    }
    length_by_positions(rows, columns, distinct)
}

/// Masks of all ids take at most this many words, which a core's nearest cache holds.
const MOST_MASK_WORDS: usize = 1 << 12;

/// The length with the masks of all ids made beforehand, for rows of so many words.
fn length_by_masks<const WORDS: usize>(rows: &[u32], columns: &[u32], distinct: usize) -> usize {
    let mut masks = vec![[0_u64; WORDS]; distinct];
    for (column, &id) in columns.iter().enumerate() {
        masks[id as usize][column / 64] |= 1 << (column % 64);
    }
    let mut row = [u64::MAX; WORDS];
    for &id in rows {
        next_row(&mut row, &masks[id as usize]);
    }
    length_below(&row, columns.len())
}

fn length_by_positions(rows: &[u32], columns: &[u32], distinct: usize) -> usize {
    let mut step = RowStep::new(columns, distinct);
    let mut row = vec![u64::MAX; step.words];
    for &id in rows {
        step.advance(&mut row, id);
    }
    length_below(&row, columns.len())
}

/// One longest common subsequence as ascending (row, column) positions.
///
/// Reads the table back from the end: equal tokens are taken; otherwise the column goes back if
/// t[i][j − 1] > t[i − 1][j], and the row goes back if not. Only every √rows-th row is kept and the
/// rows between are computed again, so that memory grows with the power 1.5 of the length.
pub(crate) fn lcs_positions(rows: &[u32], columns: &[u32], distinct: usize) -> Vec<(usize, usize)> {
    let mut step = RowStep::new(columns, distinct);
    let block = rows.len().isqrt().max(1);
    let mut row = vec![u64::MAX; step.words];
    let mut kept = vec![row.clone()];
    for (index, &id) in rows.iter().enumerate() {
        step.advance(&mut row, id);
        if (index + 1) % block == 0 {
            kept.push(row.clone());
        }
    }

    let mut positions = Vec::new();
    let (mut i, mut j) = (rows.len(), columns.len());
    // Rows `first..first + table.len()`.
    let (mut first, mut table) = (usize::MAX, Vec::new());
    while i > 0 && j > 0 {
        if rows[i - 1] == columns[j - 1] {
            i -= 1;
            j -= 1;
            positions.push((i, j));
            continue;
        }
        // Both row i and row i − 1 are needed.
        if (i - 1) / block * block != first {
            first = (i - 1) / block * block;
            table = vec![kept[first / block].clone()];
            for &id in &rows[first..i] {
                let mut row = table[table.len() - 1].clone();
                step.advance(&mut row, id);
                table.push(row);
            }
        }
        if length_below(&table[i - first], j) > length_below(&table[i - 1 - first], j) {
            // t[i][j] > t[i − 1][j] is the same as t[i][j − 1] > t[i − 1][j] when tokens differ.
            j -= 1;
        } else {
            i -= 1;
        }
    }
    positions.reverse();
    positions
}

/// t[i][j]: the zeros among the first `j` bits of row i.
fn length_below(row: &[u64], j: usize) -> usize {
    let whole = j / 64;
    let zeros: usize = row[..whole]
        .iter()
        .map(|word| word.count_zeros() as usize)
        .sum();
    match j % 64 {
        0 => zeros,
        rest => zeros + (!row[whole] & ((1_u64 << rest) - 1)).count_ones() as usize,
    }
}

/// Turns a row into the next one, whose token is in the columns of the mask.
#[inline]
fn next_row(row: &mut [u64], mask: &[u64]) {
    let mut carry = false;
    for (word, &mask) in row.iter_mut().zip(mask) {
        let (sum, first) = word.overflowing_add(*word & mask);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first | second;
        *word = sum | (*word & !mask);
    }
}

/// Computes the next row of the table.
struct RowStep {
    words: usize,
    places: Places,
    positions: Vec<usize>,
    mask: Vec<u64>,
}

/// Where the positions of an id stand.
enum Places {
    /// `positions[starts[id]..starts[id + 1]]`.
    ById(Vec<usize>),
    /// Between the places of the id among these, which are sorted: a short line of a text with many words.
    Sorted(Vec<u32>),
}

/// A line with fewer than one word in so many of the text's is looked up by sorting it.
const SPARSE: usize = 8;

impl RowStep {
    fn new(columns: &[u32], distinct: usize) -> Self {
        let words = columns.len().div_ceil(64);
        let (places, positions) = if columns.len() * SPARSE < distinct {
            let mut positions: Vec<usize> = (0..columns.len()).collect();
            positions.sort_by_key(|column| columns[*column]);
            let sorted = positions.iter().map(|column| columns[*column]).collect();
            (Places::Sorted(sorted), positions)
        } else {
            let (starts, positions) = positions_by_id(columns, distinct);
            (Places::ById(starts), positions)
        };
        Self {
            words,
            places,
            positions,
            mask: vec![0; words],
        }
    }

    fn advance(&mut self, row: &mut [u64], id: u32) {
        let places = match &self.places {
            Places::ById(starts) => starts[id as usize]..starts[id as usize + 1],
            Places::Sorted(sorted) => {
                let start = sorted.partition_point(|known| *known < id);
                let same = sorted[start..].iter().take_while(|known| **known == id);
                start..start + same.count()
            }
        };
        let matches = &self.positions[places];
        if matches.is_empty() {
            return;
        }
        for &column in matches {
            self.mask[column / 64] |= 1 << (column % 64);
        }
        next_row(row, &self.mask);
        for &column in matches {
            self.mask[column / 64] = 0;
        }
    }
}

/// The positions of every id one after the other, and where those of each begin.
fn positions_by_id(columns: &[u32], distinct: usize) -> (Vec<usize>, Vec<usize>) {
    let mut starts = vec![0; distinct + 1];
    for &id in columns {
        starts[id as usize + 1] += 1;
    }
    for id in 0..distinct {
        starts[id + 1] += starts[id];
    }
    let mut next = starts.clone();
    let mut positions = vec![0; columns.len()];
    for (column, &id) in columns.iter().enumerate() {
        positions[next[id as usize]] = column;
        next[id as usize] += 1;
    }
    (starts, positions)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook table and its read-out.
    fn by_table(rows: &[u32], columns: &[u32]) -> Vec<(usize, usize)> {
        let mut table = vec![vec![0; columns.len() + 1]; rows.len() + 1];
        for i in 1..=rows.len() {
            for j in 1..=columns.len() {
                table[i][j] = if rows[i - 1] == columns[j - 1] {
                    table[i - 1][j - 1] + 1
                } else {
                    table[i - 1][j].max(table[i][j - 1])
                };
            }
        }
        let (mut i, mut j) = (rows.len(), columns.len());
        let mut positions = Vec::new();
        while i > 0 && j > 0 {
            if rows[i - 1] == columns[j - 1] {
                i -= 1;
                j -= 1;
                positions.push((i, j));
            } else if table[i][j - 1] > table[i - 1][j] {
                j -= 1;
            } else {
                i -= 1;
            }
        }
        positions.reverse();
        positions
    }

    #[test]
    fn long_sequences_fit_in_memory() {
        let rows: Vec<u32> = (0..20_000).map(|index| index % 7).collect();
        let columns: Vec<u32> = (0..20_000).map(|index| index % 5).collect();
        let positions = lcs_positions(&rows, &columns, 7);
        assert_eq!(positions.len(), lcs_length(&rows, &columns, 7));
    }

    proptest! {
        #[test]
        fn equals_the_table(
            rows in prop::collection::vec(0_u32..6, 0..150),
            columns in prop::collection::vec(0_u32..6, 0..150)
                .prop_union(prop::collection::vec(0_u32..6, 150..600)),
        ) {
            let expected = by_table(&rows, &columns);
            for distinct in [6, MOST_MASK_WORDS] {
                prop_assert_eq!(lcs_length(&rows, &columns, distinct), expected.len());
            }
            prop_assert_eq!(lcs_positions(&rows, &columns, 6), expected);
        }
    }
}
