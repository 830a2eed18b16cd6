//! Lists are walked forth and back without losing or doubling a row.

use crate::fixture::{links, page, pages, study};

const LARGE: &str = "/runs/question-bank-20261129-090000-aaaa";

fn rows(body: &str) -> Vec<String> {
    body.split("<tr id=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().to_owned())
        .collect()
}

fn turn(body: &str, direction: &str) -> Option<String> {
    let rest = body.split(&format!("rel=\"{direction}\" href=\"")).nth(1)?;
    Some(rest.split('"').next()?.replace("&#38;", "&"))
}

#[tokio::test]
async fn every_sample_is_on_one_page_and_the_way_back_is_the_same() {
    let runs = pages(vec![study::large(65)]);
    let mut address = format!("{LARGE}/samples?specialty=Cardiology&system=always-b");
    let mut forth = Vec::new();
    let mut last = String::new();
    loop {
        let body = page(&runs, &address).await;
        forth.push(rows(&body));
        last.clone_from(&address);
        match turn(&body, "next") {
            Some(next) => address = next,
            None => break,
        }
    }
    let all: Vec<&String> = forth.iter().flatten().collect();
    assert_eq!(all.len(), 26, "13 cases, one system, two repetitions");
    let mut once = all.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), all.len());

    let mut back = vec![rows(&page(&runs, &last).await)];
    let mut body = page(&runs, &last).await;
    while let Some(previous) = turn(&body, "prev") {
        body = page(&runs, &previous).await;
        back.push(rows(&body));
    }
    back.reverse();
    assert_eq!(back.concat(), forth.concat());
}

#[tokio::test]
async fn many_pages_forth_and_back_end_where_they_began() {
    let runs = pages(vec![study::large(65)]);
    let first = page(&runs, &format!("{LARGE}/samples")).await;
    assert_eq!(rows(&first).len(), 50);
    assert!(turn(&first, "prev").is_none());
    let second = page(&runs, &turn(&first, "next").unwrap()).await;
    let again = page(&runs, &turn(&second, "prev").unwrap()).await;
    assert_eq!(rows(&again), rows(&first));
}

#[tokio::test]
async fn a_transcript_steps_through_the_filter_and_goes_back_to_its_place() {
    let runs = pages(vec![study::large(65)]);
    let list = page(
        &runs,
        &format!("{LARGE}/samples?verdict=right&system=always-b"),
    )
    .await;
    let third = links(&list, &format!("{LARGE}/sample?"))[2].clone();
    let body = page(&runs, &third).await;
    assert!(body.contains("Samples of the filter"));
    let next = page(&runs, &turn(&body, "next").unwrap()).await;
    let previous = page(&runs, &turn(&next, "prev").unwrap()).await;
    assert_eq!(previous, body);
    let back = links(&next, &format!("{LARGE}/samples?"));
    let back = back.iter().find(|link| link.contains("from=")).unwrap();
    assert!(
        back.contains("verdict=right") && back.contains("system=always-b"),
        "{back}"
    );
    let (address, anchor) = back.split_once('#').unwrap();
    let list = page(&runs, address).await;
    assert_eq!(rows(&list)[0], anchor);
}

#[tokio::test]
async fn ids_with_slashes_spaces_and_chinese_open() {
    let runs = pages(vec![study::triage()]);
    let list = page(
        &runs,
        "/runs/emergency-triage-20261130-114822-c3c7/samples?dataset=syndromes",
    )
    .await;
    let link = links(&list, "/runs/emergency-triage-20261130-114822-c3c7/sample?")[0].clone();
    assert!(link.contains("case=case%2002%2F%E8%AF%81"), "{link}");
    let body = page(&runs, &link).await;
    assert!(body.contains("case 02/证"));
    assert!(body.contains("lang=\"zh\""));
}

#[tokio::test]
async fn twenty_thousand_events_are_paged_with_the_calls_of_their_rounds() {
    let runs = pages(vec![study::long()]);
    let first = page(
        &runs,
        "/runs/endless-20261128-090000-bbbb/sample?dataset=dialogue&case=endless&system=talker",
    )
    .await;
    assert_eq!(first.matches("id=\"event-").count(), 50);
    assert_eq!(
        first.matches("id=\"call-").count(),
        15,
        "three calls in each of five rounds"
    );
    assert!(first.contains("20,000 events, 6000 model calls"));
    let second = page(&runs, &turn(&first, "next").unwrap()).await;
    assert!(second.contains("id=\"event-50\"") && second.contains("id=\"call-15\""));
    assert!(!second.contains("id=\"event-49\"") && !second.contains("id=\"call-14\""));
}
