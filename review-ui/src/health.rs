//! `GET /healthz`.

use axum::extract::State;
use axum::http::StatusCode;

use crate::AppState;

/// 200 when the runs can be listed, 503 when not; never says why to a stranger.
pub(crate) async fn healthz(State(state): State<AppState>) -> (StatusCode, &'static str) {
    match state.runs.check().await {
        Ok(()) => (StatusCode::OK, "ok\n"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "unavailable\n"),
    }
}
