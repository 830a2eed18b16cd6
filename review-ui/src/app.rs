//! The router.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::map_response;
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::TimeoutLayer;

use crate::error::{after_panic, unknown_address, unknown_method};
use crate::health::healthz;
use crate::security::add_headers;
use crate::{RunLibrary, assets, page};

/// A page that takes longer than this is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// What every page has.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The runs that can be shown.
    pub runs: Arc<dyn RunLibrary>,
}

/// Every route, with the headers that every answer carries.
pub fn app(state: AppState) -> Router {
    Router::new()
        .route("/", get(page::runs::show))
        .route("/runs", get(page::runs::show))
        .route("/runs/{run}", get(page::run::show))
        .route("/runs/{run}/tables/{table}", get(page::table::show))
        .route("/runs/{run}/figures/{figure}", get(page::figure::show))
        .route("/runs/{run}/samples", get(page::samples::show))
        .route("/runs/{run}/sample", get(page::sample::show))
        .route("/runs/{run}/calls", get(page::calls::show))
        .route("/runs/{run}/text", get(page::text::show))
        .route("/runs/{run}/pairs", get(page::pairs::show))
        .route("/runs/{run}/pair", get(page::pair::show))
        .route("/compare", get(page::compare::show))
        .route("/static/{name}", get(assets::asset))
        .route("/healthz", get(healthz))
        .fallback(unknown_address)
        .method_not_allowed_fallback(unknown_method)
        .with_state(state)
        .layer(CatchPanicLayer::custom(after_panic))
        .layer(TimeoutLayer::with_status_code(
            StatusCode::GATEWAY_TIMEOUT,
            PATIENCE,
        ))
        .layer(CompressionLayer::new())
        .layer(map_response(add_headers))
}
