//! Baselines that learn from a file of other cases.

use crate::program::Workplace;

const STUDY: &str = "[study]\nname = \"trained\"\n[[dataset]]\nname = \"rashes\"\nadapter = \"table\"\npath = \
    \"cases.csv\"\nanswer_form = \"label\"\nfields = { id = \"id\", text = \"text\", gold = \"label\", options = { \
    constant = [\"lupus\", \"gout\", \"flu\"] } }\n[[system]]\nname = \"most\"\nsolver = \"majority\"\ntraining = [{ \
    path = \"train.csv\" }]\n[[system]]\nname = \"near\"\nsolver = \"nearest\"\ntraining = [{ dataset = \"rashes\", \
    path = \"train.csv\" }]\n";

const CASES: &str = "id,text,label\n1,A butterfly rash in a woman,lupus\n2,A red hot toe at night,gout\n3,Fever \
    and muscle ache,flu\n";

const TRAINING: &str = "id,text,label\n1,Butterfly rash and joint pain,lupus\n2,A swollen toe with \
    crystals,gout\n3,Acute pain of the big toe,gout\n4,Cough and fever,flu\n";

fn place(training: &str) -> Workplace {
    let place = Workplace::new();
    place.write("study.toml", STUDY);
    place.write("cases.csv", CASES);
    place.write("train.csv", training);
    place
}

#[test]
fn baselines_answer_from_their_training_file() {
    let place = place(TRAINING);
    let run = place.run(&["run", "study.toml"]);
    let run = run.run();
    let right = |system: &str| {
        place.count(
            run,
            &format!("SELECT count(*) FROM scores WHERE system = '{system}' AND value = 1"),
        )
    };
    assert_eq!((right("most"), right("near")), (1, 3));
    let gout = "SELECT count(*) FROM samples WHERE system = 'most' AND answer = 'gout'";
    assert_eq!(place.count(run, gout), 3);
    let manifest = std::fs::read_to_string(place.path(run).join("manifest.json")).unwrap();
    assert!(manifest.contains("\"train.csv\": \""), "{manifest}");
    assert_eq!(place.run(&["verify", run]).stdout, "ok\n");

    place.write("train.csv", TRAINING.replace("big toe", "great toe"));
    let changed = place.run(&["run", "study.toml"]);
    assert_eq!(changed.code, 2);
    assert!(
        changed.stderr.contains("training file") && changed.stderr.contains("has changed"),
        "{changed:?}"
    );
}

#[test]
fn a_training_file_with_an_evaluated_case_is_refused() {
    // The same words under another identifier, in other spelling.
    let place = place(&format!("{TRAINING}9,A RED-HOT toe (at night),gout\n"));
    for command in ["check", "run"] {
        let refused = place.run(&[command, "study.toml"]);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(
            refused.stderr.contains(
                "its case '9' asks the same as the evaluated case '2' of dataset 'rashes'"
            ),
            "{refused:?}"
        );
    }
}

#[test]
fn a_learner_without_a_file_and_a_file_without_a_learner_are_named() {
    for (from, to, hint) in [
        (
            "training = [{ path = \"train.csv\" }]\n",
            "",
            "has no training file for dataset 'rashes'",
        ),
        (
            "path = \"train.csv\"",
            "path = \"tran.csv\"",
            "there is no training file",
        ),
        (
            "solver = \"majority\"",
            "solver = \"constant\"\nvariant = { answer = \"x\" }",
            "learns nothing",
        ),
        (
            "dataset = \"rashes\"",
            "dataset = \"rash\"",
            "did you mean 'rashes'?",
        ),
    ] {
        let place = place(TRAINING);
        place.write("study.toml", STUDY.replacen(from, to, 1));
        let refused = place.run(&["check", "study.toml", "--offline"]);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains(hint), "{refused:?}");
    }
}
