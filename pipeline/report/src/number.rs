//! How numbers are printed: the decimals of a column are chosen once, so that its points align.

use consilium_core::Unit;

/// Printed in place of a number that is missing.
pub(crate) const DASH: &str = "—";

/// Scale and decimals of one column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NumberStyle {
    scale: f64,
    decimals: usize,
    /// Intervals with a negative end read `−1.2 to 3.4`, since a dash would look like a minus.
    worded: bool,
}

impl NumberStyle {
    /// Chooses the style from all numbers of the column, interval ends included.
    pub(crate) fn choose(unit: Unit, numbers: &[f64]) -> Self {
        let largest = numbers
            .iter()
            .fold(0.0_f64, |largest, number| largest.max(number.abs()));
        let whole = numbers.iter().all(|number| number.fract() == 0.0);
        let decimals = match unit {
            Unit::Usd if largest < 1.0 => 4,
            Unit::Score if largest <= 1.0 => 3,
            Unit::Usd | Unit::Score => 2,
            Unit::Plain | Unit::Milliseconds | Unit::Tokens if whole => 0,
            Unit::Milliseconds | Unit::Tokens => usize::from(largest < 100.0),
            Unit::Plain if largest < 10.0 => 3,
            Unit::Plain if largest < 100.0 => 2,
            Unit::Share | Unit::Plain => 1,
        };
        let scale = if unit == Unit::Share { 100.0 } else { 1.0 };
        Self {
            scale,
            decimals,
            worded: numbers.iter().any(|number| *number < 0.0),
        }
    }

    /// Digits behind the point.
    pub(crate) const fn decimals(self) -> usize {
        self.decimals
    }

    /// The number, rounded; a zero has no sign.
    pub(crate) fn print(self, number: f64) -> String {
        let digits = format!("{:.*}", self.decimals, (number * self.scale).abs());
        let zero = digits.bytes().all(|byte| byte == b'0' || byte == b'.');
        let sign = if number < 0.0 && !zero { "−" } else { "" };
        format!("{sign}{}", grouped(&digits))
    }

    /// As [`print`](Self::print), but a number that rounds to zero without being it says so.
    pub(crate) fn print_bounded(self, number: f64) -> String {
        let least = 0.1_f64.powi(i32::try_from(self.decimals).unwrap_or(0));
        if number != 0.0 && (number * self.scale).abs() < least / 2.0 {
            let bound = format!("{least:.*}", self.decimals);
            return if number > 0.0 {
                format!("<{bound}")
            } else {
                format!(">−{bound}")
            };
        }
        self.print(number)
    }

    /// The interval in parentheses; `None` when both ends are missing.
    pub(crate) fn print_interval(self, low: Option<f64>, high: Option<f64>) -> Option<String> {
        if low.is_none() && high.is_none() {
            return None;
        }
        let end = |end: Option<f64>| end.map_or_else(|| "?".to_owned(), |end| self.print(end));
        let between = if self.worded { " to " } else { "–" };
        Some(format!("({}{between}{})", end(low), end(high)))
    }
}

/// What the unit adds to a heading.
pub(crate) fn unit_suffix(unit: Unit) -> Option<&'static str> {
    match unit {
        Unit::Plain | Unit::Score => None,
        Unit::Share => Some("%"),
        Unit::Usd => Some("US$"),
        Unit::Milliseconds => Some("ms"),
        Unit::Tokens => Some("tokens"),
    }
}

/// A count with its thousands grouped.
pub(crate) fn print_count(count: i64) -> String {
    let sign = if count < 0 { "−" } else { "" };
    format!("{sign}{}", grouped(&count.unsigned_abs().to_string()))
}

/// Groups from five digits on, as journals do.
fn grouped(digits: &str) -> String {
    let (whole, rest) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    if whole.len() < 5 {
        return digits.to_owned();
    }
    let mut out = String::with_capacity(digits.len() + whole.len() / 3);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percentages_with_one_decimal() {
        let style = NumberStyle::choose(Unit::Share, &[0.552, 0.521, 0.583]);
        assert_eq!(style.print(0.552), "55.2");
        assert_eq!(
            style.print_interval(Some(0.521), Some(0.583)).unwrap(),
            "(52.1–58.3)"
        );
        assert_eq!(style.print(1.0), "100.0");
        assert_eq!(style.print_interval(None, None), None);
    }

    #[test]
    fn an_interval_with_a_negative_end_is_worded() {
        let style = NumberStyle::choose(Unit::Share, &[-0.02, -0.05, 0.01]);
        assert_eq!(style.print(-0.02), "−2.0");
        assert_eq!(
            style.print_interval(Some(-0.05), Some(0.01)).unwrap(),
            "(−5.0 to 1.0)"
        );
        assert_eq!(style.print(-0.0001), "0.0", "no negative zero");
    }

    #[test]
    fn small_numbers_are_not_printed_as_zero() {
        let style = NumberStyle::choose(Unit::Plain, &[0.00002, 0.5]);
        assert_eq!(style.print_bounded(0.00002), "<0.001");
        assert_eq!(style.print_bounded(0.0), "0.000");
        assert_eq!(style.print_bounded(-0.00002), ">−0.001");
    }

    #[test]
    fn decimals_follow_unit_and_size() {
        assert_eq!(
            NumberStyle::choose(Unit::Usd, &[0.0123]).print(0.0123),
            "0.0123"
        );
        assert_eq!(NumberStyle::choose(Unit::Usd, &[12.5]).print(12.5), "12.50");
        assert_eq!(
            NumberStyle::choose(Unit::Plain, &[3.0, 12.0]).print(12.0),
            "12"
        );
        assert_eq!(
            NumberStyle::choose(Unit::Milliseconds, &[1500.5]).print(1500.5),
            "1500"
        );
    }

    #[test]
    fn thousands_are_grouped_from_five_digits() {
        assert_eq!(print_count(2026), "2026");
        assert_eq!(print_count(-1_234_567), "−1,234,567");
        assert_eq!(grouped("12345.5"), "12,345.5");
    }
}
