//! What the pages say.

use axum::http::StatusCode;
use consilium_core::SampleKey;

use crate::fixture::{get, links, page, pages, study};

const RUN: &str = "/runs/emergency-triage-20261130-114822-c3c7";

fn sample(case: &str, system: &str) -> String {
    format!("{RUN}/sample?dataset=choice&case={case}&system={system}")
}

#[tokio::test]
async fn an_empty_folder_says_what_a_run_is() {
    let body = page(&pages(Vec::new()), "/").await;
    assert!(body.contains("There is no run here yet."));
    assert!(body.contains("consilium quickstart"));
}

#[tokio::test]
async fn a_run_warns_before_it_shows_numbers() {
    let body = page(&pages(vec![study::triage()]), RUN).await;
    for text in [
        "This run is incomplete: 6 of 96 samples are missing.",
        "1 sample could not be answered because servers or limits failed (1 server failed).",
        "Model drift: backend local was asked for medium-7b, and 2 different models answered",
        "1 row of dataset choice could not be read",
        "Single run",
        "is not validated by experts",
        "$3.42, without 12 unpriced calls",
    ] {
        let escaped = text.replace('\'', "&#39;");
        assert!(body.contains(&escaped), "{text}");
    }
    assert!(
        !body.contains("/home/researcher"),
        "folders of a machine are nobody's business"
    );
}

#[tokio::test]
async fn a_table_has_value_interval_n_method_and_query() {
    let body = page(&pages(vec![study::triage()]), RUN).await;
    for text in [
        "<span class=\"value\">71.0</span>",
        "<span class=\"interval\">66.5–75.5</span>",
        "n&nbsp;400",
        "Method: 95 % percentile bootstrap resampling cases",
        "The query behind it",
        "value &#60; 2",
        "<li>one class only</li>",
        "12 of 170 rows are shown here.",
    ] {
        assert!(body.contains(text), "{text}");
    }
}

#[tokio::test]
async fn a_filter_counts_what_it_shows() {
    let runs = pages(vec![study::triage()]);
    let body = page(&runs, &format!("{RUN}/samples?system=single-model")).await;
    assert!(body.contains("<strong>30</strong> samples"));
    for ending in ["refused", "cut short", "server failed"] {
        assert!(body.contains(ending), "{ending}");
    }
    let unread = page(
        &runs,
        &format!("{RUN}/samples?system=single-model&verdict=unread"),
    )
    .await;
    assert!(unread.contains("no answer found in the text"));
    let search = page(&runs, &format!("{RUN}/samples?q=%E8%88%8C%E6%B7%A1")).await;
    assert!(
        search.contains("<strong>30</strong> samples"),
        "ten Chinese cases, three systems"
    );
    assert!(search.contains("value=\"舌淡\""));
}

#[tokio::test]
async fn a_transcript_shows_case_gold_turns_and_calls_in_order() {
    let body = page(
        &pages(vec![study::triage()]),
        &sample("case%2000%2Fq%3F1", "panel-of-three"),
    )
    .await;
    let places: Vec<usize> = [
        "Case, as the system saw it",
        "Nitroglycerin",
        "no system saw what is inside this border",
        ">Answer</h2>",
        ">Transcript</h2>",
        "Please give your first opinion.",
        ">Round 1</h3>",
        "id=\"event-1\"",
        "Model calls of round 1",
        "id=\"call-0\"",
        ">Round 2</h3>",
        "id=\"call-4\"",
        "The panel agrees.</div>",
        "Further model calls",
    ]
    .iter()
    .map(|text| body.find(text).unwrap_or_else(|| panic!("{text}")))
    .collect();
    assert!(places.is_sorted(), "{places:?}");
    for text in [
        "206 + 48 tokens",
        "$0.0010",
        "912 ms",
        "ended: stop",
        "6 tries",
        "HTTP 429: too many requests",
        "First the leads, then the drugs.",
        "invalid characters replaced",
        "血压[U+0000]下降 [U+202E]fi",
        "2 characters that cannot be seen are shown by their codes.",
    ] {
        assert!(body.contains(text), "{text}");
    }
}

#[tokio::test]
async fn a_failed_attempt_is_still_there() {
    let runs = pages(vec![study::triage()]);
    let body = page(&runs, &sample("case%2007%2Fq%3F1", "single-model")).await;
    assert!(body.contains("Attempts</h2>"));
    let first = links(&body, RUN)
        .into_iter()
        .find(|link| link.contains("attempt=1") && link.contains("/sample?"))
        .unwrap();
    assert!(page(&runs, &first).await.contains("HTTP 503 after 5 tries"));
}

#[tokio::test]
async fn five_megabytes_are_cut_and_can_be_had_in_full() {
    let mut run = study::triage();
    let key = SampleKey::new("choice", "case 00/q?1", "single-model", 1);
    let long = "heart & lung 心\u{0} ".repeat(300_000);
    run.samples.get_mut(&key).unwrap().attempts[0].answer = Some(long.clone());
    run.samples.get_mut(&key).unwrap().calls[0].response = Some(long.clone());
    let runs = pages(vec![run]);
    let body = page(&runs, &sample("case%2000%2Fq%3F1", "single-model")).await;
    assert!(body.len() < 100_000, "{}", body.len());
    assert!(body.contains("The first 4000 of 4,800,000 characters."));
    let downloads = links(&body, &format!("{RUN}/text?"));
    let answer = downloads
        .iter()
        .find(|link| link.contains("part=answer"))
        .unwrap();
    let whole = get(&runs, answer).await;
    assert_eq!(whole.status, StatusCode::OK);
    assert_eq!(whole.headers["content-type"], "text/plain; charset=utf-8");
    assert!(
        whole.headers["content-disposition"]
            .to_str()
            .unwrap()
            .starts_with("attachment")
    );
    assert_eq!(whole.body, long);
}

#[tokio::test]
async fn two_systems_stand_beside_each_other() {
    let runs = pages(vec![study::triage()]);
    let list = page(
        &runs,
        &format!("{RUN}/pairs?left=panel-of-three&right=single-model&agreement=differ"),
    )
    .await;
    let pair = links(&list, &format!("{RUN}/pair?"))[0].clone();
    let body = page(&runs, &pair).await;
    for text in [
        "panel-of-three",
        "single-model",
        "Whole transcript",
        "Before the first round",
    ] {
        assert!(body.contains(text), "{text}");
    }
}

#[tokio::test]
async fn numbers_of_another_scoring_are_marked() {
    let runs = pages(vec![study::rescored(), study::triage()]);
    let body = page(
        &runs,
        "/compare?run=emergency-triage-20261130-114822-c3c7&run=emergency-triage-20261201-080000-d4d4",
    )
    .await;
    assert!(body.contains("Not all of these numbers may be compared"));
    assert!(body.contains("choice|rev:2") && body.contains("choice|rev:3"));
    assert_eq!(
        body.matches("not comparable").count(),
        3,
        "three systems of the second run"
    );
    let same = page(
        &pages(vec![study::triage()]),
        "/compare?run=emergency-triage-20261130-114822-c3c7",
    )
    .await;
    assert!(!same.contains("may be compared:"));
}
