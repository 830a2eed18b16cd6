//! The limits a server states in its headers.

use std::time::Duration;

use reqwest::header::HeaderMap;

use crate::limit::{ServerLimits, StatedLimit};

/// A time this far away is a date, not a wait.
const LONGEST_RESET: Duration = Duration::from_hours(48);

/// Reads `x-ratelimit-{limit,remaining,reset}-{requests,tokens}` and the general
/// `x-ratelimit-{limit,remaining,reset}` and `ratelimit-{limit,remaining,reset}`, which count
/// requests.
pub(super) fn server_limits(headers: &HeaderMap) -> Option<ServerLimits> {
    if !headers
        .keys()
        .any(|name| name.as_str().contains("ratelimit-"))
    {
        return None;
    }
    let requests = stated(headers, "x-ratelimit-", "-requests")
        .or_else(|| stated(headers, "x-ratelimit-", ""))
        .or_else(|| stated(headers, "ratelimit-", ""));
    let limits = ServerLimits {
        requests,
        tokens: stated(headers, "x-ratelimit-", "-tokens"),
    };
    (limits != ServerLimits::default()).then_some(limits)
}

fn stated(headers: &HeaderMap, prefix: &str, suffix: &str) -> Option<StatedLimit> {
    let text = |name: &str| {
        let header = headers.get(format!("{prefix}{name}{suffix}"))?;
        header.to_str().ok().map(str::trim)
    };
    let count = |name: &str| {
        let number: f64 = text(name)?.parse().ok()?;
        (number.is_finite() && number >= 0.0).then_some(number)
    };
    Some(StatedLimit {
        limit: count("limit")?,
        remaining: count("remaining")?,
        reset: duration(text("reset")?).filter(|reset| *reset <= LONGEST_RESET)?,
    })
}

/// `6m0s`, `1h2m3.5s`, `120ms`, or seconds.
fn duration(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let letters = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let seconds = match unit {
            "d" => 86_400.0,
            "h" => 3_600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            _ => return None,
        };
        let number: f64 = number.parse().ok()?;
        total += Duration::try_from_secs_f64(number * seconds).ok()?;
        rest = after;
    }
    (total > Duration::ZERO).then_some(total)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn read(headers: &[(&'static str, &'static str)]) -> Option<ServerLimits> {
        let headers = headers.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        server_limits(&headers.collect())
    }

    #[test]
    fn durations_are_read_in_every_notation() {
        for (text, expected) in [
            ("120ms", Some(0.12)),
            ("6m0s", Some(360.0)),
            ("1h2m3.5s", Some(3723.5)),
            ("59.99", Some(59.99)),
            ("2d", Some(172_800.0)),
            ("soon", None),
            ("5 s", None),
            ("", None),
            ("-1", None),
        ] {
            let seconds = duration(text).map(|wait| wait.as_secs_f64());
            assert_eq!(seconds, expected, "{text}");
        }
    }

    #[test]
    fn requests_and_tokens_are_told_apart() {
        let limits = read(&[
            ("x-ratelimit-limit-requests", "500"),
            ("x-ratelimit-remaining-requests", "499"),
            ("x-ratelimit-reset-requests", "120ms"),
            ("x-ratelimit-limit-tokens", "30000"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "1m0s"),
        ])
        .unwrap();
        let requests = limits.requests.unwrap();
        assert_eq!((requests.limit, requests.remaining), (500.0, 499.0));
        assert_eq!(limits.tokens.unwrap().reset, Duration::from_mins(1));
    }

    #[test]
    fn general_headers_count_requests_and_dates_are_left_out() {
        let general = [
            ("ratelimit-limit", "10"),
            ("ratelimit-remaining", "3"),
            ("ratelimit-reset", "7"),
        ];
        let limits = read(&general).unwrap();
        assert_eq!(limits.requests.unwrap().reset, Duration::from_secs(7));
        let date = [
            ("x-ratelimit-limit", "10"),
            ("x-ratelimit-remaining", "3"),
            ("x-ratelimit-reset", "1796000000"),
        ];
        assert_eq!(read(&date), None);
        assert_eq!(read(&[("x-ratelimit-limit", "10")]), None);
    }
}
