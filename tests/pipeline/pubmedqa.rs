//! PubMedQA's expert-labelled questions through the whole pipeline.

use crate::program::{MockServer, Workplace, public_data};

#[test]
fn a_thousand_questions_run_score_report_and_verify() {
    let Some(path) = public_data("pubmedqa/ori_pqal.json") else {
        return;
    };
    let place = Workplace::new();
    let server = MockServer::start(&[]);
    place.write(
        "study.toml",
        format!(
            "[study]\nname = \"pubmedqa\"\nseed = 20261130\n[[dataset]]\nname = \"pubmedqa\"\nadapter = \
             \"pubmedqa\"\npath = {path:?}\n[[backend]]\nname = \"mock\"\nkind = \"openai\"\nbase_url = \"{}\"\n\
             model = \"mock\"\nlimits = {{ concurrency = 64 }}\n[[system]]\nname = \"direct\"\nsolver = \
             \"direct\"\nbackend = \"mock\"\n[[system]]\nname = \"always-yes\"\nsolver = \"constant\"\nvariant = \
             {{ answer = \"yes\" }}\n",
            server.base_url
        ),
    );
    let run = place.run(&["run", "study.toml"]).run().to_owned();
    assert_eq!(
        place.count(&run, "SELECT count(*) FROM samples WHERE outcome = 'ok'"),
        2000
    );
    let yes = place.run(&[
        "sql",
        &run,
        "SELECT avg(value) AS accuracy FROM scores WHERE system = 'always-yes'",
        "--format",
        "csv",
    ]);
    assert_eq!(yes.stdout, "accuracy\n0.552\n");
    let report = place.run(&["report", &run, "--out", "report"]);
    assert_eq!(report.code, 0, "{report:?}");
    let verified = place.run(&["verify", &run, "--report", "report"]);
    assert_eq!(
        (verified.code, verified.stdout.as_str()),
        (0, "ok\n"),
        "{verified:?}"
    );
}

#[test]
fn the_known_counts_of_the_real_files_hold() {
    let (Some(pubmedqa), Some(medqa)) = (
        public_data("pubmedqa/ori_pqal.json"),
        public_data("medqa_usmle/phrases_no_exclude_test.jsonl"),
    ) else {
        return;
    };
    let place = Workplace::new();
    let checked = place.run(&[
        "datasets",
        "check",
        "--adapter",
        "pubmedqa",
        pubmedqa.to_str().unwrap(),
    ]);
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(
        checked.stdout.contains("1000 cases")
            && checked.stdout.contains("maybe 110, no 338, yes 552")
    );
    let checked = place.run(&[
        "datasets",
        "check",
        "--adapter",
        "medqa",
        medqa.to_str().unwrap(),
    ]);
    assert!(checked.stdout.contains("1273 cases"), "{checked:?}");
}
