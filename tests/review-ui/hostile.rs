//! Hostile text in every field arrives as text.

use std::fmt::Write as _;

use crate::fixture::{get, links, page, pages, study};

/// Openings of elements, attributes, comments, template and script syntax, entities, controls.
pub(crate) const PAYLOADS: [&str; 48] = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert&#40;1&#41;</script>",
    "\"><img src=x onerror=alert(1)>",
    "'><img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "' onmouseover='alert(1)",
    "` onmouseover=`alert(1)",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "<a href=\"javascript:alert(1)\">x</a>",
    "<iframe srcdoc=\"<script>alert(1)</script>\">",
    "<object data=x>",
    "<embed src=x>",
    "<base href=//evil.example>",
    "<meta http-equiv=refresh content=\"0;url=//evil.example\">",
    "<link rel=stylesheet href=//evil.example>",
    "<style>*{display:none}</style>",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</select><script>alert(1)</script>",
    "</details></main><script>alert(1)</script>",
    "<!--",
    "--><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version=\"1.0\"?><script/>",
    "<math><mtext></mtext><script>alert(1)</script></math>",
    "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
    "<template><script>alert(1)</script></template>",
    "<form action=//evil.example><input name=q>",
    "<button formaction=javascript:alert(1)>x",
    "<input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<x contenteditable onblur=alert(1)>",
    "{{ 7*7 }}{% raw %}<b>",
    "${alert(1)}<b>",
    "&lt;script&gt;<b>",
    "&#60;script&#62;<b>",
    "\u{0}<script>alert(1)</script>\u{0}",
    "\u{202e}<b>\u{2066}\u{200b}",
    "<\u{0}script>",
    "< script >",
    "<think>TnI<ULN and BP>140</think>",
    "血钾<a且>5</a>",
    "[x](javascript:alert(1))<b>",
];

/// Every element that a page of ours holds.
const OURS: [&str; 61] = [
    "!DOCTYPE",
    "a",
    "article",
    "bdi",
    "body",
    "button",
    "code",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "head",
    "header",
    "html",
    "img",
    "input",
    "kbd",
    "label",
    "li",
    "link",
    "main",
    "meta",
    "nav",
    "ol",
    "option",
    "p",
    "pre",
    "script",
    "section",
    "select",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "ul",
    "br",
    "hr",
    "small",
    "b",
    "i",
    "col",
    "caption",
];

/// Names of the elements of a page, in order.
fn elements(page: &str) -> Vec<&str> {
    page.split('<')
        .skip(1)
        .filter(|rest| !rest.starts_with('/'))
        .map(|rest| {
            let end = rest.find(|c: char| c.is_whitespace() || c == '>');
            &rest[..end.unwrap_or(rest.len())]
        })
        .collect()
}

/// A page without the values of its form fields.
fn without_values(page: &str) -> String {
    let mut parts = page.split(" value=\"");
    let mut kept = parts.next().unwrap().to_owned();
    for part in parts {
        kept.push_str(part.split_once('"').unwrap().1);
    }
    kept
}

/// Addresses of every page of the only run, found as a reader would: by its links.
async fn reachable(runs: &axum::Router) -> Vec<String> {
    let mut found = vec!["/runs".to_owned(), "/compare".to_owned()];
    let mut index = 0;
    while index < found.len() && found.len() < 60 {
        let body = get(runs, &found[index]).await.body;
        for link in links(&body, "/") {
            let address = link.split('#').next().unwrap().to_owned();
            if !found.contains(&address) && !address.starts_with("/static/") {
                found.push(address);
            }
        }
        index += 1;
    }
    found
}

#[tokio::test]
async fn no_text_becomes_an_element_or_an_attribute_on_any_page() {
    for (number, payload) in PAYLOADS.into_iter().enumerate() {
        let runs = pages(vec![study::hostile(payload)]);
        let plain = pages(vec![study::hostile("plain")]);
        let addresses = if number % 8 == 0 {
            reachable(&runs).await
        } else {
            direct(payload)
        };
        assert!(addresses.len() > 7, "{payload}: {addresses:?}");
        for address in addresses {
            let answer = get(&runs, &address).await;
            assert!(
                answer.status.is_success(),
                "{payload}: {address}: {}",
                answer.status
            );
            if answer.headers["content-type"] == "text/plain; charset=utf-8" {
                continue;
            }
            let body = answer.body;
            for element in elements(&body) {
                assert!(
                    OURS.contains(&element) || answer.headers["content-type"] == "image/svg+xml",
                    "{payload}: <{element}> in {address}"
                );
            }
            // A form sends a name back as it stands.
            let shown = without_values(&body);
            assert!(
                !shown.contains('\u{0}') && !shown.contains('\u{202e}'),
                "{address}"
            );
            assert_eq!(
                body.matches("<script").count(),
                usize::from(body.contains("<html"))
            );
        }
        // The same pages with a harmless text have the same elements, but for `text` being cut.
        for (hostile, plain_address) in direct(payload).iter().zip(direct("plain")) {
            let one = page(&runs, hostile).await;
            let other = page(&plain, &plain_address).await;
            if !hostile.contains("/compare") {
                let strip = |names: Vec<&str>| -> Vec<String> {
                    names
                        .into_iter()
                        .filter(|name| !matches!(*name, "p" | "a" | "span"))
                        .map(str::to_owned)
                        .collect()
                };
                assert_eq!(
                    strip(elements(&one)),
                    strip(elements(&other)),
                    "{payload}: {hostile}"
                );
            }
        }
    }
}

/// The pages of a hostile run, its ids percent-encoded byte by byte.
fn direct(text: &str) -> Vec<String> {
    let mut id = String::new();
    for byte in text.bytes() {
        write!(id, "%{byte:02X}").unwrap();
    }
    let key = format!("dataset={id}&case={id}&system={id}");
    vec![
        "/runs".to_owned(),
        format!("/compare?run={id}"),
        format!("/runs/{id}"),
        format!("/runs/{id}/tables/{id}"),
        format!("/runs/{id}/samples"),
        format!("/runs/{id}/sample?{key}"),
        format!("/runs/{id}/calls?{key}"),
        format!("/runs/{id}/pairs"),
        format!("/runs/{id}/pair?{key}"),
    ]
}

#[tokio::test]
async fn what_is_shown_is_what_was_written() {
    let text = "TnI<ULN and BP>140 <think>x</think> 血钾<a且>5 \"quoted\" & 'so'";
    let runs = pages(vec![study::hostile(text)]);
    let address = &direct(text)[5];
    let body = page(&runs, address).await;
    let shown: Vec<String> = body
        .split("class=\"text\"")
        .skip(1)
        .map(|rest| {
            let inner = rest
                .split_once('>')
                .unwrap()
                .1
                .split_once("</div>")
                .unwrap()
                .0;
            inner
                .replace("&#60;", "<")
                .replace("&#62;", ">")
                .replace("&#34;", "\"")
                .replace("&#39;", "'")
                .replace("&#38;", "&")
        })
        .collect();
    assert!(
        shown.iter().filter(|one| *one == text).count() >= 10,
        "{shown:#?}"
    );
}

#[tokio::test]
async fn a_search_word_is_escaped_where_it_is_shown_again() {
    let runs = pages(vec![study::triage()]);
    let body = page(
        &runs,
        "/runs/emergency-triage-20261130-114822-c3c7/samples?q=%22%3E%3Cscript%3E",
    )
    .await;
    assert!(
        body.contains("value=\"&#34;&#62;&#60;script&#62;\""),
        "{body}"
    );
    assert!(body.contains("No sample meets all of these conditions."));
}
