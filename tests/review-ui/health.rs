//! `/healthz`.

use axum::http::StatusCode;

use crate::fixture::{broken, get, pages};

#[tokio::test]
async fn health_follows_the_runs_and_says_no_more() {
    assert_eq!(
        get(&pages(Vec::new()), "/healthz").await.status,
        StatusCode::OK
    );
    let answer = get(&broken(), "/healthz").await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.body, "unavailable\n");
}
