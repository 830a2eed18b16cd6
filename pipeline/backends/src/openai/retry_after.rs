//! The wait a server asks for.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use consilium_core::{Clock, SystemClock};
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// Reads `retry-after-ms`, and `Retry-After` as seconds or as a date.
///
/// A date is measured against the server's own `Date`, so that a wrong clock here does not matter.
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    if let Some(wait) = text("retry-after-ms").and_then(|text| seconds(text, 1e-3)) {
        return Some(wait);
    }
    let asked = text(RETRY_AFTER.as_str())?;
    seconds(asked, 1.0).or_else(|| {
        let at = httpdate::parse_http_date(asked).ok()?;
        let now = text(DATE.as_str()).and_then(|date| httpdate::parse_http_date(date).ok());
        let now = now.unwrap_or_else(machine_time);
        Some(at.duration_since(now).unwrap_or_default())
    })
}

fn seconds(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(number * unit).ok()
}

fn machine_time() -> SystemTime {
    let micros = u64::try_from(SystemClock.now_micros()).unwrap_or_default();
    UNIX_EPOCH + Duration::from_micros(micros)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<f64> {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (
                    HeaderName::from_static(name),
                    HeaderValue::from_static(value),
                )
            })
            .collect();
        retry_after(&headers).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn every_form_is_read() {
        let date = ("date", "Mon, 30 Nov 2026 09:00:00 GMT");
        assert_eq!(wait(&[("retry-after", "7")]), Some(7.0));
        assert_eq!(wait(&[("retry-after", "0.5")]), Some(0.5));
        assert_eq!(
            wait(&[("retry-after", "7"), ("retry-after-ms", "250")]),
            Some(0.25)
        );
        assert_eq!(
            wait(&[date, ("retry-after", "Mon, 30 Nov 2026 09:00:12 GMT")]),
            Some(12.0)
        );
        assert_eq!(
            wait(&[date, ("retry-after", "Mon, 30 Nov 2026 08:00:00 GMT")]),
            Some(0.0)
        );
        assert_eq!(
            wait(&[("retry-after", "Mon, 30 Nov 1998 08:00:00 GMT")]),
            Some(0.0)
        );
    }

    #[test]
    fn nonsense_is_ignored() {
        for nonsense in ["soon", "-3", "NaN", "inf", ""] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        assert_eq!(wait(&[]), None);
    }
}
