//! Pictures of the pages, for people.

use chromiumoxide::cdp::browser_protocol::page::CaptureScreenshotFormat;
use chromiumoxide::page::ScreenshotParams;

use super::session::Session;
use crate::fixture::{pages, study};

/// Writes a picture of every page at three widths, light and dark, into `$CONSILIUM_PICTURES`.
#[tokio::test]
#[ignore = "writes pictures; nothing to assert"]
async fn pictures() {
    let folder = std::env::var("CONSILIUM_PICTURES").expect("set CONSILIUM_PICTURES to a folder");
    let runs = vec![study::rescored(), study::triage(), study::large(200)];
    let session = Session::open(pages(runs)).await.expect("needs Chromium");
    let run = "/runs/emergency-triage-20261130-114822-c3c7";
    let zh = "dataset=syndromes&case=case%2002%2F%E8%AF%81&system=panel-of-three";
    let en = "dataset=choice&case=case%2000%2Fq%3F1&system=panel-of-three";
    let shots = [
        ("runs", "/runs".to_owned()),
        ("run", run.to_owned()),
        ("samples", format!("{run}/samples?system=single-model&verdict=unread")),
        ("sample", format!("{run}/sample?{en}")),
        ("sample-zh", format!("{run}/sample?{zh}")),
        ("calls", format!("{run}/calls?{en}")),
        ("pairs", format!("{run}/pairs?agreement=differ")),
        ("pair", format!("{run}/pair?{en}&right=single-model")),
        ("compare", "/compare?run=emergency-triage-20261130-114822-c3c7&run=emergency-triage-20261201-080000-d4d4".to_owned()),
        ("missing", "/nowhere".to_owned()),
    ];
    for (name, address) in shots {
        for (width, height) in [(360, 740), (768, 1024), (1280, 900)] {
            for scheme in ["light", "dark"] {
                session.look(width, height, scheme).await;
                session.go(&address).await;
                let params = ScreenshotParams::builder()
                    .format(CaptureScreenshotFormat::Png)
                    .full_page(true)
                    .build();
                let path = format!("{folder}/{name}-{width}-{scheme}.png");
                session.page.save_screenshot(params, path).await.unwrap();
            }
        }
    }
}
