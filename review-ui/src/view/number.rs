//! How numbers and times are printed.

use consilium_core::Unit;
use jiff::Timestamp;

/// Printed in place of a number that is missing.
pub(crate) const DASH: &str = "—";

/// A count, its thousands grouped from five digits on, as journals do.
pub(crate) fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// US dollars, with as many decimals as a small sum needs.
pub(crate) fn usd(dollars: f64) -> String {
    let decimals = if dollars.abs() < 1.0 { 4 } else { 2 };
    format!("${}", fixed(dollars, decimals))
}

/// A duration in the unit a reader would choose.
pub(crate) fn duration(milliseconds: f64) -> String {
    if milliseconds < 1_000.0 {
        return format!("{milliseconds:.0} ms");
    }
    let seconds = milliseconds / 1_000.0;
    if seconds < 99.95 {
        return format!("{seconds:.1} s");
    }
    let minutes = (seconds / 60.0).round();
    if minutes < 100.0 {
        return format!("{minutes:.0} min");
    }
    format!("{} h", fixed(seconds / 3_600.0, 1))
}

/// A share of a whole; never 0 % or 100 % unless it is.
pub(crate) fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return DASH.to_owned();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    match () {
        () if part > 0 && percent < 0.1 => "<0.1 %".to_owned(),
        () if part < whole && percent > 99.9 => ">99.9 %".to_owned(),
        () => format!("{percent:.1} %"),
    }
}

/// A value of a column with a unit; the unit itself stands in the heading.
pub(crate) fn value(number: f64, unit: Unit) -> String {
    let decimals = match unit {
        Unit::Share => return fixed(number * 100.0, 1),
        Unit::Usd if number.abs() < 1.0 => 4,
        Unit::Milliseconds | Unit::Tokens if number.abs() >= 100.0 => 0,
        Unit::Milliseconds | Unit::Tokens => 1,
        Unit::Score if number.abs() <= 1.0 => 3,
        Unit::Plain if number.fract() == 0.0 => 0,
        Unit::Plain if number.abs() < 10.0 => 3,
        Unit::Plain | Unit::Score | Unit::Usd => 2,
    };
    fixed(number, decimals)
}

/// An interval; worded where a dash would look like a minus.
pub(crate) fn interval(low: Option<f64>, high: Option<f64>, unit: Unit) -> Option<String> {
    if low.is_none() && high.is_none() {
        return None;
    }
    let end = |end: Option<f64>| end.map_or_else(|| "?".to_owned(), |end| value(end, unit));
    let worded = [low, high].into_iter().flatten().any(|end| end < 0.0);
    let between = if worded { " to " } else { "–" };
    Some(format!("{}{between}{}", end(low), end(high)))
}

/// What the unit adds to a heading.
pub(crate) const fn unit_name(unit: Unit) -> Option<&'static str> {
    match unit {
        Unit::Plain | Unit::Score => None,
        Unit::Share => Some("%"),
        Unit::Usd => Some("US$"),
        Unit::Milliseconds => Some("ms"),
        Unit::Tokens => Some("tokens"),
    }
}

/// A moment, for readers and for machines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moment {
    /// `2026-11-30 11:48 UTC`.
    pub text: String,
    /// RFC 3339.
    pub machine: String,
}

impl Moment {
    /// From microseconds since the Unix epoch.
    pub(crate) fn new(microseconds: i64) -> Self {
        match Timestamp::from_microsecond(microseconds) {
            Ok(time) => Self {
                text: time.strftime("%Y-%m-%d %H:%M UTC").to_string(),
                machine: time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            },
            Err(_) => Self {
                text: "unknown".to_owned(),
                machine: String::new(),
            },
        }
    }
}

fn fixed(number: f64, decimals: usize) -> String {
    if !number.is_finite() {
        return DASH.to_owned();
    }
    let digits = format!("{:.*}", decimals, number.abs());
    let zero = digits.bytes().all(|byte| byte == b'0' || byte == b'.');
    let sign = if number < 0.0 && !zero { "−" } else { "" };
    format!("{sign}{}", grouped(&digits))
}

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
    fn counts_group_from_five_digits() {
        assert_eq!(count(2026), "2026");
        assert_eq!(count(1_234_567), "1,234,567");
    }

    #[test]
    fn a_share_is_never_rounded_to_all_or_nothing() {
        assert_eq!(share(1, 100_000), "<0.1 %");
        assert_eq!(share(99_999, 100_000), ">99.9 %");
        assert_eq!(share(0, 5), "0.0 %");
        assert_eq!(share(5, 5), "100.0 %");
        assert_eq!(share(0, 0), DASH);
    }

    #[test]
    fn durations_choose_their_unit() {
        assert_eq!(duration(840.4), "840 ms");
        assert_eq!(duration(3_240.0), "3.2 s");
        assert_eq!(duration(600_000.0), "10 min");
        assert_eq!(duration(36_000_000.0), "10.0 h");
    }

    #[test]
    fn values_follow_their_unit_and_intervals_keep_their_signs() {
        assert_eq!(value(0.5523, Unit::Share), "55.2");
        assert_eq!(value(-0.00001, Unit::Share), "0.0");
        assert_eq!(value(12_345.6, Unit::Tokens), "12,346");
        assert_eq!(value(0.0123, Unit::Usd), "0.0123");
        assert_eq!(value(f64::NAN, Unit::Plain), DASH);
        assert_eq!(
            interval(Some(-0.05), Some(0.01), Unit::Share).unwrap(),
            "−5.0 to 1.0"
        );
        assert_eq!(interval(None, None, Unit::Share), None);
    }

    #[test]
    fn a_moment_is_in_utc_and_an_impossible_one_is_unknown() {
        assert_eq!(
            Moment::new(1_796_039_302_000_000).text,
            "2026-11-30 11:48 UTC"
        );
        assert_eq!(Moment::new(i64::MAX).text, "unknown");
    }
}
