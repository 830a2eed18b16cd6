//! The run browser over the binary's own runs.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use crate::program::{Workplace, choice_cases};

/// A server that ends with the test.
struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(place: &Workplace) -> Self {
        let mut process = place
            .command(&["serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().to_owned();
        Self { process, address }
    }

    /// Status and body of a page, as asked for under some host name.
    fn ask(&self, path: &str, host: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        // Pages are small enough to come in one piece, or in chunks whose sizes do no harm here.
        (status, body.to_owned())
    }

    fn page(&self, path: &str) -> String {
        let (status, body) = self.ask(path, &self.address);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// Addresses on a page that hold some text, in order and each once.
fn links(page: &str, part: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for rest in page.split("href=\"").skip(1) {
        let link = rest.split('"').next().unwrap().replace("&#38;", "&");
        if link.contains(part) && !found.contains(&link) {
            found.push(link);
        }
    }
    found
}

fn finished_run(place: &Workplace, cases: usize) -> String {
    place.write("cases.jsonl", choice_cases(cases));
    let study = place.write(
        "study.toml",
        r#"
[study]
name = "shown"
[[dataset]]
name = "cases"
adapter = "table"
path = "cases.jsonl"
answer_form = "choice"
fields = { id = "id", question = "question", options = "options", gold = "answer" }
[[backend]]
name = "sim"
kind = "simulated"
accuracy = 0.5
[[system]]
name = "asked"
solver = "direct"
backend = "sim"
[[system]]
name = "always-a"
solver = "constant"
variant = { answer = "A" }
"#,
    );
    let run = place.run(&["run", study.to_str().unwrap()]);
    run.run().rsplit('/').next().unwrap().to_owned()
}

#[test]
fn runs_samples_and_transcripts_can_be_read_in_a_browser() {
    let place = Workplace::new();
    let run = finished_run(&place, 130);
    let server = Server::start(&place);
    let base = format!("/runs/{run}");

    assert_eq!(server.page("/healthz"), "ok\n");
    assert!(server.page("/runs").contains(&run));
    let overview = server.page(&base);
    // Letters go by turns, so that A is right in 33 of 130 cases.
    assert!(overview.contains("25.4"), "{overview}");

    // Page by page every sample of the filter comes once.
    let mut path = Some(format!("{base}/samples?system=always-a"));
    let (mut seen, mut pages) = (Vec::new(), 0);
    while let Some(at) = path {
        let page = server.page(&at);
        seen.extend(links(&page, &format!("{base}/sample?")));
        path = links(&page, "after=").pop();
        pages += 1;
    }
    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!((pages, seen.len(), distinct.len()), (3, 130, 130));

    let right = server.page(&format!("{base}/samples?system=always-a&verdict=right"));
    assert_eq!(links(&right, &format!("{base}/sample?")).len(), 33);
    let found = server.page(&format!("{base}/samples?q=question+77%3A"));
    assert_eq!(links(&found, &format!("{base}/sample?")).len(), 2);

    let sample = format!("{base}/sample?dataset=cases&case=case-00077&system=asked&epoch=1");
    let transcript = server.page(&sample);
    assert!(
        transcript.contains("Question 77: which one?"),
        "{transcript}"
    );
    let calls = server.page(&sample.replace("/sample?", "/calls?"));
    assert!(calls.contains("beta 77"), "{calls}");
    let pairs = server.page(&format!("{base}/pairs?left=asked&right=always-a"));
    assert!(!links(&pairs, &format!("{base}/pair?")).is_empty());
}

#[test]
fn what_is_not_there_is_not_found_and_other_names_are_refused() {
    let place = Workplace::new();
    let run = finished_run(&place, 4);
    place.write("secret/manifest.json", "{}");
    place.write("runs/damaged/manifest.json", "{");
    let server = Server::start(&place);
    for path in [
        "/runs/none".to_owned(),
        "/runs/..%2Fsecret".to_owned(),
        format!("/runs/{run}/sample?dataset=cases&case=case-9&system=asked&epoch=1"),
        format!("/runs/{run}%2F/samples"),
    ] {
        assert_eq!(server.ask(&path, &server.address).0, 404, "{path}");
    }
    assert!(server.page("/runs").contains("damaged at line"));
    for host in ["evil.example", "evil.example:8787", "runs.local"] {
        assert_eq!(server.ask("/runs", host).0, 421, "{host}");
    }
    assert_eq!(server.ask("/runs", "localhost:1").0, 200);
}

#[test]
fn a_run_that_grows_is_shown_as_its_manifest_is() {
    let place = Workplace::new();
    let run = finished_run(&place, 4);
    let server = Server::start(&place);
    let samples = format!("/runs/{run}/samples");
    let before = server.page(&format!("{samples}?verdict=missing"));
    assert_eq!(links(&before, "/sample?").len(), 0);
    // Without its scores nothing is right or wrong.
    let manifest = place.path(&format!("runs/{run}/manifest.json"));
    let mut value: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
    value["parts"]
        .as_array_mut()
        .unwrap()
        .retain(|part| !part["path"].as_str().unwrap().starts_with("scores/"));
    std::fs::write(manifest.with_extension("new"), value.to_string()).unwrap();
    std::fs::rename(manifest.with_extension("new"), &manifest).unwrap();
    let after = server.page(&format!("{samples}?verdict=missing"));
    assert_eq!(links(&after, "/sample?").len(), 8);
}

#[test]
fn a_page_of_a_damaged_run_says_what_is_damaged_and_what_to_do() {
    let place = Workplace::new();
    let run = finished_run(&place, 4);
    let server = Server::start(&place);
    let folder = place.path(&format!("runs/{run}"));
    let damaged =
        |path: &str, file: &str, change: &dyn Fn(&[u8]) -> Option<Vec<u8>>, said: &str| {
            let whole = std::fs::read(folder.join(file)).unwrap();
            match change(&whole) {
                Some(bytes) => std::fs::write(folder.join(file), bytes).unwrap(),
                None => std::fs::remove_file(folder.join(file)).unwrap(),
            }
            // Another manifest, so that nothing that was read before is remembered.
            let manifest = std::fs::read(folder.join("manifest.json")).unwrap();
            std::fs::write(folder.join("manifest.new"), &manifest).unwrap();
            std::fs::rename(folder.join("manifest.new"), folder.join("manifest.json")).unwrap();
            let (status, body) = server.ask(&format!("/runs/{run}{path}"), &server.address);
            assert_eq!(status, 500, "{file}: {body}");
            for part in [said, file] {
                assert!(body.contains(part), "{file}: {body}");
            }
            assert!(!body.contains("which one") && !body.contains(folder.to_str().unwrap()));
            std::fs::write(folder.join(file), whole).unwrap();
        };
    let verify = format!("consilium verify {run}");
    // A part whose end is not that of a Parquet file.
    let flipped = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        *bytes.last_mut().unwrap() ^= 0xff;
        Some(bytes)
    };
    let part = |table: &str| {
        let mut parts = std::fs::read_dir(folder.join(table)).unwrap();
        let name = parts.next().unwrap().unwrap().file_name();
        format!("{table}/{}", name.to_str().unwrap())
    };
    let (scores, samples) = (part("scores"), part("samples"));
    for path in ["", "/samples", "/pairs"] {
        for file in [&scores, &samples] {
            damaged(path, file, &|_| None, "is missing");
            damaged(path, file, &|bytes| Some(bytes[1..].to_vec()), &verify);
        }
        damaged(path, &samples, &flipped, &verify);
        damaged(path, "manifest.json", &|_| Some(b"{".to_vec()), &verify);
    }
    let overview = server.page("/runs");
    assert!(overview.contains(&run), "{overview}");
}

#[test]
fn tables_beside_a_run_are_shown_as_they_were_written() {
    let place = Workplace::new();
    let run = finished_run(&place, 4);
    let folder = place.path(&format!("runs/{run}/tables"));
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    // Some standard tables have no rows here, and are known to have none.
    assert!(read("contents.json").contains("\"calibration\""));
    assert!(!folder.join("calibration.json").exists());
    let title = "Written beside the run";
    let mut table: serde_json::Value = serde_json::from_str(&read("accuracy.json")).unwrap();
    table["title"] = title.into();
    std::fs::write(folder.join("accuracy.json"), table.to_string()).unwrap();
    let server = Server::start(&place);
    assert!(server.page(&format!("/runs/{run}")).contains(title));
}

#[test]
fn others_are_not_served_without_being_told() {
    let place = Workplace::new();
    let refused = place.run(&["serve", "--listen", "0.0.0.0:0"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("--public-url"), "{refused:?}");
    let no_address = place.run(&["serve", "--public-url", "runs.example.org"]);
    assert_eq!(no_address.code, 2, "{no_address:?}");
}
