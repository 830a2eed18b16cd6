//! N-grams that two sequences have in common, all orders from one sorted list.

use super::ngrams::{NgramLadder, Sequences, overlap};

/// Fewer keys than this are sorted by comparison.
const RADIX_FROM: usize = 96;

/// Orders that can be counted at once; no metric asks for more by itself.
const MOST_LANES: usize = 8;

/// How many n-grams of each order from 1 to `orders` two sequences have in common, with
/// multiplicity.
///
/// What follows each position, up to the longest order, becomes one integer with a digit for each
/// element; sorted, equal n-grams of every order stand together.
pub(crate) fn common_ngrams(sequences: &Sequences, pair: [usize; 2], orders: usize) -> Vec<usize> {
    let [one, other] = pair.map(|index| sequences.ids[index].as_slice());
    if one.is_empty() || other.is_empty() || orders == 0 {
        return vec![0; orders];
    }
    if orders == 1 {
        return vec![common_elements(one, other, sequences.distinct)];
    }
    let bits = (usize::BITS - (sequences.distinct + 1).leading_zeros()) as usize;
    if bits * orders > 63 || orders > MOST_LANES {
        return by_ladder(sequences, pair, orders);
    }
    let mut keys = Vec::with_capacity(one.len() + other.len());
    // What fills up n-grams that reach behind the end is different for the two sides, so that such
    // n-grams have nothing in common.
    push_keys(&mut keys, one, [0, 0], bits, orders);
    let behind = sequences.distinct as u64 + 1;
    push_keys(&mut keys, other, [1, behind], bits, orders);
    sort(&mut keys, bits * orders);
    if orders <= 4 {
        count::<4>(&keys, bits, orders)
    } else {
        count::<MOST_LANES>(&keys, bits, orders)
    }
}

/// How many elements two sequences have in common, with multiplicity.
fn common_elements(one: &[u32], other: &[u32], distinct: usize) -> usize {
    let mut counts = vec![0_u32; distinct];
    for &id in one {
        counts[id as usize] += 1;
    }
    let mut common = 0;
    for &id in other {
        let count = &mut counts[id as usize];
        common += usize::from(*count > 0);
        *count = count.saturating_sub(1);
    }
    common
}

fn by_ladder(sequences: &Sequences, pair: [usize; 2], orders: usize) -> Vec<usize> {
    let mut ladder = NgramLadder::new(sequences);
    let mut common = Vec::with_capacity(orders);
    for order in 1..=orders {
        if order > 1 {
            ladder.advance();
        }
        let [one, other] = pair.map(|index| ladder.counts(index));
        common.push(overlap(&one, &other));
    }
    common
}

/// A key for each position, from the last to the first: a digit for each element that follows,
/// what stands `behind` the end, and the side in the lowest bit.
fn push_keys(keys: &mut Vec<u64>, ids: &[u32], side: [u64; 2], bits: usize, orders: usize) {
    let [side, behind] = side;
    let first = bits * (orders - 1);
    let mut key = (0..orders).fold(0, |key, _| (key << bits) | behind);
    keys.extend(ids.iter().rev().map(|&id| {
        key = (key >> bits) | ((u64::from(id) + 1) << first);
        (key << 1) | side
    }));
}

/// Sorts by the `bits` above the lowest one.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what is kept of a key is below the size of a table"
)]
fn sort(keys: &mut Vec<u64>, bits: usize) {
    if keys.len() < RADIX_FROM {
        keys.sort_unstable();
        return;
    }
    // Long lists pay for larger tables.
    let widest = if keys.len() < 1024 { 9 } else { 11 };
    let passes = bits.div_ceil(widest);
    let width = bits.div_ceil(passes);
    let size = 1 << width;
    let digit = |key: u64, pass: usize| (key >> (1 + width * pass)) as usize & (size - 1);
    let mut counts = vec![0_u32; size * passes];
    for &key in keys.iter() {
        for (pass, counts) in counts.chunks_exact_mut(size).enumerate() {
            counts[digit(key, pass)] += 1;
        }
    }
    let mut other = vec![0; keys.len()];
    for (pass, counts) in counts.chunks_exact_mut(size).enumerate() {
        let mut next = 0;
        for count in counts.iter_mut() {
            (*count, next) = (next, next + *count);
        }
        for &key in keys.iter() {
            let place = &mut counts[digit(key, pass)];
            other[*place as usize] = key;
            *place += 1;
        }
        std::mem::swap(keys, &mut other);
    }
}

/// The smaller number of keys of the two sides in every run of equal n-grams, summed by order.
///
/// All orders are counted together and without branches: where a run of an order goes on, what it
/// would add is masked out.
fn count<const LANES: usize>(keys: &[u64], bits: usize, orders: usize) -> Vec<usize> {
    // Ones for the orders whose runs end between two keys, by the highest bit in which they differ;
    // the lowest bit is the side.
    let mut ends_by_bit = [[0_u32; LANES]; 64];
    for (order, digits) in (0..orders).rev().zip(0..) {
        for ends in &mut ends_by_bit[1 + digits * bits..=(digits + 1) * bits] {
            ends[order..].fill(u32::MAX);
        }
    }
    let mut common = [0_u32; LANES];
    let mut seen = [0_u32; 2];
    let mut begun = [[0_u32; LANES]; 2];
    let mut add = |key: u64, ends: &[u32; LANES]| {
        let side = u32::from(key & 1 == 1);
        seen = [seen[0] + 1 - side, seen[1] + side];
        for lane in 0..LANES {
            let [one, other] = [0, 1].map(|side| seen[side] - begun[side][lane]);
            common[lane] += one.min(other) & ends[lane];
            for side in [0, 1] {
                let begun = &mut begun[side][lane];
                *begun = (seen[side] & ends[lane]) | (*begun & !ends[lane]);
            }
        }
    };
    for pair in keys.windows(2) {
        let differ = (pair[0] ^ pair[1]) | 1;
        add(pair[0], &ends_by_bit[differ.ilog2() as usize]);
    }
    if let Some(&last) = keys.last() {
        add(last, &[u32::MAX; LANES]);
    }
    common[..orders]
        .iter()
        .map(|&count| count as usize)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::ngrams::intern;

    #[test]
    fn by_hand() {
        let sequences = intern([vec!["a", "b", "a", "b"], vec!["a", "b", "b"], vec![]]);
        assert_eq!(common_ngrams(&sequences, [0, 1], 3), [3, 1, 0]);
        assert_eq!(common_ngrams(&sequences, [0, 0], 5), [4, 3, 2, 1, 0]);
        assert_eq!(common_ngrams(&sequences, [0, 2], 2), [0, 0]);
    }

    proptest! {
        #[test]
        fn equals_counting_by_order(
            one in prop::collection::vec(0_u32..5, 0..120),
            other in prop::collection::vec(0_u32..5, 0..120),
            more in 0_usize..2000,
            orders in 0_usize..9,
        ) {
            let sequences = Sequences { ids: vec![one, other], distinct: 5 + more };
            let expected = by_ladder(&sequences, [0, 1], orders);
            prop_assert_eq!(common_ngrams(&sequences, [0, 1], orders), expected);
        }
    }
}
