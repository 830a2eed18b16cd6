//! Answers compared by an encoder: a local one, and the embeddings of a server.

use crate::program::{MockServer, Workplace};

const CASES: &str = r#"{"id":"1","question":"What is it?","reference":"Gout of the toe"}
{"id":"2","question":"And this?","reference":"Broken arm"}
"#;
const CHINESE: &str = r#"{"id":"1","question":"何证？","reference":"痰湿蕴肺，治以化痰。"}
"#;

/// Two datasets and one answer to everything, scored by `scorer`.
fn place(scorer: &str) -> Workplace {
    let place = Workplace::new();
    place.write("en.jsonl", CASES);
    place.write("zh.jsonl", CHINESE);
    let dataset = |name: &str| {
        format!(
            "[[dataset]]\nname = \"{name}\"\nadapter = \"table\"\npath = \"{name}.jsonl\"\nanswer_form = \
             \"text\"\nfields = {{ id = \"id\", question = \"question\", reference = \"reference\" }}\n"
        )
    };
    place.write(
        "study.toml",
        format!(
            "[study]\nname = \"alike\"\nseed = 7\n{}{}[[system]]\nname = \"gout\"\nsolver = \"constant\"\n\
             variant = {{ answer = \"Gout of the toe\" }}\n{scorer}",
            dataset("en"),
            dataset("zh")
        ),
    );
    place
}

#[test]
fn a_local_encoder_scores_and_is_verified() {
    let place = place("[[scorer]]\nkind = \"embedding\"\nencoder = \"all-MiniLM-L6-v2\"\n");
    let ran = place.run(&["run", "study.toml"]);
    if ran.code != 0 && ran.stderr.contains(".ci/fetch-encoder") {
        eprintln!("skipped: the encoder is not here");
        return;
    }
    let run = ran.run();
    assert!(
        ran.stderr.contains("no values for dataset 'zh'"),
        "{}",
        ran.stderr
    );
    let count = |sql: &str| place.count(run, sql);
    // Four metrics of two English cases, one of them answered word for word.
    assert_eq!(
        count("SELECT count(value) FROM scores WHERE scorer = 'embedding'"),
        8
    );
    assert_eq!(
        count("SELECT count(*) FROM scores WHERE scorer = 'embedding' AND value > 0.9999"),
        4
    );
    assert_eq!(
        count("SELECT count(*) FROM scores WHERE reason = 'unreadable_references'"),
        4
    );
    let table = std::fs::read_to_string(place.path(&format!("{run}/tables/similarity.json")));
    assert!(table.unwrap().contains("bertscore_f1"));
    let verified = place.run(&["verify", run]);
    assert_eq!((verified.code, verified.stdout.as_str()), (0, "ok\n"));

    let manifest = place.path(&format!("{run}/manifest.json"));
    let told = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, told.replace("tokens:256", "tokens:255")).unwrap();
    let verified = place.run(&["verify", run]);
    assert_eq!(verified.code, 1, "{verified:?}");
    assert!(verified.stdout.contains("does not have the signature"));
}

#[test]
fn a_server_scores_and_what_it_is_missing_for_is_told() {
    let server = MockServer::start(&[]);
    let backend = format!(
        "[[backend]]\nname = \"vectors\"\nkind = \"openai\"\nmodel = \"m\"\nbase_url = \"{}\"\nlimits = {{ \
         retries = 0 }}\n[[scorer]]\nkind = \"embedding\"\nbackend = \"vectors\"\n",
        server.base_url
    );
    let place = place(&backend);
    let ran = place.run(&["run", "study.toml"]);
    let run = ran.run();
    let same = "SELECT count(*) FROM scores WHERE metric = 'cosine' AND value > 0.9999";
    assert_eq!(place.count(run, same), 1);
    assert_eq!(
        place.count(
            run,
            "SELECT count(value) FROM scores WHERE scorer = 'embedding'"
        ),
        3
    );
    drop(server);
    let again = place.run(&["score", run]);
    assert_ne!(again.code, 0);
    assert!(
        again.stderr.contains("embed texts with backend 'vectors'")
            && again.stderr.contains("hint: every answer is recorded"),
        "{}",
        again.stderr
    );
    // The values of before are still there, and what cannot be asked again is not called wrong.
    assert_eq!(place.count(run, same), 1);
    let verified = place.run(&["verify", run]);
    assert_eq!((verified.code, verified.stdout.as_str()), (0, "ok\n"));
    assert!(verified.stderr.contains("not computed again"));
}

#[test]
fn metrics_that_cannot_read_chinese_are_told_before_and_at_the_run() {
    let place = place("[[scorer]]\nkind = \"text\"\nmetrics = [\"rougeL\", \"chrf\"]\n");
    for command in ["check", "run"] {
        let told = place.run(&[command, "study.toml"]).stderr;
        let notes: Vec<&str> = told
            .lines()
            .filter(|line| line.contains("are Chinese"))
            .collect();
        assert_eq!(notes.len(), 1, "{command}: {told}");
        assert!(notes[0].contains("dataset 'zh'") && notes[0].contains("which rougeL cannot"));
    }
}

#[test]
fn a_part_of_every_dataset_is_run_and_the_rest_later() {
    let place = place("");
    let run = place
        .run(&["run", "study.toml", "--limit", "1"])
        .run()
        .to_owned();
    let samples = "SELECT count(*) FROM samples";
    assert_eq!(place.count(&run, samples), 2);
    let of_both = "SELECT count(DISTINCT dataset) FROM samples";
    assert_eq!(place.count(&run, of_both), 2);
    for shard in ["1/2", "2/2"] {
        place.run(&["run", "study.toml", "--shard", shard]);
    }
    assert_eq!(place.count(&run, samples), 3);
}
