use super::*;

const FIELDS: &str =
    r#"{"id":"id","question":"q","text":"t","options":"o","gold":"g","prevalence":"p"}"#;

fn checked(form: &str, file: &str, content: &str, options: &CheckOptions) -> DatasetCheck {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), content).unwrap();
    let spec: DatasetSpec = serde_json::from_str(&format!(
        r#"{{"name":"d","adapter":"table","path":"{file}","answer_form":"{form}","fields":{FIELDS}}}"#
    ))
    .unwrap();
    check_dataset(&spec, folder.path(), options).unwrap()
}

fn lines(found: &DatasetCheck) -> Vec<String> {
    found
        .findings
        .iter()
        .map(|finding| {
            let place = finding
                .place
                .map_or_else(String::new, |place| format!(" {place}"));
            format!("{}{place}: {}", finding.check.as_str(), finding.message)
        })
        .collect()
}

#[test]
fn every_problem_of_a_choice_file_is_named_with_its_line() {
    let rows = [
        r#"{"id":"1","q":"Which?","t":"A man.","o":["gout","rash"],"g":"A","p":"rare"}"#,
        r#"{"id":"1","q":"Other?","o":["gout","rash"],"g":"rash"}"#,
        r#"{"id":"2","q":" which? ","t":"a  MAN.","o":["Gout","rash"],"g":"A"}"#,
        r#"{"id":"3","q":"Which?","t":"A man.","o":["gout","rash"],"g":"B"}"#,
        r#"{"id":"4","q":"","o":["gout","rash"],"g":"A"}"#,
        r#"{"id":"5","q":"Which?","o":["gout","rash"],"g":"C"}"#,
        r#"{"id":"6","q":"A rash, which?","o":["gout","rash"],"g":"rash","p":"often"}"#,
        r#"{"id":"7","q":"Mail a@b.org?","o":["gout","rash"],"g":"A"}"#,
        r#"{"id":}"#,
        "{\"id\":\"9\",\"q\":\"Dam\u{fffd}ged?\",\"o\":[\"gout\",\"rash\"],\"g\":\"A\"}",
    ];
    let found = checked(
        "choice",
        "f.jsonl",
        &rows.join("\n"),
        &CheckOptions::default(),
    );
    assert_eq!((found.cases, found.malformed), (7, 3));
    assert_eq!(
        lines(&found),
        [
            "duplicate-id line 2: the identifier stands at line 1 already",
            "duplicate-text line 3: the same text stands at line 1",
            "conflicting-gold line 4: the same text stands at line 1 with another gold answer",
            "empty-input line 5: the input is empty: no question, text or context",
            "gold-not-among-options line 6: the gold answer is not among the 2 options",
            "unknown-label line 7: prevalence 'often' is none of common, uncommon, rare, unknown",
            "gold-in-text line 7: the gold answer stands in `question`",
            "personal-data line 8: an e-mail address in `question`, at character 6",
            "malformed-row line 9: not JSON: expected value at column 7",
            "damaged-text line 10: `question` holds signs of a wrong conversion (U+FFFD, NUL or UTF-8 \
             read as Latin-1)",
        ]
    );
    assert_eq!(found.count(super::super::Severity::Error), 4);
    assert_eq!(
        found.golds,
        BTreeMap::from([("A".to_owned(), 4), ("B".to_owned(), 3)])
    );
}

#[test]
fn aliases_are_looked_for_and_bound_the_labels() {
    let options = CheckOptions {
        aliases: vec![("Berger disease".to_owned(), "IgA nephropathy".to_owned())],
    };
    let rows = [
        r#"{"id":"1","q":"Which?","t":"His father had Berger's, Berger-disease.","g":"IgA Nephropathy"}"#,
        r#"{"id":"2","q":"Which?","t":"Red urine.","g":"Gout"}"#,
    ];
    let found = checked("diagnosis", "f.jsonl", &rows.join("\n"), &options);
    assert_eq!(
        lines(&found),
        [
            "gold-in-text line 1: another name of the gold answer stands in `text`",
            "unknown-label line 2: the gold label is not in the table of aliases",
        ]
    );
}

#[test]
fn bytes_that_are_no_text_are_said_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = b"id,q,g\n1,why,x\n2,".to_vec();
    bytes.extend(b"\xff,y\n");
    std::fs::write(folder.path().join("f.csv"), bytes).unwrap();
    let spec: DatasetSpec = serde_json::from_str(
        r#"{"name":"d","adapter":"table","path":"f.csv","answer_form":"label","fields":{"id":"id","question":"q","gold":"g"}}"#,
    )
    .unwrap();
    let found = check_dataset(&spec, folder.path(), &CheckOptions::default()).unwrap();
    assert_eq!((found.cases, found.malformed), (1, 1));
    assert_eq!(
        lines(&found),
        ["encoding line 3: bytes that are not UTF-8; convert the file, for example with iconv"]
    );
}

#[test]
fn a_broken_document_and_an_empty_file_are_findings() {
    let broken = checked(
        "label",
        "f.json",
        "[{\"id\":1},\n{]",
        &CheckOptions::default(),
    );
    assert_eq!(lines(&broken).len(), 1);
    assert!(
        lines(&broken)[0].starts_with("unreadable-file line 2: "),
        "{broken:?}"
    );
    let empty = checked("label", "f.jsonl", "", &CheckOptions::default());
    assert_eq!(lines(&empty), ["unreadable-file: the file holds no rows"]);
}

#[test]
fn a_thousand_findings_of_a_kind_are_kept_and_all_are_counted() {
    let rows: Vec<String> = (0..1200)
        .map(|index| format!(r#"{{"id":"{index}","q":"","g":"x"}}"#))
        .collect();
    let found = checked(
        "label",
        "f.jsonl",
        &rows.join("\n"),
        &CheckOptions::default(),
    );
    assert_eq!(found.counts[&Check::EmptyInput], 1200);
    assert_eq!(found.findings.len(), 1000);
}

#[test]
fn what_is_not_seen_and_what_nobody_reads_is_told() {
    let long = "fever ".repeat(200_000);
    let rows = [
        "{\"id\":\"1\",\"q\":\"Which\u{202e}?\",\"g\":\"gout\"}".to_owned(),
        "{\"id\":\"2\",\"q\":\"What?\\u0007\\u200b\",\"g\":\"\\u200b\"}".to_owned(),
        format!(r#"{{"id":"3","q":"Why?","g":"{long}"}}"#),
        "{\"id\":\"4\",\"q\":\"چه می\u{200c}شود؟\\n\",\"g\":\"gout\"}".to_owned(),
    ];
    let found = checked(
        "diagnosis",
        "f.jsonl",
        &rows.join("\n"),
        &CheckOptions::default(),
    );
    let seen = "characters that are not seen: control, zero-width or text-direction characters";
    assert_eq!(
        lines(&found),
        [
            format!("hidden-characters line 1: `question` holds 1 {seen}"),
            format!("hidden-characters line 2: `question` holds 2 {seen}"),
            format!("hidden-characters line 2: `gold` holds 1 {seen}"),
            "blank-gold line 2: the gold answer or the reference holds nothing that can be seen"
                .to_owned(),
            "long-text line 3: `gold` has 1.1 MB of text".to_owned(),
        ]
    );
}
