//! Functions of rows: activations, softmax, norms.

use super::instructions::{Vectorised, vectorised};

/// Lanes that sums and maxima are kept in, so that they need no order of the compiler's.
const LANES: usize = 16;

/// The function between the two layers of a feed-forward block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// `x Φ(x)` by the error function.
    Gelu,
    /// `x Φ(x)` by its approximation with tanh.
    GeluTanh,
    /// `max(x, 0)`.
    Relu,
}

/// Applies an activation to every value.
#[expect(clippy::inline_always, reason = "see Vectorised")]
#[inline(always)]
pub(super) fn activate<const FUSED: bool>(activation: Activation, values: &mut [f32]) {
    match activation {
        Activation::Gelu => {
            for value in values {
                let x = *value;
                *value = 0.5 * x * (1.0 + erf::<FUSED>(x * std::f32::consts::FRAC_1_SQRT_2));
            }
        }
        Activation::GeluTanh => {
            for value in values {
                let x = *value;
                let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
                // tanh by the exponential.
                let tanh = 1.0 - 2.0 / (exp::<FUSED>(2.0 * inner) + 1.0);
                *value = 0.5 * x * (1.0 + tanh);
            }
        }
        Activation::Relu => {
            for value in values {
                *value = value.max(0.0);
            }
        }
    }
}

#[expect(clippy::inline_always, reason = "see Vectorised")]
#[inline(always)]
fn multiply_add<const FUSED: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// Horner's rule, highest coefficient first.
#[expect(clippy::inline_always, reason = "see Vectorised")]
#[inline(always)]
fn polynomial<const FUSED: bool, const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut sum = coefficients[0];
    for coefficient in &coefficients[1..] {
        sum = multiply_add::<FUSED>(sum, x, *coefficient);
    }
    sum
}

/// e to the power of x within 1e-7 of it; x is held within what a 32-bit float can say.
#[inline(always)]
fn exp<const FUSED: bool>(x: f32) -> f32 {
    // Adding it leaves the nearest whole number in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    let x = x.clamp(-87.0, 88.0);
    let shifted = multiply_add::<FUSED>(x, std::f32::consts::LOG2_E, ROUND);
    let whole = shifted - ROUND;
    let rest = multiply_add::<FUSED>(whole, -LN_2_HIGH, x);
    let rest = multiply_add::<FUSED>(whole, -LN_2_LOW, rest);
    // Coefficients of the Cephes library.
    let tail = polynomial::<FUSED, 6>(
        rest,
        [
            1.987_569_1e-4,
            1.398_2e-3,
            8.333_452e-3,
            4.166_579_6e-2,
            1.666_666_5e-1,
            5.0e-1,
        ],
    );
    let fraction = multiply_add::<FUSED>(tail, rest * rest, rest) + 1.0;
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    fraction * power
}

/// The error function within 3e-7, as a quotient of polynomials on [-4, 4].
#[expect(clippy::inline_always, reason = "see Vectorised")]
#[inline(always)]
fn erf<const FUSED: bool>(x: f32) -> f32 {
    let x = x.clamp(-4.0, 4.0);
    let square = x * x;
    let above = polynomial::<FUSED, 7>(
        square,
        [
            -2.726_142_3e-10,
            2.770_681_4e-8,
            -2.101_024e-6,
            -5.692_506_4e-5,
            -7.349_906_3e-4,
            -2.954_6e-3,
            -1.609_603_3e-2,
        ],
    );
    let below = polynomial::<FUSED, 5>(
        square,
        [
            -1.456_607_2e-5,
            -2.133_740_6e-4,
            -1.682_827e-3,
            -7.373_329e-3,
            -1.426_473_9e-2,
        ],
    );
    x * above / below
}

/// Combines the values of a row lane by lane.
#[expect(clippy::inline_always, reason = "see Vectorised")]
#[inline(always)]
fn lanes(row: &[f32], start: f32, combine: impl Fn(f32, f32) -> f32) -> [f32; LANES] {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [start; LANES];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = combine(*lane, *value);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane = combine(*lane, *value);
    }
    lanes
}

#[expect(clippy::inline_always, reason = "see Vectorised")]
#[inline(always)]
fn sum_of(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    lanes(row, 0.0, |sum, value| sum + term(value)).iter().sum()
}

#[expect(clippy::inline_always, reason = "see Vectorised")]
#[inline(always)]
fn greatest_of(row: &[f32]) -> f32 {
    // A comparison becomes one instruction, which `f32::max` with its rule for NaN does not.
    let greater = |a: f32, b: f32| if b > a { b } else { a };
    lanes(row, f32::NEG_INFINITY, greater)
        .into_iter()
        .fold(f32::NEG_INFINITY, greater)
}

struct Softmax<'data> {
    values: &'data mut [f32],
    stride: usize,
    columns: usize,
}

/// Turns the first `columns` values of every row into shares that sum to 1; rows start `stride`
/// apart.
pub(crate) fn softmax(values: &mut [f32], stride: usize, columns: usize) {
    vectorised(Softmax {
        values,
        stride,
        columns,
    });
}

impl Vectorised for Softmax<'_> {
    #[expect(clippy::inline_always, reason = "see Vectorised")]
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for row in self.values.chunks_exact_mut(self.stride) {
            let row = &mut row[..self.columns];
            let greatest = greatest_of(row);
            for value in row.iter_mut() {
                *value = exp::<FUSED>(*value - greatest);
            }
            let share = 1.0 / sum_of(row, |value| value);
            for value in row.iter_mut() {
                *value *= share;
            }
        }
    }
}

/// A layer norm: its weights, one for each column.
#[derive(Clone, Debug)]
pub(crate) struct Norm {
    pub(crate) scale: Vec<f32>,
    pub(crate) shift: Vec<f32>,
    pub(crate) epsilon: f32,
}

struct AddAndNorm<'data> {
    values: &'data mut [f32],
    addends: Option<&'data [f32]>,
    norm: &'data Norm,
}

/// Norms every row.
pub(crate) fn norm(values: &mut [f32], norm: &Norm) {
    vectorised(AddAndNorm {
        values,
        addends: None,
        norm,
    });
}

/// Adds `addends` and norms every row.
pub(crate) fn add_and_norm(values: &mut [f32], addends: &[f32], norm: &Norm) {
    vectorised(AddAndNorm {
        values,
        addends: Some(addends),
        norm,
    });
}

impl Vectorised for AddAndNorm<'_> {
    #[expect(clippy::inline_always, reason = "see Vectorised")]
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        if let Some(addends) = self.addends {
            for (value, addend) in self.values.iter_mut().zip(addends) {
                *value += addend;
            }
        }
        let width = self.norm.scale.len();
        for row in self.values.chunks_exact_mut(width) {
            let mean = sum_of(row, |value| value) / width as f32;
            let variance = sum_of(row, |value| (value - mean) * (value - mean)) / width as f32;
            let factor = 1.0 / (variance + self.norm.epsilon).sqrt();
            let weights = self.norm.scale.iter().zip(&self.norm.shift);
            for (value, (scale, shift)) in row.iter_mut().zip(weights) {
                *value = (*value - mean) * factor * scale + shift;
            }
        }
    }
}

struct UnitLength<'data> {
    values: &'data mut [f32],
    width: usize,
}

/// Divides every row by its length; a row of zeros stays.
pub(crate) fn unit_length(values: &mut [f32], width: usize) {
    vectorised(UnitLength { values, width });
}

impl Vectorised for UnitLength<'_> {
    #[expect(clippy::inline_always, reason = "see Vectorised")]
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        for row in self.values.chunks_exact_mut(self.width) {
            let length = sum_of(row, |value| value * value).sqrt();
            if length > 0.0 {
                for value in row {
                    *value /= length;
                }
            }
        }
    }
}

struct Greatest<'data> {
    values: &'data [f32],
    stride: usize,
    by_row: &'data mut [f32],
    by_column: &'data mut [f32],
}

/// Writes the greatest value of every row and of every column; rows start `stride` apart.
pub(crate) fn greatest(values: &[f32], stride: usize, by_row: &mut [f32], by_column: &mut [f32]) {
    vectorised(Greatest {
        values,
        stride,
        by_row,
        by_column,
    });
}

impl Vectorised for Greatest<'_> {
    #[expect(clippy::inline_always, reason = "see Vectorised")]
    #[inline(always)]
    fn run<const FUSED: bool>(self) {
        self.by_column.fill(f32::NEG_INFINITY);
        for (row, of_row) in self.values.chunks_exact(self.stride).zip(self.by_row) {
            let row = &row[..self.by_column.len()];
            *of_row = greatest_of(row);
            for (of_column, value) in self.by_column.iter_mut().zip(row) {
                if *value > *of_column {
                    *of_column = *value;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error function as a series, exact enough for any comparison with 32 bits.
    fn exact_erf(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            let n = f64::from(n);
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }

    #[test]
    fn activations_are_close_to_their_definitions() {
        for step in -500_i16..=500 {
            let x = f32::from(step) / 100.0;
            let exact = 0.5 * f64::from(x) * (1.0 + exact_erf(f64::from(x) / 2.0_f64.sqrt()));
            let one = |activation| {
                let mut value = [x];
                activate::<true>(activation, &mut value);
                f64::from(value[0])
            };
            assert!((one(Activation::Gelu) - exact).abs() < 1e-6, "{x}");
            // The approximation itself is off by up to 5e-4.
            assert!((one(Activation::GeluTanh) - exact).abs() < 6e-4, "{x}");
            assert!((one(Activation::Relu) - f64::from(x).max(0.0)).abs() < 1e-9);
            let power = f64::from(exp::<false>(x * 10.0)) / f64::from(x * 10.0).exp();
            assert!((power - 1.0).abs() < 3e-7, "{x}");
        }
    }

    #[test]
    fn shares_sum_to_one_and_gaps_are_kept() {
        let mut values = vec![0.0_f32; 2 * 40];
        for (index, value) in values.iter_mut().enumerate() {
            *value = (index as f32).sin() * 20.0;
        }
        let before = values.clone();
        softmax(&mut values, 40, 37);
        for (row, given) in values.chunks(40).zip(before.chunks(40)) {
            let sum: f32 = row[..37].iter().sum();
            assert!((sum - 1.0).abs() < 1e-5);
            assert_eq!(row[37..], given[37..]);
            let ratio = row[5] / row[6];
            assert!((ratio / (given[5] - given[6]).exp() - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn norms_have_mean_shift_and_spread_scale() {
        let weights = Norm {
            scale: vec![2.0; 50],
            shift: vec![3.0; 50],
            epsilon: 1e-12,
        };
        let mut values: Vec<f32> = (0..100_u8).map(|i| f32::from(i).cos()).collect();
        let addends = vec![7.0; 100];
        add_and_norm(&mut values, &addends, &weights);
        for row in values.chunks(50) {
            let mean = row.iter().sum::<f32>() / 50.0;
            let spread = row.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / 50.0;
            assert!((mean - 3.0).abs() < 1e-5 && (spread - 4.0).abs() < 1e-4);
        }
        unit_length(&mut values, 50);
        let length: f32 = values[..50].iter().map(|v| v * v).sum();
        assert!((length - 1.0).abs() < 1e-6);
        let mut zeros = [0.0; 4];
        unit_length(&mut zeros, 2);
        assert!(zeros.iter().all(|zero| *zero == 0.0));
    }

    #[test]
    fn the_greatest_are_found_by_row_and_by_column() {
        let values: Vec<f32> = (0..3 * 40).map(|i| ((i * 7) % 40) as f32 - 60.0).collect();
        let (mut by_row, mut by_column) = ([0.0; 3], [0.0; 33]);
        greatest(&values, 40, &mut by_row, &mut by_column);
        for (row, got) in by_row.iter().enumerate() {
            let exact = values[row * 40..][..33]
                .iter()
                .copied()
                .fold(-99.0, f32::max);
            assert_eq!(got.to_bits(), exact.to_bits());
        }
        for (column, got) in by_column.iter().enumerate() {
            let exact = (0..3)
                .map(|row| values[row * 40 + column])
                .fold(-99.0, f32::max);
            assert_eq!(got.to_bits(), exact.to_bits());
        }
    }
}
