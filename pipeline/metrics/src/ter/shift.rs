//! Greedy search for the shifts of phrases that save most edits.

use super::edit_distance::{BandedTable, Operation, Scratch};

/// Longest phrase that is shifted.
const MAX_SIZE: usize = 10;

/// Farthest distance between a phrase and its place in the reference.
const MAX_DISTANCE: usize = 50;

/// Candidates after which the search ends, without the shift it was about to make.
const MAX_CANDIDATES: usize = 1000;

/// Fewest edits, counting each shift of a phrase as one, as tercom finds them.
pub(super) fn edits(hypothesis: &[u32], reference: &[u32]) -> usize {
    if reference.is_empty() {
        return hypothesis.len();
    }
    let mut words = hypothesis.to_vec();
    let mut shifts = 0;
    let mut candidates = 0;
    let mut moved = Vec::new();
    loop {
        let table = BandedTable::new(&words, reference);
        let best = best_shift(&words, reference, &table, &mut candidates);
        match best {
            Some(shift) if candidates < MAX_CANDIDATES && shift.gain > 0 => {
                shifts += 1;
                let first = shift.write_moved(&words, &mut moved);
                words[first..first + moved.len()].copy_from_slice(&moved);
            }
            _ => return shifts + usize::try_from(table.distance()).unwrap_or_default(),
        }
    }
}

/// A shift of `length` words at `start` to before `target`.
#[derive(Clone, Copy, Debug)]
struct Shift {
    gain: i64,
    start: usize,
    length: usize,
    target: usize,
}

impl Shift {
    /// Larger gain first, then longer, then earlier start, then earlier target.
    fn is_better_than(self, other: Self) -> bool {
        let rank = |shift: Self| {
            (
                shift.gain,
                shift.length,
                std::cmp::Reverse(shift.start),
                std::cmp::Reverse(shift.target),
            )
        };
        rank(self) > rank(other)
    }

    /// Writes the words that stand in another place after the shift, with those between them, and
    /// returns the position of the first.
    fn write_moved(self, words: &[u32], moved: &mut Vec<u32>) -> usize {
        let Self {
            start,
            length,
            target,
            ..
        } = self;
        let end = start + length;
        let phrase = &words[start..end];
        moved.clear();
        if target < start {
            moved.extend_from_slice(phrase);
            moved.extend_from_slice(&words[target..start]);
            return target;
        }
        // Inside itself the phrase moves on by as many words.
        let behind = if target > end {
            target
        } else {
            (length + target).min(words.len())
        };
        moved.extend_from_slice(&words[end.min(behind)..behind]);
        moved.extend_from_slice(phrase);
        start
    }
}

/// Where each reference word is in the hypothesis, and which words are wrong.
struct Alignment {
    /// Hypothesis position + 1 for each reference word; 0 is before the start.
    behind: Vec<usize>,
    /// Number of errors among the first n words.
    hypothesis_errors: Vec<usize>,
    reference_errors: Vec<usize>,
}

impl Alignment {
    fn new(operations: &[Operation]) -> Self {
        let mut alignment = Self {
            behind: Vec::new(),
            hypothesis_errors: vec![0],
            reference_errors: vec![0],
        };
        let push = |errors: &mut Vec<usize>, error: bool| {
            errors.push(errors.last().copied().unwrap_or_default() + usize::from(error));
        };
        let mut position = 0;
        for &operation in operations {
            let error = operation != Operation::Keep;
            if operation != Operation::Delete {
                position += 1;
                push(&mut alignment.hypothesis_errors, error);
            }
            if operation != Operation::Insert {
                alignment.behind.push(position);
                push(&mut alignment.reference_errors, error);
            }
        }
        alignment
    }

    fn is_right(errors: &[usize], start: usize, length: usize) -> bool {
        errors.get(start) == errors.get(start + length)
    }
}

fn best_shift(
    words: &[u32],
    reference: &[u32],
    table: &BandedTable<'_>,
    candidates: &mut usize,
) -> Option<Shift> {
    let alignment = Alignment::new(&table.operations());
    let before = i64::from(table.distance());
    let mut best: Option<Shift> = None;
    let (mut scratch, mut moved) = (Scratch::default(), Vec::new());
    for (start, target, length) in matching_phrases(words, reference) {
        if Alignment::is_right(&alignment.hypothesis_errors, start, length)
            || Alignment::is_right(&alignment.reference_errors, target, length)
        {
            continue;
        }
        let Some(&behind) = alignment.behind.get(target) else {
            continue;
        };
        if start < behind && behind <= start + length {
            continue;
        }
        let mut tried = None;
        // Before the place of the phrase, then behind each of its words.
        for reference_end in target..=target + length {
            let place = match reference_end {
                0 => 0,
                end => match alignment.behind.get(end - 1) {
                    Some(&behind) => behind,
                    None => break,
                },
            };
            if tried == Some(place) {
                continue;
            }
            tried = Some(place);
            let mut shift = Shift {
                gain: 0,
                start,
                length,
                target: place,
            };
            let first = shift.write_moved(words, &mut moved);
            let after = table.distance_with(&moved, first, &mut scratch);
            shift.gain = before - i64::from(after);
            *candidates += 1;
            if best.is_none_or(|best| shift.is_better_than(best)) {
                best = Some(shift);
            }
        }
        if *candidates >= MAX_CANDIDATES {
            break;
        }
    }
    best
}

/// (start in the hypothesis, start in the reference, length) of every common phrase.
fn matching_phrases<'a>(
    words: &'a [u32],
    reference: &'a [u32],
) -> impl Iterator<Item = (usize, usize, usize)> + 'a {
    (0..words.len()).flat_map(move |start| {
        let first = start.saturating_sub(MAX_DISTANCE);
        let end = (start + MAX_DISTANCE + 1).min(reference.len());
        (first..end).flat_map(move |target| {
            let common = words[start..]
                .iter()
                .zip(&reference[target..])
                .take(MAX_SIZE)
                .take_while(|(word, other)| word == other)
                .count();
            (1..=common).map(move |length| (start, target, length))
        })
    })
}
