//! Headers of every kind of answer, and what error pages say.

use std::fmt::Write as _;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use tower::ServiceExt as _;

use crate::fixture::{Answer, broken, get, pages, study};

fn listed(title: &str, answer: &Answer) -> String {
    let mut text = format!("{title}: {}\n", answer.status);
    let mut names: Vec<_> = answer.headers.keys().map(ToString::to_string).collect();
    names.sort();
    for name in names {
        let value = answer.headers[&name].to_str().unwrap();
        writeln!(text, "  {name}: {value}").unwrap();
    }
    text
}

#[tokio::test]
async fn every_kind_of_answer_has_its_headers() {
    let runs = pages(vec![study::triage()]);
    let mut text = String::new();
    for (title, answer) in [
        ("page", get(&runs, "/runs").await),
        ("no page", get(&runs, "/nowhere").await),
        (
            "no address",
            get(&runs, "/runs/x/samples?outcome=fine").await,
        ),
        ("no runs", get(&broken(), "/runs").await),
        ("style", get(&runs, "/static/site.css").await),
        ("script", get(&runs, "/static/keys.js").await),
        ("health", get(&runs, "/healthz").await),
        (
            "figure",
            get(
                &runs,
                "/runs/emergency-triage-20261130-114822-c3c7/figures/accuracy",
            )
            .await,
        ),
    ] {
        let mut answer = answer;
        answer.headers.remove("content-length");
        text.push_str(&listed(title, &answer));
    }
    insta::assert_snapshot!(text);
}

#[tokio::test]
async fn a_failure_says_a_reference_and_nothing_else() {
    let answer = get(&broken(), "/runs/x").await;
    assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(answer.body.contains("Reference "), "{}", answer.body);
    assert!(!answer.body.contains("secret"), "{}", answer.body);
    assert!(!answer.body.contains("disk"), "{}", answer.body);
}

#[tokio::test]
async fn nothing_can_be_sent() {
    let request = Request::post("/runs").body(Body::empty()).unwrap();
    let answer = pages(Vec::new()).oneshot(request).await.unwrap();
    assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert!(answer.headers().contains_key("content-security-policy"));
}

#[tokio::test]
async fn no_page_has_code_or_style_of_its_own() {
    let runs = pages(vec![study::triage()]);
    for address in crate::routes::addresses() {
        let body = get(&runs, &address).await.body;
        for part in [
            "<style",
            " style=",
            "<script>",
            " onclick",
            " onload",
            "javascript:",
        ] {
            assert!(!body.contains(part), "{part} in {address}");
        }
        for part in body
            .split("src=\"")
            .skip(1)
            .chain(body.split("href=\"").skip(1))
        {
            assert!(
                part.starts_with('/') || part.starts_with('#'),
                "{address}: {}",
                &part[..40]
            );
        }
    }
}
