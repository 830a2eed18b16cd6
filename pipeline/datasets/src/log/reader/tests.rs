use std::collections::BTreeSet;

use super::*;
use crate::log::{SurveyError, survey};

const HEAD: &str = "[study]\nname = \"s\"\n[dataset]\nname = \"d\"\n";

fn reader(mapping: &str, files: &[(&str, &str)]) -> (tempfile::TempDir, LogReader) {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = files
        .iter()
        .map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        })
        .collect();
    let mapping = LogMapping::parse(&format!("{HEAD}{mapping}")).unwrap();
    mapping.check().unwrap();
    let reader = LogReader::new(&mapping, &paths).unwrap();
    (folder, reader)
}

fn entries(mapping: &str, files: &[(&str, &str)]) -> (Vec<LogEntry>, Vec<String>) {
    let (_folder, reader) = reader(mapping, files);
    let (mut entries, mut malformed) = (Vec::new(), Vec::new());
    for item in reader {
        match item.unwrap() {
            Ok(entry) => entries.push(entry),
            Err((file, row)) => malformed.push(format!("{file}:{row}")),
        }
    }
    (entries, malformed)
}

const WIDE: &str = "[log]\ncase_id = \"case\"\nsystem = \"model\"\nepoch = \"trial\"\nfirst_epoch = 0\n\
    [[log.series]]\ncolumn = \"short\"\nsystem = \"{system}/short\"\n\
    [[log.series]]\ncolumn = \"long\"\nsystem = \"{system}/long\"\n\
    [log.score]\npolicy = \"p\"\nvalues = { \"1\" = 1, \"0\" = 0, \"-1\" = 0 }\n\
    reasons = { \"-1\" = \"no_answer\" }\noutcomes = { \"-1\" = \"empty\" }\n";

#[test]
fn a_wide_row_is_one_sample_for_each_filled_column() {
    let log = "model,case,trial,short,long\nm,a,0,1,-1\nm,a,1,,0\nm,a,2,7,0\nm,a,x,1,1\n";
    let (entries, malformed) = entries(WIDE, &[("log.csv", log)]);
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| {
            let score = &entry.scores.as_ref().unwrap().scores["correct"];
            (
                entry.system.as_str(),
                entry.epoch,
                score.value,
                score.reason.as_deref(),
                entry.outcome.as_str(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("m/short", 1, 1.0, None, "ok"),
            ("m/long", 1, 0.0, Some("no_answer"), "empty"),
            ("m/long", 2, 0.0, None, "ok"),
        ]
    );
    assert_eq!(
        malformed,
        [
            "0:line 4: the score is not in log.score.values",
            "0:line 5: epoch: expected a whole number"
        ]
    );
}

#[test]
fn answers_of_several_files_take_system_and_case_from_them() {
    let mapping = "answer_form = \"text\"\n[dataset.fields]\ntext = \"talk\"\nreference = \"note\"\n\
        specialty = \"ward\"\n[log]\ncase_id = \"id\"\nanswer = \"out\"\n\
        system = { column = \"@file\", capture = \"^(.+)[.]csv$\" }\n";
    let row = "id,talk,note,ward,out\n1,hi,ref,ENT,";
    let files = [
        ("a b.csv", format!("{row}\" fine \"\n")),
        ("c.csv", format!("{row}\n")),
    ];
    let files = [
        (files[0].0, files[0].1.as_str()),
        (files[1].0, files[1].1.as_str()),
    ];
    let (entries, malformed) = entries(mapping, &files);
    assert!(malformed.is_empty(), "{malformed:?}");
    assert_eq!(entries[0].system, "a b");
    assert_eq!(entries[0].answer.as_deref(), Some(" fine "));
    assert_eq!(
        (
            entries[1].file,
            entries[1].answer.as_deref(),
            entries[1].outcome
        ),
        (1, None, Outcome::Empty)
    );
    let case = entries[0].case.as_ref().unwrap();
    assert_eq!(case.view.input["text"], "hi");
    assert_eq!(case.view.specialty.as_deref(), Some("ENT"));
    assert_eq!(case.reference.as_deref(), Some("ref"));
    assert_eq!(entries[0].case, entries[1].case);
}

#[test]
fn a_column_for_each_repetition_and_a_bare_number_as_score() {
    let mapping = "[log]\ncase_id = \"id\"\nsystem = { constant = \"s\" }\nlabels = { age = \"age\" }\n\
        [[log.series]]\ncolumn = \"t1\"\nepoch = 1\n[[log.series]]\ncolumn = \"t2\"\nepoch = 2\n\
        [log.score]\npolicy = \"p\"\nmetric = \"grade\"\n";
    let (entries, malformed) = entries(mapping, &[("l.csv", "id,age,t1,t2\n1,old,0.25,3\n")]);
    assert!(malformed.is_empty(), "{malformed:?}");
    let seen: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                entry.epoch,
                entry.scores.as_ref().unwrap().scores["grade"].value,
            )
        })
        .collect();
    assert_eq!(seen, [(1, 0.25), (2, 3.0)]);
    assert_eq!(entries[0].labels["age"], "old");
}

#[test]
fn a_survey_counts_what_is_known_and_refuses_doubles_and_conflicts() {
    let log = "model,case,trial,short,long\nm,a,0,1,1\nm,b,1,0,0\nm,c,0,1,1\n";
    let (_folder, reader) = reader(WIDE, &[("log.csv", log)]);
    let known = BTreeSet::from(["a".into(), "b".into()]);
    let found = survey(reader, Some(&known), "d").unwrap();
    assert_eq!(found.systems, ["m/short", "m/long"]);
    assert_eq!((found.samples, found.epochs, found.malformed), (4, 2, 2));
    assert!(found.has_case("b") && !found.has_case("c"));

    let twice = "model,case,trial,short,long\nm,a,0,1,1\nm,a,0,0,0\n";
    let (_folder, reader) = self::reader(WIDE, &[("log.csv", twice)]);
    let error = survey(reader, None, "d").unwrap_err();
    let SurveyError::Duplicate { first, second, .. } = &error else {
        panic!("{error}");
    };
    assert!(first.ends_with("log.csv:line 2") && second.ends_with("log.csv:line 3"));

    let mapping =
        "[log]\ncase_id = \"id\"\nsystem = \"m\"\nanswer = \"a\"\nlabels = { age = \"age\" }\n";
    let log = "id,m,age,a\n1,x,old,yes\n1,y,young,no\n";
    let (_folder, reader) = self::reader(mapping, &[("log.csv", log)]);
    let error = survey(reader, None, "d").unwrap_err().to_string();
    assert!(error.contains("label 'age'"), "{error}");
}
