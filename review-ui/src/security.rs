//! Headers of every answer.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY,
    STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::Response;

/// Nothing inline, nothing from elsewhere, no frame around us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                      font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'; object-src 'none'";

/// Nothing of the device is needed.
const PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), \
                           payment=(), usb=()";

/// Adds what the browser must know before it trusts a page; pages hold case text, so none is stored.
pub(crate) async fn add_headers(mut response: Response) -> Response {
    let headers: [(HeaderName, &'static str); 8] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // `no-referrer` would make the Origin of forms `null`.
        (REFERRER_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
        // Without effect over plain HTTP; behind a proxy with TLS it keeps readers there.
        (STRICT_TRANSPORT_SECURITY, "max-age=31536000"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
    ];
    for (name, value) in headers {
        response
            .headers_mut()
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}
