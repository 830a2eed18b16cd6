//! The fan-out is a plan, and the plan can be seen.

use crate::program::{Workplace, choice_cases, choice_study};

fn explained(place: &Workplace, arguments: &[&str]) -> String {
    let mut all = vec!["run", "study.toml", "--explain"];
    all.extend(arguments);
    let outcome = place.run(&all);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    outcome.stdout
}

#[test]
fn explain_shows_scan_filter_times_anti_join_and_fan_out() {
    let place = Workplace::new();
    place.write("cases.jsonl", choice_cases(20));
    let study = choice_study("kind = \"simulated\"\naccuracy = 0.5");
    place.write(
        "study.toml",
        study.replace(
            "answer_form = \"choice\"",
            "answer_form = \"choice\"\nfilter = { source = \"cases\" }",
        ),
    );
    insta::assert_snapshot!(explained(&place, &[]));
    // Nothing was executed and nothing written.
    assert!(!place.path("runs").exists());
}

#[test]
fn gold_and_reference_are_not_among_the_columns_of_the_plan() {
    let place = Workplace::new();
    place.write("cases.jsonl", choice_cases(20));
    place.write(
        "study.toml",
        choice_study("kind = \"simulated\"\naccuracy = 0.5"),
    );
    let plan = explained(&place, &["--limit", "3", "--shard", "1/2"]);
    let above_the_scan = plan.split("StreamingTableExec").next().unwrap();
    assert!(
        !above_the_scan.contains("gold") && !above_the_scan.contains("reference"),
        "{plan}"
    );
}

#[test]
fn a_dry_run_counts_and_a_draw_is_not_the_first_rows() {
    let place = Workplace::new();
    place.write("cases.jsonl", choice_cases(50));
    place.write(
        "study.toml",
        choice_study("kind = \"simulated\"\naccuracy = 0.5"),
    );
    let dry = place.run(&["run", "study.toml", "--dry-run", "--limit", "5"]);
    assert!(
        dry.stdout
            .starts_with("direct: 5 samples\n5 samples in all\n")
            && dry.stdout.contains("5 calls"),
        "{}",
        dry.stdout
    );

    let run = place
        .run(&["run", "study.toml", "--limit", "5", "--no-score"])
        .run()
        .to_owned();
    let first = "SELECT count(*) FROM samples WHERE case_id < 'case-00005'";
    assert_eq!(place.count(&run, "SELECT count(*) FROM samples"), 5);
    assert!(
        place.count(&run, first) < 5,
        "the draw took the first five rows"
    );
    // The same run goes on with the rest.
    let whole = place.run(&["run", "study.toml"]);
    assert_eq!(whole.run(), run);
    assert!(
        whole.stderr.contains("45 samples to execute"),
        "{}",
        whole.stderr
    );
    // More repetitions make another study of it.
    let repeated = place.run(&[
        "run",
        "study.toml",
        "--epochs",
        "3",
        "--limit",
        "5",
        "--no-score",
    ]);
    assert_ne!(repeated.run(), run);
    assert!(!repeated.stderr.contains("sensitivity set"), "{repeated:?}");
    let epochs = "SELECT count(*) FROM (SELECT case_id FROM samples GROUP BY case_id HAVING \
                  count(DISTINCT epoch) = 3)";
    assert_eq!(place.count(repeated.run(), epochs), 5);
}

#[test]
fn a_stratified_draw_is_proportional_and_repeatable() {
    let place = Workplace::new();
    let cases: String = choice_cases(40)
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let specialty = if index < 30 {
                "Cardiology"
            } else {
                "Neurology"
            };
            line.replacen('{', &format!("{{\"specialty\":\"{specialty}\","), 1) + "\n"
        })
        .collect();
    place.write("cases.jsonl", cases);
    let study = choice_study("kind = \"simulated\"\naccuracy = 0.5")
        .replace(
            "answer_form",
            "limit = 8\nstratify = \"specialty\"\nanswer_form",
        )
        .replace(
            "gold = \"answer\"",
            "gold = \"answer\", specialty = \"specialty\"",
        );
    place.write("study.toml", study);
    let runs: Vec<String> = (0..2)
        .map(|_| {
            place
                .run(&["run", "study.toml", "--new-run"])
                .run()
                .to_owned()
        })
        .collect();
    let ids = "SELECT case_id FROM cases ORDER BY case_id";
    let drawn: Vec<String> = runs
        .iter()
        .map(|run| {
            assert_eq!(
                place.count(
                    run,
                    "SELECT count(*) FROM cases WHERE specialty = 'Cardiology'"
                ),
                6
            );
            assert_eq!(place.count(run, "SELECT count(*) FROM cases"), 8);
            place.run(&["sql", run, ids, "--format", "csv"]).stdout
        })
        .collect();
    assert_eq!(drawn[0], drawn[1]);
}
