//! A reader without a mouse, and one without scripts.

use super::session::Session;
use crate::fixture::{pages, study};

const LARGE: &str = "/runs/question-bank-20261129-090000-aaaa";

#[tokio::test]
async fn a_transcript_of_twenty_thousand_samples_is_reached_by_keys_alone() {
    let Some(session) = Session::open(pages(vec![study::large(5_000)])).await else {
        return;
    };
    session.look(1280, 900, "light").await;
    session.go("/runs").await;
    session.press("Tab").await;
    let focused: String = session.ask("document.activeElement.textContent").await;
    assert_eq!(focused, "Skip to the content");
    let outline: String = session
        .ask("getComputedStyle(document.activeElement).outlineStyle")
        .await;
    assert_eq!(outline, "solid", "focus is seen");
    session.press("j").await;
    assert_eq!(session.follow("Enter").await, LARGE);

    session
        .go(&format!("{LARGE}/samples?specialty=Urology"))
        .await;
    let total: String = session
        .ask("document.querySelector('.total').textContent")
        .await;
    assert_eq!(total, "4000 samples");
    let first = session.path().await;
    let second = session.follow("n").await;
    assert!(second.contains("after="), "{second}");
    assert!(
        session.follow("p").await.contains("before="),
        "from {first}"
    );

    session.press("j").await;
    session.press("j").await;
    let transcript = session.follow("Enter").await;
    assert!(
        transcript.starts_with(&format!("{LARGE}/sample?")),
        "{transcript}"
    );
    let next = session.follow("n").await;
    assert_ne!(next, transcript);
    assert_eq!(session.follow("p").await, transcript);
    let back = session.follow("u").await;
    assert!(
        back.contains("specialty=Urology") && back.contains("from="),
        "{back}"
    );

    // Letters in a field are letters.
    session
        .ask::<bool>("document.querySelector('input[name=q]').focus() || true")
        .await;
    for key in ["n", "p", "u"] {
        session.press(key).await;
    }
    let typed: String = session
        .ask("document.querySelector('input[name=q]').value")
        .await;
    assert_eq!(typed, "npu");
    session.close().await;
}

#[tokio::test]
async fn the_filter_works_without_scripts() {
    let Some(session) = Session::open(pages(vec![study::triage()])).await else {
        return;
    };
    session.look(768, 1024, "light").await;
    session.scripts(false).await;
    session
        .go("/runs/emergency-triage-20261130-114822-c3c7/samples")
        .await;
    let search = session.page.find_element("input[name=q]").await.unwrap();
    search.focus().await.unwrap();
    for key in ["n", "i", "t", "r", "o"] {
        session.press(key).await;
    }
    session.press("Enter").await;
    session
        .until("location.search.includes('q=nitro') && document.readyState === 'complete'")
        .await;
    let rows: u32 = session
        .ask("document.querySelectorAll('tbody tr').length")
        .await;
    assert_eq!(rows, 0, "options are no field of the question");
    session.close().await;
}
