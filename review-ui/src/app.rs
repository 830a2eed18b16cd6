//! The router.

use std::sync::Arc;

use axum::Router;
use axum::middleware::map_response;
use axum::routing::get;

use crate::RunLibrary;
use crate::health::healthz;
use crate::security::add_headers;

/// What every page has.
#[derive(Clone, Debug)]
pub struct AppState {
    /// The runs that can be shown.
    pub runs: Arc<dyn RunLibrary>,
}

/// Every route, with the headers that every answer carries.
pub fn app(state: AppState) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .with_state(state)
        .layer(map_response(add_headers))
}
