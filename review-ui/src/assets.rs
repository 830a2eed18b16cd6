//! Style sheet, script and icon, embedded in the binary.

use axum::extract::Path;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::error::PageError;

/// One embedded file.
struct Asset {
    name: &'static str,
    kind: &'static str,
    body: &'static str,
}

const ASSETS: [Asset; 3] = [
    Asset {
        name: "site.css",
        kind: "text/css; charset=utf-8",
        body: include_str!("../../templates/review-ui/static/site.css"),
    },
    Asset {
        name: "keys.js",
        kind: "text/javascript; charset=utf-8",
        body: include_str!("../../templates/review-ui/static/keys.js"),
    },
    Asset {
        name: "icon.svg",
        kind: "image/svg+xml",
        body: include_str!("../../templates/review-ui/static/icon.svg"),
    },
];

/// `GET /static/{name}`.
pub(crate) async fn asset(Path(name): Path<String>) -> Result<Response, PageError> {
    let asset = find(&name).ok_or(PageError::NotFound("file"))?;
    let mut response = asset.body.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    // The address changes with the content, and nothing here belongs to a case.
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=31536000, immutable"),
    );
    Ok(response)
}

/// The address of a file, which changes with its content.
pub(crate) fn address(name: &str) -> String {
    let print = find(name).map_or(0, |asset| fingerprint(asset.body));
    format!("/static/{name}?v={print:016x}")
}

fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

/// FNV-1a over 64 bits: tells versions of our own files apart, no more.
pub(crate) const fn fingerprint(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0000_0100_0000_01b3);
        index += 1;
    }
    hash
}
