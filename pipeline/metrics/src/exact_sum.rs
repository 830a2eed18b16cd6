//! Sums of floating-point numbers that do not depend on their order.

use smallvec::SmallVec;

/// A sum without rounding until it is asked for.
///
/// Keeps the exact sum as numbers that do not overlap, so that rows may come in any order and from
/// any number of partitions. Source: Shewchuk 1997, as in Python's `math.fsum`.
///
/// ```
/// let sum: consilium_metrics::ExactSum = [0.1; 10].into_iter().collect();
/// assert_eq!(sum.value(), 1.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExactSum {
    /// In increasing magnitude, no two with a bit in common.
    partials: SmallVec<[f64; 2]>,
}

impl ExactSum {
    /// Adds a finite number; others make every later value NaN.
    pub fn add(&mut self, value: f64) {
        let mut carried = value;
        let mut kept = 0;
        for index in 0..self.partials.len() {
            let partial = self.partials[index];
            let (large, small) = if carried.abs() < partial.abs() {
                (partial, carried)
            } else {
                (carried, partial)
            };
            let high = large + small;
            let low = small - (high - large);
            if low != 0.0 {
                self.partials[kept] = low;
                kept += 1;
            }
            carried = high;
        }
        self.partials.truncate(kept);
        self.partials.push(carried);
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        for &partial in &other.partials {
            self.add(partial);
        }
    }

    /// Numbers whose exact sum this is; add them to another sum to carry it over.
    pub fn partials(&self) -> &[f64] {
        &self.partials
    }

    /// The sum, rounded once; 0 when nothing was added.
    pub fn value(&self) -> f64 {
        let mut rest = self.partials.iter().rev();
        let Some(&first) = rest.next() else {
            return 0.0;
        };
        let (mut high, mut low) = (first, 0.0);
        let mut below = None;
        for &partial in rest {
            if low != 0.0 {
                below = Some(partial);
                break;
            }
            let sum = high + partial;
            low = partial - (sum - high);
            high = sum;
        }
        // Half way between two numbers: what lies below decides.
        if below.is_some_and(|below| (low < 0.0) == (below < 0.0)) && low != 0.0 {
            let doubled = low * 2.0;
            let sum = high + doubled;
            #[expect(clippy::float_cmp, reason = "asks whether the addition was exact")]
            if doubled == sum - high {
                high = sum;
            }
        }
        high
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sum = Self::default();
        for value in values {
            sum.add(value);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn equals_fsum_of_python() {
        // math.fsum of the same lists.
        for (values, expected) in [
            (vec![], 0.0),
            (vec![0.1; 10], 1.0),
            (vec![1e100, 1.0, -1e100], 1.0),
            (vec![1e16, 1.0, 1e-16], 10_000_000_000_000_002.0),
            (vec![1.0, f64::EPSILON / 2.0, 1e-300], 1.0 + f64::EPSILON),
            (vec![1.0, f64::EPSILON / 2.0, -1e-300], 1.0),
        ] {
            let sum: ExactSum = values.iter().copied().collect();
            assert_eq!(sum.value().to_bits(), f64::to_bits(expected), "{values:?}");
        }
    }

    proptest! {
        #[test]
        fn order_and_grouping_do_not_matter(
            (values, shuffled) in prop::collection::vec(-1e9_f64..1e9, 0..40)
                .prop_flat_map(|values| (Just(values.clone()), Just(values).prop_shuffle())),
            split in 0_usize..40,
        ) {
            let whole: ExactSum = values.iter().copied().collect();
            let split = split.min(shuffled.len());
            let mut left: ExactSum = shuffled[..split].iter().copied().collect();
            left.merge(&shuffled[split..].iter().copied().collect());
            prop_assert_eq!(whole.value().to_bits(), left.value().to_bits());
        }
    }
}
