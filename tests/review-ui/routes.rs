//! Every route is tested.

use axum::http::StatusCode;

use crate::fixture::{get, pages, study};

const KEY: &str = "dataset=choice&case=case%2000%2Fq%3F1&system=panel-of-three";
const RUN: &str = "/runs/emergency-triage-20261130-114822-c3c7";

/// A route and an address that it answers with 200 over the triage run.
fn rows() -> Vec<(&'static str, String)> {
    vec![
        ("/", "/".to_owned()),
        ("/runs", "/runs".to_owned()),
        ("/runs/{run}", RUN.to_owned()),
        (
            "/runs/{run}/tables/{table}",
            format!("{RUN}/tables/per-class"),
        ),
        (
            "/runs/{run}/figures/{figure}",
            format!("{RUN}/figures/accuracy"),
        ),
        (
            "/runs/{run}/samples",
            format!("{RUN}/samples?verdict=right"),
        ),
        ("/runs/{run}/sample", format!("{RUN}/sample?{KEY}")),
        ("/runs/{run}/calls", format!("{RUN}/calls?{KEY}")),
        ("/runs/{run}/text", format!("{RUN}/text?{KEY}&part=answer")),
        ("/runs/{run}/pairs", format!("{RUN}/pairs?agreement=differ")),
        (
            "/runs/{run}/pair",
            format!("{RUN}/pair?{KEY}&right=single-model"),
        ),
        (
            "/compare",
            "/compare?run=emergency-triage-20261130-114822-c3c7&run=gone".to_owned(),
        ),
        ("/static/{name}", "/static/icon.svg".to_owned()),
        ("/healthz", "/healthz".to_owned()),
    ]
}

/// An address of every route.
pub(crate) fn addresses() -> Vec<String> {
    rows().into_iter().map(|(_, address)| address).collect()
}

#[tokio::test]
async fn every_route_of_the_router_has_a_row_here_and_answers() {
    let router = include_str!("../../review-ui/src/app.rs");
    let declared: Vec<&str> = router
        .split(".route(\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let tested: Vec<&str> = rows().into_iter().map(|(route, _)| route).collect();
    assert_eq!(declared, tested);
    let runs = pages(vec![study::triage()]);
    for address in addresses() {
        assert_eq!(
            get(&runs, &address).await.status,
            StatusCode::OK,
            "{address}"
        );
    }
}

#[tokio::test]
async fn what_is_not_there_is_a_404_on_every_route() {
    let runs = pages(vec![study::triage()]);
    for address in [
        "/runs/gone".to_owned(),
        "/runs/gone/samples".to_owned(),
        "/runs/gone/pairs".to_owned(),
        "/runs/gone/tables/x".to_owned(),
        "/runs/gone/figures/x".to_owned(),
        format!("/runs/gone/sample?{KEY}"),
        format!("/runs/gone/calls?{KEY}"),
        format!("/runs/gone/pair?{KEY}"),
        format!("/runs/gone/text?{KEY}&part=answer"),
        format!("{RUN}/tables/gone"),
        format!("{RUN}/figures/gone"),
        format!("{RUN}/sample?{KEY}&epoch=9"),
        format!("{RUN}/sample?{KEY}&attempt=9"),
        format!("{RUN}/text?{KEY}&part=event&seq=999"),
        "/static/..%2Fapp.rs".to_owned(),
        "/runs/..%2F..%2Fetc%2Fpasswd".to_owned(),
    ] {
        assert_eq!(
            get(&runs, &address).await.status,
            StatusCode::NOT_FOUND,
            "{address}"
        );
    }
}

#[tokio::test]
async fn a_parameter_that_a_page_does_not_know_is_a_400_on_every_page() {
    let runs = pages(vec![study::triage()]);
    for (route, address) in rows() {
        // Neither is a page: a probe or a cache may add what it likes.
        if ["/static/{name}", "/healthz"].contains(&route) {
            continue;
        }
        let joined = if address.contains('?') { '&' } else { '?' };
        let answer = get(&runs, &format!("{address}{joined}colour=%3Cb%3E")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{route}");
        assert!(answer.body.contains("&#39;colour&#39;"), "{route}");
    }
    let answer = get(&runs, &format!("{RUN}/samples?sytem=x")).await;
    assert!(answer.body.contains("Did you mean &#39;system&#39;?"));
    let carried = get(&runs, &format!("{RUN}/sample?{KEY}&in=sytem%3Dx")).await;
    assert_eq!(carried.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn an_address_that_cannot_be_read_is_a_400() {
    let runs = pages(vec![study::triage()]);
    for address in [
        format!("{RUN}/sample"),
        format!("{RUN}/sample?{KEY}&epoch=first"),
        format!("{RUN}/sample?{KEY}&in=outcome%3Dfine"),
        format!("{RUN}/samples?after=x"),
        format!("{RUN}/samples?verdict=maybe"),
        format!("{RUN}/pairs?agreement=maybe"),
        format!("{RUN}/text?{KEY}&part=secret"),
    ] {
        assert_eq!(
            get(&runs, &address).await.status,
            StatusCode::BAD_REQUEST,
            "{address}"
        );
    }
}
