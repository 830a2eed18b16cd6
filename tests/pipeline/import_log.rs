//! Recorded logs become runs.

use crate::program::{Outcome, Workplace, public_data};

/// Ready scores of two models in a wide table: two ways of asking, two repetitions, three cases.
const SCORES: &str = "model,case_id,trial,vignette,talk\nm1,a,0,1,0\nm1,a,1,1,-1\nm1,b,0,0,0\nm1,b,1,1,0\n\
    m1,c,0,1,1\nm1,c,1,1,1\n";
const CASES: &str = "{\"id\":\"a\",\"t\":\"A cough.\",\"g\":\"Flu\",\"s\":\"ENT\"}\n\
    {\"id\":\"b\",\"t\":\"A rash.\",\"g\":\"Lupus\",\"s\":\"Skin\"}\n\
    {\"id\":\"c\",\"t\":\"A pain.\",\"g\":\"Gout\",\"s\":\"Joints\"}\n\
    {\"id\":\"never asked\",\"t\":\"A sigh.\",\"g\":\"Love\",\"s\":\"Heart\"}\n";
const MAPPING: &str = "[study]\nname = \"recorded\"\nseed = 7\n[dataset]\nname = \"cases\"\nadapter = \"table\"\n\
    path = \"cases.jsonl\"\nanswer_form = \"diagnosis\"\nfields = { id = \"id\", text = \"t\", gold = \"g\", specialty = \"s\" }\n\
    [log]\ncase_id = \"case_id\"\nsystem = \"model\"\nepoch = \"trial\"\nfirst_epoch = 0\n\
    [[log.series]]\ncolumn = \"vignette\"\nsystem = \"{system}/vignette\"\n\
    [[log.series]]\ncolumn = \"talk\"\nsystem = \"{system}/talk\"\n\
    [log.score]\npolicy = \"published\"\nvalues = { \"1\" = 1, \"0\" = 0, \"-1\" = 0 }\n\
    reasons = { \"-1\" = \"no_answer\" }\noutcomes = { \"-1\" = \"empty\" }\n";

fn place(log: &str) -> Workplace {
    let place = Workplace::new();
    place.write("log.csv", log);
    place.write("cases.jsonl", CASES);
    place.write("map.toml", MAPPING);
    place
}

fn import(place: &Workplace) -> Outcome {
    place.run(&["import-log", "log.csv", "--map", "map.toml"])
}

fn rows(place: &Workplace, run: &str, sql: &str) -> String {
    let rows = place.run(&["sql", run, sql, "--format", "csv"]);
    assert_eq!(rows.code, 0, "{rows:?}");
    rows.stdout
}

#[test]
fn ready_scores_become_a_run_that_reports_verifies_and_scores_again() {
    let place = place(SCORES);
    let run = import(&place).run().to_owned();
    let sql = "SELECT system, sum(value) AS correct, count(*) AS n FROM scores GROUP BY system ORDER BY system";
    let expected = "system,correct,n\nm1/talk,2.0,6\nm1/vignette,5.0,6\n";
    assert_eq!(rows(&place, &run, sql), expected);
    assert_eq!(
        rows(
            &place,
            &run,
            "SELECT sc.case_id, sc.epoch, sc.reason, sa.outcome, sc.signature FROM scores sc JOIN samples sa ON \
             sa.case_id = sc.case_id AND sa.system = sc.system AND sa.epoch = sc.epoch WHERE sc.reason IS NOT NULL"
        ),
        "case_id,epoch,reason,outcome,signature\na,2,no_answer,empty,recorded|rev:1|policy:published\n"
    );
    assert_eq!(
        place.count(
            &run,
            "SELECT count(*) FROM cases WHERE specialty IS NOT NULL"
        ),
        3
    );
    let again = place.run(&["score", &run]);
    assert_eq!(again.code, 0, "{again:?}");
    assert_eq!(rows(&place, &run, sql), expected);
    let report = place.run(&["report", &run, "--out", "report"]);
    assert_eq!(report.code, 0, "{report:?}");
    let page = std::fs::read_to_string(place.path("report/report.md")).unwrap();
    assert!(
        page.contains("m1/talk") && page.contains("bootstrap resampling cases"),
        "{page}"
    );
    let verified = place.run(&["verify", &run, "--report", "report"]);
    assert_eq!(
        (verified.code, verified.stdout.as_str()),
        (0, "ok\n"),
        "{verified:?}"
    );
}

#[test]
fn a_log_with_gaps_is_an_incomplete_run_and_says_which_rows_were_skipped() {
    let place = place(&format!("{SCORES}m1,unknown,0,1,1\nm2,a,0,1,7\n"));
    let imported = import(&place);
    assert_eq!(imported.code, 1, "{imported:?}");
    assert!(
        imported
            .stderr
            .contains("log.csv:line 8: the case is not in the dataset")
            && imported
                .stderr
                .contains("log.csv:line 9: the score is not in log.score.values"),
        "{imported:?}"
    );
    let verified = place.run(&["verify", imported.stdout.trim()]);
    assert_eq!(verified.code, 0, "{verified:?}");
}

#[test]
fn a_sample_that_stands_twice_is_refused_with_both_places() {
    let place = place(&format!("{SCORES}m1,a,0,0,0\n"));
    let refused = import(&place);
    assert_eq!(refused.code, 2, "{refused:?}");
    for words in ["log.csv:line 2", "log.csv:line 8", "epoch 1"] {
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
    }
    assert!(!place.path("runs").exists());
}

#[test]
fn a_mapping_that_does_not_fit_is_refused_with_its_line() {
    let place = place(SCORES);
    place.write("map.toml", MAPPING.replace("case_id =", "case ="));
    let refused = import(&place);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("map.toml:11: unknown field `case`"),
        "{refused:?}"
    );
    let unknown = place.run(&["import-log", "log.csv", "--map", "nowhere"]);
    assert!(unknown.stderr.contains("acibench, craftmd"), "{unknown:?}");
}

#[test]
fn recorded_answers_are_scored_by_the_form_of_their_cases() {
    let place = Workplace::new();
    place.write(
        "log.jsonl",
        "{\"id\":\"1\",\"who\":\"x\",\"q\":\"Which?\",\"o\":[\"gout\",\"flu\"],\"g\":\"A\",\"out\":\"Answer: A\"}\n\
         {\"id\":\"2\",\"who\":\"x\",\"q\":\"And?\",\"o\":[\"gout\",\"flu\"],\"g\":\"B\",\"out\":\"Answer: A\"}\n\
         {\"id\":\"3\",\"who\":\"x\",\"q\":\"Or?\",\"o\":[\"gout\",\"flu\"],\"g\":\"B\",\"out\":null}\n",
    );
    place.write(
        "map.toml",
        "[study]\nname = \"answers\"\n[dataset]\nname = \"d\"\nanswer_form = \"choice\"\nfields = { question = \"q\", \
         options = \"o\", gold = \"g\" }\n[log]\ncase_id = \"id\"\nsystem = \"who\"\nanswer = \"out\"\n",
    );
    let run = place
        .run(&["import-log", "log.jsonl", "--map", "map.toml"])
        .run()
        .to_owned();
    assert_eq!(
        rows(
            &place,
            &run,
            "SELECT case_id, value, reason FROM scores ORDER BY case_id"
        ),
        "case_id,value,reason\n1,1.0,\n2,0.0,\n3,0.0,empty\n"
    );
    assert_eq!(place.run(&["verify", &run]).code, 0);
}

#[test]
fn craftmd_gives_its_published_counts_with_intervals_by_case() {
    let (Some(log), Some(cases)) = (
        public_data("craft_md/results_labels_wide.csv.gz"),
        public_data("craft_md/usmle_and_derm_dataset.csv"),
    ) else {
        return;
    };
    let place = Workplace::new();
    // One model and two ways of asking are enough here; the acceptance script takes all.
    place.write(
        "map.toml",
        "[study]\nname = \"craftmd\"\n[dataset]\nname = \"craftmd\"\nadapter = \"craftmd\"\n[log]\ncase_id = \"case_id\"\n\
         system = { column = \"model\", map = { \"gpt4_1106\" = \"gpt4\" } }\nepoch = \"trial\"\nfirst_epoch = 0\n\
         [[log.series]]\ncolumn = \"vignette_frq\"\nsystem = \"{system}/vignette\"\n[[log.series]]\ncolumn = \
         \"multiturn_frq\"\nsystem = \"{system}/multi-turn\"\n[log.score]\npolicy = \"craftmd_published\"\nvalues = { \
         \"1\" = 1, \"0\" = 0, \"-1\" = 0 }\nreasons = { \"-1\" = \"no_answer\" }\n",
    );
    let imported = place.run(&[
        "import-log",
        log.to_str().unwrap(),
        "--map",
        "map.toml",
        "--dataset",
        cases.to_str().unwrap(),
    ]);
    // The other models' rows are not in the map of systems.
    assert_eq!(imported.code, 1, "{imported:?}");
    assert!(imported.stderr.contains("40080 rows"), "{imported:?}");
    let run = imported.stdout.trim();
    assert_eq!(
        rows(
            &place,
            run,
            "SELECT system, CAST(sum(value) AS BIGINT) AS correct, count(*) AS n FROM scores GROUP BY system ORDER BY \
             system"
        ),
        "system,correct,n\ngpt4/multi-turn,2643,10020\ngpt4/vignette,4869,10020\n"
    );
    assert_eq!(
        rows(
            &place,
            run,
            "SELECT specialty, CAST(sum(value) AS BIGINT) AS correct, count(*) AS n FROM scores JOIN cases ON \
             scores.case_id = cases.case_id WHERE system = 'gpt4/multi-turn' AND specialty IN ('Dermatology', \
             'Neurology', 'Pediatrics and Neonatology') GROUP BY specialty ORDER BY specialty"
        ),
        "specialty,correct,n\nDermatology,632,1585\nNeurology,344,1070\nPediatrics and Neonatology,319,865\n"
    );
    let wider = "SELECT count(*) FROM (SELECT system, bootstrap_ci(value, case_key(dataset, case_id), 1, 1000) AS \
                 clustered, wilson_ci(value) AS trials FROM scores GROUP BY system) WHERE clustered['high'] - \
                 clustered['low'] > 1.3 * (trials['high'] - trials['low'])";
    assert_eq!(place.count(run, wider), 2);
}

#[test]
fn acibench_gives_the_values_of_the_reference_implementations() {
    let Some(folder) = public_data("aci_bench/predictions") else {
        return;
    };
    let place = Workplace::new();
    let mut files: Vec<String> = ["ChatGPT", "GPT-4"]
        .iter()
        .flat_map(|system| (1..=3).map(move |split| format!("test{split}{system}_.csv")))
        .map(|name| folder.join(name).to_str().unwrap().to_owned())
        .collect();
    files.sort();
    let mut arguments = vec!["import-log", "--map", "acibench"];
    arguments.extend(files.iter().map(String::as_str));
    let run = place.run(&arguments).run().to_owned();
    assert_eq!(place.count(&run, "SELECT count(*) FROM cases"), 120);
    assert_eq!(
        rows(
            &place,
            &run,
            "SELECT system, metric, round(avg(value), 6) AS mean FROM scores WHERE metric <> 'bleu' GROUP BY system, \
             metric ORDER BY system, metric"
        ),
        "system,metric,mean\nChatGPT,rouge1,0.452734\nChatGPT,rouge2,0.18313\nChatGPT,rougeL,0.257588\n\
         GPT-4,rouge1,0.511001\nGPT-4,rouge2,0.219674\nGPT-4,rougeL,0.295478\n"
    );
    let expected = "system,bleu\nChatGPT,7.6917\nGPT-4,13.0238\n";
    for sql in [
        "SELECT system, round(corpus_bleu(stats), 4) AS bleu FROM scores WHERE metric = 'bleu' GROUP BY system ORDER BY \
         system",
        "SELECT system, round(corpus_bleu(bleu_stats(coalesce(answer, ''), reference)), 4) AS bleu FROM samples JOIN \
         cases ON samples.case_id = cases.case_id GROUP BY system ORDER BY system",
    ] {
        assert_eq!(rows(&place, &run, sql), expected);
    }
    assert_eq!(
        rows(
            &place,
            &run,
            "SELECT system, round(avg(rouge_1(coalesce(answer, ''), reference)), 6) AS r1 FROM samples JOIN cases ON \
             samples.case_id = cases.case_id GROUP BY system ORDER BY system"
        ),
        "system,r1\nChatGPT,0.452734\nGPT-4,0.511001\n"
    );
    assert_eq!(place.run(&["verify", &run]).code, 0);
}
