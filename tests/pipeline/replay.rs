//! Recorded answers stand in for a model.

use crate::program::{Workplace, choice_cases, choice_study};

#[test]
fn a_replayed_run_gives_the_recorded_answers_without_a_model() {
    let place = Workplace::new();
    place.write("cases.jsonl", choice_cases(30));
    place.write(
        "study.toml",
        choice_study("kind = \"simulated\"\naccuracy = 0.5"),
    );
    let recorded = place.run(&["run", "study.toml"]).run().to_owned();
    let replay = choice_study(&format!("kind = \"replay\"\nrecording = \"{recorded}\""));
    place.write(
        "replay.toml",
        replay.replace("name = \"choices\"", "name = \"again\""),
    );
    let replayed = place.run(&["run", "replay.toml"]).run().to_owned();
    let answers = |run: &str| {
        let sql = "SELECT case_id, answer, outcome FROM samples ORDER BY case_id";
        place.run(&["sql", run, sql, "--format", "csv"]).stdout
    };
    assert_eq!(answers(&recorded), answers(&replayed));
    let answered = "SELECT count(*) FROM samples WHERE outcome = 'ok' AND answer IS NOT NULL";
    assert_eq!(place.count(&replayed, answered), 30);

    // A request that was never recorded has no answer, and says so.
    place.write("cases.jsonl", choice_cases(31));
    let more = place.run(&["run", "replay.toml", "--new-run"]);
    assert_eq!(more.code, 1, "{more:?}");
    let missing = "SELECT count(*) FROM samples WHERE error_kind = 'not_recorded'";
    assert_eq!(place.count(more.stdout.trim(), missing), 1);
}
