//! Three widths, light and dark: nothing overflows, nothing is complained of.

use super::session::Session;
use crate::fixture::{pages, study};

const WIDTHS: [(i64, i64); 3] = [(360, 740), (768, 1024), (1280, 900)];

/// Lowest contrast of text on its background, over elements that hold text of their own.
const CONTRAST: &str = r#"(() => {
  const parse = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  let lowest = [99, ""];
  for (const element of document.querySelectorAll("body *")) {
    const own = Array.from(element.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.checkVisibility()) continue;
    let under = element;
    let back = parse(getComputedStyle(under).backgroundColor);
    while (under.parentElement && (back.length === 4 && back[3] === 0)) {
      under = under.parentElement;
      back = parse(getComputedStyle(under).backgroundColor);
    }
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < lowest[0]) lowest = [ratio, element.tagName + "." + element.className];
  }
  return lowest;
})()"#;

#[tokio::test]
async fn every_page_fits_every_width_in_light_and_dark() {
    let Some(session) = Session::open(pages(vec![study::rescored(), study::triage()])).await else {
        return;
    };
    let mut addresses = crate::routes::addresses();
    addresses.retain(|address| {
        !["/static/", "/figures/", "/text?", "/healthz"]
            .iter()
            .any(|part| address.contains(part))
    });
    addresses.push("/compare?run=emergency-triage-20261130-114822-c3c7&run=emergency-triage-20261201-080000-d4d4".to_owned());
    for address in &addresses {
        for (width, height) in WIDTHS {
            for scheme in ["light", "dark"] {
                session.look(width, height, scheme).await;
                session.go(address).await;
                session.ask::<bool>("document.querySelectorAll('details').forEach((d) => d.open = true) || true").await;
                let widths: (i64, i64) = session
                    .ask("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
                    .await;
                assert!(widths.0 <= widths.1, "{address} at {width}: {widths:?}");
                let (ratio, what): (f64, String) = session.ask(CONTRAST).await;
                assert!(
                    ratio >= 4.5,
                    "{address}, {scheme}: contrast {ratio:.2} of {what}"
                );
            }
        }
    }
    session.close().await;
}

#[tokio::test]
async fn hostile_text_neither_runs_nor_turns_the_page() {
    let mut runs = Vec::new();
    for payload in [
        "\"><img src=x onerror=alert(1)><script>alert(1)</script>",
        "</title></select></details><svg onload=alert(1)>\u{202e}",
    ] {
        runs.push(study::hostile(payload));
    }
    let Some(session) = Session::open(pages(runs)).await else {
        return;
    };
    session.go("/runs").await;
    let mut addresses: Vec<String> = session
        .ask("Array.from(document.querySelectorAll('a.row')).map((a) => a.getAttribute('href'))")
        .await;
    assert_eq!(addresses.len(), 2);
    for address in addresses.clone() {
        addresses.push(format!("{address}/samples"));
        addresses.push(format!("{address}/pairs"));
        session.go(&format!("{address}/samples")).await;
        addresses.push(
            session
                .ask("document.querySelector('a.row').getAttribute('href')")
                .await,
        );
    }
    for address in addresses {
        session.go(&address).await;
        let strangers: u32 = session
            .ask("document.querySelectorAll('svg, script:not([src^=\"/static/\"]), img:not([src^=\"/runs/\"]), [onerror], [onload]').length")
            .await;
        assert_eq!(strangers, 0, "{address}");
        let title: String = session.ask("document.title").await;
        assert!(title.ends_with("· Consilium"), "{title}");
    }
    session.close().await;
}
