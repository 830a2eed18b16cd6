//! `/healthz` and the headers of every answer.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use consilium_review::{AppState, LibraryError, RunCard, RunLibrary, app};
use tower::ServiceExt as _;

#[derive(Debug)]
struct Runs(bool);

impl RunLibrary for Runs {
    fn list(&self) -> Result<Vec<RunCard>, LibraryError> {
        if self.0 {
            Ok(Vec::new())
        } else {
            Err(LibraryError {
                message: "secret/path".to_owned(),
            })
        }
    }
}

async fn get(readable: bool, path: &str) -> axum::response::Response {
    let request = Request::get(path).body(Body::empty()).unwrap();
    app(AppState {
        runs: Arc::new(Runs(readable)),
    })
    .oneshot(request)
    .await
    .unwrap()
}

#[tokio::test]
async fn health_follows_the_runs_and_says_no_more() {
    assert_eq!(get(true, "/healthz").await.status(), StatusCode::OK);
    let response = get(false, "/healthz").await;
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    let body = axum::body::to_bytes(response.into_body(), 1000)
        .await
        .unwrap();
    assert_eq!(body, "unavailable\n");
}

#[tokio::test]
async fn every_answer_forbids_inline_code_even_when_there_is_no_page() {
    for path in ["/healthz", "/nowhere"] {
        let response = get(true, path).await;
        let policy = response.headers()["content-security-policy"]
            .to_str()
            .unwrap()
            .to_owned();
        assert!(
            policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert_eq!(response.headers()["cache-control"], "no-store");
    }
}
