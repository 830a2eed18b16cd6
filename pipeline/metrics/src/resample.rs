//! Drawing cases with replacement, those that are alike together.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

/// So few draws are made one by one; more are first divided between the halves of their range.
const FEW: u64 = 16;

/// As [`FEW`], where no two cases are alike and a draw needs no search. Such a range stays in the cache.
const FEW_OF_SINGLES: u64 = 1024;

/// Kinds of cases: cases whose rows are the same are of one kind.
///
/// Drawing as many cases as there are, with replacement, takes from each kind a count that follows a
/// multinomial distribution. The kinds are cut in two halves; how many draws fall into the first follows a
/// binomial distribution, and so on down. Where many cases are alike that needs a fraction of the random
/// bits of one draw after another, and where they are not, memory is read in order. All of it is arithmetic
/// on integers: every machine draws the same.
#[derive(Clone, Debug)]
pub(crate) struct Kinds {
    /// Cases before each kind, and all of them at the end.
    before: Vec<u64>,
}

impl Kinds {
    /// Kinds with these numbers of cases, none of them 0.
    pub(crate) fn new(cases: impl IntoIterator<Item = u64>) -> Self {
        let mut before = vec![0];
        let mut sum = 0;
        for count in cases {
            sum += count;
            before.push(sum);
        }
        Self { before }
    }

    /// Draws as many cases as there are and tells for kinds how many cases of it were drawn; a kind may come
    /// several times, or not at all.
    pub(crate) fn draw(&self, generator: &mut ChaCha8Rng, each: &mut impl FnMut(usize, u64)) {
        let kinds = 0..self.before.len() - 1;
        self.draw_from(kinds.clone(), self.cases(&kinds), generator, each);
    }

    fn cases(&self, kinds: &Range<usize>) -> u64 {
        self.before[kinds.end] - self.before[kinds.start]
    }

    fn draw_from(
        &self,
        kinds: Range<usize>,
        draws: u64,
        generator: &mut ChaCha8Rng,
        each: &mut impl FnMut(usize, u64),
    ) {
        let cases = self.cases(&kinds);
        let singles = cases == kinds.len() as u64;
        if draws == 0 {
        } else if kinds.len() == 1 {
            each(kinds.start, draws);
        } else if singles && draws <= FEW_OF_SINGLES {
            for _ in 0..draws {
                each(kinds.start + position(cases, generator), 1);
            }
        } else if draws <= FEW {
            let first = self.before[kinds.start];
            let ends = &self.before[kinds.start + 1..=kinds.end];
            for _ in 0..draws {
                let drawn = first + position(cases, generator) as u64;
                let kind = ends.partition_point(|end| *end <= drawn);
                each(kinds.start + kind, 1);
            }
        } else {
            let middle = kinds.start + kinds.len() / 2;
            let (left, right) = (kinds.start..middle, middle..kinds.end);
            let drawn = binomial(draws, self.cases(&left), cases, generator);
            self.draw_from(left, drawn, generator, each);
            self.draw_from(right, draws - drawn, generator, each);
        }
    }
}

/// One value for each replicate; replicate r draws from stream r of the `ChaCha8` generator seeded with
/// `seed`.
pub(crate) fn replicates<T: Send>(
    seed: u64,
    replicates: u32,
    value: impl Fn(&mut ChaCha8Rng) -> T + Sync,
) -> Vec<T> {
    let generator = ChaCha8Rng::seed_from_u64(seed);
    (0..replicates)
        .into_par_iter()
        .map(|replicate| {
            let mut generator = generator.clone();
            generator.set_stream(u64::from(replicate));
            value(&mut generator)
        })
        .collect()
}

/// A position below `count`.
fn position(count: u64, generator: &mut ChaCha8Rng) -> usize {
    // Multiply-and-shift: the bias is below count / 2⁶⁴, and no rejection loop is needed.
    let position = (u128::from(generator.next_u64()) * u128::from(count)) >> 64;
    usize::try_from(position).unwrap_or_default()
}

/// Successes of so many trials that each succeed with the probability `part` ÷ `whole`.
///
/// A trial succeeds when a number with random binary digits is below that fraction. All trials draw their
/// first digit together, then those that equal the fraction so far draw the next one: two bits a trial in
/// all, and no rounding.
fn binomial(trials: u64, part: u64, whole: u64, generator: &mut ChaCha8Rng) -> u64 {
    if part >= whole {
        return trials;
    }
    let (mut undecided, mut rest, mut successes) = (trials, part, 0);
    while undecided > 0 && rest > 0 {
        let ones = fair_coins(undecided, generator);
        rest *= 2;
        if rest >= whole {
            // The fraction has a 1 here: a 0 is below it.
            rest -= whole;
            successes += undecided - ones;
            undecided = ones;
        } else {
            undecided -= ones;
        }
    }
    successes
}

/// How many of so many random bits are set.
fn fair_coins(coins: u64, generator: &mut ChaCha8Rng) -> u64 {
    let mut ones = 0;
    for _ in 0..coins / 64 {
        ones += u64::from(generator.next_u64().count_ones());
    }
    match coins % 64 {
        0 => ones,
        few => ones + u64::from((generator.next_u64() >> (64 - few)).count_ones()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(kinds: &Kinds, count: usize, generator: &mut ChaCha8Rng) -> Vec<u64> {
        let mut counts = vec![0; count];
        let mut last = 0;
        kinds.draw(generator, &mut |kind, times| {
            assert!(times > 0);
            last = last.max(kind);
            counts[kind] += times;
        });
        counts
    }

    /// Mean and variance of each kind's count over many replicates.
    fn moments(cases: &[u64], times: u32) -> Vec<(f64, f64)> {
        let kinds = Kinds::new(cases.iter().copied());
        let all = replicates(3, times, |generator| drawn(&kinds, cases.len(), generator));
        (0..cases.len())
            .map(|kind| {
                let values: Vec<f64> = all.iter().map(|counts| counts[kind] as f64).collect();
                let mean = values.iter().sum::<f64>() / f64::from(times);
                let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                (mean, squares / f64::from(times - 1))
            })
            .collect()
    }

    #[test]
    fn counts_follow_the_multinomial_distribution() {
        // A kind of m of N cases is drawn N times with the probability m ÷ N.
        let shapes: [&[u64]; 5] = [
            &[1, 1],
            &[3, 1, 4, 1, 5, 9, 2, 6],
            &[1000, 1],
            &[1; 40],
            &[70, 1, 1, 1, 200, 3],
        ];
        for cases in shapes {
            let all: u64 = cases.iter().sum();
            let times = 20_000;
            for (&count, (mean, variance)) in cases.iter().zip(moments(cases, times)) {
                let share = count as f64 / all as f64;
                let expected = all as f64 * share * (1.0 - share);
                // Five standard errors of the mean and, for the variance of counts this skewed, eight.
                let error = (expected / f64::from(times)).sqrt();
                assert!(
                    (mean - count as f64).abs() < 5.0 * error,
                    "{cases:?}: {mean}"
                );
                let error = expected * (4.0 / f64::from(times)).sqrt();
                assert!(
                    (variance - expected).abs() < 8.0 * error,
                    "{cases:?}: {variance}"
                );
            }
        }
    }

    #[test]
    fn alike_or_not_the_pairs_of_counts_covary_alike() {
        // Two kinds of m cases each have the covariance −m² ÷ N; 2,000 singles are cut before they are drawn.
        let cases = vec![1; 2000];
        let kinds = Kinds::new(cases.iter().copied());
        let halves = replicates(9, 20_000, |generator| {
            let counts = drawn(&kinds, 2000, generator);
            let of = |range: Range<usize>| counts[range].iter().sum::<u64>() as f64;
            (of(0..500), of(700..1200))
        });
        let mean = |value: &dyn Fn(&(f64, f64)) -> f64| {
            halves.iter().map(value).sum::<f64>() / halves.len() as f64
        };
        let covariance = mean(&|(one, other)| (one - 500.0) * (other - 500.0));
        assert!(
            (covariance + 125.0).abs() < 5.0 * 375.0 / 20_000_f64.sqrt(),
            "{covariance}"
        );
    }

    #[test]
    fn every_draw_is_counted() {
        for cases in [
            vec![5],
            vec![1, 2],
            vec![1; 3000],
            vec![64; 64],
            vec![1 << 40, 3],
        ] {
            // So many draws would take long one by one.
            let kinds = Kinds::new(cases.iter().copied());
            let all: u64 = cases.iter().sum();
            if all > 1 << 32 {
                let mut generator = ChaCha8Rng::seed_from_u64(1);
                assert!(binomial(1000, cases[0], all, &mut generator) >= 999);
                continue;
            }
            for counts in replicates(7, 20, |generator| drawn(&kinds, cases.len(), generator)) {
                assert_eq!(counts.iter().sum::<u64>(), all);
            }
        }
    }

    #[test]
    fn trials_succeed_as_often_as_their_fraction_says() {
        let mut generator = ChaCha8Rng::seed_from_u64(5);
        for (part, whole) in [(0, 7), (1, 3), (1, 2), (5, 8), (7, 7), (99_999, 100_000)] {
            let (times, trials) = (4000, 130);
            let sum: u64 = (0..times)
                .map(|_| binomial(trials, part, whole, &mut generator))
                .sum();
            let share = part as f64 / whole as f64;
            let (all, mean) = ((times * trials) as f64, sum as f64);
            let error = (all * share * (1.0 - share)).sqrt();
            assert!(
                (mean - all * share).abs() <= 5.0 * error,
                "{part} of {whole}: {mean}"
            );
        }
    }
}
